"""The text of a SYMORO `.par` file as entries: `key = value` and `key = {value, value, ...}`.

A comment is (* ... *); the robot's name stands in one, (* Robotname = 'RX90' *). Values are formulas in
Mathematica's or Python's spelling.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rikigaku.core.errors import RikigakuError, TooLarge
from rikigaku.core.input_limits import FILE_BYTES, MISTAKES, VALUES, shortened
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.mistakes import Mistakes
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_parser import parse

# One value for each frame, each link, each joint; three numbers; sixteen; one.
FRAMES = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
INERTIA = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
LINKS = (*INERTIA, "IA", "FV", "FS", *WRENCH)
JOINTS = ("eta", "k", "QP", "QDP", "GAM")
VECTORS = ("W0", "WP0", "V0", "VP0", "G")
NUMBERS = ("NL", "NJ", "NF", "Type", "is_floating", "is_mobile")
KEYS = (*FRAMES, *LINKS, *JOINTS, *VECTORS, "Z", *NUMBERS)

_NAME = re.compile(r"\(\*\s*Robotname\s*=\s*'([^'\n]*)'")
_ENTRY = re.compile(
    r"\s*+(?:(?P<key>[A-Za-z_][A-Za-z_0-9]*)[ \t]*="
    r"(?:\s*+\{(?P<list>[^{}]*)\}|(?P<one>[^\n{}]*))|(?P<odd>\S[^\n]*))",
    re.ASCII,
)
_WORDS = {"Pi": "pi", "Sin": "sin", "Cos": "cos", "Sqrt": "sqrt", "Sign": "sign"}
_WORD = re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b")
# Files of SYMORO+ begin the names of geometric lists with capitals.
_SPELLINGS = {key.lower(): key for key in (*FRAMES, "eta", "k")}


@dataclass(frozen=True)
class Entry:
    """The values of a key, as texts, and its line."""

    values: tuple[str, ...]
    line: int
    is_list: bool


class ParText:
    """The entries of a file, and the mistakes found in it."""

    def __init__(self, text: str, source: str) -> None:
        if len(text) > FILE_BYTES:
            raise TooLarge(f"{source} is larger than {FILE_BYTES // 10**6} MB; a robot file is some kB.")
        if text.count(",") > VALUES:
            raise TooLarge(f"{source} has more than {VALUES} values; so many are not read.")
        self.source, self.notes = source, Mistakes()
        named = _NAME.search(text)
        self.name = named[1].strip() if named else ""
        self.entries: dict[str, Entry] = {}
        for key, entry in self._found(self._without_comments(text)):
            if key in self.entries:
                self.note(entry.line, f"{key} stands twice; it is on line {self.entries[key].line} already.")
            else:
                self.entries[key] = entry

    def _without_comments(self, text: str) -> str:
        """The text with blanks for (* ... *), lines kept."""
        parts, end = [], 0
        while (start := text.find("(*", end)) >= 0:
            parts.append(text[end:start])
            end = text.find("*)", start) + 2
            if end < 2:
                self.note(text.count("\n", 0, start) + 1, "a comment begins, (*, and does not end with *).")
                return "".join(parts)
            parts.append("\n" * text.count("\n", start, end) or " ")
        return "".join([*parts, text[end:]])

    def _found(self, text: str) -> Iterator[tuple[str, Entry]]:
        known = KnownNames(KEYS)
        line, seen = 1, 0
        for match in _ENTRY.finditer(text):
            start = match.start("key" if match["key"] else "odd")
            line, seen = line + text.count("\n", seen, start), start
            if not match["key"]:
                if not self.notes.are_many:
                    shown = shortened(match["odd"].strip(), 60)
                    self.note(
                        line, f"{shown!r} is no entry. Write key = value, or key = {{value, value, ...}}."
                    )
                else:
                    self.notes.count += 1
                continue
            key = (
                match["key"] if match["key"] in known else _SPELLINGS.get(match["key"].lower(), match["key"])
            )
            if key not in known:
                self.note(line, f"there is no key {shortened(repr(key), 60)}.{known.suggestion(key)}")
                continue
            is_list = match["list"] is not None
            inside = (match["list"] if is_list else match["one"]).strip()
            yield key, Entry(tuple(_split(inside)) if inside else (), line, is_list)

    def note(self, line: int, sentence: str) -> None:
        """Add a mistake of a line; 0: of the whole file."""
        self.notes.note(f"{self.source}:{line}: {sentence}" if line else f"{self.source}: {sentence}")

    def line(self, key: str) -> int:
        return self.entries[key].line if key in self.entries else 0

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number between bounds; noted, and `low`, if it is missing or something else."""
        entry = self.entries.get(key)
        if entry is None and default is not None:
            return default
        if entry is None:
            self.note(0, f"{key} is missing. Write {key} = {max(low, 1)}.")
            return low
        text = "".join(entry.values)
        if entry.is_list or not re.fullmatch("[0-9]{1,9}", text) or not low <= int(text) <= high:
            self.note(
                entry.line,
                f"{key} is {shortened(text, 60)!r}; a whole number from {low} to {high} belongs there.",
            )
            return low
        return int(text)

    def flag(self, key: str) -> bool:
        """True, False, 1 or 0."""
        entry = self.entries.get(key)
        text = "".join(entry.values).lower() if entry is not None else "false"
        if text not in ("true", "false", "1", "0"):
            self.note(self.line(key), f"{key} is {shortened(text, 60)!r}; write True or False.")
        return text in ("true", "1")

    def formulas(self, key: str, size: int, of: str) -> tuple[Formula, ...]:
        """The values of a list; zeros where it is missing, noted where it has another size."""
        entry = self.entries.get(key)
        if entry is None:
            return (ZERO,) * size
        if not entry.is_list or len(entry.values) != size:
            count = f"{len(entry.values)} values" if entry.is_list else "no list"
            self.note(entry.line, f"{key} has {count}; {size} belong there, in braces: one for each {of}.")
            return (ZERO,) * size
        return tuple(self._formula(key, k, text, entry.line) for k, text in enumerate(entry.values, start=1))

    def _formula(self, key: str, k: int, text: str, line: int) -> Formula:
        spelled = _WORD.sub(lambda m: _WORDS[m[0]], text).replace("[", "(").replace("]", ")")
        try:
            return parse(spelled.strip())
        except RikigakuError as error:
            if self.notes.count < MISTAKES:
                self.note(line, f"{key}, value {k}: {error}")
            else:
                self.notes.count += 1
            return ZERO


def _split(text: str) -> Iterator[str]:
    """The values between commas that stand in no brackets."""
    depth = start = 0
    for match in re.finditer(r"[][(),]", text):
        if match[0] == "," and depth <= 0:
            yield text[start : match.start()]
            start = match.end()
        elif match[0] != ",":
            depth += 1 if match[0] in "([" else -1
    yield text[start:]
