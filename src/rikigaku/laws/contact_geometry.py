"""Points of a robot on surfaces: distance, normal, sliding velocity, and how accelerations change them.

With r the point, J its position Jacobian, n = C_r/|C_r| and w the velocity of the surface's material:

    normal      n.J a + drift_n,   drift_n = (r'.C_rr r' + C_r.(dJ/dt v) + 2 C_rt.r' + C_tt) / |C_r|
    tangential  t.J a + drift_t,   drift_t = t.(dJ/dt v - w_r r' - w_t)

are the accelerations of the gap and, where the point does not slide, of the sliding velocity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rikigaku.laws.kinematics import frame_pose, jacobian, jacobian_rate, velocity, world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.functions import sqrt, where
from rikigaku.numbers.kind import FLOATS, Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, cross, dot

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Point:
    """A point (the origin of a frame) on a surface (`contact.surfaces.Surface`).

    plane: unit normal of the plane the point can move in, where it can move in one only.
    """

    frame: str
    surface: Any
    plane: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Limit:
    """An end of a joint: its place in q and v, where it stands, and +1 (lower: pushes up) or -1 (upper)."""

    frame: str  # a name for people; it is no frame of the robot
    q: int
    v: int
    at: float
    side: int


@dataclass(frozen=True)
class Touch:
    """What a point does on its surface at one state. Directions: normal, then one tangent or two."""

    directions: tuple[Vector, ...]
    J: list[list[Number]]  # 3 x nv
    size: Number  # |C_r|
    gap: Number  # distance to first order
    approach: Number  # rate of the gap
    sliding: Vector  # velocity along the surface, relative to it
    drifts: tuple[Number, ...]  # one for each direction
    material: Vector = vector.ZERO  # velocity w of the surface's material there

    def row(self, direction: Vector) -> list[Number]:
        """direction . J."""
        return [
            direction[0] * x + direction[1] * y + direction[2] * z for x, y, z in zip(*self.J, strict=True)
        ]


def touch(mechanism: Mechanism, q: Numbers, v: Numbers, point: Point | Limit, t: Number) -> Touch:
    """The contact of one point at a state."""
    if isinstance(point, Limit):
        return _at_limit(mechanism, q, v, point)
    s = point.surface
    p = frame_pose(mechanism, world_poses(mechanism, q), point.frame).p
    rates = velocity(mechanism, q, v, point.frame)
    speed: Vector = (rates[0], rates[1], rates[2])
    b = jacobian_rate(mechanism, q, v, point.frame)
    bend: Vector = (b[0], b[1], b[2])
    at = {"x": p[0], "y": p[1], "z": p[2], "t": t}

    def value(formula: Formula) -> Number:
        return formula.evaluate(FLOATS, at)

    def values(formulas: Sequence[Formula]) -> Vector:
        return (value(formulas[0]), value(formulas[1]), value(formulas[2]))

    C_r = values(s.gradient)
    size = sqrt(dot(C_r, C_r))
    n = vector.scale(1 / size, C_r)
    curved: Vector = (
        dot(values(s.hessian[0]), speed),
        dot(values(s.hessian[1]), speed),
        dot(values(s.hessian[2]), speed),
    )
    sigma = (
        dot(speed, curved) + dot(C_r, bend) + 2 * dot(values(s.gradient_rate), speed) + value(s.second_rate)
    )
    material = values(s.velocity)
    relative = vector.sub(speed, material)
    sliding = vector.sub(relative, vector.scale(dot(n, relative), n))
    slope = [
        dot(values(row), speed) + value(rate)
        for row, rate in zip(s.velocity_gradient, s.velocity_rate, strict=True)
    ]
    shifted = vector.sub(bend, (slope[0], slope[1], slope[2]))
    tangents = tangent_directions(n, point.plane)
    return Touch(
        (n, *tangents),
        jacobian(mechanism, q, point.frame)[:3],
        size,
        value(s.formula) / size,
        (dot(C_r, speed) + value(s.rate)) / size,
        sliding,
        (sigma / size, *(dot(tangent, shifted) for tangent in tangents)),
        material,
    )


def _at_limit(mechanism: Mechanism, q: Numbers, v: Numbers, limit: Limit) -> Touch:
    """A joint at its end: one row over v, no tangents; the first axis stands for the joint's own."""
    none: list[Number] = [0] * mechanism.nv
    row = [limit.side if k == limit.v else 0 for k in range(mechanism.nv)]
    gap, rate = limit.side * (q[limit.q] - limit.at), limit.side * v[limit.v]
    return Touch(((1, 0, 0),), [row, none, none], 1, gap, rate, vector.ZERO, (0,))


def tangent_directions(n: Vector, plane: Vector | None) -> tuple[Vector, ...]:
    """One unit tangent in the plane of motion, or two."""
    if plane is not None:
        return (unit(cross(plane, n)),)
    across = where(n[0] * n[0] < 0.5, 1, 0)  # the axis x, or y where the normal is near x
    first = unit(cross((across, 1 - across, 0), n))
    return (first, cross(n, first))


def unit(a: Vector) -> Vector:
    """a / |a|."""
    return vector.scale(1 / sqrt(dot(a, a)), a)


def contact_state(
    mechanism: Mechanism, q: Numbers, v: Numbers, given: Numbers, plan: Any
) -> list[list[Number]]:
    """For each contact: gap [m], its rate, and sliding velocity along each tangent (or 0)."""
    result = []
    for point in plan.points:
        c = touch(mechanism, q, v, point, given[0])
        along = [dot(c.sliding, direction) for direction in c.directions[1:]]
        result.append([c.gap, c.approach, *along, *[0] * (2 - len(along))])
    return result


def contact_rows(
    mechanism: Mechanism, q: Numbers, v: Numbers, given: Numbers, plan: Any
) -> tuple[list[list[Number]], list[Number], list[list[Number]]]:
    """Rows (normal, tangents; contact after contact) over v, their drifts, and directions in the world."""
    rows, drifts, directions = [], [], []
    for point in plan.points:
        c = touch(mechanism, q, v, point, given[0])
        for direction, drift in zip(c.directions, c.drifts, strict=True):
            rows.append(c.row(direction))
            drifts.append(drift)
            directions.append(list(direction))
    return rows, drifts, directions
