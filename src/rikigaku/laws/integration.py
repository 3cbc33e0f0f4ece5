"""A step of q on its manifold: q moved by a constant twist for one unit of time."""

from collections.abc import Sequence

from rikigaku.model.elementary import ElementaryJoint, Free, Spherical
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.functions import cos, sin, sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import quaternion_rotation
from rikigaku.spatial.vector import Vector, cross, dot, transform

Numbers = Sequence[Number]

# Below this squared angle the series are as exact as the quotients, and do not divide by zero.
_SMALL = 0.0625


def integrate(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[Number]:
    """q after a unit of time at the constant rates v (v times the step, say); quaternions come out unit."""
    result: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        moved = _moved(body.joint, [q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, moved, strict=True):
            result[k] = x
    return result


def _moved(joint: ElementaryJoint, q: Numbers, v: Numbers) -> Numbers:
    if isinstance(joint, Spherical):
        return _turned(q, (v[0], v[1], v[2]))
    if isinstance(joint, Free):
        w = (v[3], v[4], v[5])
        shift = transform(quaternion_rotation(*q[3:]), _drawn(w, (v[0], v[1], v[2])))
        return [*vector.add((q[0], q[1], q[2]), shift), *_turned(q[3:], w)]
    return [x + rate for x, rate in zip(q, v, strict=True)]


def _turned(q: Numbers, w: Vector) -> list[Number]:
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


def _drawn(w: Vector, v: Vector) -> Vector:
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
