"""The numbers and names in a URDF file, and the notes of what is wrong with them.

Each function notes a mistake in `Notes` and goes on with a harmless value, so that a file's mistakes are all
found in one reading. Decimals stay exact.
"""

import difflib
import math
import re
from dataclasses import dataclass, field

from rikigaku.model.xml_tree import Element
from rikigaku.numbers.decimals import LARGEST_EXPONENT
from rikigaku.numbers.formula import ZERO, Formula

# What the model reads inside each element; a tag or attribute close to one of these is a slip of the pen.
KNOWN_CHILDREN = {
    "robot": ("link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}
KNOWN_ATTRIBUTES = {
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "velocity", "effort"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}
XACRO_ADVICE = "expand the file first: xacro robot.urdf.xacro > robot.urdf"

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,4}))?", re.ASCII)
Triple = tuple[Formula, Formula, Formula]


@dataclass
class Notes:
    """The mistakes found so far, each with its line and element."""

    problems: list[str] = field(default_factory=list)

    def add(self, element: Element, owner: str, reason: str) -> None:
        place = owner if owner.startswith(f"<{element.tag}") else f"{owner}, <{element.tag}>"
        self.problems.append(f"line {element.line}, {place}: {reason}")


def name_of(element: Element) -> str:
    """How an element is called in messages: `<link name='arm'>`."""
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f"<{element.tag} name={shown(name)}>"


def shown(text: str) -> str:
    """A piece of the file, quoted, control characters escaped, short enough for a message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def note_slips(element: Element, owner: str, notes: Notes) -> None:
    """Note tags and attributes that look like misspelt ones, as ignoring them would change the robot."""
    known = KNOWN_CHILDREN.get(element.tag, ())
    for child in element.children:
        close = difflib.get_close_matches(child.tag, known, n=1, cutoff=0.8)
        if close and child.tag not in known:
            notes.add(child, owner, f"there is no such element here. Did you mean <{close[0]}>?")
    expected = KNOWN_ATTRIBUTES.get(element.tag, ())
    for attribute in element.attributes:
        close = [known for known in expected if sorted(known) == sorted(attribute.lower())]
        close += difflib.get_close_matches(attribute, expected, n=1, cutoff=0.8)
        if close and attribute not in expected:
            notes.add(element, owner, f"there is no attribute {shown(attribute)}. Did you mean {close[0]!r}?")
    if element.tag == "origin" and any(key.startswith("quat") for key in element.attributes):
        reason = "orientation by quaternion is not read; write rpy='roll pitch yaw' in radians"
        notes.add(element, owner, reason)


def only(parent: Element, tag: str, owner: str, notes: Notes) -> Element | None:
    """The one child of that tag, or None; a second one is a contradiction."""
    found = parent.all(tag)
    if len(found) > 1:
        notes.add(found[1], owner, f"a second <{tag}>; the first is on line {found[0].line}. Keep one")
    if not found:
        return None
    note_slips(found[0], owner, notes)
    return found[0]


def text_of(element: Element, attribute: str, owner: str, notes: Notes) -> str:
    """A required, non-empty attribute."""
    text = element.attributes.get(attribute)
    if text is None or not text.strip():
        what = "is missing" if text is None else "is empty"
        notes.add(element, owner, f"attribute {attribute!r} {what}")
        return ""
    if "${" in text or "$(" in text:
        reason = f"is an unexpanded xacro expression; {XACRO_ADVICE}"
        notes.add(element, owner, f"{attribute}={shown(text)} {reason}")
    return text


def number_of(
    element: Element, attribute: str, owner: str, notes: Notes, default: Formula | None = None
) -> Formula:
    """An attribute holding one decimal, exact; required unless it has a default."""
    text = element.attributes.get(attribute)
    if text is None and default is not None:
        return default
    if text is None:
        notes.add(element, owner, f"attribute {attribute!r} is missing")
        return ZERO
    value, reason = decimal(text.strip())
    if reason:
        notes.add(element, owner, f"{attribute}={shown(text)} {reason}")
    return value


def triple_of(element: Element, attribute: str, owner: str, notes: Notes, default: Triple) -> Triple:
    """An attribute holding three decimals separated by blanks, exact."""
    text = element.attributes.get(attribute)
    if text is None:
        return default
    parts = text.split()
    if len(parts) != 3:
        reason = "must be three numbers separated by blanks"
        notes.add(element, owner, f"{attribute}={shown(text)} {reason}, not {len(parts)}")
        return default
    values, reasons = zip(*(decimal(part) for part in parts), strict=True)
    for part, reason in zip(parts, reasons, strict=True):
        if reason:
            notes.add(element, owner, f"{attribute}={shown(text)}: {shown(part)} {reason}")
    x, y, z = values
    return x, y, z


def decimal(text: str) -> tuple[Formula, str]:
    """A decimal as an exact number, and why it is none (empty if it is one)."""
    match = _DECIMAL.fullmatch(text) if len(text) < 100 else None
    if match:
        if not math.isfinite(float(text)):
            return ZERO, "is too large"
        if abs(int(match[2] or 0)) > LARGEST_EXPONENT:
            return ZERO, "has an exponent no model needs; write 0"
        return Formula.of(text), ""
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return ZERO, "is not a finite number"
    if "$" in text:
        return ZERO, f"is an unexpanded xacro expression; {XACRO_ADVICE}"
    if re.fullmatch(r"[+-]?\d+,\d+", text):
        return ZERO, f"is not a number; write {text.replace(',', '.')!r}"
    return ZERO, "is not a number"
