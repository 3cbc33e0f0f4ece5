"""Contact geometry of a point on a surface C = 0: gap, normal, sliding velocity, bias accelerations.

With r the point, J its position Jacobian, n = C_r/|C_r| and w the velocity of the surface's material:

    normal      n.J a + bias_n,   bias_n = (r'.C_rr r' + C_r.(dJ/dt v) + 2 C_rt.r' + C_tt) / |C_r|
    tangential  t.J a + bias_t,   bias_t = t.(dJ/dt v - w_r r' - w_t)

are the accelerations of the gap and, where the point does not slide, of the sliding velocity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rikigaku.laws.contact.surface_geometry import SurfacePoint
from rikigaku.laws.tree.kinematics import frame_pose, jacobian, jacobian_rate, velocity, world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, dot

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Point:
    """A point (the origin of a frame) and its surface (`contact.surfaces.Surface`).

    plane: unit normal of the plane of motion, if the point can only move in a plane.
    """

    frame: str
    surface: Any
    plane: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Limit:
    """A joint limit: indices in q and v, its position, and side +1 (lower: pushes up) or -1 (upper)."""

    frame: str  # a label, not a frame of the robot
    q: int
    v: int
    at: float
    side: int


@dataclass(frozen=True)
class ContactGeometry:
    """A point on its surface at one state. directions: the normal, then one or two tangents."""

    directions: tuple[Vector, ...]
    J: list[list[Number]]  # 3 x nv
    size: Number  # |C_r|
    gap: Number  # distance to first order
    approach: Number  # d(gap)/dt
    sliding: Vector  # velocity along the surface, relative to it
    bias: tuple[Number, ...]  # bias acceleration along each direction
    material: Vector = vector.ZERO  # velocity w of the surface's material there

    def jacobian_along(self, direction: Vector) -> list[Number]:
        """direction . J."""
        return [
            direction[0] * x + direction[1] * y + direction[2] * z for x, y, z in zip(*self.J, strict=True)
        ]


def contact_geometry(
    mechanism: Mechanism, q: Numbers, v: Numbers, point: Point | Limit, t: Number
) -> ContactGeometry:
    """Geometry of one contact at a state, at time t."""
    if isinstance(point, Limit):
        return _limit_geometry(mechanism, q, v, point)
    p = frame_pose(mechanism, world_poses(mechanism, q), point.frame).p
    rates = velocity(mechanism, q, v, point.frame)
    speed: Vector = (rates[0], rates[1], rates[2])
    b = jacobian_rate(mechanism, q, v, point.frame)
    c = SurfacePoint(point.surface, p, t, point.plane)
    relative, n = vector.sub(speed, c.material), c.directions[0]
    return ContactGeometry(
        c.directions,
        jacobian(mechanism, q, point.frame)[:3],
        c.size,
        c.gap,
        dot(n, speed) + c.gap_rate,
        vector.sub(relative, vector.scale(dot(n, relative), n)),
        c.bias(speed, (b[0], b[1], b[2])),
        c.material,
    )


def _limit_geometry(mechanism: Mechanism, q: Numbers, v: Numbers, limit: Limit) -> ContactGeometry:
    """A joint limit: one equation, no tangents; the x axis stands for the joint's own."""
    none: list[Number] = [0] * mechanism.nv
    row = [limit.side if k == limit.v else 0 for k in range(mechanism.nv)]
    gap, rate = limit.side * (q[limit.q] - limit.at), limit.side * v[limit.v]
    return ContactGeometry(((1, 0, 0),), [row, none, none], 1, gap, rate, vector.ZERO, (0,))
