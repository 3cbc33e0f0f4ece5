"""Numbers that functions of the user give on the way, and why they are not numbers where they are not."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.space_records import SPACE

Array = NDArray[np.float64]


class NotFinite(ArithmeticError):
    """A function of the user gave a number that is not finite: the motion ends there."""


class Failed(ArithmeticError):
    """A function of the user raised an error on the way: the motion ends there, and keeps what was found."""


def asked(what: str, t: float, size: int, f: Callable[..., Any], *inputs: Any) -> Array:
    """Numbers of the arm, as a function of the user's gives them at a time.

    Raises:
        WrongSize: if they are not as many. NotFinite: if one is not finite, with the reason of the law that
            gave it, as far as there is one. Failed: if it raises an error after the start.
    """
    numbers = floats(f"A motion by {what}", called(what, t, f, *inputs))
    if numbers.shape != (size,):
        raise WrongSize(f"The {what} have shape {numbers.shape}; the arm has {size} coordinates.")
    if not np.isfinite(numbers).all():
        raise NotFinite(f"the {what} are not finite at t = {t:.6g} s{_reason(f, *inputs)}")
    return numbers


def asked_wrenches(t: float, f: Callable[..., Any], *inputs: Any) -> dict[str, Array]:
    """Wrenches by frame, as a function of the user's gives them at a time.

    Raises:
        WrongValue, WrongSize: if it gives something else. NotFinite: if a number is not finite.
    """
    given = called("wrenches", t, f, *inputs)
    if not hasattr(given, "items"):
        raise WrongValue(f"wrenches gives a dict, six numbers by frame; a {type(given).__name__} was given.")
    outer = {frame: floats(f"The wrench on {frame!r}", w) for frame, w in given.items()}
    for frame, w in outer.items():
        if w.shape != (6,):
            raise WrongSize(f"The wrench on {frame!r} has six numbers; shape {w.shape} was given.")
        if not np.isfinite(w).all():
            raise NotFinite(f"the wrench on {frame!r} is not finite at t = {t:.6g} s{_reason(f, *inputs)}")
    return outer


def called(what: str, t: float, f: Callable[..., Any], *inputs: Any) -> Any:
    """What a function of the user's gives at a time.

    Raises:
        Failed: if it raises an error after the start; at the start its own error is raised.
    """
    try:
        with np.errstate(all="ignore"):
            return f(*inputs)
    except ArithmeticError:
        raise
    except Exception as error:
        if t <= 0:  # nothing is lost yet, and a mistake is best seen where it is
            raise
        raise Failed(f"{type(error).__name__} from the {what}: {error}") from error


def _reason(f: Callable[..., Any], *inputs: Any) -> str:
    """Asked once more, aloud: compiled laws warn by name, and each knows what makes it divide by zero."""
    with warnings.catch_warnings(record=True) as heard, np.errstate(all="warn"):
        warnings.simplefilter("always")
        f(*inputs)
    for warning in heard:
        found = re.search(r"encountered in (\w+)$", str(warning.message))
        if found and found[1] in SPACE:
            return f" ({found[1]}: {SPACE[found[1]].singular})"
    return ""
