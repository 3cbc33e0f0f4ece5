"""Where the base and the arm stand in v, as arrays of places."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.space_base import arm_coordinates
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]
Places = NDArray[np.intp]


class Split(NamedTuple):
    """Places of the base's coordinates in v, and of all others."""

    base: Places
    arm: Places


def split(robot: Robot) -> Split:
    """Base and arm of a robot with a free base.

    Raises:
        NoFreeBase: if it has none.
    """
    names = set(arm_coordinates(robot))
    arm = [k for joint in robot.joints if joint.name in names for k in _places(robot, joint.name)]
    base = [k for k in range(robot.nv) if k not in arm]
    return Split(np.array(base, dtype=np.intp), np.array(sorted(arm), dtype=np.intp))


def as_array(x: Any) -> Array:
    """A float64 array."""
    return np.asarray(x, dtype=np.float64)


def as_velocity(robot: Robot, v: Any) -> Array:
    """One v of the robot.

    Raises:
        WrongSize: if it has another shape. WrongValue: if it is not finite.
    """
    numbers = as_array(v)
    if numbers.shape != (robot.nv,):
        raise WrongSize(f"v of robot {robot.name!r} has {robot.nv} numbers; shape {numbers.shape} was given.")
    if not np.isfinite(numbers).all():
        raise WrongValue(f"v of robot {robot.name!r} must be finite; {numbers} was given.")
    return numbers


def _places(robot: Robot, joint: str) -> range:
    return range(*robot.v_slices[joint].indices(robot.nv))
