"""From the tables of a `.robot.toml` file to a Robot."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from rikigaku.core.errors import BadModel, TooLarge
from rikigaku.core.input_limits import LINKS
from rikigaku.formats.toml.toml_section import section_of
from rikigaku.formats.toml.toml_table import Notes, Table, shown
from rikigaku.model.geometry import Geometry, ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import X_AXIS, Z_AXIS, Joint, Limits
from rikigaku.model.joints.joint_types import CUT_JOINTS, JOINT_TYPES
from rikigaku.model.robot_model import (
    STANDARD_GRAVITY,
    Coupling,
    Frame,
    Link,
    Loop,
    LoopEnd,
    RobotModel,
    Symbol,
)
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_parser import parse

SCHEMA = 1
TOP_KEYS = (
    *("schema", "name", "source", "visuals", "configuration", "gravity", "symbols", "base"),
    *("independent", "link", "frame", "loop", "coupling"),
)
GEOMETRIES = ("dh", "standard_dh", "placement")

_Q = parse("q", variables=("q",))
_ZERO3, _ZERO6 = (ZERO,) * 3, (ZERO,) * 6


def robot_of(data: dict[str, Any], notes: Notes) -> RobotModel:
    """The robot a file describes.

    Raises:
        BadModel: with every mistake of the file, and of the robot it would make; what could not be read
            is replaced by a valid value for that.
    """
    top = Table(data, (), "", notes).only(TOP_KEYS)
    schema = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        top.note(f"schema is {shown(schema)}; this version reads schema = {SCHEMA}.", "schema")
    top.text("visuals")  # pictures read it: `formats.visual_shapes`
    _note_configuration(top)
    base = top.table("base").only(("name", "inertia"))
    base_name = base.text("name", "base")
    loops, independent = loops_of(top)
    parts: dict[str, Any] = {
        "name": top.required("name", 'name = "my_robot"') or "robot",
        "source": top.text("source"),
        "gravity": _gravity(top),
        "symbols": tuple(_symbol(top.table("symbols"), name) for name in top.table("symbols").data),
        "base": base_name,
        "base_inertia": _inertia(base),
        "links": links_of(top, base_name),
        "frames": frames_of(top),
        "loops": loops,
        "independent": independent,
        "couplings": tuple(c for table in top.tables("coupling") if (c := _coupling(table)) is not None),
    }
    try:
        robot = RobotModel(**parts)
    except BadModel as error:
        note_model(error, top)
    notes.refuse(notes.source)
    return robot


def _note_configuration(top: Table) -> None:
    """q at which pictures show the robot: numbers; no part of the model."""
    for value in top.value("configuration", list) or []:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            top.note(f"{shown(value)} should be a number: configuration lists q.", "configuration")


def _gravity(top: Table) -> tuple[Any, ...]:
    given = top.data.get("gravity")
    if given is None or isinstance(given, list):
        return top.formulas("gravity", STANDARD_GRAVITY)
    what = "gravity is the acceleration of free fall in the world frame, three numbers"
    size = (
        str(given).lstrip("-") if isinstance(given, int | Decimal) and not isinstance(given, bool) else "9.81"
    )
    top.note(f"{shown(given)} was given; {what}. Write gravity = [0, 0, -{size}].", "gravity")
    return STANDARD_GRAVITY


def note_model(error: BadModel, top: Table) -> None:
    """Note what is wrong with a robot at the lines of its file."""
    top.notes.count += error.further
    for problem in error.problems:
        if top.notes.are_many:
            top.notes.count += 1
            continue
        place = top.notes.place(getattr(problem, "place", ()))
        if place == ("independent",) and "independent" not in top.data:
            given = top.data.get("loop")
            tables = enumerate(given if isinstance(given, list) else ())
            loops = [k for k, loop in tables if isinstance(loop, dict) and "independent" in loop]
            place = ("loop", *loops[:1], "independent")
        top.notes.add(place, "", problem)


def _symbol(table: Table, name: str) -> Symbol:
    if not isinstance(table.data[name], dict):
        return Symbol(name, table.formula(name, ZERO))
    inside = table.table(name).only(("value", "unit"))
    value = inside.formula("value", ZERO) if "value" in inside.data else None
    return Symbol(name, value, inside.text("unit"))


def links_of(top: Table, base: str) -> tuple[Link, ...]:
    """The links of the [[link]] tables.

    Raises:
        TooLarge: beyond LINKS.
    """
    given = top.data.get("link")
    if isinstance(given, list) and len(given) > LINKS:
        raise TooLarge(f"{top.notes.source or 'The text'} has {len(given)} links; at most {LINKS} are read.")
    declared = top.data.get("symbols")
    names = tuple(declared) if isinstance(declared, dict) else ()
    return tuple(_link(table, base, names) for table in top.tables("link"))


def _link(table: Table, base: str, declared: Collection[str]) -> Link:
    table.only(("name", "parent", "joint", *GEOMETRIES, "inertia", "section"))
    name = table.required("name", 'name = "link_1"') or table.label
    joint = _joint(table, name)
    variable = JOINT_TYPES[joint.type].dh_column if joint.axis == Z_AXIS else ""
    geometry = _geometry(table, joint, variable, declared)
    return Link(name, table.text("parent", base), joint, geometry, _inertia(table), section_of(table))


def _joint(link: Table, link_name: str) -> Joint:
    table = link.table("joint").only(
        ("name", "type", "axis", "second_axis", "pitch", "actuated", "limits", "friction", "rotor", "spring")
    )
    if "joint" not in link.data:
        link.note('joint is missing. Write joint = { type = "revolute" }, or "fixed" if it does not move.')
        return Joint(link_name)
    type_ = table.choice("type", tuple(JOINT_TYPES), 'type = "revolute"')
    has_pitch = type_ in JOINT_TYPES and JOINT_TYPES[type_].has_pitch
    limits = table.table("limits").only(("lower", "upper", "velocity", "effort"))
    friction = table.table("friction").only(("viscous", "coulomb"))
    spring = table.table("spring").only(("stiffness", "rest"))
    return Joint(
        name=table.text("name", link_name),
        type=type_ or "revolute",
        axis=table.formulas("axis", Z_AXIS),
        second_axis=table.formulas("second_axis", X_AXIS),
        pitch=table.needed("pitch") if has_pitch else table.formula("pitch", ZERO),
        actuated=table.flag("actuated", True),
        limits=Limits(*(limits.number(key) for key in ("lower", "upper", "velocity", "effort"))),
        viscous=friction.formula("viscous", ZERO),
        coulomb=friction.formula("coulomb", ZERO),
        rotor=table.formula("rotor", ZERO),
        stiffness=spring.formula("stiffness", ZERO),
        rest=spring.formula("rest", ZERO),
    )


def _geometry(
    owner: Table, joint: Joint | None = None, variable: str = "", declared: Collection[str] = ()
) -> Geometry:
    """The one geometry of a link, frame or loop end; `variable` is the column that must hold q.

    declared: names in the table of symbols, which are constants.
    """
    given = [key for key in GEOMETRIES if key in owner.data]
    if not given and (joint is None or JOINT_TYPES[joint.type].placement_optional):
        return Placement()
    if len(given) != 1:
        found = f"{' and '.join(given)} are given" if given else "no geometry is given"
        owner.note(f"{found}. Write exactly one of {', '.join(GEOMETRIES)} (placement = {{}} for none).")
        return Placement()
    kind = given[0]
    table = owner.table(kind)
    if kind == "placement":
        table.only(("xyz", "rpy"))
        return Placement(table.formulas("xyz", _ZERO3), table.formulas("rpy", _ZERO3))
    columns = ("alpha", "a", "theta", "d", "beta", "b") if kind == "dh" else ("theta", "d", "a", "alpha")
    table.only(columns)
    typed = joint is None or owner.table("joint").data.get("type") in JOINT_TYPES
    values = {}
    for column in columns:
        before = owner.notes.count
        values[column] = table.formula(column, ZERO, ("q",))
        if not typed or owner.notes.count > before:
            values[column] = ZERO  # noted; where the variable belongs, or whether it is here, is not known
        else:
            values[column] = _constant_part(table, column, values[column], joint, variable, declared)
    return ModifiedDH(**values) if kind == "dh" else StandardDH(**values)


def _constant_part(
    table: Table, column: str, value: Formula, joint: Joint | None, variable: str, declared: Collection[str]
) -> Formula:
    """The column without the joint's variable, noted where q is missing, misplaced or multiplied."""
    offset = value - _Q
    if column == variable:
        if "q" not in offset.symbols:
            return offset
        what = f"is {value}, but the variable of a {joint.type if joint else ''} joint belongs here alone"
        advice = _with_variable(column, value, "" if joint is None else joint.name, declared)
        table.note(f"{column} {what} or with a constant added. {advice}", column)
        return ZERO
    if "q" not in value.symbols:
        return value
    if joint is None:
        advice = "nothing moves here; write a constant"
    elif variable:
        advice = f'the variable of a {joint.type} joint belongs in {variable}: write {variable} = "q"'
    elif JOINT_TYPES[joint.type].dh_column:
        advice = "the variable of a DH row acts about z, and this joint has another axis; leave q out"
    else:
        advice = f"a {joint.type} joint has no variable in the row; write a constant"
    table.note(f"{column} is {value}: {advice}.", column)
    return ZERO


