"""What a rollout of smooth motion computes: the robot, its worlds, inputs and steps."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.core.arrays import single_precision
from rikigaku.core.errors import WrongValue
from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_arguments import Worlds
from rikigaku.rollout.step_loop import Table
from rikigaku.rollout.step_program import StepProgram, stage_times, step_program
from rikigaku.rollout.stop_condition import StopCondition
from rikigaku.simulation.actuation import Actuation

_CHECKED = 1 << 21  # bytes that one thread checks at a time


def checksum(arrays: Sequence[Array], threads: int = 1) -> int:
    """CRC-32 of all bytes of arrays, by blocks that are divided among threads."""
    sums: list[int] = []
    for x in arrays:
        memory = np.ascontiguousarray(x).reshape(-1).view(np.uint8).data
        found = [0] * -(-len(memory) // _CHECKED)

        def work(
            firsts: range, stopped: Callable[[], bool], memory: Any = memory, found: Any = found
        ) -> None:
            for first in firsts:
                if not stopped():
                    found[first // _CHECKED] = zlib.crc32(memory[first : first + _CHECKED])

        each_block(len(memory), _CHECKED, threads, work)
        sums += [len(memory), *found]
    return zlib.crc32(np.array(sums, dtype=np.int64).tobytes())


@dataclass(frozen=True, eq=False)
class RolloutProblem:
    """The arguments of `robot.rollout`; table: torques (steps or 1, worlds or 1, n), if they are an array."""

    robot: Robot
    actuation: Actuation
    table: Array | None
    worlds: Worlds
    method: str
    steps: int
    dt: float
    every: int
    start: float
    threads: int
    dtype: type[np.floating[Any]] = np.float64
    stop: StopCondition | None = None
    checksums: Mapping[str, int] = field(default_factory=dict)  # of the caller's arrays too large to copy

    def check_inputs(self) -> None:
        """Raise WrongValue if the caller has changed an array of inputs since the rollout."""
        for name, known in self.checksums.items():
            if checksum(self.inputs[name], self.threads) != known:
                raise WrongValue(
                    f"The {name} have changed since the rollout, and derivatives are those at its {name}: "
                    "give the rollout an array that is not written to until then, or roll out again."
                )

    @property
    def inputs(self) -> dict[str, tuple[Array, ...]]:
        """Arrays of the inputs, by what they are."""
        worlds, table = self.worlds, self.table
        return {
            "torques": () if table is None else (table,),
            "initial states": (worlds.q0, worlds.v0),
            "parameters": worlds.columns,
        }

    @property
    def program(self) -> StepProgram:
        return step_program(self.robot, self.actuation, self.method, self.stop)

    @cached_property
    def tables(self) -> dict[str, Array]:
        """Inputs that advance with the step, (steps or 1, stages or 1, worlds or 1, size)."""
        times = stage_times(self.method, self.start, self.dt, np.arange(float(self.steps)))
        found = {"t": times[:, :, None, None]}
        inputs = self._inputs(times)
        found |= {} if inputs is None else {"u": inputs}
        if self.dtype is np.float32:
            return {name: single_precision("A torque", x) for name, x in found.items()}
        return found

    def _inputs(self, times: Array) -> Array | None:
        """Inputs of the actuation: a table of torques, or its polynomials at the times of the stages."""
        if self.table is not None:
            return self.table[:, None]
        actuation, pieces = self.actuation, self.actuation.pieces
        if not actuation.size or pieces is None:
            return None
        if pieces.coefficients.shape[:2] == (1, 1):
            return np.ascontiguousarray(pieces.coefficients[:, :, None])
        values = pieces(times.ravel()).reshape(*times.shape, 1, actuation.size)
        return np.ascontiguousarray(values)

    def part(self, name: str, steps: slice, worlds: slice, backward: bool = False) -> Table:
        """A table over some steps and worlds."""
        values = self.tables[name]
        if len(values) > 1:
            values = values[steps]
        if values.shape[2] > 1:
            values = values[:, :, worlds]
        return Table(values[::-1] if backward else values)

    def parts(self, steps: slice, worlds: slice, backward: bool = False) -> dict[str, Table]:
        """All tables over some steps and worlds."""
        return {name: self.part(name, steps, worlds, backward) for name in self.tables}
