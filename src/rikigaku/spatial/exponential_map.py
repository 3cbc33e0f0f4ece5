"""Exponential map: rotation and displacement after one unit of time at a constant twist."""

from collections.abc import Sequence

from rikigaku.numbers.elementary_functions import cos, sin, sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, cross, dot

# Below this squared angle the series are as accurate as the quotients, and do not divide by zero.
_SMALL = 0.0625


def rotated_quaternion(q: Sequence[Number], w: Vector) -> list[Number]:
    """Quaternion q exp(w / 2) after the rotation vector w in body axes, normalised."""
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
    product = [
        q[0] * c - dot(u, b),
        *vector.add(vector.add(vector.scale(q[0], b), vector.scale(c, u)), cross(u, b)),
    ]
    length = sqrt(dot(product, product))
    return [y / length for y in product]


def displacement(w: Vector, v: Vector) -> Vector:
    """Displacement after one unit of time at the constant twist (v, w), in body axes at the start."""
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
