"""The text of a file brought up to date: only values that changed are touched, so comments and order stay."""

from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.items import AoT, InlineTable, Table

from rikigaku.core.errors import RikigakuError
from rikigaku.formats.toml.toml_document import Default, Document, Value, inline, tidy
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_parser import parse

ARRAYS = ("link", "frame", "loop", "coupling")
KEPT = ("independent", "visuals", "configuration")  # keys of the file that a robot may lack


def updated(text: str, new: Document) -> str:
    """The text with the values of a document; keys whose value is the same keep their spelling."""
    old = tomlkit.parse(text)
    symbols = old.get("symbols")
    below = _after_last_key(symbols) if isinstance(symbols, Table) else []
    edited = [key for key in ARRAYS if _update_array(old, key, [_without_choice(one) for one in new[key]])]
    _update(old, _without_choice({key: value for key, value in new.items() if key not in ARRAYS}))
    if isinstance(old.get("symbols"), Table):
        _reorder(old["symbols"], list(tidy(new["symbols"])), below)
    if not _same(_independent(old), wanted := _independent(new)):  # it may be at the top or in any loop
        for table in (old, *old.get("loop", [])):
            table.pop("independent", None)
        if wanted:
            (old["loop"][0] if new["loop"] else old)["independent"] = _item(wanted)
    for table in (table for key in edited for table in old.get(key, [])):
        if not table.as_string().endswith("\n\n"):
            table.add(tomlkit.nl())
    return tomlkit.dumps(old).rstrip("\n") + text[len(text.rstrip("\n")) :]


def _without_choice(table: Document) -> Document:
    return {key: value for key, value in table.items() if key != "independent"}


def _update(old: MutableMapping[str, Any], new: Document) -> None:
    """Give a table of the file the values of the document."""
    for key in [key for key in old if key not in new and key not in (*ARRAYS, *KEPT)]:
        del old[key]
    for key, marked in new.items():
        value = marked.value if isinstance(marked, Default) else marked
        if key not in old:
            if not isinstance(marked, Default):
                old[key] = _item(tidy(value), section=isinstance(old, tomlkit.TOMLDocument))
        elif (
            isinstance(value, dict)
            and isinstance(old[key], Mapping)
            and not isinstance(old[key], InlineTable)
        ):
            _update(old[key], value)
        else:
            item = _renewed(old[key], value)
            if item is not old[key]:
                old[key] = item


def _renewed(old: Any, value: Value) -> Any:
    """The item itself if it has this value, else a new one; a new inline table keeps unchanged spellings."""
    value = value.value if isinstance(value, Default) else value
    if not isinstance(value, dict) or not isinstance(old, InlineTable):
        return old if _same(old, value) else _item(tidy(value))
    kept = {key: _renewed(old[key], value[key]) for key in old if key in value}
    added = {key: v for key, v in value.items() if key not in old and not isinstance(v, Default)}
    if not added and len(kept) == len(old) and all(kept[key] is old[key] for key in kept):
        return old
    spelled = {key: tomlkit.item(item).as_string().strip() for key, item in kept.items()}
    spelled |= {key: inline(tidy(v)) for key, v in added.items()}
    return _parsed(
        f"{{ {', '.join(f'{key} = {text}' for key, text in spelled.items())} }}" if spelled else "{}"
    )


def _after_last_key(table: Table) -> list[Any]:
    """Blank lines and comments at the end of a table, which mostly speak of the one that follows."""
    body = table.value.body
    last = max((k for k, (key, _) in enumerate(body) if key is not None), default=-1)
    return list(body[last + 1 :])


def _reorder(table: Table, names: list[str], below: list[Any]) -> None:
    """The keys of a table in that order, each with the comments above it; `below` stays at the end."""
    if list(table) == names and _after_last_key(table) == below:
        return
    groups: dict[str, list[Any]] = {}
    above: list[Any] = []
    for entry in table.value.body:
        if any(entry[1] is item for _, item in below):
            continue
        above.append(entry)
        key, item = entry
        if key is not None:
            item.trivia.trail = item.trivia.trail or "\n"
            groups.setdefault(key.key, []).extend(above)  # L.value and L.unit may be lines of their own
            above = []
    table.value.body[:] = [entry for name in names for entry in groups[name]] + above + below


def _update_array(old: tomlkit.TOMLDocument, key: str, new: list[Document]) -> bool:
    """The same for an array of tables, recognised by their names; whether tables came, went or moved."""
    tables = old.get(key, [])
    if differ := [_identity(table) for table in tables] != [_identity(table) for table in new]:
        known = {_identity(table): table for table in tables}
        wanted_tables = [known.get(_identity(table)) or _table(table) for table in new]
        if (
            isinstance(tables, AoT) and new
        ):  # in its place; tomlkit's own insertion adds blank lines each time
            tables.body[:] = wanted_tables
        else:
            if key in old:
                del old[key]
            if new:
                old[key] = AoT(wanted_tables)
        tables = old.get(key, [])
    for table, wanted in zip(tables, new, strict=True):
        _update(table, wanted)
    return differ


def _identity(table: Mapping[str, Any]) -> str:
    return str(table.get("name", table.get("joint")))


def _independent(tables: Mapping[str, Any]) -> list[Value]:
    top = tables.get("independent", [])
    found = list(top.value if isinstance(top, Default) else top)
    for loop in tables.get("loop", []):
        found += [name for name in loop.get("independent", []) if name not in found]
    return found


def _same(old: Any, new: Value) -> bool:
    """Whether a value of the file equals the document's value."""
    if isinstance(new, dict):  # a symbol written as its value alone
        bare = isinstance(new.get("unit"), Default) and "value" in new
        return bare and not isinstance(old, Mapping) and _same(old, new["value"])
    if isinstance(new, list):
        return isinstance(old, list) and len(old) == len(new) and all(map(_same, old, new))
    if isinstance(new, bool) or isinstance(old, bool):
        return isinstance(new, bool) and isinstance(old, bool) and old == new
    if isinstance(new, str):
        return isinstance(old, str) and old == new
    try:
        spelled = old if isinstance(old, str) else tomlkit.item(old).as_string().replace("_", "")
        formula = parse(spelled, ("q",))
        return float(formula) == new if isinstance(new, float) else formula == Formula.of(new)
    except RikigakuError:
        return False


def _item(value: Value, section: bool = False) -> Any:
    """A value as a TOML item in the spelling of our own writer; a table may become a section."""
    return _table(value) if section and isinstance(value, dict) else _parsed(inline(value))


def _table(table: Document) -> Any:
    lines = [f"{key} = {inline(value)}" for key, value in tidy(table).items()]
    return tomlkit.parse("\n".join(["[x]", *lines, "", ""]))["x"]


def _parsed(text: str) -> Any:
    return tomlkit.parse(f"x = {text}")["x"]
