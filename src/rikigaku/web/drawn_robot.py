"""The robot that a picture shows: symbols that place links and have no value take a typical length."""

from rikigaku.model.geometry_symbols import geometry_symbols
from rikigaku.robot import Robot

LENGTH = 0.5  # typical value of a symbol in a geometry [m]


def unplaced_symbols(robot: Robot) -> tuple[str, ...]:
    """Symbols that place links, frames or loops and have no value."""
    known = robot.declared_values
    return tuple(sorted(name for name in geometry_symbols(robot) if name not in known))


def drawn_robot(robot: Robot) -> Robot:
    """The robot with its declared values, and with `LENGTH` for each of its unplaced symbols."""
    values = robot.declared_values | dict.fromkeys(unplaced_symbols(robot), LENGTH)
    return robot.bind(**values) if values else robot
