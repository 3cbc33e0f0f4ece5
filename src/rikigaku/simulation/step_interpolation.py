"""Dense output: states within recorded steps, by the interpolating polynomials of the method."""

from typing import Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.native_integrator import record_size

_BATCH = 1 << 16  # times: each needs the memory of a whole step, eight times that of its state


def interpolated(records: Array, n: int, t: Array, which: Any) -> Array:
    """y at times t, each within (or at an end of) the recorded step `which`."""
    y = np.empty((len(t), n))
    for begin in range(0, len(t), _BATCH):
        here = slice(begin, begin + _BATCH)
        rows = records[which[here]]
        x = ((t[here] - rows[:, 0]) / rows[:, 2])[:, None]
        x[(t[here] == rows[:, 1]) & (np.abs(x[:, 0] - 1) < 1e-9)] = 1.0  # the end of a whole step, unrounded
        x = np.clip(x, 0.0, 1.0)  # a step may be shorter than the rounding of its times
        F = rows[:, 3 + n :].reshape(len(rows), -1, n)
        total = np.zeros((len(rows), n))
        for k in range(F.shape[1] - 1, -1, -1):
            total = (total + F[:, k]) * (x if k % 2 == 0 else 1 - x)
        y[here] = rows[:, 3 : 3 + n] + total
    return y


def step_of_no_length(t: float, y: Array) -> Array:
    """The record of a motion that stands still at t: its interpolant is y, (1, 3 + 8 n)."""
    record = np.zeros((1, record_size(len(y))))
    record[0, :3] = t, t, 1.0
    record[0, 3 : 3 + len(y)] = y
    return record


def interpolated_rates(records: Array, n: int, t: Array, which: Any) -> Array:
    """dy/dt of the interpolant, for solutions from files; NaN in a step of zero length."""
    rows = records[which]
    h = np.where(rows[:, 1] > rows[:, 0], rows[:, 2], np.nan)[:, None]
    x = (t - rows[:, 0])[:, None] / h
    F = rows[:, 3 + n :].reshape(len(rows), (rows.shape[1] - 3) // n - 1, n)
    total, rate = np.zeros((len(rows), n)), np.zeros((len(rows), n))
    for k in range(F.shape[1] - 1, -1, -1):
        total = total + F[:, k]
        z, slope = (x, 1 / h) if k % 2 == 0 else (1 - x, -1 / h)
        total, rate = total * z, rate * z + total * slope
    return rate
