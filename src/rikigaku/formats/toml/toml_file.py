"""Robots in `.robot.toml` files: reading with every mistake named, saving without losing a comment.

Decimals are kept exact (0.1 is 1/10), formulas are kept as formulas. The format is described by
`robot.schema.json` beside this module.
"""

import os
from pathlib import Path

from rikigaku.core.errors import RikigakuError, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.input_files import read_input
from rikigaku.formats.toml.toml_document import document, text_of, tidy
from rikigaku.formats.toml.toml_reader import robot_of
from rikigaku.formats.toml.toml_table import Notes
from rikigaku.formats.toml.toml_text import decoded, tables_of
from rikigaku.formats.toml.toml_update import updated
from rikigaku.model.part_check import is_negative
from rikigaku.model.robot_model import RobotModel


def read_toml(path: str | os.PathLike[str]) -> RobotModel:
    """The robot in a file.

    Raises:
        BadModel: with every mistake found and its line. TooLarge: beyond a limit of readers.
        NoFile: if it cannot be read.
    """
    path = Path(path)
    return parse_toml(decoded(read_input(path), path.name), path.name)


def parse_toml(text: str, source: str = "") -> RobotModel:
    """The robot a text describes; `source` is the name of its file, for messages.

    Raises:
        BadModel: with every mistake found and its line. TooLarge: beyond a limit of readers.
    """
    return robot_of(tables_of(text, source), Notes(text, source))


def to_toml(robot: RobotModel, visuals: str = "") -> str:
    """The robot as the text of a file; `parse_toml` reads it back to an equal robot.

    visuals: the file with the shapes of its links, as the text names it; "" for none.

    Raises:
        WrongValue: for a negative mass, which no file may have.
    """
    bodies = ((robot.base, robot.base_inertia), *((link.name, link.inertia) for link in robot.links))
    for name, inertia in bodies:
        if inertia is not None and is_negative(inertia.m):
            raise WrongValue(
                f"Link {name!r} has the mass {inertia.m} kg: no file with it could be read again."
            )
    tables = document(robot)
    if visuals:
        tables = {"schema": tables["schema"], "name": tables["name"], "visuals": visuals, **tables}
    return text_of(tidy(tables))


def write_toml(robot: RobotModel, path: str | os.PathLike[str]) -> None:
    """Save a robot. A file of the same robot keeps its comments, its order and what did not change.

    The same robot has the same name, or all links of the one are links of the other: renamed, joined, edited.

    The file is replaced in one step: after a failure the old one is still there, whole.
    """
    path = Path(path)
    text = to_toml(robot)
    if path.is_file():
        text = _kept(path, robot) or text
    write_whole(path, text.encode())


def _kept(path: Path, robot: RobotModel) -> str:
    """The text of the file with the robot's changes; empty where it holds another robot or none."""
    try:
        old = read_toml(path)
        before, after = ({link.name for link in one.links} for one in (old, robot))
        if old.name != robot.name and not (before and after and (before <= after or after <= before)):
            return ""
        text = updated(path.read_text(encoding="utf-8"), document(robot))
        new = parse_toml(text)
    except (RikigakuError, UnicodeDecodeError):
        return ""
    return text if new == robot and new.source == robot.source else ""
