"""Loading a robot for a command: its warnings are kept, to be told in our own words."""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import rikigaku
from rikigaku.errors import UnknownName, WrongValue
from rikigaku.model.robot import Robot, Symbol


def robot_and_warnings(options: argparse.Namespace) -> tuple[Robot, list[str]]:
    """The robot that was asked for, and what was said while reading it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = rikigaku.load(options.robot, free_base=options.free_base)
    return _with_values(robot, options.values), [str(warning.message) for warning in caught]


def add_robot(parser: Any) -> None:
    parser.add_argument(
        "robot",
        metavar="ROBOT",
        help="a shipped robot's name, or a .robot.toml, .urdf, .xml (MJCF) or .sdf file",
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        dest="values",
        help="value of a symbol, as payload=1.3 or tilt=30*deg; may be given several times",
    )
    parser.add_argument("--free-base", action="store_true", help="put the robot on a free joint")


def _with_values(robot: Robot, given: Sequence[str]) -> Robot:
    """The robot whose own table gives symbols these values."""
    table = {symbol.name: symbol for symbol in robot.symbols}
    known = tuple(dict.fromkeys((*table, *robot.free_symbols)))
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise WrongValue(f"--set takes NAME=VALUE, as --set payload=1.3; {text!r} was given.")
        if name not in known:
            raise UnknownName("symbol", name, known, f"robot {robot.name!r}")
        table[name] = Symbol(name, value, table[name].unit if name in table else "")  # type: ignore[arg-type]
    return replace(robot, symbols=tuple(table.values()))
