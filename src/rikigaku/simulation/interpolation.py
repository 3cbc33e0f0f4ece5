"""States within recorded steps, by the integrator's own polynomials."""

from typing import Any

import numpy as np

from rikigaku.simulation.modes import Array


def interpolated(records: Array, n: int, t: Array, which: Any) -> Array:
    """y at times t, each within (or at an end of) the recorded step `which`."""
    rows = records[which]
    x = ((t - rows[:, 0]) / rows[:, 2])[:, None]
    F = rows[:, 3 + n :].reshape(len(rows), -1, n)
    total = np.zeros((len(rows), n))
    for k in range(F.shape[1] - 1, -1, -1):
        total = (total + F[:, k]) * (x if k % 2 == 0 else 1 - x)
    return np.asarray(rows[:, 3 : 3 + n] + total)
