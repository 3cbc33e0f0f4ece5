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
# adding and subtracting it rounds to the nearest integer, in double and in single precision
_ROUNDER, _SINGLE_ROUNDER = 1.5 * 2**52, 1.5 * 2**23
# [rad, m]: a joint beyond its limit by less than this is moved to it. Two solutions that meet at a limit (an
# elbow whose limit is the stretched arm) are computed to the square root of the rounding error.
AT_LIMIT = 1e-8
_SINGLE_AT_LIMIT = 1e-5  # the same in single precision


class JointRanges:
    """Limits of the joints of a chain: lower and upper (n,), and which are angles.

    single: computes in single precision, on arrays of float32.
    """

    def __init__(self, lower: Array, upper: Array, revolute: NDArray[np.bool_], single: bool = False) -> None:
        n = len(lower)
        self.single = single
        self.kernel = general_kernel(
            f"joint ranges of {n}{' in single precision' * single}",
            [(x, (n,)) for x in ("q", "start", "lower", "upper", "period", "rate")],
            _moved_in_single if single else _moved_in_double,
        )
        numbers = [
            np.clip(lower, -_UNBOUNDED, _UNBOUNDED),
            np.clip(upper, -_UNBOUNDED, _UNBOUNDED),
            np.where(revolute, _REVOLUTION, 0.0),
            np.where(revolute, 1 / _REVOLUTION, 0.0),
        ]
        kind: Any = np.float32 if single else np.float64
        self._numbers: list[Array] = [x.astype(kind) for x in numbers]

    def moved(self, q: Array, start: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
        """q (..., n) with angles moved by full revolutions within the limits; inside and clipped (...).

        The angles nearest to the start are moved as little as the limits need. inside: within the limits.
        clipped: some joint was beyond its limit by rounding errors (at most AT_LIMIT) and is now at it.
        """
        batch = q.shape[:-1]
        with np.errstate(all="ignore"):
            arrays, shapes = [q, start, *self._numbers], [q.shape, batch, batch]
            x, inside, clipped = run(self.kernel, arrays, shapes, self.single)
            return x, inside > 0.5, clipped > 0


def _moved_in_double(*inputs: Sequence[Number]) -> dict[str, Any]:
    return _moved(inputs, _ROUNDER, AT_LIMIT)


def _moved_in_single(*inputs: Sequence[Number]) -> dict[str, Any]:
    return _moved(inputs, _SINGLE_ROUNDER, _SINGLE_AT_LIMIT)


def _moved(inputs: Sequence[Sequence[Number]], rounder: float, near: float) -> dict[str, Any]:
    """near: distance from a limit [rad, m] within which a joint is moved to it."""
    moved, inside, clipped = [], _ONE, _ZERO
    for x, start, lower, upper, period, rate in zip(*inputs, strict=True):
        x = x + period * _rounded((start - x) * rate, rounder)
        x = x + period * _rounded_up((lower - near - x) * rate, rounder)
        x = x - period * _rounded_up((x - upper - near) * rate, rounder)
        nearest = where(x < lower, lower, where(upper < x, upper, x))
        gap = (nearest - x) * (nearest - x)
        at = gap < near * near
        inside = where(at, inside, 0.0)
        clipped = where(at, clipped + gap, clipped)
        moved.append(where(at, nearest, x))
    return {"x": moved, "inside": inside, "clipped": clipped}


_ONE: Number = 1.0
_ZERO: Number = 0.0


def _rounded(x: Number, rounder: float) -> Number:
    return (x + rounder) - rounder


def _rounded_up(x: Number, rounder: float) -> Number:
    """The least integer that is not below x, or 0 if x is negative."""
    near = _rounded(x, rounder)
    return where(x > 0, where(near < x, near + 1.0, near), 0.0)


def sampled_range(lower: float, upper: float, count: int) -> Array:
    """Values of an angle within its limits, or of a whole revolution."""
    if not (np.isfinite(lower) and np.isfinite(upper)) or upper - lower >= _REVOLUTION:
        return -np.pi + _REVOLUTION * np.arange(count) / count
    return np.linspace(lower, upper, count)


def low_discrepancy(lower: float, upper: float, count: int, place: int, dimension: int) -> Array:
    """The place-th coordinate of a Kronecker sequence that fills a box evenly (count,).

    Its steps are powers of the root of x^(dimension + 1) = x + 1.
    """
    root = 1.5
    for _ in range(60):
        root = (1 + root) ** (1 / (dimension + 1))
    part = (0.5 + np.arange(count) * root ** -(place + 1.0)) % 1.0
    if not (np.isfinite(lower) and np.isfinite(upper)) or upper - lower >= _REVOLUTION:
        lower, upper = -np.pi, np.pi
    return np.asarray(lower + part * (upper - lower))
