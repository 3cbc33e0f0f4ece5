"""Motion of free-floating robots that keeps its momentum and stays on its manifold.

What is integrated: the arm's rates, the momentum (constant unless wrenches act) and q on its manifold. The
base's velocity follows from rates and momentum at every instant: momentum has no error to grow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.given import function_of
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.space.asking import asked, asked_wrenches
from rikigaku.space.places import as_velocity, split
from rikigaku.space.stepping import MOST_STEPS, Found, Path
from rikigaku.states import as_position

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Any]
Wrenches = Callable[[float, Array, Array], Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class FloatingMotion:
    """A motion at the steps the integrator took, or at the times asked for.

    t (n,), q (n, nq), v (n, nv); work (n,): what torques, wrenches and viscous friction have
    done since the start [J].
    status: "ok", or the sentence that says why the motion ends before its time; what was found is kept.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    work: Array
    status: str = "ok"

    @property
    def energy(self) -> Array:
        """Kinetic energy, and that of springs in joints, at each time [J]."""
        laws = cast(Any, self.robot)
        return np.asarray(laws.kinetic_energy(self.q, self.v) + laws.potential_energy(self.q))

    @property
    def momentum(self) -> Array:
        """Linear and angular momentum about the centre of mass, world axes, (n, 6)."""
        return np.asarray(cast(Any, self.robot).momentum(self.q, self.v))

    @property
    def center_of_mass(self) -> Array:
        """Of the whole, in the world, (n, 3)."""
        return np.asarray(cast(Any, self.robot).center_of_mass(self.q))


def floating_motion(
    robot: Robot,
    q: Any,
    v: Any,
    duration: float,
    torque: Torque | None = None,
    *,
    wrenches: Wrenches | None = None,
    times: Any = None,
    tolerance: float = 1e-10,
    breaks: Any = (),
    most_steps: int = MOST_STEPS,
) -> FloatingMotion:
    """The motion of a robot in space from a state, under torques of its arm.

    Args:
        v: of all coordinates (`robot.floating_velocity` gives it from rates and momentum).
        torque: of the arm's coordinates, as a function of t, q and v; none if left out. Where it raises an
            error (after the start) or a number is not finite the motion ends, with what was found.
        wrenches: from outside (thrusters), by frame, as a function of t, q and v: {"satellite": six numbers}.
        times: of the results [s], increasing; the integrator's own steps if left out.
        tolerance: of each step, relative to the size of the state.
        breaks: times where torque or wrenches jump, which no step may pass over [s].
        most_steps: where to give up; the motion up to there is kept, with its status.
    Raises:
        WrongValue: if the robot has gravity (`robot.with_gravity((0, 0, 0))` has none), or joints
            have Coulomb friction: they stick and slip, which is not a smooth motion.
    """
    for what, f in (("torque", torque), ("wrenches", wrenches)):
        if f is not None:
            function_of(what, "t q v", f)
    path = _Torques(robot, q, as_velocity(robot, v), torque, wrenches)
    return moved(robot, *path.run(duration, times, tolerance, breaks, most_steps))


def moved(robot: Robot, found: list[Found], status: str) -> FloatingMotion:
    """The states found, as arrays."""
    q, v = (np.array([x[k] for x in found]).reshape(-1, n) for k, n in ((1, robot.nq), (2, robot.nv)))
    return FloatingMotion(robot, _column(found, 0), q, v, _column(found, 3), status)


def _column(found: list[Found], k: int) -> Array:
    return np.array([x[k] for x in found], dtype=np.float64)


class _Torques(Path):
    """Torques drive the arm: y = (u, rates, momentum, work)."""

    def __init__(
        self, robot: Robot, q: Any, v: Array, torque: Torque | None, wrenches: Wrenches | None
    ) -> None:
        self.torque, self.wrenches = torque, wrenches
        arm = split(robot).arm
        self.viscous = _viscous(robot)[arm]
        momentum = cast(Any, robot).momentum(as_position(robot, q), v)
        super().__init__(robot, q, np.concatenate([v[arm], momentum, [0.0]]))
        self.none = np.zeros(len(arm))
        self.rates = slice(robot.nv, robot.nv + len(arm))
        self.momentum = slice(self.rates.stop, self.rates.stop + 6)

    def velocity(self, t: float, y: Array, q: Array) -> Array:
        return np.asarray(self.laws.floating_velocity(q, y[self.rates].copy(), y[self.momentum].copy()))

    def work(self, y: Array, q: Array, v: Array) -> float:
        return float(y[-1])

    def __call__(self, t: float, y: Array) -> Array:
        q = self.moved(y)
        v = self.velocity(t, y, q)
        tau = self.none if self.torque is None else asked("torques", t, len(self.arm), self.torque, t, q, v)
        outer = {} if self.wrenches is None else asked_wrenches(t, self.wrenches, t, q, v)
        given = {"wrenches": outer} if outer else {}
        rate = np.zeros_like(y)
        rate[: self.robot.nv] = self.chart(y[: self.robot.nv], v)
        rate[self.rates] = self.laws.floating_forward_dynamics(q, v, tau, **given)[self.arm]
        rate[-1] = (tau - self.viscous * v[self.arm]) @ v[self.arm]
        for frame, w in outer.items():
            lever = self.laws.pose(q, frame)[:3, 3] - self.laws.center_of_mass(q)
            rate[self.momentum] += np.concatenate([w[:3], w[3:] + np.cross(lever, w[:3])])
            rate[-1] += w @ self.laws.velocity(q, v, frame)
        return rate


def _viscous(robot: Robot) -> Array:
    """Viscous friction of every coordinate."""
    found = np.zeros(robot.nv)
    dry = []
    for body in instantiate(robot, FLOATS, robot.declared_values).bodies:
        found[list(body.v)] = body.viscous
        dry += [body.name] if body.coulomb else []
    if dry:
        raise WrongValue(
            f"Robot {robot.name!r} has Coulomb friction in the joints of {', '.join(dry)}: joints stick and "
            "slip, which rk.simulate follows. Here motion is smooth: set that friction to 0, or make it "
            "viscous."
        )
    return found
