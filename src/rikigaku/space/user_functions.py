"""Calls of user functions (torques, velocities, wrenches, targets) during a motion, with validated results.

Errors during the motion become an ArithmeticError, which ends the motion with its message as status.
"""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.laws.catalogue import LAWS


class NotFinite(ArithmeticError):
    """A user function returned a number that is not finite."""


class UserFunctionFailed(ArithmeticError):
    """A user function raised an error after the start."""


def arm_values(what: str, t: float, size: int, f: Callable[..., Any], *inputs: Any) -> Array:
    """Values for the arm's coordinates that a user function returns at a time, (size,).

    Raises:
        WrongSize: if they have another shape. NotFinite: if one is not finite; the message includes the
            reason of the law that returned it. UserFunctionFailed: if it raises an error after the start.
    """
    numbers = floats(f"A motion by {what}", call(what, t, f, *inputs))
    if numbers.shape != (size,):
        raise WrongSize(f"The {what} have shape {numbers.shape}; the arm has {size} coordinates.")
    if not np.isfinite(numbers).all():
        raise NotFinite(f"the {what} are not finite at t = {t:.6g} s{_singular_law(f, *inputs)}")
    return numbers


def frame_wrenches(t: float, f: Callable[..., Any], *inputs: Any) -> dict[str, Array]:
    """External wrenches by frame that a user function returns at a time.

    Raises:
        WrongValue, WrongSize: if it returns something else. NotFinite: if a number is not finite.
    """
    returned = call("wrenches", t, f, *inputs)
    if not hasattr(returned, "items"):
        raise WrongValue(
            f"wrenches gives a dict, six numbers by frame; a {type(returned).__name__} was given."
        )
    wrenches = {frame: floats(f"The wrench on {frame!r}", w) for frame, w in returned.items()}
    for frame, w in wrenches.items():
        if w.shape != (6,):
            raise WrongSize(f"The wrench on {frame!r} has six numbers; shape {w.shape} was given.")
        if not np.isfinite(w).all():
            raise NotFinite(
                f"the wrench on {frame!r} is not finite at t = {t:.6g} s{_singular_law(f, *inputs)}"
            )
    return wrenches


def call(what: str, t: float, f: Callable[..., Any], *inputs: Any) -> Any:
    """The result of a user function at a time.

    Raises:
        UserFunctionFailed: if it raises an error after the start; at the start its own error is raised.
    """
    try:
        with np.errstate(all="ignore"):
            return f(*inputs)
    except ArithmeticError:
        raise
    except Exception as error:
        if t <= 0:
            raise
        raise UserFunctionFailed(f"{type(error).__name__} from the {what}: {error}") from error


def _singular_law(f: Callable[..., Any], *inputs: Any) -> str:
    """The law inside a user function that divides by zero, with its reason; empty if there is none.

    The function is called again with warnings on, since compiled laws warn with their name.
    """
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        f(*inputs)
    for warning in caught:
        found = re.search(r"encountered in ([\w.]+)$", str(warning.message))
        if found and (law := LAWS.get(found[1])) is not None:
            return f" ({law.name}: {law.singular})"
    return ""
