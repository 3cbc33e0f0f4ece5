"""The vector field of a mode: traced, or native code that the mode brings along."""

from collections.abc import Sequence

from rikigaku.hybrid.hybrid_system import Guard, Mode
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.contact_field import ContactField
from rikigaku.simulation.kept_programs import kept
from rikigaku.simulation.vector_fields import Field


def field_of(
    robot: Robot, mode: Mode, actuation: Actuation, user_guards: Sequence[Guard]
) -> Field | ContactField:
    """The vector field of that mode. Programs are made once for a robot."""
    kind, name = (
        (Field, mode.name) if mode.native is None else (ContactField, "")
    )  # one for all contact modes
    guards = tuple(user_guards)
    key = (kind, mode.identity, name, actuation.identity, guards)
    return kept(robot, key, lambda: kind(robot, mode, actuation, guards))
