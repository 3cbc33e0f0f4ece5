"""Force distribution over redundant contacts: friction margin, and the minimum-norm forces.

If nothing slides, accelerations do not depend on the distribution, so that a contact mode lasts as long as
*some* forces within the friction cones balance the robot: `friction_margin` is the margin of the best. The
minimum-norm forces are reported (`reference_forces`).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rikigaku.contact.complementarity import STICKING, force_scale, smallest_response
from rikigaku.contact.cone_program import margin, maximize_margin
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.redundancy import minimum_norm_solution
from rikigaku.contact.redundant_forces import friction_cones, minimum_norm_in_cones, widest_margin
from rikigaku.core.types import Array
from rikigaku.laws.contact.active_constraints import ActiveConstraints

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem


class ForceDistribution(NamedTuple):
    """Constraint forces in a statically indeterminate mode.

    Attributes:
        F: minimum-norm forces along all constraints. free: basis of the forces that do not change the motion.
        blocks, modes, labels: of the closed contacts and sticking joints.
        active: indices in F of the active constraints, in the order of `ActiveConstraints.reference_forces`.
        small: forces below it are treated as zero.
    """

    F: Array
    free: Array
    blocks: list[ConstraintBlock]
    modes: list[BlockMode]
    labels: list[str]
    active: list[int]
    small: float


def statically_indeterminate(plan: ActiveConstraints) -> bool:
    """Whether active constraints are redundant and nothing slides."""
    return bool(plan.redundant) and not plan.sliding


def force_distribution(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> ForceDistribution:
    """The minimum-norm forces in a statically indeterminate mode, friction limits not considered."""
    equations = system.constraint_equations(q, v, t, tau)
    W, w0 = equations.W, equations.free
    contacts, joints = system.equation_indices()
    at = dict(zip(plan.joints, joints, strict=True))
    for k, sign in plan.moving_joints:  # dry friction of joints that move
        w0 = w0 - sign * system.joints[plan.joints.index(k)].coulomb * W[:, at[k]]
    names = (*plan.contacts, *((-1, k) for k in plan.sticking_joints), *plan.redundant)
    active = [*range(plan.permanent), *(at[k] if i < 0 else contacts[i][0] + k for i, k in names)]
    least = smallest_response(equations.magnitude)
    f, base = minimum_norm_solution(W[np.ix_(active, active)], -w0[active], least)
    F, free = np.full(len(w0), np.nan), np.zeros((len(w0), base.shape[1]))
    if f is not None:
        F[:], F[active], free[active] = 0.0, f, base
    blocks, modes, labels = [], [], []
    for i, (normal, tangents) in enumerate(contacts):
        if normal in active:
            contact = system.contacts[i]
            friction_tangents = tangents if contact.friction.limit else ()
            blocks.append(
                ConstraintBlock(
                    normal, friction_tangents, contact.friction.limit, bilateral=contact.bilateral
                )
            )
            modes.append(BlockMode("stick" if friction_tangents else "slip"))
            labels.append(system.labels[i])
    for joint, row in zip(system.joints, joints, strict=True):
        if row in active:
            blocks.append(ConstraintBlock(None, (row,), joint.limit))
            modes.append(BlockMode("stick"))
            labels.append(joint.joint)
    return ForceDistribution(F, free, blocks, modes, labels, active, STICKING * force_scale(W, F, least))


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
    h, B = friction_cones(c.F, c.blocks, c.modes)
    normals = [block.normal for block in c.blocks if block.normal is not None]
    pushed = max(float(np.abs(c.F[normals]).max(initial=0.0)), c.small, 1e-300)
    sizes = np.where(h[:, 0] > 0, h[:, 0], np.abs(B[:, 0]).max(axis=1, initial=0.0) * pushed)
    scale = 1 / np.maximum(sizes, 1e-300)[:, None]
    h, G = (h + B @ c.F) * scale, (B @ c.free) * scale[:, :, None]
    found = maximize_margin(h, G, 1.0)
    return InteriorForces((c.F + c.free @ found.x)[c.active], found.value)


def friction_margin(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> float:
    """Margin [N] to the friction limits: of the minimum-norm forces if positive, else the widest possible."""
    c = force_distribution(system, plan, t, q, v, tau)
    h, B = friction_cones(c.F, c.blocks, c.modes)
    least = margin(h + B @ c.F, B @ c.free, np.zeros(c.free.shape[1]))
    return least if least > 0 else widest_margin(c.F, c.free, c.blocks, c.modes).value


def contacts_at_limits(
    system: "ContactSystem", plan: ActiveConstraints, t: float, q: Array, v: Array, tau: Array
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Contacts and joints at their limits where the widest margin is zero: those that slip, that lift."""
    c = force_distribution(system, plan, t, q, v, tau)
    F = c.F + c.free @ widest_margin(c.F, c.free, c.blocks, c.modes).x
    small = 1e-6 * float(np.abs(F).max(initial=0.0))
    slip, lift = [], []
    for block, label in zip(c.blocks, c.labels, strict=True):
        limit = block.static if block.normal is None else block.static * abs(F[block.normal])
        if block.normal is not None and not block.bilateral and F[block.normal] < small:
            lift.append(label)
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
    found = minimum_norm_in_cones(c.F, c.free, c.blocks, c.modes, 4 * c.small)
    return np.zeros(plan.undetermined) if found is None or found is c.F else found[c.active]
