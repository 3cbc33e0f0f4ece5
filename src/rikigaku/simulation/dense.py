"""States between the integrator's steps: interpolated, and brought onto what their mode keeps constant."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.simulation.drives import Drive
from rikigaku.simulation.modes import Array
from rikigaku.simulation.run import Run, interpolated


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
        idle = np.zeros((len(here), drive.size))
        answer = np.empty((len(here), n))
        with np.errstate(invalid="ignore"):
            kernel([t[here, None], y[here], idle, done.field.parameters(done.mode, drive)], [answer])
        sound = np.isfinite(answer).all(axis=1)  # a singular posture cannot be projected
        y[here[sound]] = answer[sound]
    return y
