"""Whether a robot is made of the parts it takes: looked at first, as every other check reads their fields."""

import reprlib
from collections.abc import Iterator
from types import UnionType
from typing import Any

from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot, Symbol
from rikigaku.model.section import Section

_ROWS: dict[str, type] = {
    "links": Link,
    "frames": Frame,
    "loops": Loop,
    "couplings": Coupling,
    "independent": str,
    "symbols": Symbol,
}
_FIELDS: dict[type, dict[str, type | UnionType]] = {
    Robot: {"base_inertia": Inertia | None},
    Link: {"joint": Joint, "inertia": Inertia | None, "section": Section | None},
    Joint: {"limits": Limits},
    Loop: {"start": LoopEnd, "end": LoopEnd},
}


def type_problems(robot: Robot) -> Iterator[str]:
    """What stands where something of another type belongs."""
    yield from _fields(robot, "")
    for name, kind in _ROWS.items():
        row = getattr(robot, name)
        if not isinstance(row, tuple):
            yield f"{name} is {reprlib.repr(row)}; give a tuple, as {name}=({_called(kind)},)."
            continue
        for k, item in enumerate(row):
            if isinstance(item, kind):
                yield from _fields(item, f"{name}[{k}].")
            else:
                yield _wrong(f"{name}[{k}]", item, kind)


def _fields(part: Any, where: str) -> Iterator[str]:
    for name, kind in _FIELDS.get(type(part), {}).items():
        value = getattr(part, name)
        if isinstance(value, kind):
            yield from _fields(value, f"{where}{name}.")
        else:
            yield _wrong(f"{where}{name}", value, kind)


def _wrong(where: str, item: object, kind: type | UnionType) -> str:
    return f"{where} is {reprlib.repr(item)}, where {_called(kind)} belongs."


def _called(kind: type | UnionType) -> str:
    if isinstance(kind, UnionType):
        return f"{_called(kind.__args__[0])} or None"
    return "a name" if kind is str else f"rk.{kind.__name__}(...)"
