"""States brought onto what holds them: frames onto their surfaces, velocities along bilateral contacts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.errors import UnknownName, WrongValue

if TYPE_CHECKING:
    from rikigaku.contact.system import ContactSystem

Array = NDArray[np.float64]


def placed(system: "ContactSystem", q: Array, closed: Iterable[str] | None, t: float) -> Array:
    """q moved (the least, as kinetic energy measures) until the named frames lie on their surfaces and guides
    and loops are closed; the frames of all bilateral contacts if none are named.

    Raises:
        UnknownName: for a frame without contact. WrongValue: if they do not close.
    """
    frames = [contact.frame for contact in system.contacts]
    bilateral = [contact.frame for contact in system.contacts if contact.bilateral]
    wanted = set(bilateral if closed is None else closed)
    if unknown := sorted(wanted - set(frames)):
        raise UnknownName("contact", unknown[0], frames)
    indices = [i for i, frame in enumerate(frames) if frame in wanted]
    plan = replace(system.plan, rows=tuple((i, 0) for i in indices))
    step, laws = system.law("closing_contacts", plan), cast(Any, tree(system.robot))
    gap = open_by(system, q, indices, t)
    for _ in range(50):
        if gap < 1e-14:
            break
        q = laws.integrate(q, step(q, system.given(t)))
        gap = open_by(system, q, indices, t)
    if not gap < 1e-10:
        held = ", ".join(sorted(wanted | {guide.frame for guide in system.guides}))
        raise WrongValue(f"The contacts {held} do not close: {gap:.3g} m is left.")
    return q


def allowed_velocity(system: "ContactSystem", q: Array, v: Array, t: float) -> Array:
    """The velocities nearest to v (as kinetic energy measures) along bilateral contacts, guides, loops."""
    rows = tuple((i, 0) for i, contact in enumerate(system.contacts) if contact.bilateral)
    law = system.law("held_velocity", replace(system.plan, rows=rows))
    return np.asarray(law(q, v, system.given(t)))


def open_by(system: "ContactSystem", q: Array, contacts: Sequence[int], t: float = 0.0) -> float:
    """The largest gap of those contacts, of the guides and of the loops [m, or sines of angles]."""
    gaps = [system.state(q, np.zeros(system.robot.nv), t).gap[list(contacts)]]
    if system.plan.guided:
        gaps.append(system.law("guide_gaps")(q, system.given(t)))
    if system.plan.loops:
        gaps.append(cast(Any, system.robot).loop_residual(q))
    return max(float(np.abs(gap).max(initial=0.0)) for gap in gaps)
