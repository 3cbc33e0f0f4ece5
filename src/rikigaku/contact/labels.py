"""Names for the numbers in `solution.forces`: what acts where, along what, in which unit."""

from rikigaku.contact.stops import JointStop
from rikigaku.contact.system import ContactSystem

_FORCE = tuple(f"force {axis} [N]" for axis in "xyz")
_WRENCH = (*_FORCE, *(f"moment {axis} [N m]" for axis in "xyz"))


def force_labels(system: ContactSystem) -> dict[str, tuple[str, ...]]:
    """Columns of "forces" (contacts, joints with dry friction, guides) and of "joint wrenches"."""
    columns: list[str] = []
    for contact, label in zip(system.contacts, system.labels, strict=True):
        if isinstance(contact, JointStop):
            columns += [f"{label} ({part})" for part in ("along its joint", "none", "none", "push [N, N m]")]
        else:
            columns += [f"{label} {part}" for part in (*_FORCE, "normal force [N]")]
    columns += [f"{joint.joint} dry friction [N, N m]" for joint in system.joints]
    columns += [f"{guide.frame} guide {part}" for guide in system.guides for part in _WRENCH]
    wrenches = [f"{link} {part}" for link in system.moving_links for part in _WRENCH]
    return {"forces": tuple(columns), "joint wrenches": tuple(wrenches)}
