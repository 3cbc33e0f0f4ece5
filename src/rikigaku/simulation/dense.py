"""States between the integrator's steps: interpolated, and brought onto what their mode keeps constant."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.bound import Kernel
from rikigaku.simulation.drives import Drive
from rikigaku.simulation.interpolation import interpolated
from rikigaku.simulation.modes import Array
from rikigaku.simulation.run import Run

_MANY = 20_000  # states for which code for batches is worth compiling: the integrator's own is there already


def states_at(runs: Sequence[Run], drive: Drive, records: Array, marks: Any, t: Array, which: Any) -> Array:
    """y at times t, each within the recorded step `which`; marks: the run each step belongs to.

    The interpolant is one order below the steps and knows nothing of loops, surfaces and unit quaternions: a
    state between two steps is off them by more than the steps are, until it is projected as they were.
    """
    n = runs[0].field.size
    y = interpolated(records, n, t, which)
    own = np.asarray(marks)[which]
    between = t > records[which, 0]  # the end too: an event cuts its step short
    for k in np.unique(own[between]):
        done, here = runs[k], np.flatnonzero((own == k) & between)
        kernel = done.field.settled
        if kernel is None:
            continue
        answer = _settled(kernel, t[here], y[here], drive.size, done.field.parameters(done.mode, drive))
        sound = np.isfinite(answer).all(axis=1)  # a singular posture cannot be projected
        y[here[sound]] = answer[sound]
    return y


def interpolated_rates(records: Array, n: int, t: Array, which: Any) -> Array:
    """dy/dt of the interpolant, where the field is not at hand; NaN in a step of no length."""
    rows = records[which]
    h = np.where(rows[:, 1] > rows[:, 0], rows[:, 2], np.nan)[:, None]
    x = (t - rows[:, 0])[:, None] / h
    F = rows[:, 3 + n :].reshape(len(rows), -1, n)
    total, rate = np.zeros((len(rows), n)), np.zeros((len(rows), n))
    for k in range(F.shape[1] - 1, -1, -1):
        total = total + F[:, k]
        z, slope = (x, 1 / h) if k % 2 == 0 else (1 - x, -1 / h)
        total, rate = total * z, rate * z + total * slope
    return rate


def _settled(kernel: Kernel, t: Array, y: Array, inputs: int, parameters: Array) -> Array:
    """States at times t, each projected by the program the integrator calls (settle knows no inputs)."""
    answer = np.empty_like(y)
    if len(t) > _MANY:
        with np.errstate(invalid="ignore"):
            kernel([t[:, None], y, np.zeros((len(t), inputs)), parameters], [answer])
        return answer
    function = kernel.function
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(function.address)
    idle, given = np.zeros(inputs), np.ascontiguousarray(parameters, dtype=np.float64)
    times, states = np.ascontiguousarray(t), np.ascontiguousarray(y)
    begin = [x.ctypes.data for x in (times, states, idle, given, answer)]
    row = states.strides[0]
    for k in range(len(times)):
        call(begin[0] + 8 * k, begin[1] + row * k, begin[2], begin[3], begin[4] + row * k)
    return answer
