"""Types of a robot's parts, checked first because every other check reads their fields."""

from collections.abc import Iterator
from dataclasses import fields
from types import UnionType
from typing import Any, Literal

from rikigaku.core.value_text import short
from rikigaku.model.beam_section import Section
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot_model import Coupling, Frame, Link, Loop, LoopEnd, RobotModel, Symbol

_ROWS: dict[str, type] = {
    "links": Link,
    "frames": Frame,
    "loops": Loop,
    "couplings": Coupling,
    "independent": str,
    "symbols": Symbol,
}
# Annotations that are compared here; formulas, geometries and numbers have checks of their own.
_KINDS: dict[Any, type | UnionType] = {
    kind: kind for kind in (str, bool, Inertia | None, Section | None, Joint, Limits, LoopEnd)
}
_KINDS[Literal["origin", "com"]] = str
_FIELDS: dict[type, dict[str, type | UnionType]] = {
    part: {field.name: _KINDS[field.type] for field in fields(part) if field.type in _KINDS}
    for part in (RobotModel, Link, Joint, Inertia, Frame, Loop, LoopEnd, Coupling, Symbol)
}


def type_problems(robot: RobotModel) -> Iterator[str]:
    """A sentence for each part that has a wrong type."""
    yield from _fields(robot, "")
    for name, kind in _ROWS.items():
        row = getattr(robot, name)
        if not isinstance(row, tuple):
            yield f"{name} is {short(row)}; give a tuple, as {name}=({_called(kind)},)."
            continue
        for k, item in enumerate(row):
            if isinstance(item, kind):
                yield from _fields(item, f"{name}[{k}].")
            else:
                yield _wrong(f"{name}[{k}]", item, kind)


def _fields(part: Any, where: str) -> Iterator[str]:
    owner = RobotModel if isinstance(part, RobotModel) else type(part)
    for name, kind in _FIELDS.get(owner, {}).items():
        value = getattr(part, name)
        if isinstance(value, kind):
            yield from _fields(value, f"{where}{name}.")
        else:
            yield _wrong(f"{where}{name}", value, kind)


def _wrong(where: str, item: object, kind: type | UnionType) -> str:
    return f"{where} is {short(item)}, where {_called(kind)} belongs."


def _called(kind: type | UnionType) -> str:
    if isinstance(kind, UnionType):
        return f"{_called(kind.__args__[0])} or None"
    if kind is bool:
        return "True or False"
    return "a text" if kind is str else f"rk.{kind.__name__}(...)"
