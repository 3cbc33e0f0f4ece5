"""The text of a TOML file: its size checked, parsed to tables, and the line of each key.

The standard library's parser bounds nothing: a dotted key of 40 000 parts takes gigabytes, an integer of a
million digits raises an error of its own. One pass over the tokens refuses such texts before it sees them.
"""

import re
import tomllib
from decimal import Decimal
from typing import Any

from rikigaku.core.errors import BadModel, TooLarge
from rikigaku.core.input_limits import DEPTH, FILE_BYTES, KEY_PARTS, NUMBER_DIGITS, VALUES

Path = tuple[str | int, ...]

_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\[^\n])*+"|'[^'\n]*+')"""
_BLANKS = r"[ \t]*+"
# Strings and comments are tokens, so that what they contain is not taken for keys.
_TOKEN = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{0,5}'
    r"|'''(?:[^']++|'(?!''))*+'{0,5}"
    rf"|(?P<key>(?:{_PART}{_BLANKS}\.{_BLANKS}){{{KEY_PARTS}}})"
    r'|"(?:[^"\\\n]++|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
    rf"|(?P<long>[A-Za-z0-9_]{{{NUMBER_DIGITS + 1}}})"
    r"|[A-Za-z0-9_+:-]++"
    r"|(?P<open>[\[{])"
    r"|(?P<close>[\]}])",
    re.DOTALL,
)
# A header or the beginning of `key = ...`, at the start of a line.
_LINE = re.compile(
    rf"^[ \t]*+(?:(?P<double>\[\[)|(?P<single>\[))?{_BLANKS}"
    rf"(?P<key>{_PART}(?:{_BLANKS}\.{_BLANKS}{_PART})*+){_BLANKS}(?P<mark>=|\])",
    re.MULTILINE,
)
_ONE_PART = re.compile(_PART)


def decoded(content: bytes, source: str) -> str:
    """The text of a file.

    Raises:
        BadModel: if it is not UTF-8, with the line.
    """
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadModel([f"line {line}: the file is not UTF-8 text. Save it as UTF-8."], source) from error


def tables_of(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text, decimals exact.

    Raises:
        BadModel: if it is not TOML. TooLarge: beyond the limits of readers.
    """
    _check_size(text, source or "The text")
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, ValueError, ArithmeticError) as error:
        raise BadModel([f"not a TOML file: {error}{_bracket_advice(text)}"], source) from error
    except RecursionError as error:
        raise BadModel(["not a robot: lists or tables are nested too deeply."], source) from error


def _bracket_advice(text: str) -> str:
    """What to write where [link] stands several times, or beside [[link]]."""
    single = re.search(r"^[ \t]*\[[ \t]*(link|frame|loop|coupling)[ \t]*\]", text, re.MULTILINE)
    if single is None:
        return ""
    line = text.count("\n", 0, single.start(1)) + 1
    return f". Line {line} has [{single[1]}]: there may be several, write [[{single[1]}]], with two brackets."


def _check_size(text: str, source: str) -> None:
    if len(text) > FILE_BYTES:
        raise TooLarge(f"{source} is larger than {FILE_BYTES // 10**6} MB; a robot file is some kB.")
    count = depth = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "close":
            depth -= 1
            continue
        count += 1
        if kind == "open":
            depth += 1
        if kind in ("key", "long") or depth > DEPTH or count > VALUES:
            reasons = {
                "key": f"a dotted key has more than {KEY_PARTS} parts",
                "long": f"a number or bare key has more than {NUMBER_DIGITS} characters",
                "open": f"lists or tables are nested more than {DEPTH} deep",
            }
            many = f"there are more than {VALUES} keys and values"
            reason = many if count > VALUES else reasons[kind or ""]
            line = text.count("\n", 0, token.start()) + 1
            raise TooLarge(f"{source}, line {line}: {reason}; so many are not read.")


class LineIndex:
    """The line of each key and table of a text, found in one pass at the first request."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: dict[Path, int] | None = None

    def line(self, path: Path) -> int:
        """The line (from 1) of the innermost part of the path that can be found; 0 if none can.

        The path names arrays of tables by key and index: ("link", 2, "dh", "alpha").
        """
        if self._lines is None:
            self._lines = self._found()
        plain = tuple(part.partition("[")[0] if isinstance(part, str) else part for part in path)
        for size in range(len(path), 0, -1):
            for one in (path[:size], plain[:size]):  # xyz[0] stands on the line of xyz
                if line := self._lines.get(one):
                    return line
        return 0

    def _found(self) -> dict[Path, int]:
        lines: dict[Path, int] = {}
        counts: dict[str, int] = {}
        table: Path = ()
        number, seen = 1, 0
        for match in _LINE.finditer(self.text):
            header = match["double"] or match["single"]
            if (match["mark"] == "]") != bool(header):
                continue
            number, seen = number + self.text.count("\n", seen, match.start()), match.start()
            keys = [part.strip("\"'") for part in _ONE_PART.findall(match["key"])]
            if match["double"]:
                name = ".".join(keys)
                counts[name] = counts.get(name, -1) + 1
                table = (name, counts[name])
            elif header:
                first, *rest = keys
                table = (first, counts[first], *rest) if first in counts else (first, *rest)
            lines.setdefault(table if header else (*table, *keys), number)
        return lines