def _with_variable(column: str, value: Formula, joint: str, declared: Collection[str]) -> str:
    """The sentence that says how the column is to be written with the variable q of its joint."""
    if joint in value.symbols:  # the joint's name stands for its variable
        expected = _Q + value.substitute({joint: ZERO})
        return f'In a row the variable of joint {joint!r} is written q: write {column} = "{expected}".'
    if "q" in value.symbols or not value:
        return f'Write {column} = "q".'
    unknown = sorted(value.symbols.difference(declared))
    if not unknown:
        return f'Write {column} = "{_Q + value}".'
    name = unknown[0]
    return (
        f'If {name} is the joint\'s variable, write {column} = "{_Q + value.substitute({name: ZERO})}"; '
        f'if it is a constant, write {column} = "{_Q + value}" and declare {name} in [symbols].'
    )


def _inertia(owner: Table) -> Inertia | None:
    if "inertia" not in owner.data:
        return None
    table = owner.table("inertia")
    about = table.data.get("about")
    if about == "origin":
        table.only(("about", "m", "ms", "I"))
        return Inertia("origin", table.needed("m"), table.formulas("ms", _ZERO3), table.formulas("I", _ZERO6))
    if about == "com":
        table.only(("about", "m", "com", "I", "rpy"))
        position, rpy = table.formulas("com", _ZERO3), table.formulas("rpy", _ZERO3)
        return Inertia("com", table.needed("m"), position, table.formulas("I", _ZERO6), rpy)
    for key, default in (("ms", _ZERO3), ("com", _ZERO3), ("I", _ZERO6), ("rpy", _ZERO3)):
        table.formulas(key, default)  # reports their own mistakes too
    given = "about is missing" if about is None else f"about is {shown(about)}"
    advice = 'about = "origin" (with m, ms, I) or about = "com" (with m, com, I, rpy)'
    table.note(f"{given}. Write {advice}.", "about" if about is not None else None)
    return None


