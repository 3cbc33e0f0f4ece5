"""Names of contacts, and of the columns of their forces."""

from collections.abc import Sequence

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.friction_law import JointFriction
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.guide import Guide
from rikigaku.contact.joint_stop import JointStop

_STOP = ("along its joint", "none", "none", "push [N, N m]")
_FORCE = tuple(f"force {axis} [N]" for axis in "xyz")
_MOMENT = tuple(f"moment {axis} [N m]" for axis in "xyz")
_WRENCH = (*_FORCE, *_MOMENT)


def contact_labels(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """A name for each contact: its frame, with a number where a frame has several."""
    frames = [c.frame for c in contacts if not isinstance(c, FrictionMoment)]
    names = [
        frame if frames.count(frame) == 1 else f"{frame} ({frames[:i].count(frame) + 1})"
        for i, frame in enumerate(frames)
    ]
    moments = (c for c in contacts if isinstance(c, FrictionMoment))
    return (*names, *(f"{names[moment.owner]} {moment.about}" for moment in moments))


def force_labels(
    contacts: Sequence[Contact],
    joints: Sequence[JointFriction],
    guides: Sequence[Guide],
    moving_links: Sequence[str],
) -> dict[str, tuple[str, ...]]:
    """Names of the columns of "forces" (contacts, joints, guides) and "joint wrenches"."""
    columns: list[str] = []
    for contact, label in zip(contacts, contact_labels(contacts), strict=True):
        if isinstance(contact, JointStop):
            columns += [f"{label} ({part})" for part in _STOP]
        elif isinstance(contact, FrictionMoment):
            columns += [f"{label} {part}" for part in (*_MOMENT, "normal force [N]")]
        else:
            columns += [f"{label} {part}" for part in (*_FORCE, "normal force [N]")]
    columns += [f"{joint.joint} dry friction [N, N m]" for joint in joints]
    columns += [f"{guide.frame} guide {part}" for guide in guides for part in _WRENCH]
    wrenches = [f"{link} {part}" for link in moving_links for part in _WRENCH]
    return {"forces": tuple(columns), "joint wrenches": tuple(wrenches)}
