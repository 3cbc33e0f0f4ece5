"""`load`: a shipped robot, a *.robot.toml, or a URDF file."""

from pathlib import Path
from typing import Any

from rikigaku.errors import RikigakuError, UnknownName, WrongValue
from rikigaku.model import edit, library
from rikigaku.model.robot import Robot


def load(
    source: str | Path, *, free_base: bool = False, strict: bool = False, repair: str | None = None
) -> Robot:
    """A robot by the name of a shipped one, or from a .robot.toml or .urdf file.

    Args:
        free_base: put the robot on a free joint.
        strict: refuse inertias no rigid body can have (a warning otherwise); repair="nearest" mends them.
    """
    robot = _read(str(source), strict, repair)
    return edit.on_free_base(robot) if free_base else robot


def _read(source: str, strict: bool, repair: Any) -> Robot:
    # The readers bring parsers along: loaded when a file is read, not on import.
    from rikigaku.model.physical import check_inertias
    from rikigaku.model.toml import read_toml
    from rikigaku.model.urdf import read_urdf

    if source in library.NAMES:
        return check_inertias(read_toml(library.path(source)), strict=strict, repair=repair)
    path = Path(source)
    if not path.suffix and path.name == source and not (source and path.is_dir()):
        raise UnknownName("robot", source, library.NAMES, "the library")
    if not path.is_file():
        raise RikigakuError(f"There is no file {source!r}. Give a path, or the name of a shipped robot.")
    if path.suffix == ".urdf":
        return read_urdf(path, strict=strict, repair=repair)
    if path.suffix == ".toml":
        return check_inertias(read_toml(path), strict=strict, repair=repair)
    raise WrongValue(
        f"{source!r} is neither a .robot.toml nor a .urdf file, which are the kinds that can be read."
    )
