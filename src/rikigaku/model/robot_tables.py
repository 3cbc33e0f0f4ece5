"""A robot as tables for people: in a terminal, in a notebook, in a report."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple
from unicodedata import east_asian_width

from rikigaku.model.geometry import Geometry, ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Z_AXIS, Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Coupling, RobotModel
from rikigaku.numbers.formula import ZERO, Formula


class Table(NamedTuple):
    """Words in rows under a heading each; `rows` are as long as `head`."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def link_table(robot: RobotModel) -> Table:
    """One row a link: its joint, the joint's pose, limits and parameters, mass and inertia (m, rad, kg).

    Poses by Denavit-Hartenberg parameters have a column for each of them (`_geometry_columns`). Columns in
    which no joint has an entry (pitch, friction, rotor, spring, coupling) are left out.
    """
    geometry, parameters = _geometry_columns(robot), _joint_parameters(robot)
    head = ("link", "on", "joint", "type", *geometry, "limits", *parameters, "mass [kg]", "inertia")
    rows = []
    if (body := robot.base_inertia) is not None:
        rows.append(
            (
                robot.base,
                "",
                "",
                "base",
                *("" for _ in geometry),
                "",
                *("" for _ in parameters),
                mass_text(body),
                inertia_text(body),
            )
        )
    for k, link in enumerate(robot.links):
        joint = link.joint
        rows.append(
            (
                link.name,
                link.parent,
                joint.name,
                joint_text(joint),
                *(column[k] for column in geometry.values()),
                limits_text(joint),
                *(column[k] for column in parameters.values()),
                mass_text(link.inertia),
                inertia_text(link.inertia),
            )
        )
    return Table(head, rows)


_DH_COLUMNS = {
    ModifiedDH: ("beta", "b", "alpha", "a", "theta", "d"),
    StandardDH: ("theta", "d", "a", "alpha"),
}


def _geometry_columns(robot: RobotModel) -> dict[str, list[str]]:
    """Poses of the joints by heading: alpha, a, theta, d with the joint's variable, or "where" in words.

    beta and b, which place branches, have columns where some link has them. Standard parameters are shown in
    their order, theta, d, a, alpha.
    """
    geometries = [link.geometry for link in robot.links]
    kinds = {type(geometry) for geometry in geometries}
    if len(kinds) != 1 or (kind := kinds.pop()) not in _DH_COLUMNS:
        return {"where": [geometry_text(geometry) for geometry in geometries]}
    columns = {
        name: [_dh_entry(link.joint, name, getattr(link.geometry, name)) for link in robot.links]
        for name in _DH_COLUMNS[kind]
    }
    return {x: y for x, y in columns.items() if x not in ("beta", "b") or set(y) != {"0"}}


def _dh_entry(joint: Joint, name: str, value: Formula) -> str:
    """A parameter; with the name of the joint where it is the joint's variable."""
    moving = {"theta": ("revolute", "continuous"), "d": ("prismatic",)}.get(name, ())
    if joint.type not in moving or joint.axis != Z_AXIS:
        return number_text(value)
    if not value:
        return joint.name
    text = number_text(value)
    return f"{joint.name} - {text[1:]}" if text.startswith("-") else f"{joint.name} + {text}"


def _joint_parameters(robot: RobotModel) -> dict[str, list[str]]:
    """Pitch, friction, rotor, spring and coupling of the joints, by heading; no empty columns."""
    joints = [link.joint for link in robot.links]
    follows = {coupling.joint: coupling for coupling in robot.couplings}
    columns = {
        "pitch [m/rad]": [number_text(j.pitch) if joint_type(j.type).has_pitch else "" for j in joints],
        "viscous": [_unless_zero(j, j.viscous) for j in joints],
        "Coulomb": [_unless_zero(j, j.coulomb) for j in joints],
        "rotor": [_unless_zero(j, j.rotor) for j in joints],
        "spring": [spring_text(j) for j in joints],
        "follows": [coupling_text(follows[j.name]) if j.name in follows else "" for j in joints],
    }
    return {title: column for title, column in columns.items() if any(column)}


def frame_table(robot: RobotModel) -> Table:
    """The named frames: the link each is fixed on, and where."""
    rows = [(frame.name, frame.link, geometry_text(frame.geometry)) for frame in robot.frames]
    return Table(("frame", "on link", "where"), rows)


def loop_table(robot: RobotModel) -> Table:
    """The cut joints: their type and the two frames that meet."""
    rows = []
    for loop in robot.loops:
        ends = [f"{end.link}: {geometry_text(end.geometry)}" for end in (loop.start, loop.end)]
        rows.append((loop.name, loop.joint, *ends))
    return Table(("loop", "joint", "from", "to"), rows)


def symbol_table(robot: RobotModel) -> Table:
    """Symbols with value and unit, those used without being declared too."""
    known = {symbol.name: symbol for symbol in robot.symbols}
    rows = []
    for name in dict.fromkeys((*known, *robot.free_symbols)):
        symbol = known.get(name)
        value = "none" if symbol is None or symbol.value is None else number_text(symbol.value)
        rows.append(
            (name, value, symbol.unit if symbol else "", "" if name in robot.free_symbols else "not used")
        )
    return Table(("symbol", "value", "unit", "note"), rows)