def frames_of(top: Table) -> tuple[Frame, ...]:
    """The frames of the [[frame]] tables that name a link."""
    frames = []
    for table in top.tables("frame"):
        table.only(("name", "link", *GEOMETRIES))
        name = table.required("name", 'name = "hand"') or table.label
        link, geometry = table.required("link", 'link = "link_6"'), _geometry(table)
        if link:
            frames.append(Frame(name, link, geometry))
        else:
            top.notes.left_out.add(table.path)
    return tuple(frames)


def loops_of(top: Table) -> tuple[tuple[Loop, ...], tuple[str, ...]]:
    """The cut joints of the [[loop]] tables, and the independent joints named there or at the top."""
    loops, independent = [], list(top.texts("independent"))
    screws = [
        name for name, type_ in JOINT_TYPES.items() if type_.has_pitch
    ]  # the robot's checks refuse them
    for table in top.tables("loop"):
        table.only(("name", "joint", "from", "to", "independent"))
        name = table.required("name", 'name = "cut"') or table.label
        joint = table.choice("joint", (*CUT_JOINTS, *screws), 'joint = "revolute"') or "revolute"
        ends = []
        for side in ("from", "to"):
            if side not in table.data:
                table.note(f'{side} is missing. Write {side} = {{ link = "...", placement = {{}} }}.')
                continue
            end = table.table(side).only(("link", *GEOMETRIES))
            link, geometry = end.required("link", 'link = "link_3"'), _geometry(end)
            ends += [LoopEnd(link, geometry)] if link else []
        if len(ends) == 2:
            loops.append(Loop(name, joint, ends[0], ends[1]))
        else:
            top.notes.left_out.add(table.path)
        independent += [joint for joint in table.texts("independent") if joint not in independent]
    return tuple(loops), tuple(independent)


def _coupling(table: Table) -> Coupling | None:
    table.only(("joint", "reference", "multiplier", "offset"))
    joint = table.required("joint", 'joint = "finger_2"')
    reference = table.required("reference", 'reference = "finger_1"')
    factor, offset = table.needed("multiplier"), table.formula("offset", ZERO)
    if joint and reference:
        return Coupling(joint, reference, factor, offset)
    table.notes.left_out.add(table.path)
    return None
