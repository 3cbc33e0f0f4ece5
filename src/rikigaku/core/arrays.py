"""Conversion of arguments to float64 arrays, with checks of their size."""

import math
from typing import Any

import numpy as np

from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.value_text import short

# The robot's attribute that gives the size of each input.
SIZES = {"q": "nq", "v": "nv", "a": "nv", "tau": "nv"}

_LINE = 64  # bytes of a cache line
_MOST_AXES = 32  # that NumPy broadcasts
_LARGE = 1 << 16  # bytes: larger arrays are aligned


def empty(shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """An array without values. A large one is aligned to cache lines, which makes stores to it faster."""
    size, each = math.prod(shape), np.dtype(dtype).itemsize
    if each * size < _LARGE:
        return np.empty(shape, dtype)
    spare = np.empty(size + _LINE // each, dtype)
    first = -spare.ctypes.data % _LINE // each
    return spare[first : first + size].reshape(shape)


def floats(what: str, x: Any, single: bool = False) -> Array:
    """An array of float64; single: one of float32 stays as it is, also of another package (DLPack).

    Text and complex numbers, which NumPy would convert, raise WrongValue.
    """
    if not isinstance(x, np.ndarray) and hasattr(type(x), "__dlpack__"):
        x = _shared(what, x)
    try:
        array = np.asarray(x)
        if array.dtype.kind == "O" and any(
            item is None or isinstance(item, (str, bytes)) for item in array.flat
        ):
            raise TypeError
        if array.dtype.kind in "fiubO" and array.ndim <= _MOST_AXES:
            if single and array.dtype == np.float32:
                return array
            return array.astype(np.float64, copy=False)
        actual = f"an array of {array.dtype}" if array.ndim <= _MOST_AXES else f"{array.ndim} nested lists"
    except (TypeError, ValueError, OverflowError, RecursionError):
        actual = short(x)
    raise WrongValue(f"{what} takes real numbers; {actual} was given.")


def single_precision(what: str, x: Array) -> Array:
    """An array of float32; x itself if it is one.

    Raises:
        WrongValue: for a finite number that is too large.
    """
    try:
        with np.errstate(over="raise"):
            return x.astype(np.float32, copy=False)
    except FloatingPointError:
        raise too_large_for_single(what, float(np.abs(x[np.isfinite(x)]).max())) from None


def too_large_for_single(what: str, x: float) -> WrongValue:
    """The error of a number that is infinite in single precision."""
    largest = float(np.finfo(np.float32).max)
    return WrongValue(f"{what} is {x:.3g}, which single precision does not hold (at most {largest:.3g}).")


def _shared(what: str, x: Any) -> np.ndarray[Any, Any]:
    """An array of another package (JAX, PyTorch) as one of NumPy, in the same memory (DLPack)."""
    try:
        return np.from_dlpack(x)
    except Exception as error:  # each package has its own
        package = type(x).__module__.split(".")[0]
        inside = {"jax": "under jit, vmap and grad use rikigaku.jax.law", "jaxlib": "use rikigaku.jax.law"}
        inside["torch"] = "use rikigaku.torch.law, or x.detach().cpu()"
        advice = inside.get(package, "copy it to the processor's memory")
        raise WrongValue(
            f"{what}: the array of {package} cannot be read where it is; it is traced, differentiated, of "
            f"another type or on another device: {advice}."
        ) from error


def sized(what: str, x: Any, size: int, single: bool = False) -> Array:
    """An array of float64 whose last axis has that size; single: one of float32 stays."""
    array = floats(what, x, single)
    if array.ndim == 0 or array.shape[-1] != size:
        raise WrongSize(f"{what} takes {size} numbers; an array of shape {array.shape} was given.")
    return array
