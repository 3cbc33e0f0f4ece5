"""`rikigaku check`: every problem of a robot file at once."""

import argparse
import warnings
from pathlib import Path
from typing import Any

import rikigaku
from rikigaku.cli.file_arguments import input_name
from rikigaku.core.errors import BadModel, RikigakuError
from rikigaku.laws.structure import recognised_note
from rikigaku.model.robot_tables import headline


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "check", help="read a file and list all its problems (exit code 1 if there are any)"
    )
    parser.add_argument("file", metavar="FILE", help="a .robot.toml, .urdf, .xml (MJCF), .sdf or .par file")
    parser.add_argument(
        "--strict", action="store_true", help="list inertias that no rigid body can have as problems, too"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if not Path(input_name(options.file)).is_file():
        raise RikigakuError(f"There is no file {options.file!r} to check.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = rikigaku.load(options.file, strict=options.strict)
        except BadModel as error:
            print(error)
            return 1
        except RikigakuError as error:
            print(f"{options.file}: {error}")
            return 1
    for warning in caught:
        print(f"warning: {warning.message}")
    if note := recognised_note(robot):
        print(note)
    print(f"{options.file}: no problems. {robot.name}: {headline(robot)}")
    return 0
