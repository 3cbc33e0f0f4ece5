"""Validation of arguments: numbers, integers, arrays, choices, functions, names of options."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.value_text import short

GRAVITY = "Gravity, three numbers [m/s^2] in world axes,"


def number(
    what: str, x: Any, *, least: float | None = None, above: float | None = None, most: float | None = None
) -> float:
    """A finite number within its bounds; booleans are not accepted.

    Raises:
        WrongValue: if it is anything else.
    """
    bounds = [f", {least:g} or more"] if least is not None else []
    bounds += [f" above {above:g}"] if above is not None else []
    bounds += [f", {most:g} or less"] if most is not None else []
    value = float(x) if is_number(x) else np.nan
    low = (least is None or value >= least) and (above is None or value > above)
    if not (np.isfinite(value) and low and (most is None or value <= most)):
        raise WrongValue(f"{what} is a finite number{''.join(bounds)}; {short(x)} was given.")
    return value


def whole(what: str, x: Any, least: int = 1) -> int:
    """A whole number, `least` or more.

    Raises:
        WrongValue: if it is anything else.
    """
    if not is_whole(x) or x < least:
        raise WrongValue(f"{what} is a whole number, {least} or more; {short(x)} was given.")
    return int(x)


def place(what: str, x: Any, count: int) -> int:
    """An index below `count`, or from the end if negative.

    Raises:
        WrongValue: if it is out of range.
    """
    if not is_whole(x) or not -count <= x < count:
        raise WrongValue(f"There are {count} {what}s, 0 to {count - 1}; {what} {short(x)} was given.")
    return int(x)


def numbers(what: str, x: Any, *shapes: tuple[int, ...]) -> Array:
    """A finite array of one of these shapes.

    Raises:
        WrongSize: if its shape is another. WrongValue: if it holds anything but finite numbers.
    """
    array = floats(what, x)
    if array.shape not in shapes:
        known = " or ".join(map(str, shapes))
        raise WrongSize(f"{what} has the shape {known}; shape {array.shape} was given.")
    if not np.isfinite(array).all():
        raise WrongValue(f"{what} is made of finite numbers; {short(x)} was given.")
    return array


def flag(what: str, x: Any) -> bool:
    """True or False; numbers and text are not converted.

    Raises:
        WrongValue: if it is anything else.
    """
    if not is_flag(x):
        raise WrongValue(f"{what} is True or False; {short(x)} was given.")
    return bool(x)


def precision(dtype: Any) -> type[np.floating[Any]]:
    """np.float64 or np.float32.

    Raises:
        WrongValue: if it is anything else.
    """
    try:
        found = np.dtype(dtype).type
    except TypeError:
        found = np.void
    if found not in (np.float64, np.float32):
        raise WrongValue(f"dtype is np.float64 or np.float32; {short(dtype)} was given.")
    return found


def choice(what: str, x: Any, known: Collection[str]) -> str:
    """One of the known strings.

    Raises:
        WrongValue: if it is anything else.
    """
    if not isinstance(x, str) or x not in known:
        raise WrongValue(f"There is no {what} {short(x)}. Known: {', '.join(known)}.")
    return x


def by_name(what: str, x: Any, example: str) -> Mapping[str, Any]:
    """Values by name. example: what a caller should have written.

    Raises:
        WrongValue: if it is no mapping.
    """
    if not isinstance(x, Mapping):
        raise WrongValue(f"{what} are given by name, {example}; {short(x)} was given.")
    return x


def function_of(what: str, names: str, f: Any) -> None:
    """Check that f is a function of these arguments.

    Raises:
        WrongValue: if it is none, or takes others.
    """
    listed = names.replace(" ", ", ")
    shape = f"{what} is a function of {listed} (lambda {listed}: ...)"
    if not callable(f):
        raise WrongValue(f"{shape}; {short(f)} was given.")
    if not takes_arguments(f, len(names.split())):
        if isinstance(f, type):
            raise WrongValue(f"{shape}; the class {f.__name__} was given.")
        raise WrongValue(f"{shape}; the one given takes {inspect.signature(f)}.")


def is_flag(x: Any) -> bool:
    """Whether x is True or False."""
    return isinstance(x, bool | np.bool_)


def is_whole(x: Any) -> bool:
    """Whether x is a whole number; True and False are none."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def is_number(x: Any) -> bool:
    """Whether x is a finite real number; True, False, text and arrays with axes are none."""
    if isinstance(x, bool | np.bool_ | str | bytes | np.complexfloating):
        return False
    try:
        return not np.ndim(x) and np.asarray(x).dtype.kind in "fiuO" and bool(np.isfinite(float(x)))
    except (TypeError, ValueError, OverflowError):
        return False


def is_array(x: Any) -> bool:
    """Whether x can be an array of real numbers of some shape."""
    try:
        floats("An array", x)
    except WrongValue:
        return False
    return True


def takes_arguments(f: Callable[..., Any], count: int) -> bool:
    """Whether f can be called with that many arguments by position; of compiled ones it is assumed.

    A class is no function: called, it makes an object.
    """
    if isinstance(f, type):
        return False
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True
