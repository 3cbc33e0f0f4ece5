"""Rotations and displacements of a body that moves at a constant twist for a unit of time."""

from collections.abc import Sequence

from rikigaku.numbers.functions import cos, sin, sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, cross, dot

# Below this squared angle the series are as exact as the quotients, and do not divide by zero.
_SMALL = 0.0625


def turned(q: Sequence[Number], w: Vector) -> list[Number]:
    """q times the exponential of the rotation vector w, made unit."""
    square = dot(w, w)
    small = square < _SMALL
    angle = sqrt(where(small, _SMALL, square))
    x = square / 4
    series = (1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72 * (1 - x / 110))))) / 2
    s = where(small, series, sin(angle / 2) / angle)
    cosine = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90 * (1 - x / 132)))))
    c = where(small, cosine, cos(angle / 2))
    b = vector.scale(s, w)
    u = (q[1], q[2], q[3])
    turned = [
        q[0] * c - dot(u, b),
        *vector.add(vector.add(vector.scale(q[0], b), vector.scale(c, u)), cross(u, b)),
    ]
    length = sqrt(dot(turned, turned))
    return [y / length for y in turned]


def drawn(w: Vector, v: Vector) -> Vector:
    """Displacement in body axes of a body moving with the constant twist (v, w) for a unit of time."""
    square = dot(w, w)
    small = square < _SMALL
    angle = sqrt(where(small, _SMALL, square))
    x = square
    half = sin(angle / 2) / angle
    first = where(
        small, (1 - x / 12 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90 * (1 - x / 132))))) / 2, 2 * half * half
    )
    cubic = (1 - x / 20 * (1 - x / 42 * (1 - x / 72 * (1 - x / 110 * (1 - x / 156))))) / 6
    second = where(small, cubic, (angle - sin(angle)) / (angle * angle * angle))
    wv = cross(w, v)
    return vector.add(v, vector.add(vector.scale(first, wv), vector.scale(second, cross(w, wv))))
