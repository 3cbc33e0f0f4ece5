"""Force distribution over redundant contacts: friction margin, and the minimum-norm forces.

If nothing slides, accelerations do not depend on the distribution, so that a contact mode lasts as long as
*some* forces within the friction cones balance the robot: `friction_margin` is the margin of the best. The
minimum-norm forces are reported (`reference_forces`).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rikigaku.contact.cone_program import Margin, margin, maximize_margin
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.constraint_islands import island_labels, largest_of_island
from rikigaku.contact.contact_tolerances import STICKING, smallest_response
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.redundancy import minimum_norm_solution
from rikigaku.contact.redundant_forces import FrictionCones, friction_cones, minimum_norm_in_cones
from rikigaku.core.types import Array
from rikigaku.laws.contact.active_constraints import ActiveConstraints

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem


_STICK = BlockMode("stick")


class ActiveBlocks(NamedTuple):
    """The closed contacts and sticking joints of a contact mode.

    Attributes:
        active: indices of the active constraints, in the order of `ActiveConstraints.reference_forces`.
        blocks, modes, labels: of contacts and joints. cones: `friction_cones` of them; None if they depend on
            the forces (bilateral contacts).
        friction: dry friction of joints that move, along all constraints.
    """

    active: list[int]
    blocks: list[ConstraintBlock]
    modes: list[BlockMode]
    labels: list[str]
    cones: FrictionCones | None
    friction: Array


class ForceDistribution(NamedTuple):
    """Constraint forces in a statically indeterminate mode.

    Attributes:
        F: minimum-norm forces along all constraints. free: basis of the forces that do not change the motion.
        blocks, modes, labels, active: see `ActiveBlocks`.
        cones: `friction_cones` of these, relative to scales. scales: of forces, for each constraint those of
            its island.
        pushed: for each constraint the largest normal force of its island.
    """

    F: Array
    free: Array
    blocks: list[ConstraintBlock]
    modes: list[BlockMode]
    labels: list[str]
    active: list[int]
    cones: FrictionCones
    scales: Array
    pushed: Array


def statically_indeterminate(plan: ActiveConstraints) -> bool:
    """Whether active constraints are redundant and nothing slides."""
    return bool(plan.redundant) and not plan.sliding


def force_distribution(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> ForceDistribution:
    """The minimum-norm forces in a statically indeterminate mode, friction limits not considered."""
    equations = system.equations_at(t, q, v, tau)
    W, w0 = equations.W, equations.free
    active, blocks, modes, labels, cones, friction = system.active_blocks(plan)
    w0 = w0 + W @ friction
    least = smallest_response(float(equations.magnitude.max(initial=0.0)))
    f, base = minimum_norm_solution(W[np.ix_(active, active)], -w0[active], least)
    F, free = np.full(len(w0), np.nan), np.zeros((len(w0), base.shape[1]))
    if f is not None:
        F[:], F[active], free[active] = 0.0, f, base
    cones = friction_cones(F, blocks, modes) if cones is None else cones
    label = island_labels(W, blocks, range(plan.permanent))
    sizes, normals = np.zeros(len(F)), [block.normal for block in blocks if block.normal is not None]
    sizes[normals] = np.abs(F[normals])
    lightest = largest_of_island(label, np.diag(W))
    smallest = np.divide(least, lightest, out=np.full(len(F), 1e-300), where=lightest > 0)
    scales = np.fmax(largest_of_island(label, np.nan_to_num(np.abs(F))), smallest)
    pushed = np.fmax(largest_of_island(label, np.nan_to_num(sizes)), STICKING * scales)
    return ForceDistribution(
        F, free, blocks, modes, labels, active, cones.relative_to(scales), scales, pushed
    )


def active_blocks(system: "ContactSystem", plan: ActiveConstraints) -> ActiveBlocks:
    """The closed contacts and sticking joints of a statically indeterminate mode."""
    contacts, joints = system.equation_indices()
    at = dict(zip(plan.joints, joints, strict=True))
    names = (*plan.contacts, *((-1, k) for k in plan.sticking_joints), *plan.redundant)
    active = [*range(plan.permanent), *(at[k] if i < 0 else system.engine.row(i, k) for i, k in names)]
    rows, blocks, modes, labels = set(active), [], [], []
    for i, (normal, tangents) in enumerate(contacts):
        if normal in rows:
            contact = system.contacts[i]
            friction_tangents = tangents if contact.friction.limit else ()
            blocks.append(
                ConstraintBlock(
                    normal,
                    friction_tangents,
                    contact.friction.limit,
                    bilateral=contact.bilateral,
                    shared=isinstance(contact, FrictionMoment),
                )
            )
            modes.append(BlockMode("stick" if friction_tangents else "slip"))
            labels.append(system.labels[i])
    for joint, row, alike in zip(system.joints, joints, system.layout.joint_blocks, strict=True):
        if row in rows:
            blocks.append(alike[0])
            modes.append(_STICK)
            labels.append(joint.joint)
    size = system.constraints.permanent + sum(1 + count for count in system.tangents) + len(joints)
    cones = None if any(b.bilateral for b in blocks) else friction_cones(np.zeros(size), blocks, modes)
    friction, signs = np.zeros(size), dict(plan.moving_joints)
    friction[joints] = [
        -signs.get(k, 0) * joint.coulomb for k, joint in zip(plan.joints, system.joints, strict=True)
    ]
    return ActiveBlocks(active, blocks, modes, labels, cones, friction)


class InteriorForces(NamedTuple):
    """Forces of a statically indeterminate mode far from all friction limits.

    reference: along the active constraints (see `ActiveConstraints.reference_forces`). margin: the smallest
    distance to a friction limit, relative to the sizes of friction; negative if none are within friction.
    """

    reference: Array
    margin: float


def interior_forces(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> InteriorForces:
    """The forces with the widest margin to all friction limits, relative to the sizes of friction.

    These are the limits of joints, and of contacts the friction of the largest normal force.
    """
    c = force_distribution(system, plan, t, q, v, tau)
    if not np.isfinite(c.F).all():
        return InteriorForces(c.F[c.active], -np.inf)
    cones = c.cones
    sizes = np.where(cones.h > 0, cones.h, np.abs(cones.factors[:, 0]) * c.pushed[cones.equations[:, 0]])
    scale = 1 / np.maximum(sizes, 1e-300)[:, None]
    found = maximize_margin(cones.at(c.F) * scale, cones.along(c.free) * scale[:, :, None], 1.0)
    return InteriorForces((c.F + c.free @ found.x)[c.active], found.value)


def friction_margin(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> float:
    """Margin to the friction limits, relative to the scale of forces: of the minimum-norm forces if positive,
    else the widest possible."""
    c = force_distribution(system, plan, t, q, v, tau)
    least = margin(c.cones.at(c.F))
    return least if least > 0 else _widest(c).value


def _widest(c: ForceDistribution) -> Margin:
    return maximize_margin(c.cones.at(c.F), c.cones.along(c.free), 1.0)


def contacts_at_limits(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Contacts and joints at their limits where the widest margin is zero: those that slip, that lift."""
    c = force_distribution(system, plan, t, q, v, tau)
    F = c.F + c.free @ _widest(c).x
    slip, lift = [], []
    for block, label in zip(c.blocks, c.labels, strict=True):
        limit = block.static if block.normal is None else block.static * abs(F[block.normal])
        small = 1e-6 * c.scales[block.equations[0]]
        if block.normal is not None and not block.bilateral and F[block.normal] < small:
            lift += [] if block.shared else [label]
        elif block.tangents and limit - float(np.linalg.norm(F[list(block.tangents)])) < small:
            slip.append(label)
    return tuple(slip), tuple(lift)


def reference_forces(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> Array:
    """Minimum-norm forces within friction (see `ActiveConstraints.reference_forces`).

    Zeros if the unconstrained minimum-norm forces are within friction.
    """
    if not statically_indeterminate(plan):
        return np.zeros(plan.undetermined)
    c = force_distribution(system, plan, t, q, v, tau)
    found = minimum_norm_in_cones(c.F, c.free, c.cones, 4 * STICKING, 1.0)
    return np.zeros(plan.undetermined) if found is None or found is c.F else found[c.active]
