"""Numbers and names in XML files, validated; mistakes are collected in `Notes`.

Each function notes a mistake and returns a default value, so that all mistakes of a file are found in one
reading. Decimals stay exact.
"""

import math
import re

from rikigaku.core.input_limits import EXPONENT, MAGNITUDE, NUMBER_DIGITS
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.mistakes import Mistakes
from rikigaku.formats.xml_tree import Element
from rikigaku.numbers.formula import ZERO, Formula

# What the model reads inside each element; a tag or attribute close to one of these is a spelling mistake.
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


class Notes(Mistakes):
    """The mistakes found so far, each with its line and element."""

    def add(self, element: Element, owner: str, reason: str) -> None:
        tag = brief(element.tag)
        place = owner if owner.startswith(f"<{tag}") else f"{owner}, <{tag}>"
        self.note(f"line {element.line}, {place}: {reason}")


def name_of(element: Element) -> str:
    """How an element is called in messages: `<link name='arm'>`."""
    name, tag = element.attributes.get("name"), brief(element.tag)
    return f"<{tag}>" if name is None else f"<{tag} name={shown(name)}>"


def shown(text: str) -> str:
    """A piece of the file, quoted, control characters escaped, short enough for a message."""
    return repr(brief(text))


def brief(text: str) -> str:
    """A piece of the file, short enough for a message."""
    return text if len(text) <= 60 else text[:57] + "..."


def note_slips(element: Element, owner: str, notes: Notes) -> None:
    """Note tags and attributes that look like misspelt ones, as ignoring them would change the robot."""
    known = KnownNames(KNOWN_CHILDREN.get(element.tag, ()))
    for child in element.children:
        if child.tag not in known and (close := known.nearest(child.tag, cutoff=0.8)):
            notes.add(child, owner, f"there is no such element here. Did you mean <{close}>?")
    expected = KnownNames(KNOWN_ATTRIBUTES.get(element.tag, ()))
    for attribute in element.attributes:
        if attribute in expected:
            continue
        close = next((one for one in expected if _same_letters(one, attribute)), "")
        if close := close or expected.nearest(attribute, cutoff=0.8):
            notes.add(element, owner, f"there is no attribute {shown(attribute)}. Did you mean {close!r}?")
    if element.tag == "origin" and any(key.startswith("quat") for key in element.attributes):
        reason = "orientation by quaternion is not read; write rpy='roll pitch yaw' in radians"
        notes.add(element, owner, reason)


def _same_letters(known: str, text: str) -> bool:
    return len(known) == len(text) and sorted(known) == sorted(text.lower())


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


def measure(text: str) -> tuple[Formula, str]:
    """A decimal whose products with others stay finite (a length, an angle, a mass), and why it is none."""
    value, reason = decimal(text)
    if not reason and abs(float(value)) > MAGNITUDE:
        return ZERO, f"is too large; lengths, angles and masses up to {MAGNITUDE:g} are read"
    return value, reason


def decimal(text: str) -> tuple[Formula, str]:
    """A decimal as an exact number, and why it is none (empty if it is one)."""
    if len(text) > NUMBER_DIGITS:
        return ZERO, f"has {len(text)} characters; a number may have {NUMBER_DIGITS}"
    if match := _DECIMAL.fullmatch(text):
        if not math.isfinite(float(text)):
            return ZERO, "is too large"
        if abs(int(match[2] or 0)) > EXPONENT:
            return ZERO, "has an exponent no model needs; write 0"
        return Formula.of(text), ""
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return ZERO, "is not a finite number"
    if "$" in text:
        return ZERO, f"is an unexpanded xacro expression; {XACRO_ADVICE}"
    if re.fullmatch(r"[+-]?\d+,\d+", text):
        return ZERO, f"is not a number; write {text.replace(',', '.')!r}"
    return ZERO, "is not a number"
