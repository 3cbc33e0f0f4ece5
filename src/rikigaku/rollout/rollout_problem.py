"""What a rollout of smooth motion computes: the robot, its worlds, inputs and steps."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.core.arrays import single_precision
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_arguments import Worlds
from rikigaku.rollout.step_loop import Table
from rikigaku.rollout.step_program import StepProgram, stage_times, step_program
from rikigaku.rollout.stop_condition import StopCondition
from rikigaku.simulation.actuation import Actuation

_SUMS = 4099  # a prime: numbers that change places, whole steps or worlds too, change their sums


def checksum(arrays: Sequence[Array]) -> int:
    """Checksum of arrays: whole-number sums of every 4099th number, and CRC-32 of these.

    It takes a sixth of the time of CRC-32 of all bytes.
    """
    found = 0
    for x in arrays:
        words = np.ascontiguousarray(x).reshape(-1).view(np.uint64)
        whole = len(words) // _SUMS * _SUMS
        sums = words[:whole].reshape(-1, _SUMS).sum(axis=0)
        found = zlib.crc32(words[whole:].tobytes(), zlib.crc32(sums.tobytes(), found))
    return found


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
            if checksum(self.inputs[name]) != known:
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
