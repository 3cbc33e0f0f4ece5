"""The five elementary motions that joints are made of. Each acts along or about the z axis of its frame.

The laws use the rotation, translation and motion subspace of an elementary joint, never its type.
Joint types (`model.joints`) are chains of these with massless bodies in between.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from rikigaku.core.types import Array
from rikigaku.model.pose_difference import pose_difference, rotation_difference
from rikigaku.numbers.elementary_functions import cos, sin
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial.exponential_map import displacement, rotated_quaternion
from rikigaku.spatial.pose import axis_rotation, quaternion_rotation
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import IDENTITY, ZERO, Matrix, Vector, transform

Shape = Literal["cylinder", "box", "ball", "free body"]

# Kinds of coordinates of q. A whole revolution of an ANGLE leads back to the same configuration, one of a
# SCREW_ANGLE does not.
ANGLE, SCREW_ANGLE, LENGTH, QUATERNION = "angle", "screw angle", "length", "quaternion"

_X, _Y, _Z = IDENTITY


class ElementaryJoint(Protocol):
    """Kinematics of an elementary joint, between its joint frame (fixed on the parent) and its body frame.

    name: of the motion, in legends of pictures; shape: how pictures show it.
    coordinates: the kind of each coordinate of q; linear_velocities: whether each of v is linear [m/s].
    """

    name: ClassVar[str]
    shape: ClassVar[Shape]
    nq: ClassVar[int]
    nv: ClassVar[int]
    coordinates: ClassVar[tuple[str, ...]]
    linear_velocities: ClassVar[tuple[bool, ...]]

    def rotation(self, q: Numbers) -> Matrix:
        """Rotation, body to joint frame."""

    def translation(self, q: Numbers) -> Vector:
        """Position of the body's origin in the joint frame."""

    def directions(self) -> tuple[Twist, ...]:
        """Motion subspace in body axes, constant: the twist of each unit rate."""

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        """dq/dt (nq,), from the rates v."""

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        """q after a unit of time at the constant rates v, on its manifold."""

    @staticmethod
    def difference(start: Array, end: Array) -> Array:
        """v with step(start, v) = end, (..., nv): the inverse of `step`."""


@dataclass(frozen=True)
class Revolute:
    """Rotation about z."""

    name: ClassVar[str] = "revolute"
    shape: ClassVar[Shape] = "cylinder"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    coordinates: ClassVar[tuple[str, ...]] = (ANGLE,)
    linear_velocities: ClassVar[tuple[bool, ...]] = (False,)

    def rotation(self, q: Numbers) -> Matrix:
        return axis_rotation(2, sin(q[0]), cos(q[0]))

    def translation(self, q: Numbers) -> Vector:
        return ZERO

    def directions(self) -> tuple[Twist, ...]:
        return (Twist(ZERO, _Z),)

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return tuple(v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return (q[0] + v[0],)

    @staticmethod
    def difference(start: Array, end: Array) -> Array:
        return end - start


@dataclass(frozen=True)
class Prismatic:
    """Translation along z."""

    name: ClassVar[str] = "prismatic"
    shape: ClassVar[Shape] = "box"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    coordinates: ClassVar[tuple[str, ...]] = (LENGTH,)
    linear_velocities: ClassVar[tuple[bool, ...]] = (True,)

    def rotation(self, q: Numbers) -> Matrix:
        return IDENTITY

    def translation(self, q: Numbers) -> Vector:
        return (0, 0, q[0])

    def directions(self) -> tuple[Twist, ...]:
        return (Twist(_Z, ZERO),)

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return tuple(v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return (q[0] + v[0],)

    @staticmethod
    def difference(start: Array, end: Array) -> Array:
        return end - start


@dataclass(frozen=True)
class Helical:
    """Rotation about z with an advance along it of `pitch` [m/rad]."""

    pitch: Number
    name: ClassVar[str] = "helical"
    shape: ClassVar[Shape] = "cylinder"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    coordinates: ClassVar[tuple[str, ...]] = (SCREW_ANGLE,)
    linear_velocities: ClassVar[tuple[bool, ...]] = (False,)

    def rotation(self, q: Numbers) -> Matrix:
        return axis_rotation(2, sin(q[0]), cos(q[0]))

    def translation(self, q: Numbers) -> Vector:
        return (0, 0, self.pitch * q[0])

    def directions(self) -> tuple[Twist, ...]:
        return (Twist((0, 0, self.pitch), _Z),)

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return tuple(v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return (q[0] + v[0],)

    @staticmethod
    def difference(start: Array, end: Array) -> Array:
        return end - start


@dataclass(frozen=True)
class Spherical:
    """Any rotation: a unit quaternion w x y z, and the angular velocity in body axes."""

    name: ClassVar[str] = "spherical"
    shape: ClassVar[Shape] = "ball"
    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3
    coordinates: ClassVar[tuple[str, ...]] = (QUATERNION,) * 4
    linear_velocities: ClassVar[tuple[bool, ...]] = (False,) * 3

    def rotation(self, q: Numbers) -> Matrix:
        return quaternion_rotation(*q)

    def translation(self, q: Numbers) -> Vector:
        return ZERO

    def directions(self) -> tuple[Twist, ...]:
        return (Twist(ZERO, _X), Twist(ZERO, _Y), Twist(ZERO, _Z))

    def rate(self, q: Numbers, v: Numbers) -> tuple[Number, ...]:
        return quaternion_rate(q, v)

    def step(self, q: Numbers, v: Numbers) -> Numbers:
        return rotated_quaternion(q, (v[0], v[1], v[2]))

    @staticmethod
    def difference(start: Array, end: Array) -> Array:
        return rotation_difference(start, end)


@dataclass(frozen=True)
class Free:
    """Any motion: position in the joint frame, unit quaternion w x y z, and the twist in body axes."""

    name: ClassVar[str] = "free"
    shape: ClassVar[Shape] = "free body"
    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    coordinates: ClassVar[tuple[str, ...]] = (LENGTH,) * 3 + (QUATERNION,) * 4
    linear_velocities: ClassVar[tuple[bool, ...]] = (True,) * 3 + (False,) * 3

    def rotation(self, q: Numbers) -> Matrix:
        return quaternion_rotation(*q[3:])

    def translation(self, q: Numbers) -> Vector:
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
        shift = transform(quaternion_rotation(*q[3:]), displacement(w, (v[0], v[1], v[2])))
        return (q[0] + shift[0], q[1] + shift[1], q[2] + shift[2], *rotated_quaternion(q[3:], w))

    @staticmethod
    def difference(start: Array, end: Array) -> Array:
        return pose_difference(start, end)


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
