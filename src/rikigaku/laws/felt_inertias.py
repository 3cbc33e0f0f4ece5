"""Inertias that move the same with fewer numbers: what a joint cannot feel is handed to its carrier.

Mass on the axis of a revolute joint moves as if it were fixed to the body that carries the joint; and a body
that slides turns as its carrier does. Such parts may be counted there without any joint force noticing, and
what is left has zeros, which fold away. Reference: [Gautier1990].
"""

from rikigaku.model.elementary import ElementaryJoint, Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.spatial.inertia import NO_INERTIA, SpatialInertia
from rikigaku.spatial.vector import ZERO


def felt_inertias(mechanism: Mechanism) -> list[SpatialInertia]:
    """For each body an inertia in its own frame; together they answer every joint as the true ones do.

    Where they, or the places of joints, are symbols they stay: sums would be work for every state.
    """
    felt = [body.inertia for body in mechanism.bodies]
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        if body.parent != WORLD and _all_numbers(felt[i]) and _all_numbers(body.placement):
            felt[i], passed_on = _split(felt[i], body.joint)
            felt[body.parent] = felt[body.parent].plus(passed_on.seen_from(body.placement))
    return felt


def _all_numbers(x: object) -> bool:
    return all(map(_all_numbers, x)) if isinstance(x, tuple) else isinstance(x, (int, float))


def _split(whole: SpatialInertia, joint: ElementaryJoint) -> tuple[SpatialInertia, SpatialInertia]:
    """What the joint feels, and what it does not, both in the body's frame at any position of the joint."""
    m, (x, y, z), ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = whole
    if isinstance(joint, Revolute):
        along = (xx + yy - zz) / 2  # second moment along the axis, and those across it: a slender body's are
        x2, y2 = (zz + (yy - xx)) / 2, (zz - (yy - xx)) / 2  # small, and keep their digits
        felt = ((y2, xy, xz), (xy, x2, yz), (xz, yz, x2 + y2))  # zz, rounded so that nothing is left along z
        unfelt = SpatialInertia(m, (0, 0, z), ((along, 0, 0), (0, along, 0), (0, 0, 0)))
        return SpatialInertia(0, (x, y, 0), felt), unfelt
    if isinstance(joint, Prismatic):
        return SpatialInertia(m, whole.h, (ZERO,) * 3), SpatialInertia(0, ZERO, whole.I)
    return whole, NO_INERTIA
