"""`rikigaku list`: the robots that come with the package."""

import argparse
import shutil
import warnings
from typing import Any

import rikigaku
from rikigaku.display import Table, text_table
from rikigaku.model.library import NAMES


def add_to(commands: Any) -> None:
    parser = commands.add_parser("list", help="list the shipped robots")
    parser.add_argument(
        "--full", action="store_true", help="whole lines, also where the terminal is narrower"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    rows = []
    for name in NAMES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told by `show` and `analyze`
            robot = rikigaku.load(name)
        rows.append((name, str(robot.nv), str(len(robot.loops) or ""), robot.source))
    width = None if options.full else shutil.get_terminal_size((160, 24)).columns
    print(text_table(Table(("name", "nv", "loops", "source"), rows), width))
    return 0
