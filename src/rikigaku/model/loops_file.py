"""The file beside a URDF, `name.loops.toml`: loops, and what else URDF has no words for.

It names links and joints of the URDF. Its tables are those of a `.robot.toml` file ([[loop]], [[frame]]),
with the joints that are not driven (`passive`), reflected inertias of rotors ([rotor]), and [spring].
`loops.schema.json` beside this module describes it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from rikigaku.errors import BadModel, TooLarge, UnknownName
from rikigaku.model.robot import STANDARD_GRAVITY, Link, Robot
from rikigaku.model.toml import LARGEST_FILE
from rikigaku.model.toml_document import document, text_of, tidy
from rikigaku.model.toml_read import SCHEMA, frames_of, loops_of, note_model
from rikigaku.model.toml_table import Notes, Table
from rikigaku.numbers.formula import ZERO, Formula

SUFFIX = ".loops.toml"
KEYS = ("schema", "gravity", "passive", "independent", "rotor", "spring", "frame", "loop")


def loops_path(urdf: Path) -> Path:
    """The side file of a URDF: arm.urdf has arm.loops.toml."""
    return urdf.with_name(urdf.name.removesuffix(".urdf") + SUFFIX)


def with_loops_file(robot: Robot, path: Path) -> Robot:
    """The robot of a URDF with what its side file adds.

    Raises:
        BadModel: with every mistake of the side file. TooLarge: beyond 10 MB.
    """
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise TooLarge(f"{path.name} is larger than {LARGEST_FILE // 10**6} MB; a side file is some kB.")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise BadModel(["the file is not UTF-8 text. Save it as UTF-8."], path.name) from error
    return with_loops(robot, text, path.name)


def with_loops(robot: Robot, text: str, source: str = "The loops text") -> Robot:
    """The robot with what the text of a side file adds; `source` is what messages call it."""
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, ValueError, ArithmeticError, RecursionError) as error:
        raise BadModel([f"not a TOML file: {error}"], source) from error
    notes = Notes(text, source)
    top = Table(data, (), "", notes).only(KEYS)
    if isinstance(data.get("schema"), bool) or data.get("schema") != SCHEMA:
        top.note(f"schema is {data.get('schema')!r}; this version reads schema = {SCHEMA}.", "schema")
    loops, independent = loops_of(top)
    frames = frames_of(top)
    rotor = top.table("rotor")
    rotors = {name: rotor.formula(name, ZERO) for name in rotor.data}
    springs = {name: _spring(top.table("spring"), name) for name in top.table("spring").data}
    passive = top.texts("passive")
    joints = tuple(joint.name for joint in robot.joints)
    for key, names in (("passive", passive), ("rotor", tuple(rotors)), ("spring", tuple(springs))):
        for name in names:
            if name not in joints:
                top.note(str(UnknownName("moving joint", name, joints, "the URDF")), key)
    gravity = top.formulas("gravity", robot.gravity)

    def added(link: Link) -> Link:
        joint = link.joint
        stiffness, rest = springs.get(joint.name, (joint.stiffness, joint.rest))
        drive = replace(joint, rotor=rotors.get(joint.name, joint.rotor), stiffness=stiffness, rest=rest)
        return replace(link, joint=replace(drive, actuated=joint.actuated and joint.name not in passive))

    try:
        whole = replace(
            robot,
            links=tuple(added(link) for link in robot.links),
            loops=(*robot.loops, *loops),
            frames=(*robot.frames, *frames),
            independent=independent or robot.independent,
            gravity=gravity,
        )
    except BadModel as error:
        note_model(error, top)
    if notes.problems:
        raise BadModel(notes.problems, source)
    return whole


def loops_text(robot: Robot, names: Mapping[str, Sequence[str]]) -> str:
    """What a URDF of the robot leaves unsaid, as the text of its side file; empty where that is nothing.

    names: the URDF's joints of each joint of the robot.
    """
    whole = tidy(document(robot))
    parts = {key: whole[key] for key in ("frame", "loop") if whole[key]}
    for loop in parts.get("loop", []):
        loop.pop("independent", None)
    # URDF's reader takes these as not driven by itself.
    known = {"free", "planar"}
    followers = {coupling.joint for coupling in robot.couplings}
    idle = [j for j in robot.joints if not j.actuated and j.type not in known and j.name not in followers]
    passive = [name for joint in idle for name in names[joint.name]]
    independent = [name for joint in robot.independent for name in names[joint]]
    rotors = {name: joint.rotor for joint in robot.joints if joint.rotor for name in names[joint.name]}
    springs = {
        name: {"stiffness": joint.stiffness, **({"rest": joint.rest} if joint.rest else {})}
        for joint in robot.joints
        if joint.stiffness
        for name in names[joint.name]
    }
    gravity = [] if robot.gravity == STANDARD_GRAVITY else list(robot.gravity)
    head = {"gravity": gravity, "passive": passive, "independent": independent}
    kept = {key: value for key, value in head.items() if value}
    by_joint = {key: _quoted(x) for key, x in (("rotor", rotors), ("spring", springs)) if x}
    if not (kept or by_joint or parts):
        return ""
    tables = {"schema": SCHEMA, **kept, **by_joint, **parts}
    return f"# What {robot.name}.urdf cannot say; rikigaku reads it beside the URDF.\n{text_of(tables)}"


def _spring(springs: Table, name: str) -> tuple[Formula, Formula]:
    """Stiffness and rest of one joint."""
    table = springs.table(name).only(("stiffness", "rest"))
    return table.formula("stiffness", ZERO), table.formula("rest", ZERO)


def _quoted(table: Mapping[str, object]) -> dict[str, object]:
    """The table with keys that are no bare words in quotes."""
    bare = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    escaped = {name: name.replace("\\", "\\\\").replace('"', '\\"') for name in table}
    return {(name if set(name) <= bare else f'"{escaped[name]}"'): value for name, value in table.items()}
