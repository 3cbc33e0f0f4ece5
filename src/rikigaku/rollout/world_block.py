"""Memory of a block of worlds that stays in the cache while all its steps are taken."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.rollout_driver import CallSlot, RollSlot
from rikigaku.rollout.step_program import StepProgram, coefficients

_BYTES = 1 << 17  # states of a block, within the second-level cache
_MOST_WORLDS, _MULTIPLE = 512, 16


def worlds_of_block(program: StepProgram, worlds: int, threads: int) -> int:
    """Worlds in a block: those that fit the cache, fewer if there are not enough blocks for the threads."""
    numbers = 2 * (program.robot.nq + program.robot.nv) * len(program.outputs)
    most = min(_BYTES // (8 * numbers), _MOST_WORLDS, -(-worlds // threads))
    return min(worlds, max(most // _MULTIPLE, 1) * _MULTIPLE)


@dataclass(frozen=True)
class Table:
    """Inputs that advance with the step: (steps or 1, stages or 1, worlds or 1, size)."""

    values: Array

    def pointer(self, stage: int, world: int) -> int:
        """Address of the input of a stage in step 0 for a world."""
        _, stages, worlds, _ = self.values.shape
        _, by_stage, by_world, _ = self.values.strides
        offset = (stage if stages > 1 else 0) * by_stage + (world if worlds > 1 else 0) * by_world
        return int(self.values.ctypes.data + offset)

    @property
    def step_stride(self) -> int:
        return self.values.strides[0] if len(self.values) > 1 else 0

    @property
    def world_stride(self) -> int:
        return self.values.strides[2] if self.values.shape[2] > 1 else 0


class WorldBlock:
    """States of `count` worlds, and the arguments of the native calls."""

    def __init__(
        self, program: StepProgram, count: int, dt: float, times: Table, inputs: Table | None, varied: bool
    ) -> None:
        self.program, self.count, self.times, self.inputs = program, count, times, inputs
        sizes = program.sizes
        own = ("q", "v", "sq", "sv")
        self.states = [  # before even steps, before odd steps
            {name: np.zeros((count, sizes[name])) for name in ("q", "v")} for _ in range(2)
        ]
        self.c = np.array(coefficients(program.method, dt))
        self.p = np.zeros((count if varied else 1, sizes.get("p", 0)))
        between = [{name: np.zeros((count, sizes[name])) for name in own if name in sizes} for _ in range(2)]
        self.checks, self.taken = np.zeros(count), np.zeros(count, dtype=np.int64)
        self._keep: list[Any] = [between]
        stages = len(self.c)
        calls = np.zeros((2, stages, CallSlot.SIZE), dtype=np.int64)
        self._moved: list[tuple[Any, int]] = []
        for odd in range(2):
            start, end = self.states[odd], self.states[1 - odd]
            for stage in range(stages):
                source = start if stage == 0 else between[stage % 2]
                target = dict(between[1 - stage % 2])
                if stage == stages - 1:
                    target |= end
                self._fill(calls[odd, stage], stage, start, source, target)
        self.calls = calls
        self.block = np.zeros(RollSlot.SIZE, dtype=np.int64)
        self.block[RollSlot.CALLS_PER_STEP], self.block[RollSlot.CALLS] = stages, calls.ctypes.data
        self.block[RollSlot.WORLDS] = count
        self.block[RollSlot.CHECKS], self.block[RollSlot.TAKEN] = (
            self.checks.ctypes.data,
            self.taken.ctypes.data,
        )

    def _fill(
        self,
        call: Any,
        stage: int,
        start: dict[str, Array],
        source: dict[str, Array],
        target: dict[str, Array],
    ) -> None:
        """The arguments of a call; sums of the first stage begin at the start of the step."""
        program, arrays = self.program, dict(source)
        arrays |= {"q0": start["q"], "v0": start["v"], "c": self.c[stage], "p": self.p}
        arrays |= {} if "sq" in source else {"sq": start["q"], "sv": start["v"]}
        names = tuple(program.sizes)
        count = len(names) + len(program.outputs)
        arguments = np.zeros(count + 1, dtype=np.int64)  # the last one is read by nobody
        strides = np.zeros(2 * count, dtype=np.int64)
        strides[count:] = 8
        moved = {"t": self.times, "u": self.inputs}
        for k, name in enumerate(names):
            table = moved.get(name)
            if table is not None:
                strides[k] = table.world_stride
                continue
            x = arrays[name]
            arguments[k] = x.ctypes.data
            strides[k] = x.strides[0] if x.ndim == 2 and len(x) > 1 else 0
        for k, name in enumerate(program.outputs, len(names)):
            x = self.checks if name == "z" else target[name]
            arguments[k], strides[k] = x.ctypes.data, x.strides[0]
        dimensions = np.array([self.count, *program.sizes.values()], dtype=np.int64)
        self._keep += [arguments, strides, dimensions]
        call[CallSlot.FUNCTION] = program.kernel.loop.address
        call[CallSlot.ARGUMENTS], call[CallSlot.STRIDES] = arguments.ctypes.data, strides.ctypes.data
        call[CallSlot.DIMENSIONS] = dimensions.ctypes.data
        for i, (name, table) in enumerate(moved.items()):
            k = names.index(name) if table is not None else count
            at = CallSlot.MOVED + 3 * i
            call[at] = arguments.ctypes.data + 8 * k
            call[at + 2] = 0 if table is None else table.step_stride

    def begin(self, world: int, q: Array, v: Array, p: Array) -> None:
        """Set the states of the worlds from `world` on, and their inputs and parameters."""
        self.states[0]["q"][:], self.states[0]["v"][:], self.taken[:] = q, v, -1
        self.p[:] = p
        for i, table in enumerate((self.times, self.inputs)):
            if table is not None:
                for stage in range(len(self.c)):
                    self.calls[:, stage, CallSlot.MOVED + 3 * i + 1] = table.pointer(stage, world)

    def record(self, every: int, world: int, q: Array, v: Array) -> None:
        """Record every `every`-th state of the worlds from `world` on in q and v (records, worlds, n)."""
        self.block[RollSlot.EVERY] = every
        for i, (name, x) in enumerate((("q", q), ("v", v))):
            after = [self.states[1 - odd][name].ctypes.data for odd in range(2)]
            self.block[RollSlot.RECORDS + 5 * i : RollSlot.RECORDS + 5 * (i + 1)] = [
                x.ctypes.data + world * x.strides[1],
                x.strides[0],
                self.count * x.strides[1],
                *after,
            ]
