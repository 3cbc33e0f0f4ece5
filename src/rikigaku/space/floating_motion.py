"""Motion of free-floating robots under joint torques or with prescribed velocities; momentum is conserved.

The integrated state is q on its manifold, the arm's velocities and the momentum (constant unless external
wrenches act). The base's velocity follows from velocities of the arm and momentum at every instant: momentum
has no error that could grow.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import function_of
from rikigaku.integrators.munthe_kaas import MOST_STEPS, LieGroups, ManifoldIntegration
from rikigaku.laws.space.free_base import require_weightless
from rikigaku.model.mechanism import instantiate
from rikigaku.model.states import as_position
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.space.space_arguments import (
    as_array,
    as_duration,
    as_steps,
    as_times,
    as_tolerance,
    as_velocity,
    base_and_arm,
)
from rikigaku.space.user_functions import arm_values, frame_wrenches

Torque = Callable[[float, Array, Array], Any]
Wrenches = Callable[[float, Array, Array], Mapping[str, Any]]
Velocity = Callable[[float, Array], Any]


@dataclass(frozen=True, eq=False)
class FloatingMotion:
    """A motion at the steps of the integrator, or at the times of the caller.

    t (n,), q (n, nq), v (n, nv); work (n,): of torques, wrenches and viscous friction since the start [J].
    status: "ok", or the reason why the motion ends early; the states before are kept.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    work: Array
    status: str = "ok"

    def __repr__(self) -> str:
        span = f"{self.t[0]:.6g} to {self.t[-1]:.6g} s" if len(self.t) else "no times"
        times = f"{span}, {len(self.t)} times"
        return f"<FloatingMotion of robot {self.robot.name!r}: {times}, status: {self.status}>"

    @property
    def energy(self) -> Array:
        """Kinetic energy plus that of joint springs [J], (n,)."""
        return np.asarray(self.robot.kinetic_energy(self.q, self.v) + self.robot.potential_energy(self.q))

    @property
    def momentum(self) -> Array:
        """Linear momentum, and angular momentum about the centre of mass, world axes, (n, 6)."""
        return np.asarray(self.robot.momentum(self.q, self.v))

    @property
    def center_of_mass(self) -> Array:
        """Centre of mass of the robot in the world [m], (n, 3)."""
        return np.asarray(self.robot.center_of_mass(self.q))


@checked
def floating_motion(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    duration: float,
    torque: Torque | None = None,
    *,
    wrenches: Wrenches | None = None,
    times: ArrayLike | None = None,
    tolerance: float = 1e-10,
    breaks: Sequence[float] = (),
    most_steps: int = MOST_STEPS,
) -> FloatingMotion:
    """The motion of a free-floating robot from a state, under torques of its arm.

    Args:
        q, v: of all coordinates at t = 0 (`robot.space.floating_velocity` computes v from the arm's
            velocities and the momentum).
        torque: function (t, q, v) of the joint torques tau of the arm; zero if left out. The motion ends
            early where it raises an error (after the start) or returns a number that is not finite.
        wrenches: function (t, q, v) of external wrenches by frame (thrusters): {"satellite": six numbers}.
        times: of the results [s], increasing; the integrator's own steps if left out.
        tolerance: of each step, relative to the size of the state.
        breaks: times where torque or wrenches jump [s]; a step ends at each.
        most_steps: the largest number of steps; the motion ends there, with its status.
    Raises:
        WrongValue: if the robot has gravity (`robot.with_gravity((0, 0, 0))` has none), or joints
            have Coulomb friction: stick and slip are not a smooth motion.
    """
    for what, f in (("torque", torque), ("wrenches", wrenches)):
        if f is not None:
            function_of(what, "t q v", f)
    motion = _TorqueDriven(robot, q, as_velocity(robot, v), torque, wrenches)
    return motion.run(duration, times, tolerance, breaks, most_steps)


@checked
def prescribed_motion(
    robot: Robot,
    q: ArrayLike,
    velocity: Velocity,
    duration: float,
    *,
    momentum: ArrayLike | None = None,
    times: ArrayLike | None = None,
    tolerance: float = 1e-10,
    breaks: Sequence[float] = (),
    most_steps: int = MOST_STEPS,
) -> FloatingMotion:
    """The motion of a free-floating robot whose arm moves with prescribed velocities, as ideal servos do.

    Args:
        velocity: function (t, q) of the arm's velocities (`robot.space.resolved_rate`). The motion ends
            early where it raises an error (after the start) or returns a number that is not finite.
        momentum: of the whole, as `robot.momentum` returns it; zero if left out.
        times, tolerance, breaks, most_steps: as for `floating_motion`.
    Returns: the motion; its work is the energy supplied by the actuators, without joint friction.
    """
    function_of("velocity", "t q", velocity)
    total = np.zeros(6) if momentum is None else as_array(momentum)
    if total.shape != (6,):
        raise WrongSize(f"Momentum is six numbers, linear and angular; shape {total.shape} was given.")
    return _VelocityDriven(robot, q, velocity, total).run(duration, times, tolerance, breaks, most_steps)


class _Sample(NamedTuple):
    t: float
    q: Array
    v: Array
    work: float


