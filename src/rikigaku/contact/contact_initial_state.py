"""Validation of an initial state with contacts."""

from rikigaku.contact.constraint_projection import initial_gap_text, largest_gap
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import CLOSED
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array


def check_initial_state(system: ContactSystem, t: float, q: Array, v: Array) -> None:
    """Raise WrongValue if a point is inside its surface, or a bilateral contact, guide or loop is open."""
    state = system.state(q, v, t)
    for contact, label, gap, rate in zip(
        system.contacts, system.labels, state.gap, state.approach, strict=True
    ):
        if gap < -CLOSED or (contact.bilateral and gap > CLOSED):
            raise WrongValue(initial_gap_text(label, contact.frame, gap))
        if contact.bilateral and abs(rate) > 1e-6:
            raise WrongValue(
                f"At the start {label!r} moves at {rate:.3g} m/s along the normal of its bilateral "
                "contact: give velocities along the surface, or those of "
                "ContactSystem(robot, contacts).allowed_velocity(q, v)."
            )
    if (gap := largest_gap(system, q, (), t)) > CLOSED:
        raise WrongValue(
            f"At the start guides or loops are open by {gap:.3g}. "
            "ContactSystem(robot, contacts).placed(q) gives a configuration that closes them."
        )
