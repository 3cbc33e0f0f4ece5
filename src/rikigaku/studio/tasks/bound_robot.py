"""The robot of a task with the values of its symbols."""

from collections.abc import Iterator

from rikigaku.core.errors import MissingValue
from rikigaku.model.geometry_symbols import geometry_symbols
from rikigaku.numbers.formula import Formula
from rikigaku.report.law_figures import missing_symbols
from rikigaku.robot import Robot
from rikigaku.web.drawn_robot import LENGTH, assumed_values

MASS, MOMENT = 1.0, 0.01  # typical values [kg, kg m^2]
_NAMED = 12  # symbols that a message names


def with_values(robot: Robot, typical: bool = False, geometry_only: bool = False) -> Robot:
    """The robot with its declared symbols bound to their values.

    typical: symbols without a value take a typical one: masses 1 kg, moments of inertia 0.01 kg m^2, lengths
        0.5 m, gravity 9.81 m/s^2; first moments, products of inertia and friction are zero.
    geometry_only: only symbols that place links need a value; the others take a typical one.
    Raises:
        MissingValue: if a symbol has none.
    """
    missing = missing_symbols(robot)
    if geometry_only and not geometry_symbols(robot).intersection(missing):
        typical = True
    elif geometry_only:
        missing = [name for name in missing if name in geometry_symbols(robot)]
    if missing and typical:
        found = dict(_typical_values(robot)) | assumed_values(robot)
        robot = robot.bind(**{name: found.get(name, LENGTH) for name in missing})
    elif missing:
        others = f" and {len(missing) - _NAMED} others" if len(missing) > _NAMED else ""
        raise MissingValue(
            f"These symbols have no value: {', '.join(missing[:_NAMED])}{others}. "
            "Give them values in the table of symbols."
        )
    return robot.bind(**robot.declared_values) if robot.declared_values else robot


def _typical_values(robot: Robot) -> Iterator[tuple[str, float]]:
    """Typical values of symbols of inertias and joints; a symbol inside a formula, l1/2, is a length."""
    for link in robot.links:
        joint = link.joint
        values = [(x, 0.0) for x in (joint.viscous, joint.coulomb, joint.rotor, joint.stiffness, joint.rest)]
        if link.inertia is not None:
            values += [(x, 0.0) for x in link.inertia.position]
            values += [(x, MOMENT if k in (0, 3, 5) else 0.0) for k, x in enumerate(link.inertia.tensor)]
            values.append((link.inertia.m, MASS))
        for formula, value in values:
            if len(formula.symbols) == 1 and formula == Formula.symbol(*formula.symbols):
                yield from ((name, value) for name in formula.symbols)
