"""Torsional and rolling friction of a contact: moments that its normal force limits.

A contact of finite size resists rotation about its normal, and rolling, by moments up to

    |M_n| <= torsional_friction f_n,        |M_t| <= rolling_friction f_n        (coefficients in metres)

against the angular velocity of the shape relative to the surface. Each is Coulomb's law with the normal force
of the contact, so that each is a block of friction with contact modes of its own ("stick": no rotation).
Reference: K. L. Johnson, Contact Mechanics (1985), chapters 7 and 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.friction_law import Friction

MOMENT_NAMES = {"spin": "torsional_friction", "roll": "rolling_friction"}


@dataclass(frozen=True)
class FrictionMoment(Contact):
    """The torsional ("spin") or rolling ("roll") friction of a contact, made by `with_friction_moments`.

    owner: index of the contact whose normal force limits the moment. `friction` has its coefficients [m].
    In `solution.forces["forces"]` it has a moment instead of a force.
    """

    about: str = "spin"
    owner: int = -1


def with_friction_moments(contacts: Sequence[Contact]) -> tuple[Contact, ...]:
    """The contacts, then the friction moments of those that have any."""
    moments = []
    for i, contact in enumerate(contacts):
        for about, name in MOMENT_NAMES.items():
            friction: Friction | None = getattr(contact, name)
            if friction is not None:
                moments.append(
                    FrictionMoment(
                        contact.frame, contact.surface, friction, shape=contact.shape, about=about, owner=i
                    )
                )
    return (*contacts, *moments)
