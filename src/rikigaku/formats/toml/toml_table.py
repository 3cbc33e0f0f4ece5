"""A table of a TOML file, read key by key; every mistake is noted with its place, none stops the reading."""

import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from rikigaku.core.errors import MissingValue, RikigakuError
from rikigaku.core.input_limits import NAME_CHARACTERS, shortened
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.mistakes import Mistakes
from rikigaku.formats.toml.toml_text import LineIndex, Path
from rikigaku.model.part_check import Problem
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.formula_parser import parse

Kind = TypeVar("Kind", str, bool, dict, list)

_NAMES = {str: "a text", bool: "true or false", dict: "a table { ... }", list: "a list [ ... ]"}


class Notes(Mistakes):
    """The mistakes found so far, and the text they are in."""

    def __init__(self, text: str, source: str = "") -> None:
        super().__init__()
        self.lines, self.source = LineIndex(text), source
        self.left_out: set[Path] = set()  # tables of arrays that made no part of the robot

    def place(self, made: Path) -> Path:
        """The place in the file of a part of the robot: the k-th link, frame, ... it has."""
        match made:
            case (key, int() as k, *inside):
                for _, skipped in sorted(path for path in self.left_out if path[0] == key):
                    k += int(skipped) <= k
                return (key, k, *inside)
        return made

    def add(self, path: Path, label: str, message: str) -> None:
        line = 0 if self.are_many else self.lines.line(path)
        at = f"{self.source or 'line'}:{line}: " if line else ""
        problem = Problem(f"{at}{label + ': ' if label else ''}{message}")
        problem.place, problem.message = path, message
        self.note(problem)


@dataclass
class Table:
    """One table; `label` is how its place is written for people: `link 3 "l31".dh`, counted from 1."""

    data: dict[str, Any]
    path: Path
    label: str
    notes: Notes

    def note(self, message: str, key: str | None = None) -> None:
        """Note a mistake in this table, or in one of its keys."""
        short = None if key is None else shortened(_from_one(key), NAME_CHARACTERS)
        label = self.label if short is None else f"{self.label}.{short}" if self.label else short
        self.notes.add(self.path if key is None else (*self.path, key), label, message)

    def only(self, known: Sequence[str]) -> "Table":
        """This table, with a note for every key that is not known."""
        names = KnownNames(known)
        for key in self.data:
            if key not in names:
                close = names.nearest(key)
                advice = f"Did you mean {close!r}?" if close else f"Known: {', '.join(known)}."
                self.note(f"there is no key {shown(key)} here. {advice}", key)
        return self

    def value(self, key: str, kind: type[Kind]) -> Kind | None:
        """The value if it is there and of that kind."""
        value = self.data.get(key)
        if value is None or isinstance(value, kind):
            return value
        self.note(f"{shown(value)} should be {_NAMES[kind]}.", key)
        return None

    def text(self, key: str, default: str = "") -> str:
        """A text, or the default."""
        value = self.value(key, str)
        return default if value is None else value

    def required(self, key: str, advice: str) -> str:
        """A text that must be there; noted, and empty, if it is not."""
        if key not in self.data:
            self.note(f"{key} is missing. Write {advice}.")
        elif self.data[key] == "":
            self.note(f"{key} is empty. Write {advice}.", key)
        return self.text(key)

    def choice(self, key: str, known: Sequence[str], advice: str) -> str:
        """One of the known strings; for another one a note, and an empty string."""
        word = self.required(key, advice)
        if word and word not in known:
            close = KnownNames(known).nearest(word)
            advice = f"Did you mean {close!r}? " if close else ""
            self.note(f"there is no {shown(word)}. {advice}Known: {', '.join(known)}.", key)
            return ""
        return word

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self.value(key, bool)
        return default if value is None else value

    def formula(self, key: str, default: Formula, variables: Iterable[str] = ()) -> Formula:
        """A number or formula, or the default."""
        if key not in self.data:
            return default
        return self._formula(self.data[key], key, variables)

    def needed(self, key: str) -> Formula:
        """A number or formula that must be there."""
        if key not in self.data:
            self.note(f"{key} is missing. Write a number or a formula.")
        return self.formula(key, ONE)

    def formulas(self, key: str, default: tuple[Formula, ...]) -> tuple[Any, ...]:
        """As many numbers or formulas as the default has."""
        values = self.value(key, list)
        if values is None:
            return default
        if len(values) != len(default):
            self.note(f"{len(values)} numbers are given, {len(default)} belong here.", key)
            return default
        return tuple(self._formula(value, f"{key}[{i}]") for i, value in enumerate(values))

    def number(self, key: str) -> float | None:
        """A number, possibly written as a formula without symbols; None if it is not there."""
        if key not in self.data:
            return None
        formula = self._formula(self.data[key], key)
        try:
            return float(formula)
        except MissingValue as error:
            self.note(f"a plain number belongs here. {error}", key)
        except RikigakuError as error:
            self.note(str(error), key)
        return None

    def table(self, key: str) -> "Table":
        """The table at that key, empty if there is none."""
        data = self.value(key, dict)
        short = shortened(key, NAME_CHARACTERS)
        label = f"{self.label}.{short}" if self.label else short
        return Table({} if data is None else data, (*self.path, key), label, self.notes)

    def tables(self, key: str) -> "Iterator[Table]":
        """The tables of an array [[key]]."""
        if isinstance(self.data.get(key), dict):
            self.note(f"there may be several. Write [[{key}]], with two brackets.", key)
            return
        for i, data in enumerate(self.value(key, list) or []):
            if not isinstance(data, dict):
                self.note(f"{shown(data)} should be a table. Write [[{key}]] and its keys below.", key)
                self.notes.left_out.add((*self.path, key, i))
                continue
            name = data.get("name")
            label = f"{key} {i + 1}" + (f' "{name[:60]}"' if isinstance(name, str) else "")
            yield Table(data, (*self.path, key, i), label, self.notes)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of names."""
        values = self.value(key, list) or []
        for value in values:
            if not isinstance(value, str):
                self.note(f"{shown(value)} should be the name of a joint.", key)
        return tuple(value for value in values if isinstance(value, str))

    def _formula(self, value: object, key: str, variables: Iterable[str] = ()) -> Formula:
        try:
            if isinstance(value, str) and variables:
                return parse(value, variables)
            if isinstance(value, dict | list):
                raise TypeError
            return Formula.of(value)
        except RikigakuError as error:
            self.note(str(error), key)
        except TypeError:
            self.note(f"{shown(value)} should be a number or a formula.", key)
        return ONE  # any valid value: the file is refused anyway


def _from_one(key: str) -> str:
    """rpy(3) for the key rpy[2]: people count from 1, as in the elements of a matrix."""
    return re.sub(r"\[(\d+)\]$", lambda found: f"({int(found[1]) + 1})", key)


def shown(value: object) -> str:
    """A value of the file for a message, shortened."""
    if isinstance(value, Decimal):
        return shortened(str(value), 60)
    text = reprlib.repr(value) if isinstance(value, list | dict) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
