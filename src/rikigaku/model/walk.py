"""Every formula of a robot with its place, and the same robot with every formula changed."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from rikigaku.numbers.formula import Formula

Data = TypeVar("Data")


def formulas(thing: object, place: str = "") -> Iterator[tuple[str, Formula]]:
    """All formulas in frozen data (dataclasses, tuples), each with its place: `links[2].geometry.alpha`."""
    if isinstance(thing, Formula):
        yield place, thing
    elif isinstance(thing, tuple):
        for i, item in enumerate(thing):
            yield from formulas(item, f"{place}[{i}]")
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from formulas(getattr(thing, field.name), f"{place}.{field.name}" if place else field.name)


def with_formulas(thing: Data, change: Callable[[Formula], Formula]) -> Data:
    """The same data with every formula changed; what does not change is shared."""
    changed: Any = thing
    if isinstance(thing, Formula):
        changed = change(thing)
    elif isinstance(thing, tuple):
        items = [with_formulas(item, change) for item in thing]
        if any(new is not old for new, old in zip(items, thing, strict=True)):
            changed = tuple(items)
    elif is_dataclass(thing) and not isinstance(thing, type):
        old = {field.name: getattr(thing, field.name) for field in fields(thing)}
        new = {name: with_formulas(value, change) for name, value in old.items()}
        if differing := {name: value for name, value in new.items() if value is not old[name]}:
            changed = replace(thing, **differing)
    return changed
