"""The laws of contact as records; which contacts, and what they do, is their plan."""

from rikigaku.laws import contact, contact_extended, contact_geometry, contact_guides, contact_inner
from rikigaku.laws.record import Law, by_name

_DEPENDENT = (
    "contacts, loops and stuck joints depend on each other here, or friction turns the contact (Painleve)"
)

CONTACT_LAWS = by_name(
    Law(
        "contact_state",
        contact_geometry.contact_state,
        inputs=("q", "v", "given"),
        outputs=("state",),
        summary="Gap, its rate and sliding velocity of every contact.",
    ),
    Law(
        "contact_rows",
        contact_geometry.contact_rows,
        inputs=("q", "v", "given"),
        outputs=("R", "drift", "directions"),
        summary="Rows of all contacts over v (normal, tangents), drifts, and directions in the world.",
    ),
    Law(
        "guide_rows",
        contact_guides.guide_rows,
        inputs=("q", "v", "given"),
        outputs=("R", "drift"),
        summary="Rows of all guides over v, and their drifts.",
    ),
    Law(
        "guide_gaps",
        contact_guides.guide_gaps,
        inputs=("q", "given"),
        outputs=("gaps",),
        summary="How far guided frames are from where they are held.",
    ),
    Law(
        "contact_joint_wrenches",
        contact_inner.contact_joint_wrenches,
        inputs=("q", "v", "tau", "given"),
        outputs=("wrenches",),
        summary="Force and moment through the joint of every body, in one mode.",
        singular=_DEPENDENT,
    ),
    Law(
        "contact_dynamics",
        contact.contact_dynamics,
        inputs=("q", "v", "tau", "given"),
        outputs=("a", "forces", "power", "driven"),
        summary="Accelerations, contact forces, powers of friction and of moving surfaces, in one mode.",
        singular=_DEPENDENT,
    ),
    Law(
        "held_velocity",
        contact.held_velocity,
        inputs=("q", "v", "given"),
        outputs=("v",),
        summary="The velocities nearest to v that keep what the mode holds.",
        singular=_DEPENDENT,
    ),
    Law(
        "closing_contacts",
        contact.closing_contacts,
        inputs=("q", "given"),
        outputs=("step",),
        summary="Newton's step of q that closes small gaps of contacts and loops.",
        singular=_DEPENDENT,
    ),
    Law(
        "extended_newton_euler",
        contact_extended.extended_newton_euler,
        inputs=("q", "v", "tau", "given"),
        outputs=contact_extended.Extended._fields,
        summary="One sliding contact by calls of the inverse dynamics; every joint's force and moment.",
        singular=_DEPENDENT,
    ),
)
