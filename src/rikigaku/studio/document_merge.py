"""Three-way merge of robot files by their tables: what only one side changed is taken from that side.

Tables of links, frames, loops and couplings are recognised by their names; the values of symbols, joints,
geometry and inertia are compared one by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import tomlkit

from rikigaku.core.input_limits import shortened
from rikigaku.formats.toml.toml_document import inline
from rikigaku.formats.toml.toml_text import tables_of
from rikigaku.studio.document_cells import cell_text
from rikigaku.studio.document_records import BothChanged
from rikigaku.studio.toml_cells import ARRAYS, dumped, item, new_table, parsed, set_tables, tables

_MISSING = object()
_LONGEST = 60  # characters of a value that is shown


@dataclass
class Merge:
    """text: the merged file; both: what both sides changed in different ways."""

    text: str = ""
    both: list[BothChanged] = field(default_factory=list)

    def note(self, place: str, own: Any, other: Any) -> None:
        """Note values that both sides changed; a removed one is empty, a table is its beginning."""
        self.both.append(BothChanged(place, _shown(own), _shown(other)))


def _shown(value: Any) -> str:
    return "" if value is _MISSING else shortened(_value_text(value), _LONGEST)


def _value_text(value: Any) -> str:
    """A value, a list or a table as its file has it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value_text(x)}' for key, x in value.items())} }}"
    return cell_text(value) or str(value)


def merged(base: str, mine: str, theirs: str) -> Merge:
    """The changes of `mine` against `base`, put into `theirs`; its comments stay.

    Raises:
        BadModel: if one of them is no TOML.
    """
    result = Merge()
    before, own, other = (tables_of(text, "") for text in (base, mine, theirs))
    target, source = parsed(theirs), parsed(mine)
    old_top, own_top, other_top = (_without_arrays(one) for one in (before, own, other))
    _merge_tables(old_top, own_top, other_top, target, source, "", result)
    for key in ARRAYS:
        _merge_array(key, before, own, other, target, source, result)
    result.text = dumped(target)
    return result


def _without_arrays(tables: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tables.items() if key not in ARRAYS}


def _merge_tables(
    before: Any, own: Any, other: Any, target: Any, source: Any, where: str, result: Merge
) -> None:
    """Put the changes from `before` to `own` into `target`, which has the values of `other`."""
    for key in dict.fromkeys((*own, *before)):
        place = f"{where}.{key}" if where else str(key)
        old, mine, theirs = (one.get(key, _MISSING) for one in (before, own, other))
        if mine in (old, theirs):
            continue
        if theirs == old:
            if mine is _MISSING:
                target.pop(key, None)
            else:
                target[key] = _copy(source[key])
        elif all(isinstance(one, dict) for one in (old, mine, theirs)):
            _merge_tables(old, mine, theirs, target[key], source[key], place, result)
        else:
            result.note(place, mine, theirs)


def _merge_array(
    key: str, before: Any, own: Any, other: Any, target: tomlkit.TOMLDocument, source: Any, result: Merge
) -> None:
    old, mine, theirs = ({_identity(one): one for one in side.get(key, [])} for side in (before, own, other))
    shown = {_identity(one): one for one in tables(target, key)}
    copies = {_identity(one): one for one in tables(source, key)}
    wanted = dict(shown)
    for name in dict.fromkeys((*mine, *old)):
        place = f"{key} {name}"
        if name not in mine:  # I removed it
            if theirs.get(name) == old.get(name):
                wanted.pop(name, None)
            elif name in theirs:
                result.note(place, _MISSING, theirs[name])
        elif name not in old:  # I added it
            if name not in theirs:
                wanted = _inserted(wanted, name, _new(copies[name]), list(mine))
            elif theirs[name] != mine[name]:
                result.note(place, mine[name], theirs[name])
        elif name not in theirs:  # they removed it
            if mine[name] != old[name]:
                result.note(place, mine[name], _MISSING)
        else:
            _merge_tables(old[name], mine[name], theirs[name], shown[name], copies[name], place, result)
    order = list(mine)
    if order != [name for name in old if name in mine] and set(order) == set(wanted):  # I moved some
        wanted = {name: wanted[name] for name in order}
    if list(wanted) != list(shown):
        set_tables(target, key, wanted.values())


def _inserted(wanted: dict[str, Any], name: str, table: Any, order: list[str]) -> dict[str, Any]:
    """Behind the nearest table that stands before it on my side."""
    ahead = [one for one in order[: order.index(name)] if one in wanted]
    names = list(wanted)
    place = names.index(ahead[-1]) + 1 if ahead else 0
    pairs = list(wanted.items())
    return dict([*pairs[:place], (name, table), *pairs[place:]])


def _identity(table: Any) -> str:
    return cell_text(table.get("name", table.get("joint")))


def _new(table: Any) -> Any:
    return new_table([f"{key} = {tomlkit.item(value).as_string()}" for key, value in table.items()])


def _copy(value: Any) -> Any:
    if isinstance(value, tomlkit.items.Table):
        copy = tomlkit.table()
        for key, inside in value.items():
            copy[key] = _copy(inside)
        return copy
    spelling = value.as_string() if hasattr(value, "as_string") else inline(value)
    return item(spelling.strip())
