"""The mass matrix of ours without its zeros and its mirror half, beside the peers' dense ones."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.ours import joint_names
from benchmarks.states import Array, States, back_in_order


class PackedOurs:
    """Our robot as an engine of one law: the entries that are not zero by structure."""

    name = "ours"

    def __init__(self, robot: Any, floating: bool) -> None:
        self._robot, self._joints = robot, joint_names(robot, floating)
        self._bound = robot.mass_matrix.fix(packed=True)
        self._rows, self._columns = robot.mass_pattern()

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job, into a buffer of its own; spread to a full matrix only to be compared."""
        q = states.in_order(self._joints).q
        entries = np.full((len(q), len(self._rows)), np.nan)

        def value(rows: NDArray[np.intp]) -> Array:
            full = np.zeros((len(rows), states.nv, states.nv))
            full[:, self._rows, self._columns] = full[:, self._columns, self._rows] = entries[rows]
            return back_in_order(law, full, self._joints, states.joints, states.floating)

        return [Job(partial(self._bound, q, out=entries), value)]
