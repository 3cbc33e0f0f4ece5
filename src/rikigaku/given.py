"""What a caller gives, looked at once: numbers, whole numbers, arrays, words, functions, names of options."""

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import UnknownName, WrongSize, WrongValue

Array = NDArray[np.float64]
GRAVITY = "Gravity, three numbers [m/s^2] in world axes,"
Function = TypeVar("Function", bound=Callable[..., Any])


def number(
    what: str, x: Any, *, least: float | None = None, above: float | None = None, most: float | None = None
) -> float:
    """A finite number within its bounds; True and False are none.

    Raises:
        WrongValue: if it is anything else.
    """
    bounds = [f", {least:g} or more"] if least is not None else []
    bounds += [f" above {above:g}"] if above is not None else []
    bounds += [f", {most:g} or less"] if most is not None else []
    try:
        value = np.nan if _is_flag(x) or isinstance(x, str | bytes) or np.ndim(x) else float(x)
    except (TypeError, ValueError):
        value = np.nan
    low = (least is None or value >= least) and (above is None or value > above)
    if not (np.isfinite(value) and low and (most is None or value <= most)):
        raise WrongValue(f"{what} is a finite number{''.join(bounds)}; {short(x)} was given.")
    return value


def whole(what: str, x: Any, least: int = 1) -> int:
    """A whole number, `least` or more.

    Raises:
        WrongValue: if it is anything else.
    """
    if _is_flag(x) or not isinstance(x, int | np.integer) or x < least:
        raise WrongValue(f"{what} is a whole number, {least} or more; {short(x)} was given.")
    return int(x)


def place(what: str, x: Any, count: int) -> int:
    """A place in a row of `count`, from 0 on, or from the end below 0.

    Raises:
        WrongValue: if there is no such place.
    """
    if _is_flag(x) or not isinstance(x, int | np.integer) or not -count <= x < count:
        raise WrongValue(f"There are {count} {what}s, 0 to {count - 1}; {what} {short(x)} was asked for.")
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
    """True or False, nothing that might mean one of them.

    Raises:
        WrongValue: if it is anything else.
    """
    if not _is_flag(x):
        raise WrongValue(f"{what} is True or False; {short(x)} was given.")
    return bool(x)


def word(what: str, x: Any, known: Collection[str]) -> str:
    """One of the words that are known.

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
    """Look whether f is a function of these arguments.

    Raises:
        WrongValue: if it is none, or takes others.
    """
    listed = names.replace(" ", ", ")
    shape = f"{what} is a function of {listed} (lambda {listed}: ...)"
    if not callable(f):
        raise WrongValue(f"{shape}; {short(f)} was given.")
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # a compiled one, which does not say
        return
    try:
        signature.bind(*names.split())
    except TypeError:
        raise WrongValue(f"{shape}; the one given takes {signature}.") from None


def names_its_options(function: Function) -> Function:
    """The function (of an object first, as methods are); it answers a mistyped option with those it has."""
    signature = inspect.signature(function)
    known = tuple(signature.parameters)[1:]

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        for name in options:
            if name not in signature.parameters:
                raise UnknownName("option", name, known, f"the call {function.__name__}(...)")
        try:
            signature.bind(*args, **options)
        except TypeError as error:  # "missing a required argument: 'duration'"
            raise WrongValue(f"{function.__name__} takes {', '.join(known)}: {error}.") from None
        return function(*args, **options)

    return cast(Function, call)


def short(x: Any) -> str:
    """What was given, in a line."""
    text = repr(x).replace("\n", " ")
    return text if len(text) < 80 else f"{text[:77]}..."


def _is_flag(x: Any) -> bool:
    return isinstance(x, bool | np.bool_)
