"""Our generated C, compiled by gcc -O3: the exported text without our compiler."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.ours import c_source, joint_names
from benchmarks.peers.compiled_c import compiled_loop
from benchmarks.states import Array, States, back_in_order


class GeneratedC:
    """Our robot's exported C as an engine."""

    name = "gcc -O3"

    def __init__(self, robot: Any, frame: str, floating: bool) -> None:
        self._robot, self._frame = robot, frame
        self._joints = joint_names(robot, floating)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job, if the law can be exported."""
        text = c_source(self._robot, law, self._frame)
        if text is None:
            return []
        inputs = states.in_order(self._joints).inputs(law)
        shape = law.shape(states.nv, states.bodies)
        loop = compiled_loop(*text, [x.shape[1] for x in inputs], int(np.prod(shape)))

        def value(rows: NDArray[np.intp]) -> Array:
            answer = out.reshape(-1, *shape)[rows]
            return back_in_order(law, answer, self._joints, states.joints, states.floating)

        return [Job(partial(loop, inputs, out), value)]