class _Motion(ManifoldIntegration[_Sample]):
    """Integration of q on the manifold of a free-floating robot."""

    def __init__(self, robot: Robot, q: Any, x: Array) -> None:
        self.robot, self.arm = robot, base_and_arm(robot).arm
        require_weightless(robot)
        free, spherical = (
            [robot.v_slices[joint.name] for joint in robot.joints if joint.type == kind]
            for kind in ("free", "spherical")
        )
        super().__init__(LieGroups(free, spherical), robot.nv, as_position(robot, q), x)

    def exponential(self, q: Array, u: Array) -> Array:
        return np.asarray(self.robot.integrate(q, u))

    def run(self, duration: Any, times: Any, tolerance: Any, breaks: Any, most_steps: Any) -> FloatingMotion:
        """The motion, after validation of its options."""
        duration, tolerance, most_steps = as_duration(duration), as_tolerance(tolerance), as_steps(most_steps)
        sampled = None if times is None else as_times(times, duration)
        found, status = self.integrate(duration, sampled, tolerance, breaks, most_steps)
        t, work = (np.array([x[k] for x in found], dtype=np.float64) for k in (0, 3))
        q, v = (
            np.array([x[k] for x in found]).reshape(-1, n)
            for k, n in ((1, self.robot.nq), (2, self.robot.nv))
        )
        return FloatingMotion(self.robot, t, q, v, work, status)


class _TorqueDriven(_Motion):
    """Torques act on the arm: y = (u, v of the arm, momentum, work)."""

    def __init__(
        self, robot: Robot, q: Any, v: Array, torque: Torque | None, wrenches: Wrenches | None
    ) -> None:
        self.torque, self.wrenches = torque, wrenches
        arm = base_and_arm(robot).arm
        self.viscous = _viscous_friction(robot)[arm]
        momentum = robot.momentum(as_position(robot, q), v)
        super().__init__(robot, q, np.concatenate([v[arm], momentum, [0.0]]))
        self.no_torque = np.zeros(len(arm))
        self.arm_velocity = slice(robot.nv, robot.nv + len(arm))
        self.momentum = slice(self.arm_velocity.stop, self.arm_velocity.stop + 6)

    def velocity(self, t: float, y: Array, q: Array) -> Array:
        v_arm, momentum = y[self.arm_velocity].copy(), y[self.momentum].copy()
        return np.asarray(self.robot.space.floating_velocity(q, v_arm, momentum))

    def sample(self, t: float, y: Array, q: Array, v: Array) -> _Sample:
        return _Sample(t, q, v, float(y[-1]))

    def __call__(self, t: float, y: Array) -> Array:
        robot, q = self.robot, self.position(y)
        v = self.velocity(t, y, q)
        tau = self.no_torque
        if self.torque is not None:
            tau = arm_values("torques", t, len(self.arm), self.torque, t, q, v)
        wrenches = {} if self.wrenches is None else frame_wrenches(t, self.wrenches, t, q, v)
        forward_dynamics = robot.space.floating_forward_dynamics
        a = forward_dynamics(q, v, tau, wrenches=wrenches) if wrenches else forward_dynamics(q, v, tau)
        rate = np.zeros_like(y)
        rate[: robot.nv] = self.groups.coordinate_rates(y[: robot.nv], v)
        rate[self.arm_velocity] = a[self.arm]
        rate[-1] = (tau - self.viscous * v[self.arm]) @ v[self.arm]
        for frame, w in wrenches.items():
            lever = robot.pose(q, frame)[:3, 3] - robot.center_of_mass(q)
            rate[self.momentum] += np.concatenate([w[:3], w[3:] + np.cross(lever, w[:3])])
            rate[-1] += w @ robot.velocity(q, v, frame)
        return rate


class _VelocityDriven(_Motion):
    """The arm moves with prescribed velocities: y = u."""

    def __init__(self, robot: Robot, q: Any, prescribed: Velocity, momentum: Array) -> None:
        super().__init__(robot, q, np.zeros(0))
        self.prescribed, self.momentum = prescribed, momentum
        self.v_arm = np.zeros(len(self.arm))  # the last velocities that were returned
        self.initial_energy = self.energy(self.q, self.last_velocity())

    def velocity(self, t: float, y: Array, q: Array) -> Array:
        self.v_arm = arm_values("velocities", t, len(self.arm), self.prescribed, t, q)
        return np.asarray(self.robot.space.floating_velocity(q, self.v_arm, self.momentum))

    def sample(self, t: float, y: Array, q: Array, v: Array) -> _Sample:
        return _Sample(t, q, v, self.energy(q, v) - self.initial_energy)

    def energy(self, q: Array, v: Array) -> float:
        """Kinetic energy plus that of joint springs [J]."""
        return float(self.robot.kinetic_energy(q, v) + self.robot.potential_energy(q))

    def __call__(self, t: float, y: Array) -> Array:
        return self.groups.coordinate_rates(y, self.velocity(t, y, self.position(y)))

    def run(self, *options: Any) -> FloatingMotion:
        with suppress(ArithmeticError):  # it recurs in the integration, which reports it as status
            self.initial_energy = self.energy(self.q, self.velocity(self.t, self.y, self.q))
        return super().run(*options)

    def last_velocity(self) -> Array:
        """v of all coordinates at q with the last velocities that were returned."""
        return np.asarray(self.robot.space.floating_velocity(self.q, self.v_arm, self.momentum))

    def last(self) -> _Sample:
        """The sample at an early end; with the last velocities that were returned, zero at the start."""
        try:
            return super().last()
        except ArithmeticError:
            return self.sample(self.t, self.y, self.q, self.last_velocity())


def _viscous_friction(robot: Robot) -> Array:
    """Viscous friction coefficients of all coordinates, (nv,).

    Raises:
        WrongValue: if joints have Coulomb friction.
    """
    viscous = np.zeros(robot.nv)
    coulomb = []
    for body in instantiate(robot, FLOATS, robot.declared_values).bodies:
        viscous[list(body.v)] = body.viscous
        coulomb += [body.name] if body.coulomb else []
    if coulomb:
        raise WrongValue(
            f"Robot {robot.name!r} has Coulomb friction in the joints of {', '.join(coulomb)}: joints stick "
            "and slip, which rk.simulate integrates. Here motion is smooth: set that friction to 0, or make "
            "it viscous."
        )
    return viscous
