"""States between the integrator's steps: interpolated, and brought onto what their mode keeps constant."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.bound import Kernel
from rikigaku.simulation.drives import Drive
from rikigaku.simulation.modes import Array
from rikigaku.simulation.run import Run, interpolated

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
