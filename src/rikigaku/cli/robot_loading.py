"""Loading a robot for a command; its warnings are collected for the command to print."""

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import rikigaku
from rikigaku.cli.file_arguments import input_name
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.library import NAMES
from rikigaku.model.robot_model import Symbol
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot


def robot_and_warnings(options: argparse.Namespace) -> tuple[Robot, list[str]]:
    """The robot of the command line, and the warnings of reading it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        source = options.robot if options.robot in NAMES else input_name(options.robot)
        robot = rikigaku.load(source, free_base=options.free_base)
    return _with_values(robot, options.values), [str(warning.message) for warning in caught]


def add_robot(parser: Any) -> None:
    parser.add_argument(
        "robot",
        metavar="ROBOT",
        help="a shipped robot's name, or a .robot.toml, .urdf, .xml (MJCF), .sdf or .par file",
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


def _with_values(robot: Robot, assignments: Sequence[str]) -> Robot:
    """The robot with the values of "NAME=VALUE" assignments in its table of symbols."""
    table = {symbol.name: symbol for symbol in robot.symbols}
    known = tuple(dict.fromkeys((*table, *robot.free_symbols)))
    for text in assignments:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise WrongValue(f"--set takes NAME=VALUE, as --set payload=1.3; {text!r} was given.")
        if name not in known:
            raise UnknownName("symbol", name, known, f"robot {robot.name!r}")
        table[name] = Symbol(name, value, table[name].unit if name in table else "")
        if _is_beyond_floats(table[name].value):
            raise WrongValue(f"--set {name}: the value is beyond the largest floating-point number, 1.8e308.")
    return replace(robot, symbols=tuple(table.values()))


def _is_beyond_floats(value: Formula | None) -> bool:
    exact = None if value is None else value.rational
    return exact is not None and abs(exact) > Fraction(sys.float_info.max)
