"""`rikigaku plot`: a picture of a robot in a file."""

import argparse
from typing import Any

import numpy as np

from rikigaku.cli.file_arguments import output_path
from rikigaku.cli.robot_loading import add_robot, robot_and_warnings
from rikigaku.core.errors import WrongSize
from rikigaku.model.states import is_length
from rikigaku.plotting import save_plot
from rikigaku.robot import Robot


def add_to(commands: Any) -> None:
    parser = commands.add_parser("plot", help="draw a robot into a picture file")
    add_robot(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="robot.png", help="png, svg or pdf (default: robot.png)"
    )
    parser.add_argument(
        "--q",
        metavar="NUMBER",
        nargs="+",
        type=float,
        help="joint positions: degrees, metres; quaternions as they are",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    path = output_path(options.output)
    robot, _ = robot_and_warnings(options)
    q = None if options.q is None else _radians(robot, options.q)
    save_plot(robot, path, q)
    print(f"picture: {options.output}")
    return 0


def _radians(robot: Robot, numbers: list[float]) -> Any:
    if len(numbers) != robot.nq:
        joints = ", ".join(joint.name for joint in robot.joints[:12])
        raise WrongSize(
            f"--q takes {robot.nq} numbers for {robot.name!r} ({joints}); {len(numbers)} were given."
        )
    kept = is_length(robot)
    for joint in robot.joints:
        if joint.type in ("free", "spherical"):
            kept[robot.q_slices[joint.name]] = True
    return np.where(kept, numbers, np.radians(numbers))
