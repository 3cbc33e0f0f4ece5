"""The cells of a robot file: every value as the text that its user typed, also where it is wrong."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from rikigaku.formats.toml.toml_text import tables_of
from rikigaku.studio.document_records import (
    CouplingCells,
    FrameCells,
    GeometryCells,
    GeometryKind,
    InertiaCells,
    JointCells,
    LinkCells,
    LoopCells,
    LoopEndCells,
    RobotCells,
    SymbolCells,
)

KINDS: tuple[GeometryKind, ...] = ("dh", "standard_dh", "placement")


def robot_cells(text: str) -> RobotCells:
    """The cells of the text of a robot file.

    Raises:
        BadModel: if it is no TOML. TooLarge: beyond the limits of readers.
    """
    top = tables_of(text, "")
    base = _table(top, "base")
    independent = list(_texts(top, "independent"))
    for loop in _tables(top, "loop"):
        independent += [name for name in _texts(loop, "independent") if name not in independent]
    return RobotCells(
        name=_cell(top, "name"),
        source=_cell(top, "source"),
        visuals=_cell(top, "visuals"),
        configuration=_numbers(top, "configuration"),
        gravity=_row(top, "gravity", 3),
        base=_cell(base, "name") or "base",
        base_inertia=_inertia(base),
        symbols=[_symbol(name, value) for name, value in _table(top, "symbols").items()],
        links=[_link(link) for link in _tables(top, "link")],
        frames=[
            FrameCells(_cell(frame, "name"), _cell(frame, "link"), _geometry(frame))
            for frame in _tables(top, "frame")
        ],
        loops=[
            LoopCells(_cell(loop, "name"), _cell(loop, "joint"), _end(loop, "from"), _end(loop, "to"))
            for loop in _tables(top, "loop")
        ],
        couplings=[
            CouplingCells(*(_cell(one, key) for key in ("joint", "reference", "multiplier", "offset")))
            for one in _tables(top, "coupling")
        ],
        independent=independent,
    )


def cell_text(value: object) -> str:
    """A value of the file as the text of a cell; a table or list as nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float | Decimal):
        return str(value)
    return ""


def _cell(table: Mapping[str, Any], key: str) -> str:
    return cell_text(table.get(key))


def _row(table: Mapping[str, Any], key: str, size: int) -> list[str]:
    values = table.get(key)
    cells = [cell_text(value) for value in values] if isinstance(values, list) else []
    return [*cells[:size], *[""] * (size - len(cells))]


def _numbers(table: Mapping[str, Any], key: str) -> list[float]:
    """A list of finite numbers; empty where the value is another."""
    values = table.get(key)
    if not isinstance(values, list) or not all(type(one) in (int, float, Decimal) for one in values):
        return []
    try:
        found = [float(one) for one in values]
    except OverflowError:
        return []
    return found if all(map(math.isfinite, found)) else []


def _table(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _tables(table: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = table.get(key)
    return [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []


def _texts(table: Mapping[str, Any], key: str) -> list[str]:
    found = table.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _symbol(name: str, value: object) -> SymbolCells:
    if isinstance(value, dict):
        return SymbolCells(name, _cell(value, "value"), _cell(value, "unit"))
    return SymbolCells(name, cell_text(value), "")


def _link(link: Mapping[str, Any]) -> LinkCells:
    joint = _table(link, "joint")
    limits, friction, spring = (_table(joint, key) for key in ("limits", "friction", "spring"))
    return LinkCells(
        name=_cell(link, "name"),
        parent=_cell(link, "parent"),
        joint=JointCells(
            name=_cell(joint, "name"),
            type=_cell(joint, "type"),
            axis=_row(joint, "axis", 3),
            pitch=_cell(joint, "pitch"),
            actuated=joint.get("actuated") is not False,
            **{key: _cell(limits, key) for key in ("lower", "upper", "velocity", "effort")},
            **{key: _cell(friction, key) for key in ("viscous", "coulomb")},
            rotor=_cell(joint, "rotor"),
            **{key: _cell(spring, key) for key in ("stiffness", "rest")},
        ),
        geometry=_geometry(link),
        inertia=_inertia(link),
    )


def _geometry(owner: Mapping[str, Any]) -> GeometryCells:
    kind: GeometryKind = next((key for key in KINDS if isinstance(owner.get(key), dict)), "none")
    table = _table(owner, kind)
    columns = {key: _cell(table, key) for key in ("alpha", "a", "theta", "d", "beta", "b")}
    return GeometryCells(kind, xyz=_row(table, "xyz", 3), rpy=_row(table, "rpy", 3), **columns)


def _inertia(owner: Mapping[str, Any]) -> InertiaCells | None:
    table = owner.get("inertia")
    if not isinstance(table, dict):
        return None
    about = _cell(table, "about")
    position = _row(table, "com" if about == "com" else "ms", 3)
    return InertiaCells(about, _cell(table, "m"), position, _row(table, "I", 6), _row(table, "rpy", 3))


def _end(loop: Mapping[str, Any], key: str) -> LoopEndCells:
    end = _table(loop, key)
    return LoopEndCells(_cell(end, "link"), _geometry(end))