def headline(robot: RobotModel) -> str:
    """The robot in one line."""
    parts = [_counted("link", robot.links), f"nq {robot.nq}", f"nv {robot.nv}"]
    more = (("loop closure", robot.loops), ("coupled joint", robot.couplings), ("symbol", robot.free_symbols))
    parts += [_counted(name, items) for name, items in more if items]
    return ", ".join(parts)


def _counted(name: str, items: Sequence[object]) -> str:
    return f"{len(items)} {name}{'s' * (len(items) != 1)}"


# -- texts of parts ------------------------------------------------------------------------------------
def number_text(formula: Formula) -> str:
    """Short: the formula itself where it holds symbols or pi, else six digits."""
    text = str(formula)
    if formula.symbols or ("pi" in text and len(text) <= 12):
        return text
    return f"{float(formula):.6g}"


def joint_text(joint: Joint) -> str:
    """Type, axis where it is not z, and whether it is passive."""
    texts: list[str] = [joint.type]
    type_ = joint_type(joint.type)
    if "axis" in type_.axis_fields and joint.axis != Z_AXIS:
        texts.append(f"{'along' if type_.translates_only else 'about'} {_triple(joint.axis)}")
    if "second_axis" in type_.axis_fields:
        texts.append(f"then {_triple(joint.second_axis)}")
    if joint.type != "fixed" and not joint.actuated:
        texts.append("(passive)")
    return " ".join(texts)


def geometry_text(geometry: Geometry) -> str:
    """The numbers that are not zero."""
    if isinstance(geometry, Placement):
        parts = [f"xyz {_triple(geometry.xyz)}"] if any(geometry.xyz) else []
        parts += [f"rpy {_triple(geometry.rpy)}"] if any(geometry.rpy) else []
        return ", ".join(parts) or "at its origin"
    kind = "DH" if isinstance(geometry, ModifiedDH) else "standard DH"
    names: tuple[str, ...] = ("beta", "b", "alpha", "a", "theta", "d")
    if isinstance(geometry, StandardDH):
        names = ("theta", "d", "a", "alpha")
    values = [(name, getattr(geometry, name)) for name in names]
    text = ", ".join(f"{name} {number_text(value)}" for name, value in values if value != ZERO)
    return f"{kind}: {text or 'all zero'}"


def limits_text(joint: Joint) -> str:
    """Position limits, then speed and effort where known."""
    limits, parts = joint.limits, []
    if limits.lower is not None or limits.upper is not None:
        low = "-inf" if limits.lower is None else f"{limits.lower:.4g}"
        parts.append(f"{low} .. {'inf' if limits.upper is None else f'{limits.upper:.4g}'}")
    if limits.velocity is not None:
        parts.append(f"speed {limits.velocity:.4g}")
    if limits.effort is not None:
        parts.append(f"effort {limits.effort:.4g}")
    return ", ".join(parts)


def spring_text(joint: Joint) -> str:
    """Stiffness, and where the spring is relaxed."""
    rest = f" from {number_text(joint.rest)}" if joint.rest else ""
    return f"{number_text(joint.stiffness)}{rest}" if joint.stiffness else ""


def coupling_text(coupling: Coupling) -> str:
    """The joint it follows, and how."""
    factor = number_text(coupling.multiplier)
    times = "" if factor == "1" else f"({factor}) " if coupling.multiplier.symbols else f"{factor} "
    return f"{times}{coupling.reference}" + (f" + {number_text(coupling.offset)}" if coupling.offset else "")


def _unless_zero(joint: Joint, amount: Formula) -> str:
    return number_text(amount) if amount and joint.type != "fixed" else ""


def mass_text(inertia: Inertia | None) -> str:
    return "" if inertia is None else number_text(inertia.m)


def inertia_text(inertia: Inertia | None) -> str:
    """Centre of mass or first moments, and the tensor Ixx Ixy Ixz Iyy Iyz Izz, about origin or com."""
    if inertia is None:
        return ""
    place = f"{'centre' if inertia.about == 'com' else 'ms'} {_triple(inertia.position)}"
    tensor = " ".join(number_text(x) for x in inertia.tensor)
    turned = f" in axes rpy {_triple(inertia.rpy)}" if any(inertia.rpy) else ""
    return f"{place}; I about {inertia.about}{turned}: {tensor}"


def _triple(values: Iterable[Formula]) -> str:
    return " ".join(number_text(value) for value in values)


# -- tables as text and as HTML -------------------------------------------------------------------------
def text_table(table: Table, width: int | None = None) -> str:
    """Columns side by side for a terminal; cells are cut where lines would exceed the width."""
    lines = [table.head, *table.rows]
    widths = [max(_width(line[k]) for line in lines) for k in range(len(table.head))]
    text = [_line(line, widths) for line in lines]
    text.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(_cut(line.rstrip(), width) for line in text)


def html_table(table: Table, css: str = "") -> str:
    """An HTML table, every cell escaped."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f'<table class="{escape(css)}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _repr_html_(robot: RobotModel) -> str:
    """The table of links, for notebooks."""
    title = f"<b>{escape(robot.name)}</b>: {escape(headline(robot))}"
    return f"<div>{title}{html_table(link_table(robot))}</div>"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True))


def _width(text: str) -> int:
    """Columns in a terminal: East Asian letters take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _cut(line: str, width: int | None) -> str:
    return line if width is None or _width(line) <= width else line[: max(width - 1, 1)] + "…"
