"""The five motions every joint is made of. Each acts along or about the z axis of its frame.

A joint answers a few small questions (how it turns, how it shifts, its free directions); the laws never ask
its type. Planar and universal joints are chains of these with massless bodies in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rikigaku.numbers.functions import cos, sin
from rikigaku.numbers.kind import Number
from rikigaku.spatial.exponential import drawn, turned
from rikigaku.spatial.pose import axis_rotation, quaternion_rotation
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import IDENTITY, ZERO, Matrix, Vector, transform

Numbers = Sequence[Number]

_X, _Y, _Z = IDENTITY


class ElementaryJoint(Protocol):
    """What the laws ask of a joint. Its frame moves from the joint frame to the body frame."""

    nq: int
    nv: int

    def turn(self, q: Numbers) -> Matrix:
        """Rotation, body to joint frame."""

    def shift(self, q: Numbers) -> Vector:
        """Position of the body's origin in the joint frame."""

    def directions(self) -> tuple[Twist, ...]:
        """Free directions in body axes, constant: the twist of each unit rate."""

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        """dq/dt, nq numbers, from the rates v."""

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        """q after a unit of time at the constant rates v, on its manifold."""


@dataclass(frozen=True)
class Revolute:
    """Turns about z."""

    nq = nv = 1

    def turn(self, q: Numbers) -> Matrix:
        return axis_rotation(2, sin(q[0]), cos(q[0]))

    def shift(self, q: Numbers) -> Vector:
        return ZERO

    def directions(self) -> tuple[Twist, ...]:
        return (Twist(ZERO, _Z),)

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return tuple(v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return (q[0] + v[0],)


@dataclass(frozen=True)
class Prismatic:
    """Slides along z."""

    nq = nv = 1

    def turn(self, q: Numbers) -> Matrix:
        return IDENTITY

    def shift(self, q: Numbers) -> Vector:
        return (0, 0, q[0])

    def directions(self) -> tuple[Twist, ...]:
        return (Twist(_Z, ZERO),)

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return tuple(v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return (q[0] + v[0],)


@dataclass(frozen=True)
class Helical:
    """Turns about z and advances along it by `pitch` [m/rad]."""

    pitch: Number
    nq = nv = 1

    def turn(self, q: Numbers) -> Matrix:
        return axis_rotation(2, sin(q[0]), cos(q[0]))

    def shift(self, q: Numbers) -> Vector:
        return (0, 0, self.pitch * q[0])

    def directions(self) -> tuple[Twist, ...]:
        return (Twist((0, 0, self.pitch), _Z),)

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return tuple(v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return (q[0] + v[0],)


@dataclass(frozen=True)
class Spherical:
    """Any rotation: a unit quaternion w x y z, and the angular velocity in body axes."""

    nq, nv = 4, 3

    def turn(self, q: Numbers) -> Matrix:
        return quaternion_rotation(*q)

    def shift(self, q: Numbers) -> Vector:
        return ZERO

    def directions(self) -> tuple[Twist, ...]:
        return (Twist(ZERO, _X), Twist(ZERO, _Y), Twist(ZERO, _Z))

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return quaternion_rate(q, v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return turned(q, (v[0], v[1], v[2]))


@dataclass(frozen=True)
class Free:
    """Any motion: position in the joint frame, unit quaternion w x y z, and the twist in body axes."""

    nq, nv = 7, 6

    def turn(self, q: Numbers) -> Matrix:
        return quaternion_rotation(*q[3:])

    def shift(self, q: Numbers) -> Vector:
        return (q[0], q[1], q[2])

    def directions(self) -> tuple[Twist, ...]:
        linear = (Twist(_X, ZERO), Twist(_Y, ZERO), Twist(_Z, ZERO))
        return (*linear, Twist(ZERO, _X), Twist(ZERO, _Y), Twist(ZERO, _Z))

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        R = quaternion_rotation(*q[3:])
        velocity = tuple(row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in R)
        return (*velocity, *quaternion_rate(q[3:], v[3:]))

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        w = (v[3], v[4], v[5])
        shift = transform(quaternion_rotation(*q[3:]), drawn(w, (v[0], v[1], v[2])))
        return (q[0] + shift[0], q[1] + shift[1], q[2] + shift[2], *turned(q[3:], w))


def quaternion_rate(q: Numbers, omega: Numbers) -> tuple[Number, ...]:
    """dq/dt = q (0, omega) / 2 for body-axes angular velocity."""
    w, x, y, z = q
    a, b, c = (o / 2 for o in omega)
    return (
        -(x * a) - y * b - z * c,
        w * a + y * c - z * b,
        w * b + z * a - x * c,
        w * c + x * b - y * a,
    )
