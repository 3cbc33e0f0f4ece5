"""Contact geometry at one state: gap, normal, sliding velocity, bias accelerations.

With r a point, J its position Jacobian, n = C_r/|C_r| and w the velocity of the surface's material:

    normal      n.J a + bias_n,   bias_n = (r'.C_rr r' + C_r.(dJ/dt v) + 2 C_rt.r' + C_tt) / |C_r|
    tangential  t.J a + bias_t,   bias_t = t.(dJ/dt v - w_r r' - w_t)

are the accelerations of the gap and, where the point does not slide, of the sliding velocity.
`closest_points` has those of other shapes, `relative_motion` those of a surface on a body: J is then of the
relative motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.laws.contact.contact_shapes import Solid
from rikigaku.laws.contact.relative_motion import ContactSides, Point
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.laws.tree.simplified_mechanism import body_motions
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector, dot

Numbers = Sequence[Number]


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
    sliding: Vector  # velocity along the surface, relative to its material
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
    sides = ContactSides(mechanism, world_poses(mechanism, q), point, t)
    motions = list(body_motions(mechanism, q, v, [0] * mechanism.nv, vector.ZERO))
    c, J = sides.contact, [[0] * mechanism.nv for _ in range(3)]
    speed: Vector = vector.ZERO
    for k, column in sides.columns.items():
        speed = vector.add(speed, vector.scale(v[k], column))
        for row, x in zip(J, column, strict=True):
            row[k] = x
    n, material = sides.directions[0], sides.to_world(c.material)
    relative = vector.sub(speed, material)
    return ContactGeometry(
        sides.directions,
        J,
        1 if isinstance(point.surface, Solid) else c.at_surface.size,
        c.gap,
        dot(n, speed) + c.gap_rate,
        vector.sub(relative, vector.scale(dot(n, relative), n)),
        c.bias(sides.motion(motions)),
        material,
    )


def _limit_geometry(mechanism: Mechanism, q: Numbers, v: Numbers, limit: Limit) -> ContactGeometry:
    """A joint limit: one equation, no tangents; the x axis stands for the joint's own."""
    none: list[Number] = [0] * mechanism.nv
    row = [limit.side if k == limit.v else 0 for k in range(mechanism.nv)]
    gap, rate = limit.side * (q[limit.q] - limit.at), limit.side * v[limit.v]
    return ContactGeometry(((1, 0, 0),), [row, none, none], 1, gap, rate, vector.ZERO, (0,))
