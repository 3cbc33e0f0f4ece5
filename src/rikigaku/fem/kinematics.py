"""How every body of a robot moves, as arrays over the samples of a motion, in world axes.

The motion itself is the one outward pass of the laws (`rikigaku.laws.motion`), run on arrays of samples.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.kinematics import world_poses
from rikigaku.laws.motion import motion
from rikigaku.model.mechanism import WORLD, Mechanism

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moving:
    """Bodies first, samples second, then coordinates in world axes.

    R, p: pose of each body [m]; c: its centre of mass; omega, alpha: angular velocity and acceleration.
    velocity, felt: of the centre of mass; felt is its acceleration less gravity, a - g [m/s^2].
    """

    mechanism: Mechanism
    R: Array
    p: Array
    c: Array
    omega: Array
    alpha: Array
    velocity: Array
    felt: Array
    ground: Array  # a - g of the ground: -g

    @cached_property
    def mass(self) -> Array:
        """Of each body [kg]."""
        return np.array([float(body.inertia.m) for body in self.mechanism.bodies])

    @cached_property
    def tensor(self) -> Array:
        """About the centre of mass, world axes [kg m^2], (bodies, samples, 3, 3)."""
        own = np.array([central(body.inertia)[2] for body in self.mechanism.bodies])
        return np.asarray(np.einsum("btij,bjk,btlk->btil", self.R, own, self.R))

    def place(self, body: int, point: Any) -> Array:
        """A point of a body (given in its own axes) in the world, (samples, 3)."""
        point = np.asarray(point, dtype=np.float64)
        if body == WORLD:
            return np.broadcast_to(point, self.p.shape[1:])
        return np.asarray(self.p[body] + self.R[body] @ point)

    def felt_at(self, body: int, point: Any) -> Array:
        """a - g at a point of a body (in its own axes), (samples, 3)."""
        if body == WORLD:
            return np.broadcast_to(self.ground, self.p.shape[1:])
        r = self.place(body, point) - self.c[body]
        omega, alpha = self.omega[body], self.alpha[body]
        return np.asarray(self.felt[body] + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r)))


def moving(mechanism: Mechanism, q: Array, v: Array, a: Array, gravity: Any = None) -> Moving:
    """The motion of every body at samples q (samples, nq), v and a (samples, nv)."""
    count, size = len(mechanism.bodies), len(q)
    gx, gy, gz = mechanism.gravity if gravity is None else (float(x) for x in gravity)
    g = (gx, gy, gz)
    # one sample runs as plain floats, which are quicker than arrays of one
    numbers: tuple[Any, ...] = tuple(x[0].tolist() if size == 1 else list(x.T) for x in (q, v, a))
    R, p, c = np.empty((count, size, 3, 3)), np.empty((count, size, 3)), np.empty((count, size, 3))
    omega, alpha, velocity, felt = (np.empty((count, size, 3)) for _ in range(4))
    poses = world_poses(mechanism, numbers[0])
    states = motion(mechanism, numbers[0], numbers[1], numbers[2], g)
    for i, (body, pose, state) in enumerate(zip(mechanism.bodies, poses, states, strict=True)):
        R[i] = _stacked([x for row in pose.R for x in row], size).reshape(size, 3, 3)
        p[i] = _stacked(pose.p, size)
        own = central(body.inertia)[1]
        c[i] = p[i] + R[i] @ own
        spin = _stacked([x for row in state.spin for x in row], size).reshape(size, 3, 3)
        w, speed = _stacked(state.velocity.angular, size), _stacked(state.velocity.linear, size)
        local = [w, _stacked(state.alpha, size), speed + np.cross(w, own)]
        local.append(_stacked(state.acceleration, size) + spin @ own)
        for array, x in zip((omega, alpha, velocity, felt), local, strict=True):
            array[i] = np.einsum("tij,tj->ti", R[i], x)
    return Moving(mechanism, R, p, c, omega, alpha, velocity, felt, -np.array(g, dtype=np.float64))


def central(inertia: Any) -> tuple[float, Array, Array]:
    """Mass, centre of mass in body axes (the origin if there is no mass), and the tensor about it."""
    m = float(inertia.m)
    h, I = np.array(inertia.h, dtype=np.float64), np.array(inertia.I, dtype=np.float64)
    if m == 0:
        return 0.0, np.zeros(3), I
    c = h / m
    return m, c, I - m * (c @ c * np.eye(3) - np.outer(c, c))


def _stacked(numbers: Any, size: int) -> Array:
    """Numbers that may be floats or arrays of samples, as (samples, n)."""
    if size == 1:
        return np.array([numbers], dtype=np.float64)
    return np.stack([np.broadcast_to(np.asarray(x, dtype=np.float64), size) for x in numbers], axis=-1)
