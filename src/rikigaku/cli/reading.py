"""Loading a robot for a command: its warnings are kept, to be told in our own words."""

import warnings
from typing import Any

import rikigaku
from rikigaku.model.robot import Robot


def robot_and_warnings(source: str) -> tuple[Robot, list[str]]:
    """The robot, and what was said while reading it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = rikigaku.load(source)
    return robot, [str(warning.message) for warning in caught]


def add_robot(parser: Any) -> None:
    parser.add_argument(
        "robot",
        metavar="ROBOT",
        help="a shipped robot's name, or a .robot.toml, .urdf, .xml (MJCF) or .sdf file",
    )
