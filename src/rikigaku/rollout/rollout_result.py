"""`Rollout`: states of many worlds over fixed steps."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.types import Array

Integers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Rollout:
    """States of many worlds, as `robot.rollout` returns them.

    t: times of the recorded states [s], (records,).
    q, v: positions (records, worlds, nq) and velocities (records, worlds, nv); with `every=0` the final
    states (worlds, nq), (worlds, nv). NaN from the step on at which a world's state is not finite.
    steps: steps of each world with a finite state, (worlds,), whole numbers.
    step_count: number of steps of the call.
    """

    t: Array
    q: Array
    v: Array
    steps: Integers
    step_count: int

    @property
    def finite(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each world's state stayed finite, (worlds,)."""
        return np.asarray(self.steps == self.step_count)

    @property
    def status(self) -> str:
        """ "done", or how many worlds stopped, and the first of them."""
        stopped = np.flatnonzero(~self.finite)
        if not len(stopped):
            return "done"
        world = int(stopped[0])
        some = "1 world has" if len(stopped) == 1 else f"{len(stopped)} worlds have"
        return (
            f"{some} a state that is not finite; the first is world {world}, after {int(self.steps[world])} "
            "steps. A shorter dt may help."
        )
