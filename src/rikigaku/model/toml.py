"""Robots in `.robot.toml` files: reading with every mistake named, saving without losing a comment.

Decimals are kept exact (0.1 is 1/10), formulas are kept as formulas. The format is described by
`robot.schema.json` beside this module.
"""

import os
import tomllib
from decimal import Decimal
from pathlib import Path

from rikigaku.errors import BadModel, RikigakuError, TooLarge
from rikigaku.files import write_whole
from rikigaku.model.robot import Robot
from rikigaku.model.toml_document import document, text_of, tidy
from rikigaku.model.toml_read import robot_of
from rikigaku.model.toml_table import Notes
from rikigaku.model.toml_update import updated

LARGEST_FILE = 10_000_000  # bytes


def read_toml(path: str | os.PathLike[str]) -> Robot:
    """The robot in a file.

    Raises:
        BadModel: with every mistake found and its line. TooLarge: beyond 10 MB.
    """
    path = Path(path)
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise TooLarge(f"{path.name} is larger than {LARGEST_FILE // 10**6} MB; a robot file is some kB.")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadModel([f"line {line}: the file is not UTF-8 text. Save it as UTF-8."], path.name) from error
    return parse_toml(text.removeprefix("\ufeff"), path.name)


def parse_toml(text: str, source: str = "") -> Robot:
    """The robot a text describes; `source` is the name of its file, for messages.

    Raises:
        BadModel: with every mistake found and its line. TooLarge: beyond 10 MB.
    """
    if len(text) > LARGEST_FILE:
        raise TooLarge(f"{source or 'The text'} is larger than {LARGEST_FILE // 10**6} MB.")
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, ValueError, ArithmeticError) as error:
        raise BadModel([f"not a TOML file: {error}"], source) from error
    except RecursionError as error:
        raise BadModel(["not a robot: lists or tables are nested too deeply."], source) from error
    return robot_of(data, Notes(text, source))


def to_toml(robot: Robot) -> str:
    """The robot as the text of a file; `parse_toml` reads it back to an equal robot."""
    return text_of(tidy(document(robot)))


def write_toml(robot: Robot, path: str | os.PathLike[str]) -> None:
    """Save a robot. A file of the same robot keeps its comments, its order and what did not change.

    The same robot has the same name, or all links of the one are links of the other: renamed, joined, edited.

    The file is replaced in one step: after a failure the old one is still there, whole.
    """
    path = Path(path)
    text = to_toml(robot)
    if path.exists():
        text = _kept(path, robot) or text
    write_whole(path, text.encode())


def _kept(path: Path, robot: Robot) -> str:
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
