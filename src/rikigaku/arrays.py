"""Arrays at the door of a law: what becomes float64, and of which size."""

from typing import Any

import numpy as np

from rikigaku.errors import WrongSize, WrongValue

Array = np.ndarray[Any, np.dtype[np.float64]]

# The robot's attribute that gives the size of each input.
SIZES = {"q": "nq", "v": "nv", "a": "nv", "tau": "nv"}


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
    except (TypeError, ValueError):
        given = repr(x)[:80]
    raise WrongValue(f"{what} takes real numbers; {given} was given.")


def sized(what: str, x: Any, size: int) -> Array:
    """An array of float64 whose last axis has that size."""
    array = floats(what, x)
    if array.ndim == 0 or array.shape[-1] != size:
        raise WrongSize(f"{what} takes {size} numbers; an array of shape {array.shape} was given.")
    return array
