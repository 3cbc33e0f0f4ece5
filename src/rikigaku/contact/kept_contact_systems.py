"""Contact systems of the last simulations of a robot: `simulate(contacts=...)` uses them again."""

from collections.abc import Iterable
from typing import Any

from rikigaku.contact.contact_modes import ContactModes
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import SLOW
from rikigaku.contact.friction_law import JointFriction
from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short
from rikigaku.robot import Robot


def contact_modes(robot: Robot, contacts: Any, joint_friction: bool | None = None) -> ContactModes:
    """The contact modes for `simulate(contacts=...)`: contacts, guides, joint friction, or a ContactSystem.

    joint_friction: False leaves out the Coulomb friction of the robot's joints.

    Raises:
        WrongValue: for anything else, or a system of another robot.
    """
    if not robot.nv:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves: there is no motion with contacts.")
    minimum_bounce_speed = SLOW
    if isinstance(contacts, ContactModes):  # no state is shared between simulations
        contacts, minimum_bounce_speed = contacts.system, contacts.minimum_bounce_speed
    if not isinstance(contacts, ContactSystem):
        if isinstance(contacts, str) or not isinstance(contacts, Iterable):
            raise WrongValue(
                "contacts is a list, as in [rk.Contact('hand', rk.Plane(), 0.2)]; "
                f"{short(contacts)} was given."
            )
        joints: tuple[JointFriction, ...] | None = () if joint_friction is False else None
        return ContactModes(kept_system(robot, tuple(contacts), joints))
    if joint_friction is not None:
        raise WrongValue(
            "The ContactSystem given has its joint friction: leave out joint_friction, or give "
            "ContactSystem(robot, contacts, joints=())."
        )
    if contacts.robot != robot:
        raise WrongValue(f"The contacts belong to robot {contacts.robot.name!r}, not to this {robot.name!r}.")
    return ContactModes(contacts, minimum_bounce_speed)


_KEPT = 4  # contact systems of the last calls of `simulate`, for each robot


def kept_system(
    robot: Robot, contacts: tuple[Any, ...], joints: tuple[JointFriction, ...] | None
) -> ContactSystem:
    """The contact system; that of an earlier call with the same robot and equal contacts is used again.

    Robots and contacts are frozen data. The systems are kept with their robot, and released with it.
    """
    kept: list[tuple[tuple[Any, ...], Any, ContactSystem]] = robot.__dict__.setdefault("_contact_systems", [])
    for kept_contacts, kept_joints, system in tuple(kept):
        if kept_joints == joints and _equal(kept_contacts, contacts):
            return system
    system = ContactSystem(robot, contacts, joints)
    kept[:] = [*kept[1 - _KEPT :], (contacts, joints, system)]
    return system


def _equal(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    try:
        return a == b
    except ValueError:  # arrays of heights
        return False
