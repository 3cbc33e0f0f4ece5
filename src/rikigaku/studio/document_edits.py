"""Edits of the text of a robot file: each takes the text and returns the new one, its comments kept.

An edit may leave a robot that is wrong: what is typed stays, and the check reports the mistake at its cell.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import tomlkit

from rikigaku.core.errors import RikigakuError, UnknownName, WrongValue
from rikigaku.core.value_text import short
from rikigaku.formats.toml.toml_document import inline
from rikigaku.model.joints.joint_types import JOINT_TYPES, joint_type
from rikigaku.numbers.formula_parser import parse
from rikigaku.studio.document_cells import KINDS, cell_text
from rikigaku.studio.messages import (
    AddCoupling,
    AddFrame,
    AddLink,
    AddLoop,
    ChooseConfiguration,
    DeletePart,
    DeleteSymbol,
    DocumentEdit,
    MovePart,
    PasteBlock,
    Rename,
    ReplaceText,
    SetGeometryKind,
    SetIndependent,
    SetInertia,
    SetJointType,
    SetSymbol,
    SetValue,
)
from rikigaku.studio.toml_cells import (
    ARRAYS,
    FLAGS,
    NO_INERTIA,
    TEXT_KEYS,
    descend,
    dumped,
    item,
    new_table,
    parsed,
    set_tables,
    spelled,
    tables,
    write,
)

_ROWS = {
    "dh": "{ alpha = 0, a = 0, theta = 0, d = 0 }",
    "standard_dh": "{ theta = 0, d = 0, a = 0, alpha = 0 }",
    "placement": "{ xyz = [0, 0, 0], rpy = [0, 0, 0] }",
}
_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
_PARAMETERS = ("m", "msx", "msy", "msz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_Q = parse("q", variables=("q",))
_HAND = re.compile(r"hand[0-9]*")
_MOST_CELLS = 20_000  # of one pasted block


def edited(text: str, edit: DocumentEdit) -> str:
    """The text after an edit.

    Raises:
        RikigakuError: if the edit cannot be done; what was given, what is known, what to do.
    """
    if isinstance(edit, ReplaceText):
        return edit.text
    document = parsed(text)
    _EDITS[type(edit)](document, edit)
    return dumped(document)


def _set_value(document: tomlkit.TOMLDocument, edit: SetValue) -> None:
    write(document, edit.path, edit.value)


def _choose_configuration(document: tomlkit.TOMLDocument, edit: ChooseConfiguration) -> None:
    if not all(map(math.isfinite, edit.q)):
        raise WrongValue("A configuration has finite numbers.")
    if edit.q:
        document["configuration"] = item(f"[{', '.join(map(repr, edit.q))}]")
    else:
        document.pop("configuration", None)


def _paste(document: tomlkit.TOMLDocument, edit: PasteBlock) -> None:
    if len(edit.cells) > _MOST_CELLS:
        raise WrongValue(f"The block has {len(edit.cells)} cells; at most {_MOST_CELLS} are pasted at once.")
    for cell in edit.cells:
        write(document, cell.path, cell.value)


# -- parts ------------------------------------------------------------------------------------------


def _add_link(document: tomlkit.TOMLDocument, edit: AddLink) -> None:
    links = tables(document, "link")
    taken = set(_names(document))
    name = edit.name.strip() or _free_name(taken, "l")
    parent = edit.parent or _base(document)
    lines = [f"name = {spelled('name', name)}", f"parent = {spelled('parent', parent)}"]
    type_ = joint_type(edit.joint)
    pitch = ", pitch = 0.01" if type_.has_pitch else ""
    lines.append(f"joint = {{ type = {inline(edit.joint)}{pitch} }}")
    lines.append(f"{edit.geometry} = {_with_variable(_ROWS[edit.geometry], type_.dh_column)}")
    place = max(0, min(edit.place, len(links)))
    if parent not in [cell_text(link.get("parent")) for link in links]:
        _move_hand(document, parent, name)
    set_tables(document, "link", [*links[:place], new_table(lines), *links[place:]])


def _move_hand(document: tomlkit.TOMLDocument, before: str, after: str) -> None:
    """A chain grows beyond its last link: the frame `hand` (hand1, ...) marks its end and goes along."""
    for frame in tables(document, "frame"):
        if cell_text(frame.get("link")) == before and _HAND.fullmatch(cell_text(frame.get("name"))):
            frame["link"] = item(spelled("link", after))


def _with_variable(row: str, column: str) -> str:
    return re.sub(rf"\b{column} = 0", f'{column} = "q"', row) if column and "xyz" not in row else row


def _add_frame(document: tomlkit.TOMLDocument, edit: AddFrame) -> None:
    name = edit.name.strip() or _free_name(set(_names(document)), "frame")
    kind = _usual_kind(document)
    lines = [f"name = {spelled('name', name)}", f"link = {spelled('link', edit.link)}"]
    lines.append(f"{kind} = {_ROWS[kind]}")
    set_tables(document, "frame", [*tables(document, "frame"), new_table(lines)])


def _add_loop(document: tomlkit.TOMLDocument, edit: AddLoop) -> None:
    loops = tables(document, "loop")
    name = edit.name.strip() or _free_name({cell_text(one.get("name")) for one in loops}, "loop")
    kind = _usual_kind(document)
    lines = [f"name = {spelled('name', name)}", f"joint = {spelled('joint', edit.joint)}"]
    for side, link in (("from", edit.start), ("to", edit.end)):
        lines.append(f"{side} = {{ link = {spelled('link', link)}, {kind} = {_ROWS[kind]} }}")
    set_tables(document, "loop", [*loops, new_table(lines)])


def _add_coupling(document: tomlkit.TOMLDocument, edit: AddCoupling) -> None:
    lines = [
        f"joint = {spelled('joint', edit.joint)}",
        f"reference = {spelled('reference', edit.reference)}",
        f"multiplier = {spelled('multiplier', edit.multiplier.strip() or '1')}",
    ]
    set_tables(document, "coupling", [*tables(document, "coupling"), new_table(lines)])


def _delete(document: tomlkit.TOMLDocument, edit: DeletePart) -> None:
    found = tables(document, edit.part)
    gone = _at(found, edit.place, edit.part)
    if edit.part == "link":
        _forget_link(document, gone)
    set_tables(document, edit.part, [one for k, one in enumerate(found) if k != edit.place])


def _forget_link(document: tomlkit.TOMLDocument, gone: Any) -> None:
    """Children go to the parent; frames, loops and couplings of the link go with it."""
    name, joint = cell_text(gone.get("name")), _joint_name(gone)
    parent = gone.get("parent", _base(document))
    for link in tables(document, "link"):
        if link is not gone and link.get("parent") == name:
            link["parent"] = parent
    frames = [one for one in tables(document, "frame") if one.get("link") != name]
    loops = [one for one in tables(document, "loop") if name not in _ends(one)]
    couplings = [
        one for one in tables(document, "coupling") if joint not in (one.get("joint"), one.get("reference"))
    ]
    for key, kept in (("frame", frames), ("loop", loops), ("coupling", couplings)):
        if len(kept) != len(tables(document, key)):
            set_tables(document, key, kept)
    _rewrite_independent(document, lambda names: [one for one in names if one != joint])


def _move(document: tomlkit.TOMLDocument, edit: MovePart) -> None:
    found = tables(document, edit.part)
    moved = _at(found, edit.place, edit.part)
    rest = [one for one in found if one is not moved]
    place = max(0, min(edit.to, len(rest)))
    set_tables(document, edit.part, [*rest[:place], moved, *rest[place:]])


# -- names ------------------------------------------------------------------------------------------


def _rename(document: tomlkit.TOMLDocument, edit: Rename) -> None:
    old, new = edit.old, edit.new.strip()
    spelling = spelled("name", new)
    if edit.part == "robot":
        document["name"] = item(spelling)
    elif edit.part == "base":
        before = _base(document)
        descend(document, ["base"])["name"] = item(spelling)
        _rename_body(document, before, spelling)
        for link in tables(document, "link"):
            if "parent" not in link:
                link["parent"] = item(spelling)
    elif edit.part == "link":
        _rename_link(document, _named(document, "link", old), old, spelling)
    elif edit.part == "joint":
        links = {_joint_name(link): link for link in tables(document, "link")}
        if old not in links:
            raise UnknownName("joint", old, links)
        _rename_own_joint(document, links[old], old, new)
    elif edit.part == "symbol":
        _rename_symbol(document, old, new)
    else:
        _named(document, edit.part, old)["name"] = item(spelling)


def _rename_own_joint(document: tomlkit.TOMLDocument, link: Any, old: str, new: str) -> None:
    """An empty name is none: the joint then has the name of its link."""
    joint = descend(link, ["joint"])
    if new:
        joint["name"] = item(spelled("name", new))
    else:
        joint.pop("name", None)
    _rename_joint(document, old, new or cell_text(link.get("name")))


def _rename_link(document: tomlkit.TOMLDocument, link: Any, old: str, spelling: str) -> None:
    link["name"] = item(spelling)
    _rename_body(document, old, spelling)
    if "name" not in link.get("joint", {}):  # the joint has the link's name
        _rename_joint(document, old, link["name"])


def _rename_body(document: tomlkit.TOMLDocument, old: str, spelling: str) -> None:
    for link in tables(document, "link"):
        if link.get("parent") == old:
            link["parent"] = item(spelling)
    for frame in tables(document, "frame"):
        if frame.get("link") == old:
            frame["link"] = item(spelling)
    for loop in tables(document, "loop"):
        for side in ("from", "to"):
            if isinstance(loop.get(side), dict) and loop[side].get("link") == old:
                loop[side]["link"] = item(spelling)


def _rename_joint(document: tomlkit.TOMLDocument, old: str, new: str) -> None:
    for coupling in tables(document, "coupling"):
        for key in ("joint", "reference"):
            if coupling.get(key) == old:
                coupling[key] = item(inline(str(new)))
    _rewrite_independent(document, lambda names: [str(new) if one == old else one for one in names])


def _rename_symbol(document: tomlkit.TOMLDocument, old: str, new: str) -> None:
    symbols = document.get("symbols")
    if not isinstance(symbols, dict) or old not in symbols:
        raise UnknownName("symbol", old, symbols if isinstance(symbols, dict) else ())
    _check_symbol(new)
    if new in symbols:
        raise WrongValue(f"There is a symbol {short(new)} already.")
    values = {new if name == old else name: value for name, value in symbols.items()}
    for name in list(symbols):
        del symbols[name]
    for name, value in values.items():
        symbols[name] = value
    word = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(old)}(?![A-Za-z0-9_])")
    for owner, key in _formula_places(document):
        owner[key] = item(inline(word.sub(new, owner[key])))


def _formula_places(table: Any) -> Iterator[tuple[Any, Any]]:
    """Owners and keys of all formulas that are written as texts."""
    pairs = list(table.items()) if isinstance(table, dict) else list(enumerate(table))
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from _formula_places(value) if key != "independent" else ()
        elif isinstance(value, str) and key not in TEXT_KEYS and key not in FLAGS:
            yield table, key


# -- joints, geometry, inertia, symbols -------------------------------------------------------------


def _set_joint_type(document: tomlkit.TOMLDocument, edit: SetJointType) -> None:
    link = _at(tables(document, "link"), edit.place, "link")
    new = joint_type(edit.joint)
    joint = descend(link, ["joint"])
    old = JOINT_TYPES.get(cell_text(joint.get("type")))
    joint["type"] = item(inline(edit.joint))
    if new.has_pitch and "pitch" not in joint:
        joint["pitch"] = item("0.01")
    elif not new.has_pitch and old is not None and old.has_pitch:
        joint.pop("pitch", None)
    for kind in ("dh", "standard_dh"):
        row = link.get(kind)
        if isinstance(row, dict) and (old is None or old.dh_column != new.dh_column):
            _move_variable(row, "" if old is None else old.dh_column, new.dh_column)


def _move_variable(row: Any, before: str, after: str) -> None:
    try:
        if before:
            row[before] = item(inline(parse(cell_text(row.get(before, "0")), ("q",)) - _Q))
        if after:
            offset = parse(cell_text(row.get(after, "0")), ("q",))
            row[after] = item(inline(offset if "q" in offset.symbols else _Q + offset))
    except RikigakuError:  # a cell that is no formula: its mistake is shown there
        return


def _set_geometry(document: tomlkit.TOMLDocument, edit: SetGeometryKind) -> None:
    link = _at(tables(document, "link"), edit.place, "link")
    if edit.kind in link:
        return
    type_ = JOINT_TYPES.get(cell_text(link.get("joint", {}).get("type")))
    for kind in KINDS:
        link.pop(kind, None)
    link[edit.kind] = item(_with_variable(_ROWS[edit.kind], type_.dh_column if type_ else ""))


def _set_inertia(document: tomlkit.TOMLDocument, edit: SetInertia) -> None:
    links = tables(document, "link")
    names = edit.links or [cell_text(link.get("name")) for link in links]
    for name in names:
        link = _named(document, "link", name)
        if edit.choice == "none":
            link.pop("inertia", None)
        elif edit.choice == "zero":
            link["inertia"] = item(NO_INERTIA)
        else:
            _give_symbols(document, link, name)


def _give_symbols(document: tomlkit.TOMLDocument, link: Any, name: str) -> None:
    """Ten symbols named for the link, as m21 of link l21, declared without a value."""
    digits = re.fullmatch(r"[A-Za-z]+_?([0-9]+)", name)
    others = [cell_text(one.get("name")) for one in tables(document, "link")]
    alone = digits and sum(re.sub(r"\D", "", one) == digits[1] for one in others) == 1
    ending = digits[1] if digits and alone else "_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
    own = [f"{parameter}{ending}" for parameter in _PARAMETERS]
    table = {"about": "origin", "m": own[0], "ms": own[1:4], "I": own[4:]}
    link["inertia"] = item(inline(table))
    symbols = descend(document, ["symbols"])
    for symbol, unit in zip(own, _UNITS, strict=True):
        if symbol not in symbols:
            symbols[symbol] = item(f"{{ unit = {inline(unit)} }}")


def _set_symbol(document: tomlkit.TOMLDocument, edit: SetSymbol) -> None:
    name = edit.name.strip()
    _check_symbol(name)
    fields = {"value": edit.value, "unit": edit.unit}
    spellings = [f"{key} = {spelled(key, text)}" for key, text in fields.items() if text.strip()]
    descend(document, ["symbols"])[name] = item(f"{{ {', '.join(spellings)} }}" if spellings else "{}")


def _delete_symbol(document: tomlkit.TOMLDocument, edit: DeleteSymbol) -> None:
    symbols = document.get("symbols")
    if not isinstance(symbols, dict) or edit.name not in symbols:
        raise UnknownName("symbol", edit.name, symbols if isinstance(symbols, dict) else ())
    del symbols[edit.name]


def _set_independent(document: tomlkit.TOMLDocument, edit: SetIndependent) -> None:
    for name in edit.joints:
        spelled("name", name)
    _rewrite_independent(document, lambda _: edit.joints, add=True)


def _rewrite_independent(
    document: tomlkit.TOMLDocument, change: Callable[[list[str]], list[str]], add: bool = False
) -> None:
    loops = tables(document, "loop")
    owners = [table for table in (document, *loops) if "independent" in table]
    names = [str(one) for table in owners for one in table["independent"]]
    wanted = change(names)
    if wanted == names and not add:
        return
    for table in owners:
        del table["independent"]
    if wanted:
        value = item(inline(wanted))
        if loops:
            loops[0]["independent"] = value
        else:
            document["independent"] = value


# -- helpers ----------------------------------------------------------------------------------------


def _at(found: list[Any], place: int, part: str) -> Any:
    if not 0 <= place < len(found):
        raise WrongValue(f"There is no {part} {place}: the robot has {len(found)}.")
    return found[place]


def _named(document: tomlkit.TOMLDocument, part: str, name: str) -> Any:
    known = {cell_text(one.get("name")): one for one in tables(document, part)}
    if name not in known:
        raise UnknownName(part, name, known)
    return known[name]


def _names(document: tomlkit.TOMLDocument) -> Iterator[str]:
    yield _base(document)
    for key in ARRAYS[:2]:
        for one in tables(document, key):
            yield cell_text(one.get("name"))


def _base(document: tomlkit.TOMLDocument) -> str:
    base = document.get("base")
    return (cell_text(base.get("name")) if isinstance(base, dict) else "") or "base"


def _joint_name(link: Any) -> str:
    joint = link.get("joint")
    return (cell_text(joint.get("name")) if isinstance(joint, dict) else "") or cell_text(link.get("name"))


def _ends(loop: Any) -> list[str]:
    return [cell_text(loop[side].get("link")) for side in ("from", "to") if isinstance(loop.get(side), dict)]


def _free_name(taken: set[str], stem: str) -> str:
    k = 1
    while f"{stem}{k}" in taken:
        k += 1
    return f"{stem}{k}"


def _usual_kind(document: tomlkit.TOMLDocument) -> str:
    """How the links of this robot are described."""
    links = tables(document, "link")
    return "dh" if not links or any("dh" in link for link in links) else "placement"


def _check_symbol(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,99}", name):
        raise WrongValue(f"A symbol is a letter followed by letters, digits or _; {short(name)} was given.")


_EDITS: dict[type, Callable[[tomlkit.TOMLDocument, Any], None]] = {
    SetValue: _set_value,
    ChooseConfiguration: _choose_configuration,
    PasteBlock: _paste,
    AddLink: _add_link,
    AddFrame: _add_frame,
    AddLoop: _add_loop,
    AddCoupling: _add_coupling,
    DeletePart: _delete,
    MovePart: _move,
    Rename: _rename,
    SetJointType: _set_joint_type,
    SetGeometryKind: _set_geometry,
    SetInertia: _set_inertia,
    SetSymbol: _set_symbol,
    DeleteSymbol: _delete_symbol,
    SetIndependent: _set_independent,
}
