"""`rikigaku convert`: a robot written in another format."""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

from rikigaku.cli.reading import add_robot, robot_and_warnings
from rikigaku.errors import NoPlace, RikigakuError
from rikigaku.model.loops_file import loops_path


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "convert", help="write a robot as .robot.toml, .urdf (loops beside it) or .xml (MJCF)"
    )
    add_robot(parser)
    parser.add_argument("output", metavar="FILE", help="the new file; its ending says the format")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    robot, notes = robot_and_warnings(options)
    path = Path(options.output)
    known = robot.declared_values
    if path.suffix != ".toml" and robot.free_symbols and all(name in known for name in robot.free_symbols):
        values = ", ".join(f"{name} = {known[name]:g}" for name in robot.free_symbols[:8])
        more = ", ..." if len(robot.free_symbols) > 8 else ""
        notes.append(f"symbols have the values of the robot's own table: {values}{more}")
        robot = robot.bind(**known)  # type: ignore[attr-defined]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot.save(path)  # type: ignore[attr-defined]
        except NoPlace:  # says all there is to say
            raise
        except OSError as error:
            raise RikigakuError(f"{str(path)!r} could not be written: {error.strerror}.") from error
    for note in (*notes, *(str(warning.message) for warning in caught)):
        print(f"warning: {note}", file=sys.stderr)
    side = loops_path(path)
    print(f"{robot.name}: {path}" + (f" and {side}" if path.suffix == ".urdf" and side.exists() else ""))
    return 0
