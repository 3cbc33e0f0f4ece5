"""Arrays at the door of a law: what becomes float64, and of which size."""

import math
from typing import Any

import numpy as np

from rikigaku.errors import WrongSize, WrongValue

Array = np.ndarray[Any, np.dtype[np.float64]]

# The robot's attribute that gives the size of each input.
SIZES = {"q": "nq", "v": "nv", "a": "nv", "tau": "nv"}

_LINE = 64  # bytes of a line of the cache
_LARGE = 1 << 16  # bytes: from here on an array pays for looking where it begins


def empty(shape: tuple[int, ...]) -> Array:
    """An array to be filled. A large one begins with a line of the cache: whole lines are written faster than
    parts of two."""
    size = math.prod(shape)
    if 8 * size < _LARGE:
        return np.empty(shape)
    spare = np.empty(size + _LINE // 8)
    first = -spare.ctypes.data % _LINE // 8
    return spare[first : first + size].reshape(shape)


def floats(what: str, x: Any) -> Array:
    """An array of float64; text and complex numbers are refused, which NumPy would convert."""
    try:
        array = np.asarray(x)
        if array.dtype.kind == "O" and any(
            item is None or isinstance(item, (str, bytes)) for item in array.flat
        ):
            raise TypeError
        if array.dtype.kind in "fiubO":
            return array.astype(np.float64, copy=False)
        given = f"an array of {array.dtype}"
    except (TypeError, ValueError, OverflowError):
        given = repr(x)[:80]
    raise WrongValue(f"{what} takes real numbers; {given} was given.")


def sized(what: str, x: Any, size: int) -> Array:
    """An array of float64 whose last axis has that size."""
    array = floats(what, x)
    if array.ndim == 0 or array.shape[-1] != size:
        raise WrongSize(f"{what} takes {size} numbers; an array of shape {array.shape} was given.")
    return array
