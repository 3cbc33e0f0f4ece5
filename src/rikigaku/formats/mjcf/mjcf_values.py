"""Attributes of an MJCF file: numbers, places and orientations, with defaults classes already applied."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import Notes, decimal, measure, name_of, shown
from rikigaku.model.float_poses import Array, Rigid, axis_angle, quarter_rotation, quaternion_matrix, unit

_ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass
class Settings:
    """Settings of <compiler> for reading the rest, and the mistakes noted so far.

    problems stop the reading at its end; left_out holds what is known to MuJoCo and not to the model.
    """

    notes: Notes = field(default_factory=Notes)
    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertia_from: str = "auto"
    groups: tuple[int, int] = (0, 5)
    total_mass: float = -1.0
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, what: str, name: str) -> None:
        """Collect something that is not read, for one warning at the end."""
        self.left_out.setdefault(what, []).append(name)

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return math.radians(value) if self.degrees else value


def settings_of(compilers: Sequence[Element]) -> Settings:
    """All <compiler> elements together, later ones first in rank, as MuJoCo takes them."""
    merged: dict[str, str] = {}
    result = Settings()
    for element in compilers:
        merged |= element.attributes
    if not compilers:
        return result
    last = Element("compiler", merged, compilers[-1].line)
    if word(last, "coordinate", ("local", "global"), "local", result.notes) == "global":
        result.notes.add(last, "<compiler>", "coordinate='global' was removed from MJCF; convert the file")
    result.degrees = word(last, "angle", ("degree", "radian"), "degree", result.notes) == "degree"
    result.autolimits = flag(last, "autolimits", True, result.notes)
    result.balance = flag(last, "balanceinertia", False, result.notes)
    result.inertia_from = word(last, "inertiafromgeom", ("auto", "true", "false"), "auto", result.notes)
    result.total_mass = number(last, "settotalmass", -1.0, result.notes)
    result.least_mass = number(last, "boundmass", 0.0, result.notes)
    result.least_inertia = number(last, "boundinertia", 0.0, result.notes)
    low, high = numbers(last, "inertiagrouprange", (0, 5), result.notes)
    result.groups = (int(low), int(high))
    sequence = merged.get("eulerseq", "xyz")
    if len(sequence) == 3 and set(sequence) <= set("xyzXYZ"):
        result.eulerseq = sequence
    else:
        result.notes.add(last, "<compiler>", f"eulerseq={shown(sequence)} must be three of x y z X Y Z")
    return result


def number(element: Element, attribute: str, default: float, notes: Notes) -> float:
    """One number; the default where the attribute is missing."""
    (value,) = numbers(element, attribute, (default,), notes)
    return value


def numbers(
    element: Element,
    attribute: str,
    default: Sequence[float],
    notes: Notes,
    at_least: int | None = None,
    bound: bool = False,
) -> list[float]:
    """As many numbers as the default has; fewer, down to `at_least`, are filled up from it.

    bound: of a range, where numbers of any size stand for none.
    """
    text = element.attributes.get(attribute)
    if text is None:
        return [float(x) for x in default]
    parts = text.split()
    least = len(default) if at_least is None else at_least
    if not least <= len(parts) <= len(default):
        known = f"{len(default)}" if least == len(default) else f"{least} to {len(default)}"
        notes.add(element, name_of(element), f"{attribute}={shown(text)}: {known} numbers belong here")
        return [float(x) for x in default]
    values = []
    for part in parts:
        value, reason = decimal(part) if bound else measure(part)
        if reason:
            notes.add(element, name_of(element), f"{attribute}={shown(text)}: {shown(part)} {reason}")
        values.append(float(value))
    return values + [float(x) for x in default[len(values) :]]


def word(element: Element, attribute: str, known: Sequence[str], default: str, notes: Notes) -> str:
    """The value of an attribute that has a few known values."""
    value = element.attributes.get(attribute, default)
    if value not in known:
        notes.add(element, name_of(element), f"{attribute}={shown(value)} is none of {', '.join(known)}")
        return default
    return value


def flag(element: Element, attribute: str, default: bool, notes: Notes) -> bool:
    """true or false."""
    return word(element, attribute, ("true", "false"), "true" if default else "false", notes) == "true"


def place(element: Element, settings: Settings, pos: bool = True) -> Rigid:
    """pos and orientation of a body, geom, site, frame or inertial, in the frame around it."""
    p = np.array(numbers(element, "pos", (0, 0, 0), settings.notes)) if pos else np.zeros(3)
    return Rigid(orientation(element, settings), p)


def orientation(element: Element, settings: Settings) -> Array:
    """The rotation an element gives in one of MuJoCo's five kinds; none where it gives none."""
    given = [name for name in _ORIENTATIONS if name in element.attributes]
    notes, owner = settings.notes, name_of(element)
    if len(given) > 1:
        notes.add(element, owner, f"{' and '.join(given)} are given; one orientation is enough")
    if not given:
        return np.eye(3)
    kind = given[0]
    size = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}[kind]
    values = numbers(element, kind, (0.0,) * size, notes)
    directions = {"quat": [values], "axisangle": [values[:3]], "xyaxes": [values[:3], values[3:]]}
    if any(not any(one) for one in directions.get(kind, [values] if kind == "zaxis" else [])):
        notes.add(
            element, owner, f"{kind}={shown(element.attributes[kind])}: the zero vector has no direction"
        )
        return np.eye(3)
    match kind:
        case "quat":
            return quaternion_matrix(values)
        case "axisangle":
            return axis_angle(values[:3], settings.angle(values[3]))
        case "euler":
            return _euler([settings.angle(x) for x in values], settings.eulerseq)
        case "xyaxes":
            x = unit(values[:3])
            y = unit(np.array(values[3:]) - (x @ np.array(values[3:])) * x)
            return np.column_stack([x, y, np.cross(x, y)])
    return minimal_rotation(values)


def minimal_rotation(z: Sequence[float] | Array) -> Array:
    """The smallest rotation that brings the z axis to that direction; about x where it is opposite."""
    direction = unit(z)
    axis = np.cross((0, 0, 1), direction)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-14:
        return np.eye(3) if direction[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return axis_angle(axis, math.atan2(sine, float(direction[2])))


def _euler(angles: Sequence[float], sequence: str) -> Array:
    """Small letters rotate about the moving axes (intrinsic), capitals about fixed ones (extrinsic)."""
    R = np.eye(3)
    for angle, letter in zip(angles, sequence, strict=True):
        step = quarter_rotation("xyz".index(letter.lower()), angle)
        R = R @ step if letter.islower() else step @ R
    return R
