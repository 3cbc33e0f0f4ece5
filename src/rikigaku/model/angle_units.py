"""Angles of a robot that are probably in degrees: plain numbers beyond a full revolution, 2 pi.

Limits of joints may be several revolutions; beyond four of them they are taken for degrees.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import DegreesWarning
from rikigaku.core.input_limits import listed
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import decimal_text

if TYPE_CHECKING:
    from rikigaku.model.geometry import Geometry
    from rikigaku.model.robot_model import RobotModel

_LARGEST_LIMIT = 8 * math.pi
Angles = Iterator[tuple[str, Formula]]


def warn_of_degrees(robot: "RobotModel") -> None:
    """Warn of constant angles of a robot that was read: formulas with pi or deg state their unit.

    Symbols count with the value the robot gives them.
    """
    values = {symbol.name: symbol.value for symbol in robot.symbols if symbol.value is not None}
    warn_of_large_angles(f"Robot {robot.name!r}", _angles(robot), values)
    _warn_of_limits(robot)


def _warn_of_limits(robot: "RobotModel") -> None:
    """Warn of limits [rad] of revolute joints beyond four revolutions."""
    lines = []
    for joint in robot.joints:
        bounds = [x for x in (joint.limits.lower, joint.limits.upper) if x is not None and math.isfinite(x)]
        largest = max(bounds, key=abs, default=0.0)
        if joint.type == "revolute" and abs(largest) > _LARGEST_LIMIT:
            lines.append(f'joint {joint.name!r}: {largest:g} rad. Write "{largest:g}*deg" for degrees.')
    if lines:
        shown = "\n".join(listed(lines, len(lines)))
        warn_caller(
            f"Robot {robot.name!r} has limits beyond four revolutions. They are in radians, and used as they "
            f"are:\n{shown}",
            DegreesWarning,
        )


def warn_of_large_angles(owner: str, angles: Angles, values: Mapping[str, Formula] | None = None) -> None:
    """Warn of constant angles beyond 2 pi rad, each with the formula that degrees would need."""
    lines = []
    for where, angle in angles:
        number = angle.rational if angle.rational is not None else angle.substitute(values or {}).rational
        if number is not None and abs(number) > 2 * math.pi:
            lines.append(f"{where} is {_shown(number)} rad. Write {_in_degrees(angle, number)} for degrees.")
    if lines:
        count = f"{len(lines)} angle{'s' * (len(lines) > 1)}"
        shown = "\n".join(listed(lines, len(lines)))
        warn_caller(
            f"{owner} has {count} beyond 2 pi rad. Angles are in radians; these are used as "
            f"they are:\n{shown}",
            DegreesWarning,
        )


def geometry_angles(geometry: "Geometry") -> Angles:
    """The constant angles of a placement or a DH row, by name."""
    for name in ("alpha", "theta", "beta"):
        if isinstance(angle := getattr(geometry, name, None), Formula):
            yield name, angle
    yield from rpy_angles(geometry)


def rpy_angles(data: object) -> Angles:
    """Roll, pitch and yaw of a placement or an inertia."""
    rpy = getattr(data, "rpy", ())
    yield from ((f"rpy({k})", x) for k, x in enumerate(rpy, 1) if isinstance(x, Formula))


def _angles(robot: "RobotModel") -> Angles:
    """Every constant angle of the robot with its place."""
    places: list[tuple[str, Geometry]] = [(f"link {link.name!r}", link.geometry) for link in robot.links]
    places += [(f"frame {frame.name!r}", frame.geometry) for frame in robot.frames]
    for loop in robot.loops:
        places += [
            (f"loop {loop.name!r}, from", loop.start.geometry),
            (f"loop {loop.name!r}, to", loop.end.geometry),
        ]
    for where, geometry in places:
        yield from ((f"{where}: {name}", angle) for name, angle in geometry_angles(geometry))
    bodies = [(robot.base, robot.base_inertia), *((link.name, link.inertia) for link in robot.links)]
    for name, inertia in bodies:
        if inertia is not None:
            yield from ((f"link {name!r}: {x} of the inertia", angle) for x, angle in rpy_angles(inertia))


def _shown(number: Fraction) -> str:
    return decimal_text(number) or str(number)


def _in_degrees(angle: Formula, number: Fraction) -> str:
    """The angle with its unit, and as a multiple of pi where that is short."""
    if angle.rational is None:
        return f'"({angle})*deg"'
    multiple = number / 180
    shorter = f' (or "{Formula.of("pi") * multiple}")' if multiple.denominator <= 12 else ""
    return f'"{_shown(number)}*deg"{shorter}'
