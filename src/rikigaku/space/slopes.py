"""Rates of change along a motion, of functions that have no formula for theirs."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

# No joint moves further than this between two points of a difference [rad, m].
_STEP = 1e-3


def slope_along(
    robot: Robot, f: Callable[[Array, Array], Array], q: Array, v: Array, x: Array, change: Array
) -> Array:
    """d/dt f(q, x) where q (n, nq) moves with v and x with `change`: (n, ...).

    A central difference of order 4, right to 1e-10 of the largest.
    """
    laws = cast(Any, robot)
    h = _STEP / max(1.0, float(np.abs(v).max(initial=0.0)))
    parts = (
        weight / (12 * h) * f(laws.integrate(q, k * h * v), x + k * h * change)
        for k, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1))
    )
    return np.asarray(sum(parts))
