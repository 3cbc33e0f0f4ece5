"""Springs and dampers in the driven joints of any robot: trees, free bases, loops; compiled into fields."""

from typing import Any

import numpy as np

from rikigaku.constraints.plan import closure
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.newton_euler import gravity_forces
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.functions import where
from rikigaku.numbers.kind import Number
from rikigaku.simulation.controllers import gains, target_pieces
from rikigaku.simulation.drives import Array, Function, Numbers
from rikigaku.simulation.free import is_closed


class PD:
    """tau = g(q) + stiffness (q_d - q) + damping (v_d - v): `rk.PD(robot, target, stiffness, damping)`.

    Args:
        target: a posture or a trajectory (`rikigaku.trajectory`), either of all coordinates (nq,) or of those
            of the driven joints alone, in their order.
        stiffness [N m/rad, N/m], damping [N m s/rad, N s/m]: numbers, or one for each of v (nv,), or one for
            each driven coordinate.
        gravity: add what holds the driven joints against gravity, as if all others were held. Where others
            move (a free base), or with loops, it is no balance: robots with loops take gravity=False.
    Joints that are not actuated (the place and pitch of a foot) and joints of type "free" get no force. A
    spherical joint is turned about the axis that leads to its target by stiffness 2 sin(angle/2), the shorter
    way; its target is a posture.
    """

    function: Function | None = None
    period: float | None = None

    def __init__(self, robot: Robot, target: Any, stiffness: Any, damping: Any, gravity: bool = True) -> None:
        if gravity and is_closed(robot):
            raise WrongValue(
                f"PD knows no forces that hold the loops of robot {robot.name!r} against gravity: give "
                "gravity=False, and more stiffness."
            )
        self.joints = driven_joints(robot)
        if not self.joints:
            raise WrongValue(f"No joint of robot {robot.name!r} has a drive: there is nothing to control.")
        self.q = tuple(k for j in self.joints for k in _places(robot.q_slices[j.name]))
        self.v = tuple(k for j in self.joints for k in _places(robot.v_slices[j.name]))
        self.gravity, self.nv = gravity, robot.nv
        if callable(target) and len(self.q) != len(self.v):
            turning = next(j.name for j in self.joints if j.nq != j.nv)
            raise WrongValue(
                f"A trajectory has no quaternions, and joint {turning!r} has one: give a posture, or a "
                "function torque=f(t, q, v)."
            )
        count = _count(target, robot.nq, len(self.q))
        self.pieces, self.size = target_pieces(target, count), 3 * count
        self.first = self.q if count == robot.nq else tuple(range(count))  # where u has the target of each
        both = [self._spread(name, x) for name, x in (("stiffness", stiffness), ("damping", damping))]
        self.parameters = tuple(float(x) for x in np.concatenate(both))

    def _spread(self, name: str, x: Any) -> Array:
        """A gain for each driven coordinate of v."""
        values = np.asarray(x, dtype=np.float64)
        if values.shape == (self.nv,) and self.nv != len(self.v):
            values = values[list(self.v)]
        return gains(name, values, len(self.v))

    @property
    def identity(self) -> str:
        kinds = [j.type for j in self.joints]
        return f"PD {self.size} {self.first} {self.q} {self.v} {kinds} {self.gravity}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        tau: list[Number] = [0] * mechanism.nv
        held = gravity_forces(mechanism, q) if self.gravity else tau
        stiffness, damping, apart = p[: len(self.v)], p[len(self.v) :], self._apart(q, u)
        rates = self._rates(u)
        for i, k in enumerate(self.v):
            tau[k] = held[k] + stiffness[i] * apart[i] + damping[i] * (rates[i] - v[k])
        return tau

    def _apart(self, q: Numbers, u: Numbers) -> list[Number]:
        """The way from q to the target along each driven coordinate of v."""
        result: list[Number] = []
        at = 0
        for joint in self.joints:
            here = [q[k] for k in self.q[at : at + joint.nq]]
            there = [u[k] for k in self.first[at : at + joint.nq]]
            result += (
                _turn(here, there)
                if joint.nq != joint.nv
                else [b - a for a, b in zip(here, there, strict=True)]
            )
            at += joint.nq
        return result

    def _rates(self, u: Numbers) -> list[Number]:
        """Rates of the target; quaternions stand still."""
        rates, at = u[self.size // 3 : 2 * self.size // 3], 0
        result: list[Number] = []
        for joint in self.joints:
            places = self.first[at : at + joint.nq]
            result += [0] * joint.nv if joint.nq != joint.nv else [rates[k] for k in places]
            at += joint.nq
        return result


def driven_joints(robot: Robot) -> list[Joint]:
    """Joints with a drive, in the order of v: the actuated ones, but no free base."""
    if is_closed(robot):
        driven = set(closure(robot).places.driven)
        return [j for j in robot.joints if j.nv and robot.v_slices[j.name].start in driven]
    return [j for j in robot.joints if j.nv and j.actuated and j.type != "free"]


def _turn(a: Numbers, b: Numbers) -> list[Number]:
    """2 sin(angle/2) along the axis that turns the quaternion a into b, in the axes of a; the shorter way."""
    w = sum((x * y for x, y in zip(a, b, strict=True)), start=0)
    side = where(w < 0, -2, 2)
    return [
        side * (a[0] * b[1] - b[0] * a[1] - (a[2] * b[3] - a[3] * b[2])),
        side * (a[0] * b[2] - b[0] * a[2] - (a[3] * b[1] - a[1] * b[3])),
        side * (a[0] * b[3] - b[0] * a[3] - (a[1] * b[2] - a[2] * b[1])),
    ]


def _places(places: slice) -> range:
    return range(places.start, places.stop)


def _count(target: Any, whole: int, driven: int) -> int:
    """Of how many coordinates the target is: all of q, or those of driven joints."""
    motion = target(0.0) if callable(target) else target
    given = np.shape(getattr(motion, "q", motion))
    if callable(target) and not hasattr(motion, "q"):
        return whole  # no trajectory, as `target_pieces` says
    if given not in ((whole,), (driven,)):
        some = f", or the {driven} of its driven joints" if driven != whole else ""
        raise WrongSize(f"A target posture has {whole} numbers{some}; shape {given} was given.")
    return int(given[0])
