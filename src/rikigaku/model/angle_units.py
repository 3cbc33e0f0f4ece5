"""Angles of a robot that are probably in degrees: plain numbers beyond a full revolution, 2 pi."""

import math
from collections.abc import Iterator
from fractions import Fraction

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import DegreesWarning
from rikigaku.core.input_limits import listed
from rikigaku.model.geometry import Geometry, Placement
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import decimal_text


def warn_of_degrees(robot: RobotModel) -> None:
    """Warn of constant angles beyond 2 pi rad, with the formula that degrees would need.

    Formulas with pi or deg state their unit; symbols count with the value the robot gives them.
    """
    values = {symbol.name: symbol.value for symbol in robot.symbols if symbol.value is not None}
    lines = []
    for where, angle in _angles(robot):
        number = angle.rational if angle.rational is not None else angle.substitute(values).rational
        if number is not None and abs(number) > 2 * math.pi:
            lines.append(f"{where} is {_shown(number)} rad. Write {_in_degrees(angle, number)} for degrees.")
    if lines:
        count = f"{len(lines)} angle{'s' * (len(lines) > 1)}"
        shown = "\n".join(listed(lines, len(lines)))
        warn_caller(
            f"Robot {robot.name!r} has {count} beyond 2 pi rad. Angles are in radians; these are used as "
            f"they are:\n{shown}",
            DegreesWarning,
        )


def _angles(robot: RobotModel) -> Iterator[tuple[str, Formula]]:
    """Every constant angle of the robot with its place."""
    places: list[tuple[str, Geometry]] = [(f"link {link.name!r}", link.geometry) for link in robot.links]
    places += [(f"frame {frame.name!r}", frame.geometry) for frame in robot.frames]
    for loop in robot.loops:
        places += [
            (f"loop {loop.name!r}, from", loop.start.geometry),
            (f"loop {loop.name!r}, to", loop.end.geometry),
        ]
    for where, geometry in places:
        if isinstance(geometry, Placement):
            yield from ((f"{where}: rpy[{k}]", angle) for k, angle in enumerate(geometry.rpy))
        else:
            for name in ("alpha", "theta", "beta"):
                yield f"{where}: {name}", getattr(geometry, name, Formula.of(0))
    bodies = [(robot.base, robot.base_inertia), *((link.name, link.inertia) for link in robot.links)]
    for name, inertia in bodies:
        if inertia is not None:
            yield from ((f"link {name!r}: rpy[{k}] of the inertia", x) for k, x in enumerate(inertia.rpy))


def _shown(number: Fraction) -> str:
    return decimal_text(number) or str(number)


def _in_degrees(angle: Formula, number: Fraction) -> str:
    """The angle with its unit, and as a multiple of pi where that is short."""
    if angle.rational is None:
        return f'"({angle})*deg"'
    multiple = number / 180
    shorter = f' (or "{Formula.of("pi") * multiple}")' if multiple.denominator <= 12 else ""
    return f'"{_shown(number)}*deg"{shorter}'
