"""`robot.save`: the format follows the ending of the file's name."""

from os import PathLike
from pathlib import Path

from rikigaku.errors import NoPlace, WrongValue
from rikigaku.files import no_place
from rikigaku.model.robot import Robot


def save(robot: Robot, path: str | PathLike[str]) -> None:
    """Write the robot to a .robot.toml, .urdf or .xml (MJCF) file.

    A .toml file of the same robot keeps its comments. A URDF gets a .loops.toml beside it for what it cannot
    say; symbols must be bound first for it and for MJCF.
    """
    if not isinstance(path, str | PathLike):
        raise WrongValue(f"save takes the path of a .robot.toml, .urdf or .xml file; {path!r} was given.")
    path = Path(path)
    try:
        _write(robot, path)
    except NoPlace:
        raise
    except OSError as error:  # of looking at the file that is there
        raise no_place(path, error) from error


def _write(robot: Robot, path: Path) -> None:
    if path.suffix == ".urdf":
        from rikigaku.model.write_urdf import write_urdf

        write_urdf(robot, path)
    elif path.suffix in (".xml", ".mjcf"):
        from rikigaku.model.write_mjcf import write_mjcf

        write_mjcf(robot, path)
    elif path.suffix == ".toml" and not path.name.endswith(".loops.toml"):
        from rikigaku.model.toml import write_toml

        write_toml(robot, path)
    else:
        raise WrongValue(
            f"{path.name!r} ends with neither .robot.toml nor .urdf nor .xml (MJCF). Choose one."
        )
