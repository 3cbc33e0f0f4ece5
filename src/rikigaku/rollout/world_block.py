"""Memory of a block of worlds that stays in the cache while all its steps are taken."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.rollout.lanes import Lanes, block_count, filled, lane_count
from rikigaku.rollout.step_loop import Place, ProgramCall, StepLoop, Table, program_call
from rikigaku.rollout.step_program import StepProgram, coefficients

_BYTES = 1 << 17  # states of a block, within the second-level cache
_MOST_WORLDS, _MULTIPLE = 512, 16
_WORLD_STEPS = 200_000  # between two returns to Python


def worlds_of_block(program: StepProgram, worlds: int, threads: int) -> int:
    """Worlds in a block: those that fit the cache, fewer if there are not enough blocks for the threads."""
    numbers = 2 * (program.robot.nq + program.robot.nv) * len(program.outputs)
    most = min(_BYTES // (8 * numbers), _MOST_WORLDS, -(-worlds // threads))
    return max(1, min(worlds, max(most // _MULTIPLE, 1) * _MULTIPLE))


class WorldBlock:
    """States of `count` worlds, and the native loop over their steps.

    Args:
        tables: inputs that advance with the step, by name.
        varied: whether worlds have parameters of their own.
        dtype: precision of all numbers; the tables have it too.
    """

    def __init__(
        self,
        program: StepProgram,
        count: int,
        dt: float,
        tables: Mapping[str, Table],
        varied: bool,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        self.program, self.count = program, count
        sizes, names = program.sizes, program.state_names

        def arrays(own: Iterable[str], worlds: int = count) -> dict[str, Lanes]:
            return {name: Lanes(worlds, sizes[name], dtype) for name in own}

        self.states = [arrays(names), arrays(names)]  # before even steps, before odd steps
        parameters = (name for name in program.parameter_names if name in sizes)
        self.constants = arrays(parameters, count if varied else 1)
        stages = [filled(np.array(c, dtype)) for c in coefficients(program.method, dt)]
        between = [arrays((*names, *program.sum_names)) for _ in range(2)]
        stops = None if program.stop is None else Lanes(count, 1, dtype)
        plans: list[list[ProgramCall]] = []
        for odd in range(2):
            start, end = self.states[odd], self.states[1 - odd]
            calls = []
            for stage, c in enumerate(stages):
                # sums of the first stage begin at the start of the step
                source = start | program.sums_at(start) if stage == 0 else between[stage % 2]
                target = between[1 - stage % 2] | (end if stage == len(stages) - 1 else {})
                inputs: dict[str, Place] = {**program.starts_at(start), **source, **self.constants, **tables}
                outputs: dict[str, Place] = {**target, **({} if stops is None else {"z": stops})}
                calls.append(program_call(program, stage, inputs | {"c": c}, outputs))
            plans.append(calls)
        states = [(self.states[1][name], self.states[0][name]) for name in names]
        self.loop = StepLoop(count, plans[0], plans[1], states, stops, dtype)

    def begin(self, world: int, state: Mapping[str, Array], constants: Mapping[str, Array]) -> None:
        """Set the states of the worlds from `world` on, and their inputs and parameters."""
        for name, x in state.items():
            self.states[0][name].fill(x)
        for name, own in self.constants.items():
            own.fill(constants[name])
        self.loop.begin(world)

    def record(self, every: int, targets: Mapping[str, Array]) -> None:
        """Record every `every`-th state in arrays (records, count, n)."""
        self.loop.record(every, [targets.get(name) for name in self.program.state_names])

    def run(self, steps: int, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Take steps, with returns to Python in between, where interrupts are handled; false if stopped."""
        dtype = self.loop.dtype
        lanes = block_count(self.count, dtype) * lane_count(dtype)  # one world takes a whole register
        chunk = max(_WORLD_STEPS // lanes, 1)
        for step in range(0, steps, chunk):
            if stopped():
                return False
            self.loop.run(step, min(chunk, steps - step))
        return True

    def after(self, steps: int) -> dict[str, Array]:
        """The states after a number of steps."""
        return {name: x.rows for name, x in self.states[steps % 2].items()}
