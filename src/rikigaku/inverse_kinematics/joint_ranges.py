"""Configurations within joint limits: angles moved by full revolutions, nearest to a start."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array

_REVOLUTION = 2 * np.pi


def within_limits(
    q: Array, start: Array, lower: Array, upper: Array, revolute: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.bool_]]:
    """q (..., n) with angles moved by full revolutions within the limits, and which are inside (...).

    Of the angles within the limits the one nearest to the start is taken.
    """
    period = np.where(revolute, _REVOLUTION, 0.0)
    inverse = np.where(revolute, 1 / _REVOLUTION, 0.0)
    x = q + period * np.rint((start - q) * inverse)
    finite = np.isfinite(lower), np.isfinite(upper)
    if finite[0].any():
        low = np.where(finite[0], lower, -1e300)
        short = np.where(revolute & finite[0], np.maximum(low - x, 0.0), 0.0)
        x = x + period * np.ceil(short * inverse)
    if finite[1].any():
        high = np.where(finite[1], upper, 1e300)
        beyond = np.where(revolute & finite[1], np.maximum(x - high, 0.0), 0.0)
        x = x - period * np.ceil(beyond * inverse)
    return x, ((x >= lower) & (x <= upper)).all(axis=-1)


def sampled_range(lower: float, upper: float, count: int) -> Array:
    """Values of an angle within its limits, or of a whole revolution."""
    if not (np.isfinite(lower) and np.isfinite(upper)) or upper - lower >= _REVOLUTION:
        return -np.pi + _REVOLUTION * np.arange(count) / count
    return np.linspace(lower, upper, count)
