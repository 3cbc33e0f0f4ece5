"""Formulas in frozen data: conversion of numbers and texts, listing and replacing formulas."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rikigaku.numbers.formula import Formula

Data = TypeVar("Data")

# What a user may give where the data hold a formula: 0.5, "2*L", "30*deg".
FormulaLike = Formula | Fraction | float | str
FormulaTriple = Sequence[FormulaLike] | NDArray[Any]


def formulas(data: object, place: str = "") -> Iterator[tuple[str, Formula]]:
    """All formulas in frozen data (dataclasses, tuples), each with its place: `links[2].geometry.alpha`."""
    if isinstance(data, Formula):
        yield place, data
    elif isinstance(data, tuple):
        for i, item in enumerate(data):
            yield from formulas(item, f"{place}[{i}]")
    elif is_dataclass(data):
        for field in fields(data):
            yield from formulas(getattr(data, field.name), f"{place}.{field.name}" if place else field.name)


def with_formulas(data: Data, change: Callable[[Formula], Formula]) -> Data:
    """The same data with every formula changed; what does not change is shared."""
    changed: Any = data
    if isinstance(data, Formula):
        changed = change(data)
    elif isinstance(data, tuple):
        items = [with_formulas(item, change) for item in data]
        if any(new is not old for new, old in zip(items, data, strict=True)):
            changed = tuple(items)
    elif is_dataclass(data) and not isinstance(data, type):
        old = {field.name: getattr(data, field.name) for field in fields(data)}
        new = {name: with_formulas(value, change) for name, value in old.items()}
        if differing := {name: value for name, value in new.items() if value is not old[name]}:
            changed = replace(data, **differing)
    return changed


def accept_plain(data: object, *names: str) -> None:
    """Convert numbers and texts in the named fields of a frozen dataclass to formulas (in __post_init__)."""
    for name in names:
        object.__setattr__(data, name, _as_formulas(getattr(data, name)))


def _as_formulas(x: object) -> object:
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, (tuple, list)):
        return tuple(_as_formulas(item) for item in x)
    return x if x is None else Formula.of(x)
