"""From a Robot to the tables of a `.robot.toml` file, and those tables as text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rikigaku.core.errors import TooLarge, WrongValue
from rikigaku.core.input_limits import FORMULA_CHARACTERS, shortened
from rikigaku.formats.toml.toml_reader import SCHEMA
from rikigaku.formats.toml.toml_section import section_document
from rikigaku.model.geometry import Geometry, ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import X_AXIS, Z_AXIS, Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import STANDARD_GRAVITY, Coupling, Link, LoopEnd, RobotModel
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_parser import parse
from rikigaku.numbers.formula_text import decimal_text

# In a document: a formula (numbers included), a float (a bound), a text, a truth value, a list, a table.
Value = Any
Document = dict[str, Value]

_Q = parse("q", variables=("q",))


@dataclass(frozen=True)
class Default:
    """A value that need not be written, because reading supplies it; `shown` ones are, in a new file."""

    value: Value
    shown: bool = False


def document(robot: RobotModel) -> Document:
    """Every key the robot has, in the order of writing; what reading supplies is marked `Default`."""
    in_loops = bool(robot.loops)
    loops = [
        {"name": loop.name, "joint": loop.joint, "from": _end(loop.start), "to": _end(loop.end)}
        for loop in robot.loops
    ]
    if in_loops and robot.independent:
        loops[0]["independent"] = list(robot.independent)
    symbols = {symbol.name: _symbol(symbol.value, symbol.unit) for symbol in robot.symbols}
    return {
        "schema": SCHEMA,
        "name": robot.name,
        "source": _unless(robot.source, ""),
        "gravity": _unless(list(robot.gravity), list(STANDARD_GRAVITY), shown=True),
        "independent": _unless([] if in_loops else list(robot.independent), []),
        "symbols": _unless_empty(symbols),
        "base": _unless_empty({"name": _unless(robot.base, "base"), **_inertia(robot.base_inertia)}),
        "link": [_link(link, robot.base) for link in robot.links],
        "frame": [
            {"name": f.name, "link": f.link, **_geometry(f.geometry, optional=True)} for f in robot.frames
        ],
        "loop": loops,
        "coupling": [_coupling(coupling) for coupling in robot.couplings],
    }


def tidy(value: Value) -> Value:
    """The document of a new file: without values that reading supplies, unless marked `shown`."""
    if isinstance(value, Default):
        return tidy(value.value)
    if isinstance(value, dict):
        return {
            key: tidy(inside)
            for key, inside in value.items()
            if not isinstance(inside, Default) or inside.shown
        }
    return [tidy(item) for item in value] if isinstance(value, list) else value


def text_of(tables: Document) -> str:
    """A tidy document as TOML: one line a key, inline tables inside."""
    lines, sections = [], []
    for key, value in tables.items():
        if isinstance(value, dict):
            sections.append([f"[{key}]", *_lines(value)])
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            sections += [[f"[[{key}]]", *_lines(table)] for table in value]
        elif value != []:
            lines.append(f"{key} = {inline(value)}")
    return "\n\n".join("\n".join(section) for section in [lines, *sections]) + "\n"


def inline(value: Value) -> str:
    """A value as TOML text, right of the equals sign."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise WrongValue(f"{shortened(repr(value), 80)} cannot be saved: it holds half a character.")
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return inline(Formula.of(value))
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {inline(v)}' for key, v in value.items())} }}" if value else "{}"
    return _formula(value)


def _formula(formula: Formula) -> str:
    number = formula.rational
    if number is not None and (decimal := decimal_text(number)) is not None:
        # TOML's integers have 64 bits; larger ones are written as formulas.
        return decimal if number.denominator != 1 or abs(number) < 2**63 else f'"{number}"'
    text = str(formula)
    if len(text) > FORMULA_CHARACTERS:
        raise TooLarge(
            f"A formula of {len(text)} characters cannot be saved (limit {FORMULA_CHARACTERS}): "
            f"{text[:60]}... Bind some of its symbols, or name parts of it."
        )
    return f'"{text}"'


