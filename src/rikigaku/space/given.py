"""What a user gives to a motion in space, looked at once: durations, targets, gains."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.given import function_of, short

Array = NDArray[np.float64]

# What a target answers with, and how many numbers each has.
_WANTED = (("pose", 7), ("twist", 6), ("acceleration", 6))


def as_duration(x: Any) -> float:
    """A time that ends [s].

    Raises:
        WrongValue: if it is no finite number above 0.
    """
    return _above_zero("A motion takes a duration above 0 s that ends", x)


def as_tolerance(x: Any) -> float:
    """Of a step of the integrator.

    Raises:
        WrongValue: if it is below rounding, or not below 1.
    """
    words = "A motion takes a tolerance above 0 (1e-10 is the usual one), from 1e-14 to 1"
    tolerance = _above_zero(words, x)
    if not 1e-14 <= tolerance < 1:
        raise WrongValue(f"{words}; {x!r} was given.")
    return tolerance


def as_steps(x: Any) -> int:
    """How many steps are allowed.

    Raises:
        WrongValue: if it is no whole number above 0.
    """
    steps = _above_zero("most_steps is a whole number above 0", x)
    if steps != int(steps):
        raise WrongValue(f"most_steps is a whole number above 0; {x!r} was given.")
    return int(steps)


def as_gains(x: Any) -> Array:
    """The two gains of a controller, none below 0.

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
    """Look whether a target answers, at both ends, with pose (7), twist (6) and acceleration (6), all finite.

    At the end too, before anything moves: a target that ends early would take a motion found with it along.

    Raises:
        WrongValue: if it is no function of time, or answers with something else.
    """
    function_of("target", "t", target)
    for t in (0.0, duration):
        _check_wanted(target(t), f"at t = {t:g}")


def _check_wanted(answer: Any, when: str) -> None:
    words = "A target answers with space.Wanted(pose, twist, acceleration) of 7, 6 and 6 numbers"
    if not isinstance(answer, tuple | list) or len(answer) != len(_WANTED):
        raise WrongValue(f"{words}; {when} it gave {short(answer)}.")
    for (name, size), x in zip(_WANTED, answer, strict=True):
        numbers = floats(f"The {name} of a target", x)
        if numbers.shape != (size,):
            raise WrongSize(f"{words}; {when} its {name} has shape {numbers.shape}.")
        if not np.isfinite(numbers).all():
            raise WrongValue(f"{words}; {when} its {name} is not finite: {numbers}.")


def _above_zero(words: str, x: Any) -> float:
    try:
        number = float(x)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 < number < np.inf:
        raise WrongValue(f"{words}; {short(x)} was given.")
    return number
