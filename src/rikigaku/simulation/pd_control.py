"""PD control of the actuated joints of any robot: trees, free bases, loops; compiled."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.closure_plan import closure
from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.validation import function_of
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.laws.tree.newton_euler import gravity_forces
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Array, Function, Numbers, TorqueSource
from rikigaku.simulation.controller_model import controller_mechanism
from rikigaku.simulation.controllers import Target, gains, target_pieces


class PD(TorqueSource):
    """tau = g(q) + stiffness (q_d - q) + damping (v_d - v): `rk.PD(robot, target, stiffness, damping)`.

    Args:
        target: a configuration or a trajectory (`rikigaku.trajectory`), of all coordinates (nq,) or of the
            actuated joints alone, in their order.
        stiffness [N m/rad, N/m], damping [N m s/rad, N s/m]: numbers, or one for each of v (nv,), or one for
            each actuated coordinate.
        gravity: add g(q) of the actuated joints, of the robot given here. With a free base this does not
            balance gravity; robots with loops take gravity=False.
    Passive joints and joints of type "free" get no force. A spherical joint gets the moment stiffness times
    2 sin(angle/2) about the axis of the shorter rotation to its target; its target is a configuration.
    """

    function: Function | None = None
    period: float | None = None

    @checked
    def __init__(
        self,
        robot: Robot,
        target: Target,
        stiffness: ArrayLike,
        damping: ArrayLike,
        gravity: bool = True,
    ) -> None:
        if gravity and is_closed(robot):
            raise WrongValue(
                f"PD does not compensate gravity of robots with loops, as {robot.name!r} has: give "
                "gravity=False, and more stiffness."
            )
        self.joints = actuated_joints(robot)
        if not self.joints:
            raise WrongValue(f"No joint of robot {robot.name!r} is actuated: there is nothing to control.")
        self.q = tuple(k for j in self.joints for k in _indices(robot.q_slices[j.name]))
        self.v = actuated_indices(robot)
        self.model, self.gravity, self.nv = robot, gravity, robot.nv
        if callable(target) and len(self.q) != len(self.v):
            quaternion = next(j.name for j in self.joints if j.nq != j.nv)
            raise WrongValue(
                f"A trajectory has no quaternions, and joint {quaternion!r} has one: give a "
                "configuration, or a function torque=f(t, q, v)."
            )
        count = _count(target, robot.nq, len(self.q))
        self.pieces, self.size = target_pieces(target, count), 3 * count
        self.first = self.q if count == robot.nq else tuple(range(count))  # indices in u of the targets
        both = [self._gains(name, x) for name, x in (("stiffness", stiffness), ("damping", damping))]
        self.parameters = tuple(float(x) for x in np.concatenate(both))

    def _gains(self, name: str, x: Any) -> Array:
        """A gain for each actuated coordinate of v."""
        values = floats(name, x)
        if values.shape == (self.nv,) and self.nv != len(self.v):
            values = values[list(self.v)]
        return gains(name, values, len(self.v))

    @property
    def identity(self) -> str:
        kinds = [j.type for j in self.joints]
        model = self.model.mechanics_digest if self.gravity else ""
        return f"PD {self.size} {self.first} {self.q} {self.v} {kinds} {model}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        tau: list[Number] = [0] * mechanism.nv
        g = gravity_forces(controller_mechanism(self.model, mechanism), q) if self.gravity else tau
        stiffness, damping, error = p[: len(self.v)], p[len(self.v) :], self._position_error(q, u)
        rates = self._rates(u)
        for i, k in enumerate(self.v):
            tau[k] = g[k] + stiffness[i] * error[i] + damping[i] * (rates[i] - v[k])
        return tau

    def _position_error(self, q: Numbers, u: Numbers) -> list[Number]:
        """Position error of each actuated coordinate of v."""
        result: list[Number] = []
        at = 0
        for joint in self.joints:
            here = [q[k] for k in self.q[at : at + joint.nq]]
            there = [u[k] for k in self.first[at : at + joint.nq]]
            result += (
                _rotation_error(here, there)
                if joint.nq != joint.nv
                else [b - a for a, b in zip(here, there, strict=True)]
            )
            at += joint.nq
        return result

    def _rates(self, u: Numbers) -> list[Number]:
        """Velocities of the target; zero for quaternions."""
        rates, at = u[self.size // 3 : 2 * self.size // 3], 0
        result: list[Number] = []
        for joint in self.joints:
            indices = self.first[at : at + joint.nq]
            result += [0] * joint.nv if joint.nq != joint.nv else [rates[k] for k in indices]
            at += joint.nq
        return result


def actuated_joints(robot: Robot) -> list[Joint]:
    """Actuated joints except a free base, in the order of v."""
    if is_closed(robot):
        actuated = set(closure(robot).structure.actuated)
        return [j for j in robot.joints if j.nv and robot.v_slices[j.name].start in actuated]
    return [j for j in robot.joints if j.nv and j.actuated and j.type != "free"]


def actuated_indices(robot: Robot) -> tuple[int, ...]:
    """Indices in v of the actuated joints except a free base."""
    return tuple(k for j in actuated_joints(robot) for k in _indices(robot.v_slices[j.name]))


def _rotation_error(a: Numbers, b: Numbers) -> list[Number]:
    """2 sin(angle/2) times the axis of the shorter rotation from quaternion a to b, in the axes of a."""
    w = sum((x * y for x, y in zip(a, b, strict=True)), start=0)
    side = where(w < 0, -2, 2)
    return [
        side * (a[0] * b[1] - b[0] * a[1] - (a[2] * b[3] - a[3] * b[2])),
        side * (a[0] * b[2] - b[0] * a[2] - (a[3] * b[1] - a[1] * b[3])),
        side * (a[0] * b[3] - b[0] * a[3] - (a[1] * b[2] - a[2] * b[1])),
    ]


def _indices(part: slice) -> range:
    return range(part.start, part.stop)


def _count(target: Any, whole: int, actuated: int) -> int:
    """Number of coordinates of the target: all of q, or those of the actuated joints."""
    if callable(target):
        function_of("target", "t", target)
    motion = target(0.0) if callable(target) else target
    shape = np.shape(getattr(motion, "q", motion))
    if callable(target) and not hasattr(motion, "q"):
        return whole  # no trajectory: `target_pieces` raises the error
    if shape not in ((whole,), (actuated,)):
        some = f", or the {actuated} of its actuated joints" if actuated != whole else ""
        raise WrongSize(f"A target configuration has {whole} numbers{some}; shape {shape} was given.")
    return int(shape[0])
