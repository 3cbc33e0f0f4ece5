"""Assembly modes of a closed robot: all closed configurations with the same independent coordinates."""

from dataclasses import dataclass

import numpy as np

from rikigaku.core.validation import numbers
from rikigaku.robot import Robot


@dataclass(frozen=True)
class AssemblyRequest:
    """q: a configuration near which the loops close; its independent coordinates are kept."""

    q: list[float]


@dataclass(frozen=True)
class AssemblyModes:
    """Closed configurations at the independent coordinates of a configuration, one row of q for each."""

    positions: list[list[float]]


def assembly_modes(robot: Robot, arguments: AssemblyRequest) -> AssemblyModes:
    """The assembly modes, nearest to the configuration first."""
    robot = robot.bind(**robot.declared_values) if robot.declared_values else robot
    q = numbers(f"q of {robot.name!r}", arguments.q, (robot.nq,))
    own = np.concatenate([q[robot.q_slices[name]] for name in robot.closure().independent])
    found = robot.assemble(own, near=q, all=True)
    return AssemblyModes([[float(x) for x in row] for row in found])
