"""Targets for a frame to track: a straight line, a frame of another floating robot, the approach to it.

A target is a function of time that returns the desired pose (position and quaternion w x y z, 7 numbers),
twist and acceleration (6 each, world axes, linear first), as the control laws take them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BPoly

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.model.float_poses import quaternion_matrix, quaternion_of
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.space.floating_motion import floating_motion
from rikigaku.space.rotation_vector import rotation_motion, rotation_vector_rates
from rikigaku.space.space_arguments import (
    as_duration,
    as_pose,
    as_spacing,
    as_velocity,
    base_and_arm,
    check_target,
)
from rikigaku.spatial.pose_arrays import check_poses, rotation_vector
from rikigaku.trajectory import Polynomial, Trapezoid, quintic, trapezoid

# Spacing of the nodes of a target's motion [s, or rad of rotation].
_SPACING = 0.05
# Largest motion of a joint between two points of a difference quotient [rad, m].
_DIFFERENCE = 1e-3


class TargetState(NamedTuple):
    """Desired pose (7,), twist (6,) and acceleration (6,) of a frame at an instant."""

    pose: Array
    twist: Array
    acceleration: Array


Target = Callable[[float], TargetState]


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line with a trapezoidal velocity profile and constant orientation."""

    start: Array
    direction: Array
    quaternion: Array
    profile: Trapezoid

    @property
    def duration(self) -> float:
        """Duration from rest to rest [s]."""
        return self.profile.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times where the acceleration jumps [s]."""
        return (self.profile.rise, self.duration - self.profile.rise)

    def __call__(self, t: float) -> TargetState:
        s, speed, acceleration = (float(x[0]) for x in self.profile(number("t [s]", t)))
        zero = np.zeros(3)
        pose = np.concatenate([self.start + s * self.direction, self.quaternion])
        return TargetState(
            pose,
            np.concatenate([speed * self.direction, zero]),
            np.concatenate([acceleration * self.direction, zero]),
        )


@checked
def line(pose: ArrayLike, end: ArrayLike, *, velocity: float, acceleration: float) -> Line:
    """The line from a pose (4 x 4) to a position (3,), in minimum time within the limits [m/s, m/s^2]."""
    X, end = np.asarray(pose, dtype=np.float64), np.asarray(end, dtype=np.float64)
    if X.shape != (4, 4) or end.shape != (3,):
        raise WrongSize(
            f"A line goes from a pose (4, 4) to a position (3,), not from {X.shape} to {end.shape}."
        )
    check_poses("The start of the line", X)
    displacement = end - X[:3, 3]
    length = float(np.linalg.norm(displacement))
    if length == 0:
        raise WrongValue("The line ends where it starts; a line has a direction.")
    profile = trapezoid([0.0], [length], velocity=velocity, acceleration=acceleration)
    return Line(X[:3, 3].copy(), displacement / length, quaternion_of(X[:3, :3]), profile)


@dataclass(frozen=True, eq=False)
class Approach:
    """Approach of a frame, from rest, to a moving target.

    The position relative to the target, and the rotation vector of the relative orientation (in the target's
    axes), are polynomials of degree 5. They start with the frame at rest and end with zero position, velocity
    and acceleration relative to the target. After `duration` the frame moves with the target.
    """

    target: Target
    duration: float
    position: Polynomial
    rotation: Polynomial

    @classmethod
    @checked
    def start(cls, pose: ArrayLike, target: Target, duration: float) -> "Approach":
        """The approach from a pose (4 x 4) at t = 0."""
        X = as_pose(pose)
        duration = as_duration(duration)
        check_target(target, duration)
        first, zero = target(0.0), np.zeros(3)
        offset = X[:3, 3] - first.pose[:3]
        position = quintic(offset, zero, duration, v0=-first.twist[:3], a0=-first.acceleration[:3])
        R = quaternion_matrix(first.pose[3:])
        x = rotation_vector(R.T @ X[:3, :3])
        # relative to the target's rotating axes; the Coriolis term w x w is zero
        dx, ddx = rotation_vector_rates(x, -R.T @ first.twist[3:], -R.T @ first.acceleration[3:])
        return cls(target, duration, position, quintic(x, zero, duration, v0=dx, a0=ddx))

    def __call__(self, t: float) -> TargetState:
        t = number("t [s]", t)
        pose, twist, acceleration = self.target(t)
        p, v, a = self.position(t)
        R, w = quaternion_matrix(pose[3:]), twist[3:]
        relative, omega, alpha = rotation_motion(*self.rotation(t))
        omega, alpha = R @ omega, R @ alpha
        return TargetState(
            np.concatenate([pose[:3] + p, quaternion_of(R @ relative)]),
            np.concatenate([twist[:3] + v, w + omega]),
            np.concatenate([acceleration[:3] + a, acceleration[3:] + alpha + np.cross(w, omega)]),
        )


class MovingFrame:
    """A frame of a free-floating robot without torques (a tumbling satellite), as a target.

    Its motion is integrated once, for `duration` [s]. Between nodes the state is a polynomial of degree 5
    through the values and first two derivatives at both ends. Nodes are `spacing` [s] apart; if left out,
    0.05 s, or 0.05 rad of rotation where that is less: then q is accurate to 1e-10 at any rotation speed.
    """

    @checked
    def __init__(
        self,
        robot: Robot,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        duration: float,
        *,
        spacing: float | None = None,
    ) -> None:
        self.robot, self.frame, self.duration = robot, frame, as_duration(duration)
        start = as_velocity(robot, v)
        base, arm = base_and_arm(robot)
        speeds = np.delete(start, base[: 2 if len(base) == 3 else 3])  # a uniform translation needs no nodes
        h = _SPACING / max(1.0, float(np.abs(speeds).max())) if spacing is None else as_spacing(spacing)
        nodes = np.linspace(0.0, self.duration, max(2, 1 + int(np.ceil(self.duration / h))))
        self.motion = floating_motion(robot, q, start, self.duration, times=nodes, tolerance=1e-12)
        if self.motion.status != "ok":
            raise WrongValue(f"The target does not move for {self.duration:g} s: {self.motion.status}.")
        q, v = self.motion.q, self.motion.v
        self._no_torque = np.zeros(len(arm))
        a = self._accelerations(q, v)
        q_rate = partial(position_rates, robot)
        self._q = _quintic(nodes, q, q_rate(q, v), derivative_along(robot, q_rate, q, v, v, a))
        self._v = _quintic(nodes, v, a, derivative_along(robot, self._accelerations, q, v, v, a))

    def _accelerations(self, q: Array, v: Array) -> Array:
        return np.asarray(self.robot.space.floating_forward_dynamics(q, v, self._no_torque))

    @checked
    def state(self, t: float) -> tuple[Array, Array]:
        """q (nq,) and v (nv,) of the robot at a time [s]."""
        t = number("t [s]", t)
        if not 0 <= t <= self.duration * (1 + 1e-12):
            raise WrongValue(
                f"The target's motion is known from 0 to {self.duration:g} s; t = {t:g} s was given. "
                "Give MovingFrame a longer duration."
            )
        q, v = self._q(t), self._v(t)
        return np.asarray(self.robot.integrate(q, 0 * v)), v

    def __call__(self, t: float) -> TargetState:
        robot, frame = self.robot, self.frame
        q, v = self.state(t)
        a = self._accelerations(q, v)
        return TargetState(
            coordinates_of(robot.pose(q, frame)),
            robot.velocity(q, v, frame),
            robot.acceleration(q, v, a, frame),
        )


def _quintic(nodes: Array, *known: Array) -> BPoly:
    """Piecewise polynomial through values and first two derivatives at nodes, (n, k) each."""
    return BPoly.from_derivatives(nodes, np.stack(known, axis=1))


def position_rates(robot: Robot, q: Array, v: Array) -> Array:
    """dq/dt (n, nq) of states q (n, nq), v (n, nv)."""
    result = np.zeros_like(q)
    for body in instantiate(robot, FLOATS, robot.declared_values).bodies:
        rates = body.joint.rate([q[:, k] for k in body.q], [v[:, k] for k in body.v])
        for k, x in zip(body.q, rates, strict=True):
            result[:, k] = x
    return result


@checked
def coordinates_of(pose: ArrayLike) -> Array:
    """Position and quaternion w x y z of a pose (4 x 4), (7,), as targets and free joints take them."""
    X = as_pose(pose)
    return np.concatenate([X[:3, 3], quaternion_of(X[:3, :3])])


def derivative_along(
    robot: Robot, f: Callable[[Array, Array], Array], q: Array, v: Array, x: Array, dx: Array
) -> Array:
    """d/dt f(q, x) where q (n, nq) moves with velocities v and x with dx/dt: (n, ...).

    Central differences of order 4; the error is about 1e-10 of the largest value.
    """
    h = _DIFFERENCE / max(1.0, float(np.abs(v).max(initial=0.0)))
    parts = (
        weight / (12 * h) * f(robot.integrate(q, k * h * v), x + k * h * dx)
        for k, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1))
    )
    return np.asarray(sum(parts))
