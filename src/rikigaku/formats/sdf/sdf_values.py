"""The texts inside an SDF file's elements: numbers, names and poses, mistakes noted."""

from collections.abc import Sequence

import numpy as np

from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import Notes, decimal, measure, name_of, shown
from rikigaku.model.float_poses import Rigid, quaternion_matrix, rpy_rotation

TRUE = ("1", "true")


def inner(element: Element, *tags: str) -> Element | None:
    """The first child of that tag, and so on down; None where one is missing."""
    at: Element | None = element
    for tag in tags:
        at = next(iter(at.all(tag)), None) if at is not None else None
    return at


def text(element: Element, *tags: str, default: str = "") -> str:
    """The text of an element below."""
    found = inner(element, *tags)
    return default if found is None else found.text


def number(
    element: Element,
    owner: str,
    notes: Notes,
    *tags: str,
    default: float | None = None,
    bound: bool = False,
) -> float:
    """The number in an element below; required unless it has a default. bound: of a range or an effort."""
    found = inner(element, *tags)
    if found is None:
        if default is None:
            notes.add(element, owner, f"<{'> <'.join(tags)}> is missing")
        return default or 0.0
    return numbers(found, owner, notes, 1, bound)[0]


def numbers(element: Element, owner: str, notes: Notes, size: int, bound: bool = False) -> list[float]:
    """As many numbers as belong into an element. bound: it may be infinite, as an absent one is written."""
    parts = element.text.split()
    if len(parts) != size:
        notes.add(element, owner, f"{shown(element.text)}: {size} numbers belong here, not {len(parts)}")
        return [0.0] * size
    values = []
    for part in parts:
        if bound and part.lower().lstrip("+-") in ("inf", "infinity"):
            values.append(float(part))
            continue
        value, reason = decimal(part) if bound else measure(part)
        if reason:
            notes.add(element, owner, f"{shown(part)} {reason}")
        values.append(float(value))
    return values


def pose(element: Element | None, owner: str, notes: Notes) -> Rigid:
    """A <pose>: x y z and roll pitch yaw, in degrees or as a quaternion, by its attributes."""
    if element is None or not element.text:
        return Rigid()
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *quaternion = numbers(element, owner, notes, 7)
        if not any(quaternion):
            notes.add(element, owner, "the quaternion is zero")
            return Rigid()
        return Rigid(quaternion_matrix([quaternion[3], *quaternion[:3]]), np.array([x, y, z]))
    x, y, z, *angles = numbers(element, owner, notes, 6)
    if element.attributes.get("degrees") in TRUE:
        angles = [float(np.radians(angle)) for angle in angles]
    return Rigid(rpy_rotation(*angles), np.array([x, y, z]))


def relative_to(element: Element | None) -> str:
    """What a <pose> is given in; empty where the element's own default holds."""
    if element is None:
        return ""
    return element.attributes.get("relative_to") or element.attributes.get("frame") or ""


def named(parent: Element, tag: str, notes: Notes) -> dict[str, Element]:
    """The elements of that tag by name, in the file's order."""
    found: dict[str, Element] = {}
    for element in parent.all(tag):
        name = element.attributes.get("name", "")
        if not name.strip():
            notes.add(element, name_of(element), "attribute 'name' is missing")
        elif name in found:
            notes.add(element, name_of(element), f"this name was used before, on line {found[name].line}")
        else:
            found[name] = element
    return found


def cycle(names: Sequence[str]) -> str:
    """Names that lead back to the first one, for a message; the middle of a long cycle is left out."""
    shown_ones = [*names[:6], *names[-6:]] if len(names) > 12 else list(names)
    parts = list(map(shown, shown_ones))
    if len(names) > 12:
        parts.insert(6, f"... {len(names) - 12} more ...")
    return " -> ".join(parts)


def listed(names: Sequence[str]) -> str:
    """Names for a message."""
    return ", ".join(shown(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")