def _lines(table: Mapping[str, Value]) -> list[str]:
    return [f"{key} = {inline(value)}" for key, value in table.items()]


def _unless(value: Value, default: Value, shown: bool = False) -> Value:
    return Default(value, shown) if value == default else value


def _unless_empty(table: Document) -> Value:
    return table if tidy(table) else Default(table)


def _symbol(value: Formula | None, unit: str) -> Document:
    return {**({} if value is None else {"value": value}), "unit": _unless(unit, "")}


def _link(link: Link, base: str) -> Document:
    joint = link.joint
    type_ = joint_type(joint.type)
    variable = type_.dh_column if joint.axis == Z_AXIS else ""
    return {
        "name": link.name,
        "parent": _unless(link.parent, base, shown=True),
        "joint": _joint(joint, link.name),
        **_geometry(link.geometry, variable, type_.placement_optional),
        **_inertia(link.inertia),
        **section_document(link.section),
    }


def _joint(joint: Joint, link_name: str) -> Document:
    limits = joint.limits
    bounds = {
        "lower": limits.lower,
        "upper": limits.upper,
        "velocity": limits.velocity,
        "effort": limits.effort,
    }
    return {
        "name": _unless(joint.name, link_name),
        "type": joint.type,
        "axis": _unless(list(joint.axis), list(Z_AXIS)),
        "second_axis": _unless(list(joint.second_axis), list(X_AXIS)),
        "pitch": joint.pitch if joint_type(joint.type).has_pitch else _unless(joint.pitch, ZERO),
        "actuated": _unless(joint.actuated, True),
        "limits": _unless_empty({key: float(bound) for key, bound in bounds.items() if bound is not None}),
        "friction": _unless_empty(
            {"viscous": _unless(joint.viscous, ZERO), "coulomb": _unless(joint.coulomb, ZERO)}
        ),
        "rotor": _unless(joint.rotor, ZERO),
        "spring": _unless_empty(
            {"stiffness": _unless(joint.stiffness, ZERO), "rest": _unless(joint.rest, ZERO)}
        ),
    }


def _geometry(geometry: Geometry, variable: str = "", optional: bool = False) -> Document:
    if isinstance(geometry, Placement):
        zero = [ZERO] * 3
        xyz, rpy = list(geometry.xyz), list(geometry.rpy)
        placement = {"xyz": _unless(xyz, zero), "rpy": _unless(rpy, zero)}
        return {"placement": _unless_empty(placement) if optional else placement}
    modified = isinstance(geometry, ModifiedDH)
    row: Document = {}
    for column in ("alpha", "a", "theta", "d") if modified else ("theta", "d", "a", "alpha"):
        value = getattr(geometry, column)
        row[column] = value + _Q if column == variable else _unless(value, ZERO, shown=True)
    if isinstance(geometry, ModifiedDH):
        row |= {"beta": _unless(geometry.beta, ZERO), "b": _unless(geometry.b, ZERO)}
    return {"dh" if modified else "standard_dh": row}


def _inertia(inertia: Inertia | None) -> Document:
    if inertia is None:
        return {}
    position = _unless(list(inertia.position), [ZERO] * 3, shown=True)
    tensor = _unless(list(inertia.tensor), [ZERO] * 6, shown=True)
    head = {"about": inertia.about, "m": inertia.m}
    if inertia.about == "origin":
        return {"inertia": {**head, "ms": position, "I": tensor}}
    return {"inertia": {**head, "com": position, "I": tensor, "rpy": _unless(list(inertia.rpy), [ZERO] * 3)}}


def _coupling(coupling: Coupling) -> Document:
    return {
        "joint": coupling.joint,
        "reference": coupling.reference,
        "multiplier": coupling.multiplier,
        "offset": _unless(coupling.offset, ZERO),
    }


def _end(end: LoopEnd) -> Document:
    return {"link": end.link, **_geometry(end.geometry, optional=True)}
