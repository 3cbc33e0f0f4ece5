"""Values that no argument (or few) can mean, and calls with one or two arguments replaced by them."""

import dataclasses
import math
import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np


class Opaque:
    """An object without any protocol."""


class Unrepresentable:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError("this repr fails")


def _nested(depth: int) -> list[Any]:
    nested: list[Any] = [1.0]
    for _ in range(depth):
        nested = [nested]
    return nested


# Name of the value, and how it is made: a generator is used up by the first call.
BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "zero": lambda: 0,
    "a half": lambda: 0.5,
    "five": lambda: 5,
    "minus one": lambda: -1,
    "huge": lambda: 1e300,
    "huge whole": lambda: 10**40,
    "beyond floats": lambda: 10**400,
    "beyond digits": lambda: 10**5000,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "minus inf": lambda: -math.inf,
    "complex": lambda: 1 + 2j,
    "fraction": lambda: Fraction(1, 3),
    "numpy nan": lambda: np.float64("nan"),
    "numpy whole": lambda: np.int64(3),
    "empty text": lambda: "",
    "text": lambda: "no_such_name",
    "another robot's frame": lambda: "left_arm",
    "long text": lambda: "x" * 50_000,
    "formula": lambda: "sin(t)+1",
    "broken formula": lambda: "1+*2",
    "control characters": lambda: "a\x00b\n\ud800",
    "bytes": lambda: b"hand",
    "empty list": lambda: [],
    "list": lambda: [1, 2],
    "texts": lambda: ["a", "b"],
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "deep": lambda: _nested(40),
    "list of None": lambda: [None, None],
    "tuple of nan": lambda: (math.nan, math.nan),
    "mixed list": lambda: [1.0, "a", None, {}],
    "long list": lambda: [0.0] * 20_000,
    "empty array": lambda: np.zeros(0),
    "zero-size array": lambda: np.zeros((0, 2)),
    "cube": lambda: np.zeros((2, 3, 4)),
    "nan array": lambda: np.array([math.nan, 1.0]),
    "inf array": lambda: np.array([math.inf, 1.0]),
    "complex array": lambda: np.array([1j, 2.0]),
    "object array": lambda: np.array([Opaque(), 1], dtype=object),
    "text array": lambda: np.array(["a", "b"]),
    "date array": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "record array": lambda: np.zeros(2, dtype=[("q", float)]),
    "empty mapping": lambda: {},
    "mapping": lambda: {"hand": [1, 2]},
    "mapping of None": lambda: {None: None},
    "mapping of numbers": lambda: {1: 2.0},
    "set": lambda: {1.0, 2.0},
    "generator": lambda: (x for x in (1.0, 2.0)),
    "wrong items": lambda: (x for x in ("a", None)),
    "range": lambda: range(2),
    "slice": lambda: slice(None),
    "object": Opaque,
    "class": lambda: dict,
    "unrepresentable": Unrepresentable,
    "module": lambda: math,
    "function of nothing": lambda: lambda: 1.0,
    "function that returns None": lambda: lambda *args: None,
    "function that returns text": lambda: lambda *args: "text",
    "ellipsis": lambda: ...,
}


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A valid call of a public callable with every argument that it has, so that each can be replaced."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    # Arguments whose replacement may be valid and long (a duration, a limit of time): numbers are left out.
    long: tuple[str | int, ...] = ()

    def places(self) -> tuple[str | int, ...]:
        """Index or name of each argument."""
        return (*range(len(self.args)), *self.keywords)


@dataclasses.dataclass(frozen=True)
class BadCall:
    """A call of a recipe in which some arguments are replaced."""

    recipe: Recipe
    name: str
    make: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]

    def __call__(self) -> Any:
        args, keywords = self.make()
        return self.recipe.function(*args, **keywords)


def single_mutations(recipe: Recipe) -> Iterator[BadCall]:
    """Every argument by every bad value; one element of it; arguments missing, in excess, misspelled."""
    for place in recipe.places():
        for name, value in BAD.items():
            if not _is_long(recipe, place, name):
                yield _replaced(recipe, [(place, name, value)])
        yield from _elements(recipe, place)
    last = len(recipe.args) - 1
    if recipe.args:
        yield BadCall(
            recipe,
            f"{recipe.name}: last position missing",
            lambda: (recipe.args[:last], dict(recipe.keywords)),
        )
    yield BadCall(
        recipe, f"{recipe.name}: one position more", lambda: ((*recipe.args, 1.0), dict(recipe.keywords))
    )
    yield BadCall(
        recipe,
        f"{recipe.name}: an unknown keyword",
        lambda: (recipe.args, {**recipe.keywords, "no_such_option": 1.0}),
    )
    for key in recipe.keywords:
        rest = {k: x for k, x in recipe.keywords.items() if k != key}
        yield BadCall(recipe, f"{recipe.name}: {key} missing", lambda rest=rest: (recipe.args, rest))


def double_mutations(recipe: Recipe, random: random.Random, count: int) -> Iterator[BadCall]:
    """Pairs of arguments replaced by bad values, chosen at random."""
    places = recipe.places()
    if len(places) < 2:
        return
    for _ in range(count):
        chosen = [(place, *random.choice(list(BAD.items()))) for place in random.sample(places, 2)]
        if not any(_is_long(recipe, place, name) for place, name, _ in chosen):
            yield _replaced(recipe, chosen)


def _replaced(recipe: Recipe, chosen: list[tuple[str | int, str, Callable[[], Any]]]) -> BadCall:
    name = ", ".join(f"{place} is {value}" for place, value, _ in chosen)

    def make() -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, keywords = list(recipe.args), dict(recipe.keywords)
        for place, _, value in chosen:
            if isinstance(place, int):
                args[place] = value()
            else:
                keywords[place] = value()
        return tuple(args), keywords

    return BadCall(recipe, f"{recipe.name}: {name}", make)


_ITEMS = ("None", "text", "nan", "inf", "complex", "list", "object", "bytes", "True", "cube")


def _elements(recipe: Recipe, place: str | int) -> Iterator[BadCall]:
    """The same argument with its first item (key, value) replaced."""
    value = recipe.args[place] if isinstance(place, int) else recipe.keywords[place]
    for name in _ITEMS:
        bad = BAD[name]
        if isinstance(value, list | tuple) and value and type(value) in (list, tuple):
            yield _replaced(
                recipe, [(place, f"with the item {name}", lambda b=bad: type(value)([b(), *value[1:]]))]
            )
            yield _replaced(recipe, [(place, f"and {name}", lambda b=bad: type(value)([*value, b()]))])
        if isinstance(value, Mapping) and value:
            key, first = next(iter(value.items()))
            yield _replaced(
                recipe, [(place, f"with the value {name}", lambda b=bad, key=key: {**value, key: b()})]
            )
            if name not in ("list", "cube"):
                yield _replaced(
                    recipe, [(place, f"with the key {name}", lambda b=bad, x=first: {**value, b(): x})]
                )
        if isinstance(value, np.ndarray) and value.size and value.dtype == np.float64:
            yield _replaced(
                recipe, [(place, f"with the element {name}", lambda b=bad: _with_element(value, b()))]
            )


def _with_element(array: np.ndarray, bad: Any) -> np.ndarray:
    result = array.astype(object)
    result.flat[0] = bad if not isinstance(bad, list | np.ndarray) else None
    return result


_NUMBERS = ("huge", "huge whole", "beyond floats", "beyond digits", "inf", "five", "numpy whole", "True")


def _is_long(recipe: Recipe, place: str | int, value: str) -> bool:
    return place in recipe.long and value in _NUMBERS
