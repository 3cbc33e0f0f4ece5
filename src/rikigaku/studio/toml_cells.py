"""Values of a TOML document written by their paths; comments, order and other spellings stay."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

import tomlkit
from tomlkit.items import AoT, InlineTable, Table

from rikigaku.core.errors import WrongValue
from rikigaku.core.input_limits import FORMULA_CHARACTERS, NAME_CHARACTERS
from rikigaku.core.value_text import short
from rikigaku.formats.toml.toml_document import inline
from rikigaku.formats.toml.toml_text import tables_of

Path = Sequence[str | int]

ARRAYS = ("link", "frame", "loop", "coupling")
# Keys whose value is a text; all others but flags are numbers or formulas.
TEXT_KEYS = {"name", "parent", "link", "type", "joint", "about", "unit", "source", "reference"}
FLAGS = {"actuated"}
_REQUIRED = {"name", "link", "joint", "reference"}  # their tables are wrong without them
_SIZES = {"gravity": 3, "axis": 3, "second_axis": 3, "xyz": 3, "rpy": 3, "ms": 3, "com": 3, "I": 6}
_DEFAULTS = {"gravity": ("0", "0", "-9.81"), "axis": ("0", "0", "1"), "second_axis": ("1", "0", "0")}
_TABLES = {
    *("joint", "dh", "standard_dh", "placement", "inertia", "limits", "friction", "spring"),
    *("from", "to", "base", "symbols", "section"),
}
NO_INERTIA = '{ about = "origin", m = 0, ms = [0, 0, 0], I = [0, 0, 0, 0, 0, 0] }'
_NEW_TABLES = {"inertia": NO_INERTIA}  # a massless link becomes one whose other parameters are zero
_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_LONGEST_TEXT = 2000


def parsed(text: str) -> tomlkit.TOMLDocument:
    """The text as a document that can be edited.

    Raises:
        BadModel: if it is no TOML. TooLarge: beyond the limits of readers.
    """
    tables_of(text, "")
    return tomlkit.parse(text)


def dumped(document: tomlkit.TOMLDocument) -> str:
    """The text of an edited document.

    Raises:
        WrongValue: if the edit cannot be written into this text.
    """
    text = tomlkit.dumps(document)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WrongValue(f"This edit cannot be written into the file ({error}); edit its text.") from None
    return text.rstrip("\n") + "\n"


def spelled(key: str, text: str) -> str:
    """The TOML spelling of what was typed into a cell.

    Raises:
        WrongValue: for texts that are too long, or a flag that is neither true nor false.
    """
    text = text.strip().replace("−", "-")
    if key in FLAGS:
        if text not in ("true", "false"):
            raise WrongValue(f"{key} is true or false; {short(text)} was given.")
        return text
    if key in TEXT_KEYS:
        most = _LONGEST_TEXT if key == "source" else NAME_CHARACTERS
        if len(text) > most:
            raise WrongValue(f"{key} has {len(text)} characters; at most {most} are allowed.")
        return inline(text)
    if len(text) > FORMULA_CHARACTERS:
        raise WrongValue(f"The formula has {len(text)} characters; at most {FORMULA_CHARACTERS} are allowed.")
    if text.endswith("°"):
        text = f"{text[:-1].strip()}*deg"
    return text if _NUMBER.fullmatch(text) else inline(text)


def item(spelling: str) -> Any:
    """A TOML item from its spelling."""
    return tomlkit.parse(f"x = {spelling}\n")["x"]


def write(document: tomlkit.TOMLDocument, path: Path, text: str) -> None:
    """Write a cell; an empty text removes its key, or restores the default of an element of a list.

    A required name stays as an empty text, so that the check reports it at its cell.

    Raises:
        WrongValue: if the path leads nowhere, or as `spelled`.
    """
    if not path:
        raise WrongValue("The path of a cell is empty.")
    *way, last = path
    if isinstance(last, int):
        _write_element(document, way, last, text)
        return
    if not way and last not in ("name", "source"):
        raise WrongValue(f"The document has no cell {short(last)}.")
    owner = descend(document, way)
    if not isinstance(owner, dict):
        raise WrongValue(f"{place_text(path)} is no cell.")
    required = last in _REQUIRED and list(way[2:]) != ["joint"]
    if text.strip() or (required and last in owner):
        owner[last] = item(spelled(last, text))
    else:
        owner.pop(last, None)


def _write_element(document: tomlkit.TOMLDocument, way: Path, place: int, text: str) -> None:
    if not way or (key := str(way[-1])) not in _SIZES or not 0 <= place < _SIZES[key]:
        raise WrongValue(f"{place_text([*way, place])} is no cell.")
    owner = descend(document, way[:-1])
    size, defaults = _SIZES[key], _DEFAULTS.get(key, ("0",) * 6)
    values = owner.get(key)
    if not isinstance(values, list) or len(values) != size:
        owner[key] = item(f"[{', '.join(defaults[:size])}]")
        values = owner[key]
    values[place] = item(spelled(key, text) if text.strip() else defaults[place])


def descend(document: Any, way: Path) -> Any:
    """The table at the end of a path; tables that a file may leave out are made.

    Raises:
        WrongValue: if there is none.
    """
    at = document
    for k, part in enumerate(way):
        if isinstance(part, int):
            if not isinstance(at, AoT | list) or not 0 <= part < len(at):
                raise WrongValue(f"There is no {place_text(way[: k + 1])}.")
            at = at[part]
            continue
        if not isinstance(at, dict):
            raise WrongValue(f"There is no {place_text(way[: k + 1])}.")
        if part not in at:
            if part not in _TABLES and not (k == 1 and way[0] == "symbols"):
                raise WrongValue(f"There is no {place_text(way[: k + 1])}.")
            at[part] = tomlkit.table() if at is document else item(_NEW_TABLES.get(part, "{}"))
        at = at[part]
    return at


def place_text(path: Path) -> str:
    """A path for people, counted from 1: link(3).dh.alpha."""
    parts = [f"({part + 1})" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).lstrip(".") or "document"


def tables(document: tomlkit.TOMLDocument, key: str) -> list[Any]:
    """The tables of an array [[key]], in order; empty if there is none."""
    found = document.get(key)
    return list(found) if isinstance(found, AoT | list) else []


def set_tables(document: tomlkit.TOMLDocument, key: str, wanted: Iterable[Any]) -> None:
    """Let the array [[key]] hold these tables, a blank line between them."""
    wanted = list(wanted)
    for table in wanted:
        if isinstance(table, Table) and not table.as_string().endswith("\n\n"):
            table.add(tomlkit.nl())
    found = document.get(key)
    if isinstance(found, AoT) and wanted:
        found.body[:] = wanted  # tomlkit's own insertion adds blank lines each time
        return
    if key in document:
        del document[key]
    if wanted:
        if not tomlkit.dumps(document).endswith("\n\n"):
            document.add(tomlkit.nl())
        document[key] = AoT(wanted)


def new_table(lines: Iterable[str]) -> Any:
    """A table with these lines."""
    return tomlkit.parse("\n".join(["[x]", *lines, "", ""]))["x"]


def is_inline(table: object) -> bool:
    """Whether a table is written in one line."""
    return isinstance(table, InlineTable)
