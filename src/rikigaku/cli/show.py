"""`rikigaku show`: the tables of a robot in the terminal."""

import argparse
import sys
from typing import Any

from rikigaku.cli.reading import add_robot, robot_and_warnings
from rikigaku.display import frame_table, headline, link_table, loop_table, symbol_table, text_table


def add_to(commands: Any) -> None:
    parser = commands.add_parser("show", help="show a robot's links, frames, loops and symbols")
    add_robot(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    robot, warnings = robot_and_warnings(options)
    print(f"{robot.name}: {headline(robot)}")
    print(f"gravity ({', '.join(str(g) for g in robot.gravity)}) m/s^2; lengths in m, angles in rad")
    for table in (link_table(robot), frame_table(robot), loop_table(robot), symbol_table(robot)):
        if table.rows:
            print(f"\n{text_table(table)}")
    if robot.source:
        print(f"\nsource: {robot.source}")
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return 0
