"""One joint's coordinates in two libraries: conversion of q, and the rotation of v.

Ours are q and v; the other library's are marked with a prime in the formulas. Every rule gives
q' = f(q), v' = T(q) v with T orthogonal, hence tau' = T tau and a' = T a + dT/dt v. Arrays are (..., n).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from rikigaku.core.types import Array


class Rule(ABC):
    """Conversion of one joint's coordinates; T is the identity unless a rule overrides it."""

    @abstractmethod
    def position(self, q: Array) -> Array:
        """q', from q."""

    @abstractmethod
    def position_back(self, theirs: Array) -> Array:
        """q, from q'."""

    def velocity_map(self, q: Array, nv: int) -> Array:
        """T(q), (..., nv, nv)."""
        return np.broadcast_to(np.eye(nv), (*q.shape[:-1], nv, nv))

    def velocity_map_rate(self, q: Array, v: Array) -> Array:
        """dT/dt v, (..., nv)."""
        return np.zeros_like(v)


@dataclass(frozen=True)
class Same(Rule):
    """The same numbers, up to a constant `shift` of the zero position: q' = q + shift, v' = v."""

    shift: float = 0.0

    def position(self, q: Array) -> Array:
        return q + self.shift

    def position_back(self, theirs: Array) -> Array:
        return theirs - self.shift


class CosSin(Rule):
    """An angle as a point on the circle: q' = (cos q, sin q); whole revolutions are lost in the inverse."""

    def position(self, q: Array) -> Array:
        return np.concatenate([np.cos(q), np.sin(q)], axis=-1)

    def position_back(self, theirs: Array) -> Array:
        return np.arctan2(theirs[..., 1:2], theirs[..., 0:1])


@dataclass(frozen=True)
class Reorder(Rule):
    """The same numbers in another order: q' = q[order]. Quaternions: w x y z to x y z w."""

    order: tuple[int, ...]

    def position(self, q: Array) -> Array:
        return q[..., list(self.order)]

    def position_back(self, theirs: Array) -> Array:
        return theirs[..., np.argsort(self.order)]


class PlanarBodyAxes(Rule):
    """q' = (x, y, cos theta, sin theta), and v' = R(theta)^T v: rates along the axes of the moving body."""

    def position(self, q: Array) -> Array:
        theta = q[..., 2:3]
        return np.concatenate([q[..., :2], np.cos(theta), np.sin(theta)], axis=-1)

    def position_back(self, theirs: Array) -> Array:
        return np.concatenate([theirs[..., :2], np.arctan2(theirs[..., 3:4], theirs[..., 2:3])], axis=-1)

    def velocity_map(self, q: Array, nv: int) -> Array:
        c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
        T = np.zeros((*q.shape[:-1], 3, 3))
        T[..., 0, 0] = T[..., 1, 1] = c
        T[..., 0, 1], T[..., 1, 0], T[..., 2, 2] = s, -s, 1
        return T

    def velocity_map_rate(self, q: Array, v: Array) -> Array:
        x, y, _ = np.moveaxis(np.matmul(self.velocity_map(q, 3), v[..., None])[..., 0], -1, 0)
        rate = v[..., 2]
        return np.stack([rate * y, -rate * x, np.zeros_like(x)], axis=-1)


class FreeWorldLinear(Rule):
    """A free joint with its linear velocity in world axes: q' = q, v' = (R v_linear, omega)."""

    def position(self, q: Array) -> Array:
        return q

    def position_back(self, theirs: Array) -> Array:
        return theirs

    def velocity_map(self, q: Array, nv: int) -> Array:
        T = np.zeros((*q.shape[:-1], 6, 6))
        T[..., :3, :3] = rotation(q[..., 3:7])
        T[..., 3:, 3:] = np.eye(3)
        return T

    def velocity_map_rate(self, q: Array, v: Array) -> Array:
        rate = np.zeros_like(v)
        spin = np.cross(v[..., 3:], v[..., :3])
        rate[..., :3] = np.matmul(rotation(q[..., 3:7]), spin[..., None])[..., 0]
        return rate


def rotation(quaternion: Array) -> Array:
    """Rotation matrix of a unit quaternion w x y z, body to world, (..., 3, 3)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
