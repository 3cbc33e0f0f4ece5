"""Robots read from and written to files; the format follows the ending of the file's name."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from rikigaku import library
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NoFile, NoPlace, UnknownName, WrongValue
from rikigaku.core.files import no_place
from rikigaku.core.input_limits import NAME_CHARACTERS, shortened
from rikigaku.core.validation import flag
from rikigaku.core.value_text import short
from rikigaku.model import editing
from rikigaku.model.angle_units import warn_of_degrees
from rikigaku.model.robot_model import RobotModel

Reader = Callable[[Path], RobotModel]
Writer = Callable[[RobotModel, Path], object]

_READ = (".robot.toml", ".urdf", ".xml (MJCF)", ".par (SYMORO)", ".sdf")
_WRITTEN = _READ[:4]
_SHIPPED = (".toml", ".urdf", ".xml", ".mjcf", ".sdf", ".par")


@dataclass(frozen=True)
class FileFormat:
    """A format added from outside; None where its files cannot be read, or not be written."""

    read: Reader | None = None
    write: Writer | None = None


# Formats added by `register_format`, by the ending of file names.
FORMATS: dict[str, FileFormat] = {}


def register_format(ending: str, *, read: Reader | None = None, write: Writer | None = None) -> None:
    """Add a file format: from now on `rk.load` reads, and `robot.save` writes, files with that ending.

    Args:
        ending: of the files' names, with its dot; ".arm.json" comes before ".json".
        read: a function of the path that returns a `RobotModel`. Inertias are checked afterwards.
        write: a function of the robot and the path.
    Raises:
        WrongValue: if there is such a format, or nothing to call.
    """
    if not isinstance(ending, str) or not ending.startswith(".") or len(ending) < 2:
        raise WrongValue(f"The ending of a format starts with a dot, as .chain; {ending!r} was given.")
    if ending in FORMATS or ending.lower() in (*_SHIPPED, ".robot.toml", ".loops.toml"):
        raise WrongValue(f"{ending!r} files are read and written already; choose another ending.")
    if read is None and write is None:
        raise WrongValue(f"A format takes a reader, a writer or both; {ending!r} has none.")
    for function in (read, write):
        if function is not None and not callable(function):
            raise WrongValue(f"A reader or writer is a function; {function!r} was given.")
    FORMATS[ending] = FileFormat(read, write)


def _added(path: Path) -> tuple[str, FileFormat]:
    """The longest ending of an added format that the name has, and the format; an empty one if none."""
    fitting = [ending for ending in FORMATS if path.name.endswith(ending)]
    ending = max(fitting, key=len, default="")
    return ending, FORMATS.get(ending, FileFormat())


def load(
    source: str | PathLike[str],
    *,
    free_base: bool = False,
    strict: bool = False,
    repair: str | None = None,
    cut: str | Sequence[str] | None = (),
) -> RobotModel:
    """A robot by the name of a shipped one, or from a .robot.toml, .urdf, .xml (MJCF), .sdf or .par file.

    A URDF's loops are read from the .loops.toml file beside it, if there is one.

    Args:
        free_base: put the robot on a free joint.
        strict: refuse inertias no rigid body can have (a warning otherwise); repair="nearest" corrects them.
        cut: joints of an SDF at which its loops are to be cut open; chosen where none is named.
    """
    if not isinstance(source, str | PathLike):
        raise WrongValue(f"load takes the name of a shipped robot or a file's path; {source!r} was given.")
    if not isinstance(cut, str | Sequence | None):
        raise WrongValue(f"cut takes names of joints, as ['knee']; {cut!r} was given.")
    named = () if cut is None else (cut,) if isinstance(cut, str) else tuple(cut)
    free_base, strict = flag("free_base", free_base), flag("strict", strict)
    robot = _read(fspath(source), strict, repair, named)
    warn_of_degrees(robot)
    return editing.on_free_base(robot) if free_base else robot


def _read(source: str, strict: bool, repair: Any, cut: Sequence[str]) -> RobotModel:
    # The readers import parsers, so they are loaded when a file is read.
    from rikigaku.formats.toml.toml_file import read_toml
    from rikigaku.model.physical_consistency import check_inertias

    if source in library.NAMES:
        return check_inertias(read_toml(library.path(source)), strict=strict, repair=repair)
    path = Path(source)
    if ("<" in source or "\n" in source) and not os.path.lexists(path):
        raise WrongValue(
            "load takes the name of a shipped robot or a file's path, not the text of a robot; "
            f"{short(source)} was given. Write it to a file that ends in .urdf, .xml, .sdf or .robot.toml."
        )
    if not path.suffix and path.name == source and not (source and os.path.isdir(path)):
        raise UnknownName("robot", source, library.NAMES, "the library")
    if not os.path.lexists(path):
        shown = shortened(repr(source), NAME_CHARACTERS)
        raise NoFile(f"There is no file {shown}. Give a path, or the name of a shipped robot.")
    if cut and path.suffix != ".sdf":
        raise WrongValue(f"cut names joints of an SDF; the loops of {source!r} are cut where the file says.")
    ending, added = _added(path)
    if added.read is not None:
        model = added.read(path)
        if not isinstance(model, RobotModel):
            raise WrongValue(f"The reader of {ending!r} files returns a RobotModel; it returned {model!r}.")
        return check_inertias(model, strict=strict, repair=repair)
    if path.suffix == ".toml":
        return check_inertias(read_toml(path), strict=strict, repair=repair)
    if path.suffix == ".urdf":
        from rikigaku.formats.urdf.urdf_reader import read_urdf

        return read_urdf(path, strict=strict, repair=repair)
    if path.suffix in (".xml", ".mjcf"):
        from rikigaku.formats.mjcf.mjcf_reader import read_mjcf

        return read_mjcf(path, strict=strict, repair=repair)
    if path.suffix == ".par":
        from rikigaku.formats.symoro.par_reader import read_par

        return check_inertias(read_par(path), strict=strict, repair=repair)
    if path.suffix == ".sdf":
        from rikigaku.formats.sdf.sdf_reader import read_sdf

        return read_sdf(path, cut=cut, strict=strict, repair=repair)
    known = ", ".join((*_READ, *(name for name, one in FORMATS.items() if one.read is not None)))
    raise WrongValue(f"{source!r} ends with none of {known}, which can be read.")


@checked
def save(robot: RobotModel, path: str | PathLike[str]) -> None:
    """Write the robot to a .robot.toml, .urdf, .xml (MJCF) or .par (SYMORO) file.

    A .toml file of the same robot keeps its comments. A URDF gets a .loops.toml beside it for what it cannot
    hold; symbols must be bound first for it and for MJCF. A .par file takes rows of modified DH.
    """
    if not isinstance(path, str | PathLike):
        raise WrongValue(
            f"save takes the path of a .robot.toml, .urdf, .xml or .par file; {path!r} was given."
        )
    path = Path(path)
    try:
        _write(robot, path)
    except NoPlace:
        raise
    except OSError as error:  # of looking at the file that is there
        raise no_place(path, error) from error


def _write(robot: RobotModel, path: Path) -> None:
    if (added := _added(path)[1].write) is not None:
        added(robot, path)
    elif path.suffix == ".urdf":
        from rikigaku.formats.urdf.urdf_writer import write_urdf

        write_urdf(robot, path)
    elif path.suffix in (".xml", ".mjcf"):
        from rikigaku.formats.mjcf.mjcf_writer import write_mjcf

        write_mjcf(robot, path)
    elif path.suffix == ".par":
        from rikigaku.formats.symoro.par_writer import write_par

        write_par(robot, path)
    elif path.suffix == ".toml" and not path.name.endswith(".loops.toml"):
        from rikigaku.formats.toml.toml_file import write_toml

        write_toml(robot, path)
    else:
        known = ", ".join((*_WRITTEN, *(name for name, one in FORMATS.items() if one.write is not None)))
        raise WrongValue(f"{path.name!r} ends with none of {known}. Choose one.")
