"""The file beside a URDF, `name.loops.toml`: loops, and what else URDF cannot hold.

It names links and joints of the URDF. Its tables are those of a `.robot.toml` file ([[loop]], [[frame]]),
with the joints that are not actuated (`passive`), reflected inertias of rotors ([rotor]), and [spring].
`loops.schema.json` beside this module describes it.

A URDF and its side file are two renames. Both carry a record, a digest of the two texts: where a save was
interrupted between the renames, the records differ and reading says so. Editing by hand keeps the records.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rikigaku.core.errors import BadModel, UnknownName
from rikigaku.core.input_files import read_input
from rikigaku.core.known_names import KnownNames
from rikigaku.core.value_text import short
from rikigaku.formats.toml.toml_document import document, text_of, tidy
from rikigaku.formats.toml.toml_reader import SCHEMA, frames_of, loops_of, note_model
from rikigaku.formats.toml.toml_table import Notes, Table, shown
from rikigaku.formats.toml.toml_text import decoded, tables_of
from rikigaku.model.robot_model import STANDARD_GRAVITY, Link, RobotModel
from rikigaku.numbers.formula import ZERO, Formula

SUFFIX = ".loops.toml"
_RECORD = re.compile(rb"<!-- loops file beside this URDF: record ([0-9a-f]{16}) -->")
_OWN_RECORD = re.compile(rb'^record = "[0-9a-f]{16}"', re.MULTILINE)
KEYS = ("schema", "record", "gravity", "passive", "independent", "rotor", "spring", "frame", "loop")


def loops_path(urdf: Path) -> Path:
    """The side file of a URDF: arm.urdf has arm.loops.toml."""
    return urdf.with_name(urdf.name.removesuffix(".urdf") + SUFFIX)


def record_of(urdf: bytes) -> str | None:
    """The record of the side file that a URDF was saved with."""
    found = _RECORD.search(urdf[:4096])  # other programs put a declaration before it
    return None if found is None else found[1].decode()


def with_loops_file(robot: RobotModel, path: Path, record: str | None) -> RobotModel:
    """The robot of a URDF with what its side file adds; record: of the URDF.

    Raises:
        BadModel: with every mistake of the side file, or if it was saved with another URDF.
        TooLarge: beyond a limit of readers.
    """
    return with_loops(robot, decoded(read_input(path), path.name), path.name, record)


def with_loops(
    robot: RobotModel, text: str, source: str = "The loops text", record: str | None = ""
) -> RobotModel:
    """The robot with what the text of a side file adds.

    source: what messages call it. record: that of the URDF, None where it has none; "" is not compared.
    """
    data = tables_of(text, source)
    notes = Notes(text, source)
    top = Table(data, (), "", notes).only(KEYS)
    if isinstance(data.get("schema"), bool) or data.get("schema") != SCHEMA:
        top.note(f"schema is {shown(data.get('schema'))}; this version reads schema = {SCHEMA}.", "schema")
    own = data.get("record")
    if own is not None and record != "" and own != record:
        top.note(
            f"it is {short(own)} here and {record!r} in the URDF: the two files are of different saves, one "
            "may have been interrupted. Save the robot again. If they belong together, delete this line.",
            "record",
        )
        notes.refuse(source)
    loops, independent = loops_of(top)
    frames = frames_of(top)
    rotor = top.table("rotor")
    rotors = {name: rotor.formula(name, ZERO) for name in rotor.data}
    springs = {name: _spring(top.table("spring"), name) for name in top.table("spring").data}
    passive = top.texts("passive")
    joints = KnownNames(joint.name for joint in robot.joints)
    for key, names in (("passive", passive), ("rotor", tuple(rotors)), ("spring", tuple(springs))):
        for name in names:
            if name not in joints:
                top.note(str(UnknownName("moving joint", name, joints, "the URDF")), key)
    gravity = top.formulas("gravity", robot.gravity)
    unactuated = frozenset(passive)

    def added(link: Link) -> Link:
        joint = link.joint
        stiffness, rest = springs.get(joint.name, (joint.stiffness, joint.rest))
        changed = replace(joint, rotor=rotors.get(joint.name, joint.rotor), stiffness=stiffness, rest=rest)
        return replace(link, joint=replace(changed, actuated=joint.actuated and joint.name not in unactuated))

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
    notes.refuse(source)
    return whole


def recorded_pair(robot: RobotModel, tree: str, tables: dict[str, Any]) -> tuple[str, str]:
    """The texts of a URDF and of its side file, each with the record of the pair."""
    record = hashlib.sha256(f"{tree}\0{text_of(tables)}".encode()).hexdigest()[:16]
    rest = text_of({"schema": SCHEMA, "record": record, **tables})
    head = f"# What {robot.name}.urdf cannot hold; rikigaku reads it beside the URDF.\n"
    return f"<!-- loops file beside this URDF: record {record} -->\n{tree}", head + rest


def is_recorded(side: Path) -> bool:
    """Whether there is a side file that was saved with a URDF, not written by hand."""
    return side.is_file() and _OWN_RECORD.search(read_input(side)) is not None


def loops_tables(robot: RobotModel, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Tables of the side file: all data of the robot that its URDF cannot hold; empty if it holds all.

    names: the URDF's joints of each joint of the robot.
    """
    whole = tidy(document(robot))
    parts = {key: whole[key] for key in ("frame", "loop") if whole[key]}
    for loop in parts.get("loop", []):
        loop.pop("independent", None)
    # URDF's reader itself takes these as not actuated.
    known = {"free", "planar"}
    followers = {coupling.joint for coupling in robot.couplings}
    unactuated = [
        j for j in robot.joints if not j.actuated and j.type not in known and j.name not in followers
    ]
    passive = [name for joint in unactuated for name in names[joint.name]]
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
    return {**kept, **by_joint, **parts}


def _spring(springs: Table, name: str) -> tuple[Formula, Formula]:
    """Stiffness and rest of one joint."""
    table = springs.table(name).only(("stiffness", "rest"))
    return table.formula("stiffness", ZERO), table.formula("rest", ZERO)


def _quoted(table: Mapping[str, object]) -> dict[str, object]:
    """The table with keys in quotes unless they are bare keys."""
    bare = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    escaped = {name: name.replace("\\", "\\\\").replace('"', '\\"') for name in table}
    return {(name if set(name) <= bare else f'"{escaped[name]}"'): value for name, value in table.items()}
