"""The contact mode after joints with dry friction have come to rest, where nothing else changes.

Most events of a robot with dry friction in its joints are of this kind. One evaluation of the forces shows
whether the joints stick, another whether a joint turns back, while all other contacts and joints keep their
modes. Wherever a force, a gap or a speed is near the limit of its mode, `mode_selection` tests every contact
and joint.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rikigaku.contact.contact_guards import contact_guards
from rikigaku.contact.contact_results import ConstraintEquations
from rikigaku.contact.contact_rounding import touching
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST, STICKING
from rikigaku.contact.force_distribution import interior_forces, statically_indeterminate
from rikigaku.contact.native_contact_mode import NativeContactMode, Workspace
from rikigaku.contact.selected_mode import SelectedMode
from rikigaku.contact.smooth_mode import is_immobile
from rikigaku.core.types import Array
from rikigaku.integrators.constrained_motion import Code
from rikigaku.laws.contact.active_constraints import ActiveConstraints

_INDEPENDENT, _DEPENDENT = 1e-7, 1e-11  # of W's diagonal: what independent constraints leave of it
_WITHIN = 1e-6  # margin of forces to the limits of their modes, relative to the largest force
WELL_WITHIN = 0.001  # margin of redundant forces to friction limits, relative to the sizes of friction


class JointsAtRest(NamedTuple):
    """The contact mode, and the forces of redundant contacts well within friction, if there are such."""

    selected: SelectedMode
    interior: Array | None


def with_joints_at_rest(
    workspace: Workspace,
    before: SelectedMode,
    stopped: Sequence[int],
    t: float,
    q: Array,
    v: Array,
    tau: Array,
    speeds: tuple[Array, float],
) -> JointsAtRest | None:
    """The mode `before` with joints that stick or turn back; None if mode selection must decide.

    stopped: indices of the joints among those with dry friction. speeds: [m/s], below which each contact may
        have stopped sliding, and below which an open contact may close again.
    """
    system, plan = workspace.engine.system, before.constraints
    if plan.unloaded or before.painleve or before.reference is not None:
        return None
    equations = system.equations_at(t, q, v, tau)
    if not _others_are_regular(system, before, stopped, equations, t, q, v, speeds):
        return None
    active = _sticking(system, plan, stopped, equations.W)
    if active is None:
        return None
    state = t, q, v, tau
    found = _verified(workspace, _changed(before, stopped, "stick", active), *state)
    if found is not None or len(stopped) > 1:
        return found
    k = plan.joints[stopped[0]]
    sign = -dict(plan.moving_joints)[k]
    back = replace(plan, moving_joints=tuple((j, sign if j == k else s) for j, s in plan.moving_joints))
    turned = _changed(before, stopped, "slip+" if sign > 0 else "slip-", back)
    return _verified(workspace, turned, *state, (k, sign))


def _changed(
    before: SelectedMode, joints: Sequence[int], name: str, active: ActiveConstraints
) -> SelectedMode:
    names = list(before.contact_modes)
    for k in joints:
        names[len(active.points) + k] = name
    return replace(before, contact_modes=tuple(names), constraints=active, directions={})


def _others_are_regular(
    system: ContactSystem,
    before: SelectedMode,
    stopped: Sequence[int],
    equations: ConstraintEquations,
    t: float,
    q: Array,
    v: Array,
    speeds: tuple[Array, float],
) -> bool:
    """Whether the other joints move or stick, open contacts are open, and sliding contacts slide."""
    plan = before.constraints
    coordinates = {plan.joints[k] for k in stopped}
    moving = [k for k, _ in plan.moving_joints]
    if not coordinates <= set(moving) or any(abs(v[k]) <= 2 * REST for k in moving if k not in coordinates):
        return False
    if max(abs(v[k]) for k in coordinates) > REST:
        return False
    state, (rest, slow) = system.contact_state(equations.residual, equations.rates), speeds
    may_close = (state.gap <= 4 * touching(system, t, q)) & (state.approach <= 2 * slow)
    if any(mode == "free" and at for mode, at in zip(before.contact_modes, may_close, strict=False)):
        return False
    sliding = np.hypot(state.sliding[:, 0], state.sliding[:, 1])
    return not any(sliding[i] <= 4 * rest[i] for i, _, _ in plan.sliding)


def _sticking(
    system: ContactSystem, plan: ActiveConstraints, stopped: Sequence[int], W: Array
) -> ActiveConstraints | None:
    """The active constraints with these joints among them; None if it is not clear which are independent."""
    rows = system.equation_indices()[1]
    tables = system.engine.active_tables(plan)
    if not W.all():  # there may be islands, each with forces of its own size
        return None
    active, independent, redundant = list(tables.active[: plan.independent]), [], list(plan.redundant)
    for k in stopped:
        row, own = rows[k], W[rows[k], rows[k]]
        left = own
        if active:
            try:
                left = own - W[row, active] @ np.linalg.solve(W[np.ix_(active, active)], W[active, row])
            except np.linalg.LinAlgError:
                return None
        if left > _INDEPENDENT * own:
            active.append(row)
            independent.append(plan.joints[k])
        elif left < _DEPENDENT * own and not plan.sliding:
            redundant.append((-1, plan.joints[k]))
        else:
            return None
    coordinates = {plan.joints[k] for k in stopped}
    return replace(
        plan,
        sticking_joints=tuple(sorted((*plan.sticking_joints, *independent))),
        moving_joints=tuple(x for x in plan.moving_joints if x[0] not in coordinates),
        redundant=tuple(redundant),
    )


def _verified(
    workspace: Workspace,
    selected: SelectedMode,
    t: float,
    q: Array,
    v: Array,
    tau: Array,
    starts: tuple[int, int] | None = None,
) -> JointsAtRest | None:
    """The mode with the sizes of its forces, if these are within its limits; else None.

    starts: coordinate and sign of a joint that must be accelerated in that direction.
    """
    system, plan = workspace.engine.system, selected.constraints
    if is_immobile(system, plan):
        return None
    indeterminate = statically_indeterminate(plan)
    if indeterminate:
        near = interior_forces(system, plan, t, q, v, tau)
        if near.margin <= WELL_WITHIN:
            return None
        if starts is None:
            return JointsAtRest(replace(selected, indeterminate=True), near.reference)
    speeds = np.zeros(len(system.contacts))  # guards of forces do not depend on them
    guards = [guard.function for guard in contact_guards(system, selected, speeds, speeds)]
    native = NativeContactMode(workspace, plan, t, guards=guards)
    workspace.tau[:] = tau
    found = native.split(native.evaluate("outputs", t, q, v, native.output_size))
    if not np.isfinite(found.a).all():
        return None
    if starts is not None and not starts[1] * found.a[starts[0]] > _WITHIN * np.abs(found.a).max():
        return None
    if indeterminate:
        return JointsAtRest(replace(selected, indeterminate=True), near.reference)
    size = float(np.abs(found.forces).max(initial=0.0))
    values = native.evaluate("guards", t, q, v, len(guards)).tolist()
    for guard, value in zip(guards, values, strict=True):
        if guard.code == Code.NORMAL and not value > _WITHIN * size:
            return None
        if guard.code in (Code.FRICTION, Code.JOINT_FRICTION) and not value > _WITHIN * size * size:
            return None
    each = found.forces[: 4 * len(system.contacts)].reshape(-1, 4)
    slacks = tuple(2 * STICKING * size if slack else 0.0 for slack in selected.slacks)
    normals = tuple(each[:, 3].tolist())
    own = replace(selected, f=each[:, :3].copy(), f_n=normals, slacks=slacks, friction_slacks=slacks)
    return JointsAtRest(own, None)
