"""A contact mode as a mode of the hybrid system: dynamics, guards, projection, names of the outputs."""

from rikigaku.contact.contact_guards import LIMIT_REACHED, contact_guards
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import STICKING
from rikigaku.contact.force_distribution import friction_margin, statically_indeterminate
from rikigaku.contact.native_contact_mode import NativeContactMode, Workspace
from rikigaku.contact.selected_mode import SelectedMode
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import Mode, PythonGuard
from rikigaku.laws.contact.active_constraints import ActiveConstraints

# Relative tolerance of modes in which a contact slides in space: the direction of friction follows the
# velocity, however slow, so that its error must be small against the speeds at which sliding begins and ends.
SPATIAL_RTOL = 1e-8


def smooth_mode(
    workspace: Workspace,
    selected: SelectedMode,
    t: float,
    stop: Array,
    resolution: Array,
    interior: Array | None = None,
) -> Mode:
    """The hybrid system's mode for a contact mode that begins at time t.

    stop: speed [m/s] of each contact at which sliding in space counts as stopped. resolution: rounding of
        its gap [m].
    interior: forces of redundant contacts well within friction; those nearest to them are followed. If left
        out, the widest margin of all forces is a guard in Python, after every step.
    """
    system, plan = workspace.engine.system, selected.constraints
    names = (*system.labels, *(joint.joint for joint in system.joints))
    reference = interior
    if selected.reference is not None and not statically_indeterminate(plan):
        names_of = (*plan.contacts, *((-1, k) for k in plan.sticking_joints), *plan.redundant)
        rows = [*range(plan.permanent), *(workspace.engine.row(*name) for name in names_of)]
        reference = selected.reference[rows]
    guards = tuple(contact_guards(system, selected, stop, resolution, interior is not None))
    native = NativeContactMode(
        workspace,
        plan,
        t,
        selected.directions,
        reference,
        guards=[guard.function for guard in guards],
        immobile=is_immobile(system, plan),
    )

    def margin(t: float, q: Array, v: Array, tau: Array) -> float:
        return friction_margin(system, plan, t, q, v, tau) + 2 * STICKING

    in_python = statically_indeterminate(plan) and interior is None
    return Mode(
        ", ".join(f"{name} {mode}" for name, mode in zip(names, selected.contact_modes, strict=True))
        or "free",
        workspace.engine.identity,
        None,
        guards,
        labels=system.force_labels,
        surfaces=system.surfaces,
        contacts=system.points,
        python_guard=PythonGuard(LIMIT_REACHED, margin) if in_python else None,
        largest_rtol=SPATIAL_RTOL if any(sign == 0 for _, sign, _ in plan.sliding) else float("inf"),
        native=native,
    )


def is_immobile(system: ContactSystem, plan: ActiveConstraints) -> bool:
    """Whether nothing can move: as many independent constraints as coordinates, no moving surfaces."""
    still = not any(contact.surface.moves_by_itself for contact in system.contacts)
    still = still and not any(guide.moves for guide in plan.guides)
    return still and plan.independent == system.robot.nv
