"""`load`: a shipped robot, a *.robot.toml, or a URDF, MJCF or SDF file."""

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from rikigaku.errors import RikigakuError, UnknownName, WrongValue
from rikigaku.model import edit, library
from rikigaku.model.robot import Robot


def load(
    source: str | PathLike[str],
    *,
    free_base: bool = False,
    strict: bool = False,
    repair: str | None = None,
    cut: str | Sequence[str] | None = (),
) -> Robot:
    """A robot by the name of a shipped one, or from a .robot.toml, .urdf, .xml (MJCF) or .sdf file.

    A URDF's loops are read from the .loops.toml file beside it, if there is one.

    Args:
        free_base: put the robot on a free joint.
        strict: refuse inertias no rigid body can have (a warning otherwise); repair="nearest" mends them.
        cut: joints of an SDF at which its loops are to be cut open; chosen where none is named.
    """
    if not isinstance(source, str | PathLike):
        raise WrongValue(f"load takes the name of a shipped robot or a file's path; {source!r} was given.")
    if not isinstance(cut, str | Sequence | None):
        raise WrongValue(f"cut takes names of joints, as ['knee']; {cut!r} was given.")
    named = () if cut is None else (cut,) if isinstance(cut, str) else tuple(cut)
    robot = _read(fspath(source), strict, repair, named)
    return edit.on_free_base(robot) if free_base else robot


def _read(source: str, strict: bool, repair: Any, cut: Sequence[str]) -> Robot:
    # The readers bring parsers along: loaded when a file is read, not on import.
    from rikigaku.model.physical import check_inertias
    from rikigaku.model.toml import read_toml

    if source in library.NAMES:
        return check_inertias(read_toml(library.path(source)), strict=strict, repair=repair)
    path = Path(source)
    if not path.suffix and path.name == source and not (source and path.is_dir()):
        raise UnknownName("robot", source, library.NAMES, "the library")
    if not path.is_file():
        raise RikigakuError(f"There is no file {source!r}. Give a path, or the name of a shipped robot.")
    if cut and path.suffix != ".sdf":
        raise WrongValue(f"cut names joints of an SDF; {source!r} says itself where its loops are cut.")
    if path.suffix == ".toml":
        return check_inertias(read_toml(path), strict=strict, repair=repair)
    if path.suffix == ".urdf":
        from rikigaku.model.urdf import read_urdf

        return read_urdf(path, strict=strict, repair=repair)
    if path.suffix in (".xml", ".mjcf"):
        from rikigaku.model.mjcf import read_mjcf

        return read_mjcf(path, strict=strict, repair=repair)
    if path.suffix == ".sdf":
        from rikigaku.model.sdf import read_sdf

        return read_sdf(path, cut=cut, strict=strict, repair=repair)
    raise WrongValue(
        f"{source!r} is neither a .robot.toml nor a .urdf, .xml (MJCF) or .sdf file, which are the kinds "
        "that can be read."
    )
