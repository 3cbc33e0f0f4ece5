"""Joints of a robot, coordinate by coordinate of v: which are driven, and the units of their forces."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot

FORCE, MOMENT = "N", "N m"
_UNITS = {
    "prismatic": (FORCE,),
    "planar": (FORCE, FORCE, MOMENT),
    "free": (FORCE,) * 3 + (MOMENT,) * 3,
}


def driven(robot: Robot) -> NDArray[np.bool_]:
    """Of each coordinate whether its joint has a motor, (nv,)."""
    return np.array([joint.actuated for joint in robot.joints for _ in range(joint.nv)], dtype=bool)


def units(robot: Robot) -> tuple[str, ...]:
    """Of the forces of each coordinate: N along slides, N m about hinges."""
    return tuple(unit for joint in robot.joints for unit in _UNITS.get(joint.type, (MOMENT,) * joint.nv))
