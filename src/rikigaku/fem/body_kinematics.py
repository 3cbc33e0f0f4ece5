"""Motion of every body of a robot as arrays over bodies and samples, in world axes.

The recursions of `laws.tree` work body by body in body axes, which suits the compiler. Long
chains are faster in world axes: rotations are multiplied once along the tree, and angular velocities,
positions, velocities and accelerations are cumulative sums of vectors, taken for all bodies at once.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.types import Array
from rikigaku.fem.quaternion_arrays import cross
from rikigaku.model.mechanism import WORLD, Mechanism

Index = NDArray[np.intp]


class JointParameters(NamedTuple):
    """Rotor inertia, viscous and Coulomb friction by coordinate of v, (nv,), and the springs of the joints.

    spring_index, q_index: index in v and in q of each joint with a spring; stiffness [N m/rad, N/m] and rest
    position [rad, m] of the springs.
    """

    rotor: Array
    viscous: Array
    coulomb: Array
    spring_index: Index
    q_index: Index
    stiffness: Array
    rest: Array


class Bodies:
    """Constant data of the bodies of a mechanism, as arrays with bodies first."""

    def __init__(self, mechanism: Mechanism) -> None:
        bodies = mechanism.bodies
        self.mechanism, self.count = mechanism, len(bodies)
        self.parent: Index = np.array([body.parent for body in bodies], dtype=np.intp)
        self.chain = bool((self.parent == np.arange(-1, self.count - 1)).all())
        self.R = np.array([body.placement.R for body in bodies], dtype=np.float64).reshape(-1, 3, 3)
        self.p = np.array([body.placement.p for body in bodies], dtype=np.float64).reshape(-1, 3)
        own = [central_inertia(body.inertia) for body in bodies]
        self.mass = np.array([m for m, _, _ in own])
        self.centre = np.array([c for _, c, _ in own]).reshape(-1, 3)
        self.tensor = np.array([I for _, _, I in own]).reshape(-1, 3, 3)
        free = [
            (i, k, direction)
            for i, body in enumerate(bodies)
            for direction, k in zip(body.joint.directions(), body.v, strict=True)
        ]
        # For each coordinate of v: its body, its index in v, its direction in body axes.
        self.body: Index = np.array([i for i, _, _ in free], dtype=np.intp)
        self.v_index: Index = np.array([k for _, k, _ in free], dtype=np.intp)
        self.angular = np.array([d.angular for _, _, d in free], dtype=np.float64).reshape(-1, 3)
        self.linear = np.array([d.linear for _, _, d in free], dtype=np.float64).reshape(-1, 3)
        kinds: dict[Any, list[int]] = {}
        for i, body in enumerate(bodies):
            kinds.setdefault(body.joint, []).append(i)
        self._kinds = {joint: np.array(own, dtype=np.intp) for joint, own in kinds.items()}
        self._q = {
            joint: np.array([list(bodies[i].q) for i in own], dtype=np.intp).T for joint, own in kinds.items()
        }

    @cached_property
    def joint_parameters(self) -> "JointParameters":
        """Rotor inertia, friction and springs of the joints."""
        bodies = self.mechanism.bodies
        by_v = [(k, body) for body in bodies for k in body.v]
        rotor, viscous, coulomb = np.zeros((3, self.mechanism.nv))
        for k, body in by_v:
            rotor[k], viscous[k], coulomb[k] = float(body.rotor), float(body.viscous), float(body.coulomb)
        springs = [(k, body) for k, body in by_v if float(body.stiffness)]
        return JointParameters(
            rotor,
            viscous,
            coulomb,
            np.array([k for k, _ in springs], dtype=np.intp),
            np.array([body.q.start for _, body in springs], dtype=np.intp),
            np.array([float(body.stiffness) for _, body in springs]),
            np.array([float(body.rest) for _, body in springs]),
        )

    def relative(self, q: Array) -> tuple[Array, Array]:
        """Pose R (bodies, samples, 3, 3), p (bodies, samples, 3) of each body in its parent, at q."""
        R, p = np.empty((self.count, len(q), 3, 3)), np.empty((self.count, len(q), 3))
        for joint, own in self._kinds.items():
            numbers = [q.T[k] for k in self._q[joint]]  # each (bodies, samples)
            R_joint, p_joint = joint.rotation(numbers), joint.translation(numbers)
            for x in range(3):
                p[own, :, x] = p_joint[x]
                for y in range(3):
                    R[own, :, x, y] = R_joint[x][y]
        return self.R[:, None] @ R, self.p[:, None] + (self.R[:, None] @ p[..., None])[..., 0]

    def world_rotations(self, R: Array) -> Array:
        """Rotation of each body in the world, (bodies, samples, 3, 3), from rotations R in the parents."""
        if self.chain:  # prefix products by blocks: about 2 sqrt(n) steps for n links
            step = max(1, round(self.count**0.5))
            spare = np.broadcast_to(np.eye(3), (-self.count % step, *R.shape[1:]))
            blocks = np.concatenate([R, spare]).reshape(-1, step, *R.shape[1:])
            for k in range(1, step):
                blocks[:, k] = blocks[:, k - 1] @ blocks[:, k]
            for before, block in pairwise(blocks):
                block[...] = before[-1] @ block
            return blocks.reshape(-1, *R.shape[1:])[: self.count]
        result = np.array(R)
        for i, parent in enumerate(self.parent.tolist()):
            if parent != WORLD:
                result[i] = result[parent] @ result[i]
        return result

    def accumulate_outward(self, x: Array) -> Array:
        """Sum of x over each body and all its ancestors, (bodies, ...)."""
        if self.chain:
            return np.cumsum(x, axis=0)
        result = np.array(x)
        for i, parent in enumerate(self.parent.tolist()):
            if parent != WORLD:
                result[i] += result[parent]
        return result

    def accumulate_inward(self, x: Array) -> Array:
        """Sum of x over the subtree of each body, (bodies, ...)."""
        if self.chain:
            return np.cumsum(x[::-1], axis=0)[::-1]
        result, parents = np.array(x), self.parent.tolist()
        for i in range(self.count - 1, -1, -1):
            if parents[i] != WORLD:
                result[parents[i]] += result[i]
        return result

    def of_parent(self, x: Array) -> Array:
        """Value of x at the parent of each body; zero where the parent is the world."""
        padded = np.concatenate([x, np.zeros_like(x[:1])])
        return padded[self.parent]  # WORLD is -1, the appended zero


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Motion of all bodies: bodies first, samples second, then coordinates in world axes.

    R, p: pose of each body [m]; c: its centre of mass; omega, alpha: angular velocity and acceleration.
    velocity: of the centre of mass [m/s]; a_minus_g: its acceleration minus gravity [m/s^2].
    minus_g: the same for a point at rest, -g.
    """

    bodies: Bodies
    R: Array
    p: Array
    c: Array
    omega: Array
    alpha: Array
    velocity: Array
    a_minus_g: Array
    minus_g: Array

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism the bodies belong to."""
        return self.bodies.mechanism

    @cached_property
    def tensor(self) -> Array:
        """Inertia tensor about the centre of mass in world axes [kg m^2], (bodies, samples, 3, 3)."""
        return np.asarray(self.R @ self.bodies.tensor[:, None] @ np.swapaxes(self.R, -1, -2))

    def position(self, body: int, point: ArrayLike) -> Array:
        """World position of a point that is fixed on a body (point in body axes), (samples, 3)."""
        point = np.asarray(point, dtype=np.float64)
        if body == WORLD:
            return np.broadcast_to(point, self.p.shape[1:])
        return np.asarray(self.p[body] + self.R[body] @ point)

    def a_minus_g_at(self, body: int, point: ArrayLike) -> Array:
        """Acceleration minus gravity of a point fixed on a body (point in body axes), (samples, 3)."""
        if body == WORLD:
            return np.broadcast_to(self.minus_g, self.p.shape[1:])
        r = self.position(body, point) - self.c[body]
        omega, alpha = self.omega[body], self.alpha[body]
        return np.asarray(self.a_minus_g[body] + cross(alpha, r) + cross(omega, cross(omega, r)))


def body_motion(bodies: Bodies, q: Array, v: Array, a: Array, gravity: ArrayLike | None = None) -> BodyMotion:
    """Motion of every body at samples q (samples, nq), v and a (samples, nv).

    gravity: gravitational acceleration [m/s^2], the robot's own by default.
    """
    g = np.array(bodies.mechanism.gravity if gravity is None else gravity, dtype=np.float64)
    relative_R, relative_p = bodies.relative(q)
    R = bodies.world_rotations(relative_R)
    parent_R = bodies.of_parent(R)
    parent_R[bodies.parent == WORLD] = np.eye(3)
    r = (parent_R @ relative_p[..., None])[..., 0]
    # Velocities and accelerations of each body relative to its parent, world axes.
    omega_j, v_j, alpha_j, a_j = np.zeros((4, bodies.count, len(q), 3))
    for directions, rates, result in (
        (bodies.angular, v, omega_j),
        (bodies.linear, v, v_j),
        (bodies.angular, a, alpha_j),
        (bodies.linear, a, a_j),
    ):
        if directions.any():
            axes = (R[bodies.body] @ directions[:, None, :, None])[..., 0]
            np.add.at(result, bodies.body, axes * rates.T[bodies.v_index][..., None])
    omega = bodies.accumulate_outward(omega_j)
    omega_parent = bodies.of_parent(omega)
    alpha = bodies.accumulate_outward(alpha_j + cross(omega_parent, omega_j))
    omega_x_r = cross(omega_parent, r)
    acceleration = (
        cross(bodies.of_parent(alpha), r) + cross(omega_parent, omega_x_r + v_j) + cross(omega, v_j) + a_j
    )
    p, velocity, a_minus_g = np.moveaxis(
        bodies.accumulate_outward(np.stack([r, omega_x_r + v_j, acceleration], axis=2)), 2, 0
    )
    arm = (R @ bodies.centre[:, None, :, None])[..., 0]
    omega_x_arm = cross(omega, arm)
    return BodyMotion(
        bodies,
        R,
        p,
        p + arm,
        omega,
        alpha,
        velocity + omega_x_arm,
        a_minus_g + cross(alpha, arm) + cross(omega, omega_x_arm) - g,
        -g,
    )


def central_inertia(inertia: Any) -> tuple[float, Array, Array]:
    """Mass, centre of mass in body axes (the origin for a massless body), and the inertia tensor about it."""
    m = float(inertia.m)
    h, I = np.array(inertia.h, dtype=np.float64), np.array(inertia.I, dtype=np.float64)
    if m == 0:
        return 0.0, np.zeros(3), I
    c = h / m
    return m, c, I - m * (c @ c * np.eye(3) - np.outer(c, c))
