"""Projection of positions and velocities onto contacts, guides and loops."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem


def placed(system: "ContactSystem", q: Array, closed: Iterable[str] | None, t: float) -> Array:
    """The configuration near q (Newton's method, steps minimal in the kinetic-energy norm) at which the named
    frames lie on their surfaces and guides and loops are closed.

    closed: frames with contacts; those of all bilateral contacts if left out.

    Raises:
        UnknownName: for a frame without contact. WrongValue: if Newton's method does not converge.
    """
    frames = [contact.frame for contact in system.contacts]
    bilateral = [contact.frame for contact in system.contacts if contact.bilateral]
    wanted = set(bilateral if closed is None else closed)
    if unknown := sorted(wanted - set(frames)):
        raise UnknownName("contact", unknown[0], frames)
    indices = [i for i, frame in enumerate(frames) if frame in wanted]
    plan = replace(system.constraints, contacts=tuple((i, 0) for i in indices))
    gap = largest_gap(system, q, indices, t)
    for _ in range(50):
        if gap < 1e-14:
            break
        q = system.engine.integrate(q, system.engine.newton_step(plan, t, q))
        gap = largest_gap(system, q, indices, t)
    if not gap < 1e-10:
        names = ", ".join(sorted(wanted | {guide.frame for guide in system.guides}))
        raise WrongValue(f"The contacts {names} do not close: a gap of {gap:.3g} m remains.")
    return q


def allowed_velocity(system: "ContactSystem", q: Array, v: Array, t: float) -> Array:
    """Projection of v onto bilateral contacts, guides and loops, in the kinetic-energy norm."""
    contacts = tuple((i, 0) for i, contact in enumerate(system.contacts) if contact.bilateral)
    return system.engine.projected_velocity(replace(system.constraints, contacts=contacts), t, q, v)


def largest_gap(system: "ContactSystem", q: Array, contacts: Sequence[int], t: float = 0.0) -> float:
    """The largest gap of those contacts, of all guides and loops [m, or sines of angles]."""
    gaps = [system.state(q, np.zeros(system.robot.nv), t).gap[list(contacts)]]
    if system.constraints.guide_equations:
        gaps.append(system.law("guide_residual")(q, np.array([t])))
    if system.constraints.loop_equations:
        gaps.append(system.robot.loop_residual(q))
    return max(float(np.abs(gap).max(initial=0.0)) for gap in gaps)
