"""`rikigaku convert`: a robot written in another format."""

import argparse
import sys
import warnings
from typing import Any

from rikigaku.cli.file_arguments import output_path
from rikigaku.cli.robot_loading import add_robot, robot_and_warnings
from rikigaku.core.errors import NoPlace, RikigakuError
from rikigaku.formats.urdf.urdf_side_file import loops_path


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "convert", help="write a robot as .robot.toml, .urdf (loops beside it), .xml (MJCF) or .par"
    )
    add_robot(parser)
    parser.add_argument("output", metavar="FILE", help="the new file; its ending is the format")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    path = output_path(options.output)
    robot, notes = robot_and_warnings(options)
    known = robot.declared_values
    if (
        path.suffix not in (".toml", ".par")
        and robot.free_symbols
        and all(name in known for name in robot.free_symbols)
    ):
        values = ", ".join(f"{name} = {known[name]:g}" for name in robot.free_symbols[:8])
        more = ", ..." if len(robot.free_symbols) > 8 else ""
        notes.append(f"symbols have the values of the robot's own table: {values}{more}")
        robot = robot.bind(**known)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot.save(path)
        except NoPlace:  # its message is complete
            raise
        except OSError as error:
            raise RikigakuError(f"{str(path)!r} could not be written: {error.strerror}.") from error
    for note in (*notes, *(str(warning.message) for warning in caught)):
        print(f"warning: {note}", file=sys.stderr)
    side = loops_path(path)
    print(f"{robot.name}: {path}" + (f" and {side}" if path.suffix == ".urdf" and side.exists() else ""))
    return 0
