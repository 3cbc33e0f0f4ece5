"""What a hand is to follow: a straight line in the world, or the way to a target that moves by itself.

A target is a function of time that answers with pose (position and quaternion w x y z, 7 numbers), twist and
acceleration (6 each, world axes, linear first), as the control laws take them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BPoly

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.mechanism import instantiate
from rikigaku.model.rigid import quaternion_matrix, quaternion_of
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.poses import check_poses, rotation_vector
from rikigaku.space.given import as_duration, as_spacing, check_target
from rikigaku.space.motion import floating_motion
from rikigaku.space.places import as_velocity, split
from rikigaku.space.slopes import slope_along
from rikigaku.space.turning import starting, turning
from rikigaku.trajectory import Polynomial, Trapezoid, quintic, trapezoid

Array = NDArray[np.float64]

# Between two nodes of a target's motion [s, or rad of turning].
_APART = 0.05


class Wanted(NamedTuple):
    """What the hand should do at an instant."""

    pose: Array
    twist: Array
    acceleration: Array


Target = Callable[[float], Wanted]


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line with a trapezoid of speed, orientation held."""

    start: Array
    direction: Array
    quaternion: Array
    profile: Trapezoid

    @property
    def duration(self) -> float:
        """From rest to rest [s]."""
        return self.profile.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times where the acceleration jumps [s]."""
        return (self.profile.rise, self.duration - self.profile.rise)

    def __call__(self, t: float) -> Wanted:
        s, speed, push = (float(x[0]) for x in self.profile(t))
        still = np.zeros(3)
        pose = np.concatenate([self.start + s * self.direction, self.quaternion])
        return Wanted(
            pose,
            np.concatenate([speed * self.direction, still]),
            np.concatenate([push * self.direction, still]),
        )


def line(pose: Any, end: Any, *, velocity: float, acceleration: float) -> Line:
    """The line from where a hand is (pose 4 x 4) to a position, as quick as the limits allow [m/s, m/s^2]."""
    X, end = np.asarray(pose, dtype=np.float64), np.asarray(end, dtype=np.float64)
    if X.shape != (4, 4) or end.shape != (3,):
        raise WrongSize(
            f"A line goes from a pose (4, 4) to a position (3,), not from {X.shape} to {end.shape}."
        )
    check_poses("The start of the line", X)
    way = end - X[:3, 3]
    length = float(np.linalg.norm(way))
    if length == 0:
        raise WrongValue("The line ends where it starts; a line has a direction.")
    profile = trapezoid([0.0], [length], velocity=velocity, acceleration=acceleration)
    return Line(X[:3, 3].copy(), way / length, quaternion_of(X[:3, :3]), profile)


@dataclass(frozen=True, eq=False)
class Approach:
    """From where a hand is at rest to a target that moves: the gap between the two closes on a line.

    The gap, and the rotation vector of the turn that is left (in the target's axes), are polynomials of
    degree 5. They start as the hand does, at rest, and end with the target: position, velocity and
    acceleration alike. After `duration` the hand stays with the target.
    """

    target: Target
    duration: float
    gap: Polynomial
    turn: Polynomial

    @classmethod
    def start(cls, pose: Any, target: Target, duration: float) -> "Approach":
        """From a pose (4 x 4) at t = 0."""
        X = as_pose(pose)
        duration = as_duration(duration)
        check_target(target, duration)
        first, none = target(0.0), np.zeros(3)
        way = X[:3, 3] - first.pose[:3]
        gap = quintic(way, none, duration, v0=-first.twist[:3], a0=-first.acceleration[:3])
        R = quaternion_matrix(first.pose[3:])
        left = rotation_vector(R.T @ X[:3, :3])
        # seen from the target the hand turns back; its axes turn too, but w x w = 0 leaves no other term
        rate, push = starting(left, -R.T @ first.twist[3:], -R.T @ first.acceleration[3:])
        return cls(target, duration, gap, quintic(left, none, duration, v0=rate, a0=push))

    def __call__(self, t: float) -> Wanted:
        pose, twist, acceleration = self.target(t)
        p, v, a = self.gap(t)
        R, w = quaternion_matrix(pose[3:]), twist[3:]
        turned, spin, push = turning(*self.turn(t))
        spin, push = R @ spin, R @ push
        return Wanted(
            np.concatenate([pose[:3] + p, quaternion_of(R @ turned)]),
            np.concatenate([twist[:3] + v, w + spin]),
            np.concatenate([acceleration[:3] + a, acceleration[3:] + push + np.cross(w, spin)]),
        )


class MovingFrame:
    """A frame of a robot that floats by itself (a dead satellite), as a target.

    Its motion is integrated once, for `duration` [s]; between nodes the state is a polynomial of degree 5
    through values, rates and accelerations of both ends. Nodes are `spacing` [s] apart; left out, 0.05 s, or
    0.05 rad of turning where that is less: then q is right to 1e-10 however fast the frame tumbles.
    """

    def __init__(
        self, robot: Robot, q: Any, v: Any, frame: str, duration: float, *, spacing: float | None = None
    ) -> None:
        self.robot, self.frame, self.duration = robot, frame, as_duration(duration)
        start = as_velocity(robot, v)
        base = split(robot).base
        turns = np.delete(start, base[: 2 if len(base) == 3 else 3])  # a steady drift needs no nodes
        apart = _APART / max(1.0, float(np.abs(turns).max())) if spacing is None else as_spacing(spacing)
        nodes = np.linspace(0.0, self.duration, max(2, 1 + int(np.ceil(self.duration / apart))))
        self.motion = floating_motion(robot, q, start, self.duration, times=nodes, tolerance=1e-12)
        if self.motion.status != "ok":
            raise WrongValue(f"The target does not move for {self.duration:g} s: {self.motion.status}.")
        q, v = self.motion.q, self.motion.v
        self._none = np.zeros(len(split(robot).arm))
        a = self._accelerations(q, v)
        rates = partial(position_rates, robot)
        self._q = _quintic(nodes, q, rates(q, v), slope_along(robot, rates, q, v, v, a))
        self._v = _quintic(nodes, v, a, slope_along(robot, self._accelerations, q, v, v, a))

    def _accelerations(self, q: Array, v: Array) -> Array:
        return np.asarray(cast(Any, self.robot).floating_forward_dynamics(q, v, self._none))

    def state(self, t: float) -> tuple[Array, Array]:
        """q and v at a time."""
        if not 0 <= t <= self.duration * (1 + 1e-12):
            raise WrongValue(
                f"The target's motion is known from 0 to {self.duration:g} s; t = {t:g} s was asked. "
                "Give MovingFrame a longer duration."
            )
        q, v = self._q(t), self._v(t)
        return np.asarray(cast(Any, self.robot).integrate(q, 0 * v)), v

    def __call__(self, t: float) -> Wanted:
        laws = cast(Any, self.robot)
        q, v = self.state(t)
        a = self._accelerations(q, v)
        X = laws.pose(q, self.frame)
        return Wanted(
            coordinates_of(X), laws.velocity(q, v, self.frame), laws.acceleration(q, v, a, self.frame)
        )


def _quintic(nodes: Array, *known: Array) -> BPoly:
    """Through values, rates and accelerations at nodes, (n, k) each."""
    return BPoly.from_derivatives(nodes, np.stack(known, axis=1))


def position_rates(robot: Robot, q: Array, v: Array) -> Array:
    """dq/dt of states (n, nq), (n, nv)."""
    result = np.zeros_like(q)
    for body in instantiate(robot, FLOATS, robot.declared_values).bodies:
        rates = body.joint.rate([q[:, k] for k in body.q], [v[:, k] for k in body.v])
        for k, x in zip(body.q, rates, strict=True):
            result[:, k] = x
    return result


def coordinates_of(pose: Any) -> Array:
    """Position and quaternion w x y z of a pose (4 x 4), as targets and free joints take them."""
    X = as_pose(pose)
    return np.concatenate([X[:3, 3], quaternion_of(X[:3, :3])])


def as_pose(pose: Any) -> Array:
    """A rigid motion as a matrix (4, 4).

    Raises:
        WrongSize, WrongValue: if it is none.
    """
    X = np.asarray(pose, dtype=np.float64)
    if X.shape != (4, 4):
        raise WrongSize(f"A pose is a matrix (4, 4); shape {X.shape} was given.")
    check_poses("This matrix", X)
    return X
