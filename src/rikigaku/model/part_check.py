"""Checks of one part of a robot: a link, its joint, geometry and inertia, and their formulas."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from rikigaku.core.errors import WrongValue
from rikigaku.core.input_limits import MISTAKE_CHARACTERS, shortened
from rikigaku.core.known_names import KnownNames
from rikigaku.core.value_text import short
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.numbers.formula import Formula

if TYPE_CHECKING:
    from rikigaku.model.robot_model import Link

# Axes this close to parallel (sine of the angle) leave a universal joint one degree of freedom.
PARALLEL = 1e-9

_FEEDS = "friction would add energy"
_KEYS = {"viscous": ("friction", "viscous"), "coulomb": ("friction", "coulomb"), "rotor": ("rotor",)}


class Problem(str):
    """What is wrong, a sentence; `place`: the keys of a robot file that lead there, ("link", 2, "joint").

    message: the sentence without the line of the file and the names of the keys, for editors that show
    the place.
    """

    place: tuple[str | int, ...] = ()
    message: str = ""


def at(*place: str | int, found: Iterable[str]) -> Iterator[Problem]:
    """The problems found, each with the keys that lead to its place in a robot file."""
    for sentence in found:
        problem = Problem(shortened(sentence, MISTAKE_CHARACTERS))
        problem.place = (*place, *getattr(sentence, "place", ()))
        yield problem


def link_problems(link: "Link") -> Iterator[str]:
    """Problems of a link, its joint and its inertia."""
    where = f"link {link.name!r}"
    yield from geometry_problems(where, link.geometry)
    if link.inertia is not None:
        yield from at("inertia", found=inertia_problems(where, link.inertia))
    yield from _own_name_problems(link)
    yield from at("joint", found=_joint_problems(link.joint))
    yield from at("joint", "limits", found=_limit_problems(link.joint))


def _own_name_problems(link: "Link") -> Iterator[str]:
    """A row whose column of the joint's variable holds the joint's name: it would be added twice."""
    row, joint = link.geometry, link.joint
    column = JOINT_TYPES[joint.type].dh_column if joint.type in JOINT_TYPES else ""
    if not isinstance(row, ModifiedDH | StandardDH) or not column:
        return
    value = getattr(row, column)
    if isinstance(value, Formula) and joint.name in value.symbols:
        rest = value - Formula.symbol(joint.name)
        alone = f"Give the constant alone, {column}={rest}" if rest else f"Leave {column} out"
        yield (
            f"link {link.name!r}: {column} is {value}, which holds the name of the link's own joint. The row "
            f"holds constants, and the joint adds its variable itself. {alone}."
        )


def _joint_problems(joint: Joint) -> Iterator[str]:
    where = f"joint {joint.name!r}"
    if joint.type not in JOINT_TYPES:
        yield f"{where}: {unknown('joint type', joint.type, KnownNames(JOINT_TYPES))}"
    axes = (("axis", joint.axis), ("second_axis", joint.second_axis))
    wrong = [problem for name, axis in axes for problem in triple(f"{where}: {name}", axis)]
    yield from wrong
    if not wrong and joint.type in JOINT_TYPES:
        used = JOINT_TYPES[joint.type].axis_fields
        zero = [field for field in used if _length(getattr(joint, field)) == 0]
        for field in zero:
            yield f"{where}: its {field} is zero; give a direction."
        if len(used) == 2 and not zero and _parallel(joint.axis, joint.second_axis):
            yield f"{where}: its two axes are parallel; a {joint.type} joint needs two directions."
    for name in ("pitch", "viscous", "coulomb", "rotor", "stiffness", "rest"):
        yield from not_formula(f"{where}: {name}", getattr(joint, name))
    for name, why in (
        ("viscous", _FEEDS),
        ("coulomb", _FEEDS),
        ("rotor", "no rotor has less inertia than none"),
    ):
        amount = getattr(joint, name)
        if isinstance(amount, Formula) and is_negative(amount):
            yield from at(*_KEYS[name], found=[f"{where}: {name} is {amount}, below zero: {why}."])
    single = [name for name, type_ in JOINT_TYPES.items() if type_.nq == 1]
    if isinstance(joint.stiffness, Formula) and joint.stiffness and joint.type not in single:
        yield (
            f"{where}: a spring needs a joint of one coordinate ({', '.join(single)}), and this one is "
            f"{joint.type}. Leave stiffness out."
        )


def _limit_problems(joint: Joint) -> Iterator[str]:
    where, limits = f"joint {joint.name!r}", joint.limits
    for field in fields(limits):
        bound = getattr(limits, field.name)
        if bound is not None and not math.isfinite(bound):
            yield f"{where}: the limit {field.name} is {bound}; leave it out (None) where there is none."
    for name, bound in (("velocity", limits.velocity), ("effort", limits.effort)):
        if bound is not None and bound < 0:
            yield f"{where}: the limit {name} is {bound}; it bounds both directions, so it is 0 or more."
    ranged = limits.lower is not None or limits.upper is not None
    if ranged and joint.type in JOINT_TYPES and JOINT_TYPES[joint.type].nq > 1:
        single = [name for name, type_ in JOINT_TYPES.items() if type_.nq == 1]
        yield (
            f"{where}: lower and upper limits need a joint of one coordinate ({', '.join(single)}), and "
            f"this one is {joint.type}. Leave them out."
        )
    if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
        yield f"{where}: the lower limit {limits.lower} is above the upper limit {limits.upper}."


def geometry_problems(where: str, geometry: object) -> Iterator[str]:
    """Problems of a geometry."""
    if isinstance(geometry, Placement):
        yield from triple(f"{where}: xyz", geometry.xyz)
        yield from triple(f"{where}: rpy", geometry.rpy)
    elif isinstance(geometry, ModifiedDH | StandardDH):
        for field in fields(geometry):
            yield from not_formula(f"{where}: {field.name}", getattr(geometry, field.name))
    else:
        yield f"{where}: {short(geometry)} is no geometry. Give Placement, ModifiedDH or StandardDH."


def inertia_problems(where: str, inertia: Inertia) -> Iterator[str]:
    """Problems of an inertia."""
    if inertia.about not in ("origin", "com"):
        yield f"{where}: the inertia is about {inertia.about!r}; write 'origin' or 'com'."
    yield from not_formula(f"{where}: m", inertia.m)
    if isinstance(inertia.m, Formula) and not inertia.regrouped:
        yield from at("m", found=negative_mass(f"{where}: m", inertia.m))
    yield from triple(f"{where}: the position of the inertia", inertia.position)
    yield from triple(f"{where}: the tensor of the inertia", inertia.tensor, 6)
    yield from triple(f"{where}: the rpy of the inertia", inertia.rpy)
    if inertia.about == "origin" and any(inertia.rpy):
        yield f"{where}: an inertia about the origin is in the link's axes; rpy goes with about 'com'."


def triple(what: str, values: object, size: int = 3, like: str = "(0, 0, 1)") -> Iterator[str]:
    """Problems where the values are not a tuple of `size` formulas."""
    if not isinstance(values, tuple) or len(values) != size:
        shown = f"'{values}'" if isinstance(values, Formula) else short(values)
        example = f", as {like}" if size == 3 else ""
        yield f"{what} is {shown}; give a tuple of {size} formulas or numbers{example}."
        return
    for value in values:
        yield from not_formula(what, value)


def not_formula(what: str, value: object) -> Iterator[str]:
    """A problem where the value is no formula."""
    if not isinstance(value, Formula):
        yield f"{what} is {short(value)}; a parameter must be a Formula: write Formula.of({short(value)})."


def negative_mass(what: str, m: Formula) -> Iterator[str]:
    """A problem where a mass is below zero, in a file, in RobotData or in Python."""
    if is_negative(m):
        yield f"{what} is {m} kg, below zero: no body has a negative mass. Give {-m}, or correct it."


def is_negative(number: Formula) -> bool:
    """Whether a formula is a number below zero."""
    if not number.is_number:
        return False
    try:
        return float(number) < 0
    except WrongValue:  # reported as a value that is not finite
        return False


def _length(axis: Iterable[Formula]) -> float:
    """Length of an axis; one with symbols counts as long enough unless it is exactly zero."""
    axis = tuple(axis)
    if all(part.is_number for part in axis):
        return math.hypot(*map(float, axis))
    return 1.0


def _parallel(a: tuple[Formula, ...], b: tuple[Formula, ...]) -> bool:
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    if not any(cross):
        return True
    return all(part.is_number for part in (*a, *b)) and _length(cross) <= PARALLEL * _length(a) * _length(b)


def unknown(what: str, name: object, known: KnownNames) -> str:
    """The sentence for an unknown name, with the nearest known one."""
    return f"there is no {what} {short(name)}.{known.suggestion(name)}"
