"""`rikigaku list` and `rikigaku show`: the shipped robots, and the tables of one robot, in the terminal."""

import argparse
import shutil
import sys
import warnings
from typing import Any

import rikigaku
from rikigaku.cli.robot_loading import add_robot, robot_and_warnings
from rikigaku.library import NAMES
from rikigaku.model.robot_tables import (
    Table,
    frame_table,
    headline,
    link_table,
    loop_table,
    symbol_table,
    text_table,
)


def add_to(commands: Any) -> None:
    parser = commands.add_parser("list", help="list the shipped robots")
    parser.add_argument(
        "--full", action="store_true", help="whole lines, also where the terminal is narrower"
    )
    parser.set_defaults(run=list_robots)
    parser = commands.add_parser("show", help="show a robot's links, frames, loops and symbols")
    add_robot(parser)
    parser.set_defaults(run=show)


def show(options: argparse.Namespace) -> int:
    robot, notes = robot_and_warnings(options)
    print(f"{robot.name}: {headline(robot)}")
    print(f"gravity ({', '.join(str(g) for g in robot.gravity)}) m/s^2; lengths in m, angles in rad")
    for table in (link_table(robot), frame_table(robot), loop_table(robot), symbol_table(robot)):
        if table.rows:
            print(f"\n{text_table(table)}")
    if robot.source:
        print(f"\nsource: {robot.source}")
    for note in notes:
        print(f"warning: {note}", file=sys.stderr)
    return 0


def list_robots(options: argparse.Namespace) -> int:
    rows = []
    for name in NAMES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `show` and `analyze` report them
            robot = rikigaku.load(name)
        rows.append((name, str(robot.nv), str(len(robot.loops) or ""), robot.source))
    width = None if options.full else shutil.get_terminal_size((160, 24)).columns
    print(text_table(Table(("name", "nv", "loops", "source"), rows), width))
    return 0
