"""Memory of a block of worlds that stays in the cache while all its steps are taken."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.rollout.step_loop import KernelCall, Place, StepLoop, Table, kernel_call
from rikigaku.rollout.step_program import StepProgram, coefficients

_BYTES = 1 << 17  # states of a block, within the second-level cache
_MOST_WORLDS, _MULTIPLE = 512, 16
_WORLD_STEPS = 200_000  # between two returns to Python


def worlds_of_block(program: StepProgram, worlds: int, threads: int) -> int:
    """Worlds in a block: those that fit the cache, fewer if there are not enough blocks for the threads."""
    numbers = 2 * (program.robot.nq + program.robot.nv) * len(program.outputs)
    most = min(_BYTES // (8 * numbers), _MOST_WORLDS, -(-worlds // threads))
    return min(worlds, max(most // _MULTIPLE, 1) * _MULTIPLE)


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
        self.states: list[dict[str, Array]] = [  # before even steps, before odd steps
            {name: np.zeros((count, sizes[name]), dtype) for name in names} for _ in range(2)
        ]
        self.constants = {
            name: np.zeros((count if varied else 1, sizes[name]), dtype)
            for name in program.parameter_names
            if name in sizes
        }
        stages = np.array(coefficients(program.method, dt), dtype)
        own = (*names, *program.sum_names)
        between = [{name: np.zeros((count, sizes[name]), dtype) for name in own} for _ in range(2)]
        checks = np.zeros((count, 1), dtype)
        plans: list[list[KernelCall]] = []
        for odd in range(2):
            start, end = self.states[odd], self.states[1 - odd]
            calls = []
            for stage, c in enumerate(stages):
                # sums of the first stage begin at the start of the step
                source = start | program.sums_at(start) if stage == 0 else between[stage % 2]
                target = between[1 - stage % 2] | (end if stage == len(stages) - 1 else {})
                inputs: dict[str, Place] = {**program.starts_at(start), **source, **self.constants, **tables}
                calls.append(kernel_call(program, stage, inputs | {"c": c}, target | {"z": checks}))
            plans.append(calls)
        self.loop = StepLoop(count, plans[0], plans[1], checks)

    def begin(self, world: int, state: Mapping[str, Array], constants: Mapping[str, Array]) -> None:
        """Set the states of the worlds from `world` on, and their inputs and parameters."""
        for name, x in state.items():
            self.states[0][name][:] = x
        for name, x in self.constants.items():
            x[:] = constants[name]
        self.loop.begin(world)

    def record(self, every: int, targets: Mapping[str, Array]) -> None:
        """Record every `every`-th state in arrays (records, count, n)."""
        self.loop.record(
            every, [(x, self.states[1][name], self.states[0][name]) for name, x in targets.items()]
        )

    def run(self, steps: int, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Take steps, with returns to Python in between, where interrupts are handled; false if stopped."""
        chunk = max(_WORLD_STEPS // self.count, 1)
        for step in range(0, steps, chunk):
            if stopped():
                return False
            self.loop.run(step, min(chunk, steps - step))
        return True

    def after(self, steps: int) -> dict[str, Array]:
        """The states after a number of steps."""
        return self.states[steps % 2]
