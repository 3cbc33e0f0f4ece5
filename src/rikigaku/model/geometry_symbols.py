"""Symbols that place the links, frames and loops of a robot."""

from collections.abc import Iterator
from typing import Any

from rikigaku.model.formula_fields import formulas
from rikigaku.model.robot_model import RobotModel


def geometries(robot: RobotModel) -> Iterator[tuple[str, Any]]:
    """Every geometry of the robot with the link it belongs to."""
    yield from ((link.name, link.geometry) for link in robot.links)
    yield from ((frame.link, frame.geometry) for frame in robot.frames)
    yield from ((end.link, end.geometry) for loop in robot.loops for end in (loop.start, loop.end))


def geometry_symbols(robot: RobotModel) -> frozenset[str]:
    """The symbols in geometries."""
    return frozenset(
        name
        for _, geometry in geometries(robot)
        for _, formula in formulas(geometry)
        for name in formula.symbols
    )
