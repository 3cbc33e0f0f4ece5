"""How every body of a robot moves, as arrays over bodies and samples, in world axes.

The laws' outward pass (`rikigaku.laws.motion`) goes body by body in body axes, which is what a compiler
wants. Long chains want the sum over the tree in world axes instead: rotations are multiplied once along it,
and all else (turning, places, velocities, accelerations) are sums of vectors, taken for all bodies at once.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.quaternions import cross
from rikigaku.model.mechanism import WORLD, Mechanism

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Drives(NamedTuple):
    """By v: inertia of rotors, viscous, Coulomb friction; of joints with springs their places in v and q."""

    rotor: Array
    viscous: Array
    coulomb: Array
    sprung: Index
    place: Index
    stiffness: Array
    rest: Array


class Bodies:
    """What does not change of the bodies of a mechanism, as arrays with bodies first."""

    def __init__(self, mechanism: Mechanism) -> None:
        bodies = mechanism.bodies
        self.mechanism, self.count = mechanism, len(bodies)
        self.parent: Index = np.array([body.parent for body in bodies], dtype=np.intp)
        self.chain = bool((self.parent == np.arange(-1, self.count - 1)).all())
        self.R = np.array([body.placement.R for body in bodies], dtype=np.float64).reshape(-1, 3, 3)
        self.p = np.array([body.placement.p for body in bodies], dtype=np.float64).reshape(-1, 3)
        own = [central(body.inertia) for body in bodies]
        self.mass = np.array([m for m, _, _ in own])
        self.centre = np.array([c for _, c, _ in own]).reshape(-1, 3)
        self.tensor = np.array([I for _, _, I in own]).reshape(-1, 3, 3)
        free = [
            (i, k, direction)
            for i, body in enumerate(bodies)
            for direction, k in zip(body.joint.directions(), body.v, strict=True)
        ]
        # of every direction of v: its body, its place in v, its axes in body axes
        self.body: Index = np.array([i for i, _, _ in free], dtype=np.intp)
        self.place: Index = np.array([k for _, k, _ in free], dtype=np.intp)
        self.turn = np.array([d.angular for _, _, d in free], dtype=np.float64).reshape(-1, 3)
        self.slide = np.array([d.linear for _, _, d in free], dtype=np.float64).reshape(-1, 3)
        kinds: dict[Any, list[int]] = {}
        for i, body in enumerate(bodies):
            kinds.setdefault(body.joint, []).append(i)
        self._kinds = {joint: np.array(own, dtype=np.intp) for joint, own in kinds.items()}
        self._q = {
            joint: np.array([list(bodies[i].q) for i in own], dtype=np.intp).T for joint, own in kinds.items()
        }

    @cached_property
    def drives(self) -> "Drives":
        """What joints resist with themselves."""
        bodies = self.mechanism.bodies
        by_v = [(k, body) for body in bodies for k in body.v]
        rotor, viscous, coulomb = np.zeros((3, self.mechanism.nv))
        for k, body in by_v:
            rotor[k], viscous[k], coulomb[k] = float(body.rotor), float(body.viscous), float(body.coulomb)
        sprung = [(k, body) for k, body in by_v if float(body.stiffness)]
        return Drives(
            rotor,
            viscous,
            coulomb,
            np.array([k for k, _ in sprung], dtype=np.intp),
            np.array([body.q.start for _, body in sprung], dtype=np.intp),
            np.array([float(body.stiffness) for _, body in sprung]),
            np.array([float(body.rest) for _, body in sprung]),
        )

    def relative(self, q: Array) -> tuple[Array, Array]:
        """Pose of every body on its parent, (bodies, samples, ...), at q (samples, nq)."""
        R, p = np.empty((self.count, len(q), 3, 3)), np.empty((self.count, len(q), 3))
        for joint, own in self._kinds.items():
            numbers = [q.T[k] for k in self._q[joint]]  # each (bodies, samples)
            turn, shift = joint.turn(numbers), joint.shift(numbers)
            for x in range(3):
                p[own, :, x] = shift[x]
                for y in range(3):
                    R[own, :, x, y] = turn[x][y]
        return self.R[:, None] @ R, self.p[:, None] + (self.R[:, None] @ p[..., None])[..., 0]

    def multiplied(self, R: Array) -> Array:
        """Of every body the product of rotations from the ground up to its own, (bodies, samples, 3, 3)."""
        if self.chain:  # pieces of the chain side by side, then one after the other: few steps for many links
            step = max(1, round(self.count**0.5))
            spare = np.broadcast_to(np.eye(3), (-self.count % step, *R.shape[1:]))
            pieces = np.concatenate([R, spare]).reshape(-1, step, *R.shape[1:])
            for k in range(1, step):
                pieces[:, k] = pieces[:, k - 1] @ pieces[:, k]
            for before, piece in pairwise(pieces):
                piece[...] = before[-1] @ piece
            return pieces.reshape(-1, *R.shape[1:])[: self.count]
        result = np.array(R)
        for i, parent in enumerate(self.parent.tolist()):
            if parent != WORLD:
                result[i] = result[parent] @ result[i]
        return result

    def summed(self, x: Array) -> Array:
        """Of every body its own and those of all that carry it, (bodies, ...)."""
        if self.chain:
            return np.cumsum(x, axis=0)
        result = np.array(x)
        for i, parent in enumerate(self.parent.tolist()):
            if parent != WORLD:
                result[i] += result[parent]
        return result

    def beyond(self, x: Array) -> Array:
        """Of every body its own and those of all it carries, (bodies, ...)."""
        if self.chain:
            return np.cumsum(x[::-1], axis=0)[::-1]
        result, parents = np.array(x), self.parent.tolist()
        for i in range(self.count - 1, -1, -1):
            if parents[i] != WORLD:
                result[parents[i]] += result[i]
        return result

    def carrier(self, x: Array) -> Array:
        """The value of the body each one sits on, zero for the ground."""
        padded = np.concatenate([x, np.zeros_like(x[:1])])
        return padded[self.parent]  # WORLD is -1: the last


@dataclass(frozen=True, eq=False)
class Moving:
    """Bodies first, samples second, then coordinates in world axes.

    R, p: pose of each body [m]; c: its centre of mass; omega, alpha: angular velocity and acceleration.
    velocity, felt: of the centre of mass; felt is its acceleration less gravity, a - g [m/s^2].
    """

    bodies: Bodies
    R: Array
    p: Array
    c: Array
    omega: Array
    alpha: Array
    velocity: Array
    felt: Array
    ground: Array  # a - g of the ground: -g

    @property
    def mechanism(self) -> Mechanism:
        """Whose bodies they are."""
        return self.bodies.mechanism

    @cached_property
    def tensor(self) -> Array:
        """About the centre of mass, world axes [kg m^2], (bodies, samples, 3, 3)."""
        return np.asarray(self.R @ self.bodies.tensor[:, None] @ np.swapaxes(self.R, -1, -2))

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
        return np.asarray(self.felt[body] + cross(alpha, r) + cross(omega, cross(omega, r)))


def moving(bodies: Bodies, q: Array, v: Array, a: Array, gravity: Any = None) -> Moving:
    """The motion of every body at samples q (samples, nq), v and a (samples, nv)."""
    g = np.array([float(x) for x in (bodies.mechanism.gravity if gravity is None else gravity)])
    own, shift = bodies.relative(q)
    R = bodies.multiplied(own)
    carrier = bodies.carrier(R)
    carrier[bodies.parent == WORLD] = np.eye(3)
    r = (carrier @ shift[..., None])[..., 0]
    # what every joint adds, world axes: turning and sliding at its rates, and at their changes
    spin, slide, push, slip = np.zeros((4, bodies.count, len(q), 3))
    for directions, rates, result in (
        (bodies.turn, v, spin),
        (bodies.slide, v, slide),
        (bodies.turn, a, push),
        (bodies.slide, a, slip),
    ):
        if directions.any():
            axes = (R[bodies.body] @ directions[:, None, :, None])[..., 0]
            np.add.at(result, bodies.body, axes * rates.T[bodies.place][..., None])
    omega = bodies.summed(spin)
    below = bodies.carrier(omega)
    alpha = bodies.summed(push + cross(below, spin))
    swing = cross(below, r)
    changes = cross(bodies.carrier(alpha), r) + cross(below, swing + slide) + cross(omega, slide) + slip
    p, velocity, felt = np.moveaxis(bodies.summed(np.stack([r, swing + slide, changes], axis=2)), 2, 0)
    arm = (R @ bodies.centre[:, None, :, None])[..., 0]
    whirl = cross(omega, arm)
    return Moving(
        bodies,
        R,
        p,
        p + arm,
        omega,
        alpha,
        velocity + whirl,
        felt + cross(alpha, arm) + cross(omega, whirl) - g,
        -g,
    )


def central(inertia: Any) -> tuple[float, Array, Array]:
    """Mass, centre of mass in body axes (the origin if there is no mass), and the tensor about it."""
    m = float(inertia.m)
    h, I = np.array(inertia.h, dtype=np.float64), np.array(inertia.I, dtype=np.float64)
    if m == 0:
        return 0.0, np.zeros(3), I
    c = h / m
    return m, c, I - m * (c @ c * np.eye(3) - np.outer(c, c))
