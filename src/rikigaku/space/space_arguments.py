"""Validation of arguments of motions in space: states, indices of base and arm, durations, targets, gains."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import function_of, short
from rikigaku.laws.space.free_base import arm_coordinates
from rikigaku.robot import Robot
from rikigaku.spatial.pose_arrays import check_poses

# The three results of a target, with their numbers of elements.
_TARGET_PARTS = (("pose", 7), ("twist", 6), ("acceleration", 6))

Indices = NDArray[np.intp]


class Coordinates(NamedTuple):
    """Indices in v of the base's coordinates, and of all others (the arm's)."""

    base: Indices
    arm: Indices


def base_and_arm(robot: Robot) -> Coordinates:
    """Indices of the coordinates of base and arm in v.

    Raises:
        NoFreeBase: if the robot has no free base.
    """
    names = set(arm_coordinates(robot))
    indices = {joint.name: range(*robot.v_slices[joint.name].indices(robot.nv)) for joint in robot.joints}
    arm = sorted(k for name, own in indices.items() if name in names for k in own)
    base = [k for k in range(robot.nv) if k not in arm]
    return Coordinates(np.array(base, dtype=np.intp), np.array(arm, dtype=np.intp))


def as_array(x: Any) -> Array:
    """A float64 array."""
    return floats("This argument", x)


def as_velocity(robot: Robot, v: Any) -> Array:
    """v of the robot, (nv,).

    Raises:
        WrongSize: if it has another shape. WrongValue: if it is not finite.
    """
    numbers = as_array(v)
    if numbers.shape != (robot.nv,):
        raise WrongSize(f"v of robot {robot.name!r} has {robot.nv} numbers; shape {numbers.shape} was given.")
    if not np.isfinite(numbers).all():
        raise WrongValue(f"v of robot {robot.name!r} must be finite; {numbers} was given.")
    return numbers


def as_pose(pose: Any) -> Array:
    """A pose as a homogeneous matrix (4, 4).

    Raises:
        WrongSize: if it has another shape. WrongValue: if it is no rigid motion.
    """
    X = as_array(pose)
    if X.shape != (4, 4):
        raise WrongSize(f"A pose is a matrix (4, 4); shape {X.shape} was given.")
    check_poses("This matrix", X)
    return X


def as_duration(x: Any) -> float:
    """A duration [s].

    Raises:
        WrongValue: if it is no finite number above 0.
    """
    return _above_zero("A motion takes a duration above 0 s that ends", x)


def as_times(times: Any, duration: float) -> list[float]:
    """Times of results [s].

    Raises:
        WrongValue: if they do not increase, or exceed the duration.
    """
    t = as_array(times)
    if t.ndim != 1 or not (np.diff(t) > 0).all() or not ((t >= 0) & (t <= duration)).all():
        raise WrongValue(
            f"times are increasing and lie between 0 and the duration, {duration:g} s. "
            "np.linspace(0, duration, 100) are."
        )
    return [float(x) for x in t]


def as_tolerance(x: Any) -> float:
    """Relative tolerance of a step of the integrator.

    Raises:
        WrongValue: if it is below rounding, or not below 1.
    """
    rule = "A motion takes a tolerance above 0 (1e-10 is the usual one), from 1e-14 to 1"
    tolerance = _above_zero(rule, x)
    if not 1e-14 <= tolerance < 1:
        raise WrongValue(f"{rule}; {short(x)} was given.")
    return tolerance


def as_steps(x: Any) -> int:
    """The largest number of steps.

    Raises:
        WrongValue: if it is no whole number above 0.
    """
    steps = _above_zero("most_steps is a whole number above 0", x)
    if steps != int(steps):
        raise WrongValue(f"most_steps is a whole number above 0; {short(x)} was given.")
    return int(steps)


def as_gains(x: Any) -> Array:
    """The two gains of a controller, (2,).

    Raises:
        WrongSize: if they are not two. WrongValue: if one is negative or not finite.
    """
    gains = floats("gains", x)
    if gains.shape != (2,):
        raise WrongSize(f"gains are two numbers (velocity, position); shape {gains.shape} was given.")
    if not (np.isfinite(gains) & (gains >= 0)).all():
        raise WrongValue(f"gains are finite and not negative, or errors would grow; {gains} was given.")
    return gains


def as_spacing(x: Any) -> float:
    """Time between two nodes [s].

    Raises:
        WrongValue: if it is no finite number above 0.
    """
    return _above_zero("The spacing of nodes is a time above 0 s", x)


def check_target(target: Callable[[float], Any], duration: float) -> None:
    """Check that a target returns pose (7), twist (6) and acceleration (6), all finite, at both ends.

    The end is checked before the motion starts, since a target that is too short would waste the simulation.

    Raises:
        WrongValue: if it is no function of time, or returns something else. WrongSize: if a part has another
            number of elements.
    """
    function_of("target", "t", target)
    for t in (0.0, duration):
        _check_target_state(target(t), f"at t = {t:g}")


def _check_target_state(state: Any, when: str) -> None:
    rule = "A target returns space.TargetState(pose, twist, acceleration) of 7, 6 and 6 numbers"
    if not isinstance(state, tuple | list) or len(state) != len(_TARGET_PARTS):
        raise WrongValue(f"{rule}; {when} it gave {short(state)}.")
    for (name, size), x in zip(_TARGET_PARTS, state, strict=True):
        numbers = floats(f"The {name} of a target", x)
        if numbers.shape != (size,):
            raise WrongSize(f"{rule}; {when} its {name} has shape {numbers.shape}.")
        if not np.isfinite(numbers).all():
            raise WrongValue(f"{rule}; {when} its {name} is not finite: {numbers}.")


def _above_zero(rule: str, x: Any) -> float:
    try:
        number = float(x)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not 0 < number < np.inf:
        raise WrongValue(f"{rule}; {short(x)} was given.")
    return number
