"""Our packed results beside the peers' dense ones: the mass matrix without its zeros and its upper triangle,
derivatives without constants and repetitions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Job, lined_up
from benchmarks.laws import Law
from benchmarks.ours import bound_law, joint_names
from benchmarks.states import Array, States, back_in_order

LAWS = ("mass_matrix", "inverse_dynamics_derivative", "forward_dynamics_derivative")


class PackedOurs:
    """Our robot as an engine of the laws that can be packed."""

    name = "ours"

    def __init__(self, robot: Any, floating: bool) -> None:
        self._robot, self._joints = robot, joint_names(robot, floating)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job with buffers of its own; results are unpacked only for the comparison."""
        inputs = states.in_order(self._joints).inputs(law)
        run, whole = (self._mass_matrix if law.name == "mass_matrix" else self._derivatives)(law, inputs)

        def value(rows: NDArray[np.intp]) -> Array:
            return back_in_order(law, whole(rows), self._joints, states.joints, states.floating)

        return [Job(run, value)]

    def _mass_matrix(self, law: Law, inputs: Sequence[Array]) -> tuple[Callable[[], object], Any]:
        rows, columns = self._robot.mass_pattern()
        entries = lined_up(len(inputs[0]) * len(rows)).reshape(-1, len(rows))
        entries.fill(np.nan)

        def whole(chosen: NDArray[np.intp]) -> Array:
            full = np.zeros((len(chosen), self._robot.nv, self._robot.nv))
            full[:, rows, columns] = full[:, columns, rows] = entries[chosen]
            return full

        return partial(self._robot.mass_matrix.fix(packed=True), *inputs, out=entries), whole

    def _derivatives(self, law: Law, inputs: Sequence[Array]) -> tuple[Callable[[], object], Any]:
        bound = bound_law(self._robot, law.name, "")
        packing = bound.packing()
        entries = tuple(lined_up(len(inputs[0]) * how.size).reshape(-1, how.size) for how in packing)
        for x in entries:
            x.fill(np.nan)

        def whole(chosen: NDArray[np.intp]) -> Array:
            return np.stack([how.unpack(x[chosen]) for how, x in zip(packing, entries, strict=True)], axis=1)

        return partial(bound.derivative, *inputs, packed=True, out=entries), whole
