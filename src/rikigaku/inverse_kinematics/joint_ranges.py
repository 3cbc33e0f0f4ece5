"""Configurations within joint limits: angles moved by full revolutions, nearest to a start, compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.shared_kernels import general_kernel, run
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number

_REVOLUTION = 2 * np.pi
_UNBOUNDED = 1e12  # kernels take finite numbers
_ROUNDER = 1.5 * 2**52  # adding and subtracting it rounds to the nearest integer


def within_limits(
    q: Array, start: Array, lower: Array, upper: Array, revolute: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.bool_]]:
    """q (..., n) with angles moved by full revolutions within the limits, and which are inside (...).

    The angles nearest to the start are moved as little as the limits need.
    """
    n = len(start)
    kernel = general_kernel(
        f"joint ranges of {n}",
        [(x, (n,)) for x in ("q", "start", "lower", "upper", "period", "rate")],
        _moved,
    )
    bounds = np.clip(lower, -_UNBOUNDED, _UNBOUNDED), np.clip(upper, -_UNBOUNDED, _UNBOUNDED)
    period = np.where(revolute, _REVOLUTION, 0.0)
    rate = np.where(revolute, 1 / _REVOLUTION, 0.0)
    with np.errstate(all="ignore"):
        x, inside = run(kernel, [q, start, *bounds, period, rate], [q.shape, q.shape[:-1]])
        return x, inside > 0.5


def _moved(*inputs: Sequence[Number]) -> dict[str, Any]:
    moved, inside = [], _ONE
    for x, start, lower, upper, period, rate in zip(*inputs, strict=True):
        x = x + period * _rounded((start - x) * rate)
        x = x + period * _rounded_up((lower - x) * rate)
        x = x - period * _rounded_up((x - upper) * rate)
        inside = where(x < lower, 0.0, where(upper < x, 0.0, inside))
        moved.append(x)
    return {"x": moved, "inside": inside}


_ONE: Number = 1.0


def _rounded(x: Number) -> Number:
    return (x + _ROUNDER) - _ROUNDER


def _rounded_up(x: Number) -> Number:
    """The least integer that is not below x, or 0 if x is negative."""
    near = _rounded(x)
    return where(x > 0, where(near < x, near + 1.0, near), 0.0)


def sampled_range(lower: float, upper: float, count: int) -> Array:
    """Values of an angle within its limits, or of a whole revolution."""
    if not (np.isfinite(lower) and np.isfinite(upper)) or upper - lower >= _REVOLUTION:
        return -np.pi + _REVOLUTION * np.arange(count) / count
    return np.linspace(lower, upper, count)
