"""Inertia regrouping: inertia that is unobservable at a joint is moved to the parent body [Gautier1990].

A pass over the mechanism before the recursions. Mass on the axis of a revolute joint moves as if it were
fixed to the parent, and a body on a prismatic joint rotates as its parent does. Joint forces are unchanged
when such inertia is counted on the parent; the remaining inertia has structural zeros, which save operations.
"""

from dataclasses import replace

from rikigaku.model.elementary_motions import ElementaryJoint, Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.spatial.rigid_inertia import NO_INERTIA, SpatialInertia
from rikigaku.spatial.vector import ZERO


def regrouped(mechanism: Mechanism) -> Mechanism:
    """The mechanism with inertia regrouped inward: same joint forces, more structural zeros.

    Joint forces and energies are unchanged; the wrenches inside the joints are not. Inertias and placements
    that are symbols stay as they are: their sums would be computed for every state.
    """
    inertias = [body.inertia for body in mechanism.bodies]
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        if body.parent != WORLD and _all_numbers(inertias[i]) and _all_numbers(body.placement):
            if inertias[i] == NO_INERTIA:  # nothing to move; halves of integers would be floats
                continue
            inertias[i], unobservable = _split(inertias[i], body.joint)
            inertias[body.parent] = inertias[body.parent].plus(unobservable.seen_from(body.placement))
    bodies = [replace(body, inertia=I) for body, I in zip(mechanism.bodies, inertias, strict=True)]
    return replace(mechanism, bodies=bodies)


def _all_numbers(x: object) -> bool:
    return all(map(_all_numbers, x)) if isinstance(x, tuple) else isinstance(x, (int, float))


def _split(inertia: SpatialInertia, joint: ElementaryJoint) -> tuple[SpatialInertia, SpatialInertia]:
    """Observable and unobservable part of an inertia; the latter is the same at any position of the joint."""
    m, (x, y, z), ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = inertia
    if isinstance(joint, Revolute):
        # Second moments of mass along and across the axis. Written so that the small ones of a slender body
        # keep their digits, and zz is rounded so that the second moment along z is exactly zero.
        along = (xx + yy - zz) / 2
        x2, y2 = (zz + (yy - xx)) / 2, (zz - (yy - xx)) / 2
        observable = ((y2, xy, xz), (xy, x2, yz), (xz, yz, x2 + y2))
        on_axis = SpatialInertia(m, (0, 0, z), ((along, 0, 0), (0, along, 0), (0, 0, 0)))
        return SpatialInertia(0, (x, y, 0), observable), on_axis
    if isinstance(joint, Prismatic):
        return SpatialInertia(m, inertia.h, (ZERO,) * 3), SpatialInertia(0, ZERO, inertia.I)
    return inertia, NO_INERTIA
