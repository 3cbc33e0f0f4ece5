"""Steps of a block of worlds: calls of programs, with their arguments in memory for native code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.compiler.llvm_batch_loop import CACHED_BYTES
from rikigaku.core.types import Array
from rikigaku.integrators.rollout_driver import CallSlot, RollSlot, RowsSlot, StateSlot, roll
from rikigaku.rollout.lanes import Lanes, block_count


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers that advance with the step: (steps or 1, stages or 1, worlds or 1, size).

    A view with negative strides runs backward in time.
    """

    values: Array

    def pointer(self, stage: int, world: int) -> int:
        """Address of the numbers of a stage in step 0 for a world."""
        _, _, worlds, _ = self.values.shape
        _, by_stage, by_world, _ = self.values.strides
        offset = self.stage(stage) * by_stage + (world if worlds > 1 else 0) * by_world
        return int(self.values.ctypes.data + offset)

    def stage(self, stage: int) -> int:
        """The stage whose numbers are those of `stage`."""
        return stage if self.values.shape[1] > 1 else 0

    @property
    def step_stride(self) -> int:
        return self.values.strides[0] if len(self.values) > 1 else 0

    @property
    def world_stride(self) -> int:
        return self.values.strides[2] if self.values.shape[2] > 1 else 0


Place = Lanes | Table  # of an argument: its numbers for all worlds or one for all; or a table


@dataclass(frozen=True, eq=False)
class ProgramCall:
    """A call of a program: the places of its inputs and outputs."""

    kernel: Kernel
    inputs: Sequence[Place]
    outputs: Sequence[Place]
    stage: int = 0


@dataclass(eq=False)
class StepLoop:
    """The native loop over the steps of `count` worlds.

    even, odd: the calls of a step. states: arrays after even and after odd steps, which become NaN in worlds
    where one is not finite. stops: numbers that are above 0 for a world that has stopped.
    """

    count: int
    even: Sequence[ProgramCall]
    odd: Sequence[ProgramCall]
    states: Sequence[tuple[Lanes, Lanes]] = ()
    stops: Lanes | None = None
    dtype: Any = np.float64
    taken: Any = field(init=False)

    @property
    def single(self) -> bool:
        """Whether the arrays are of float32."""
        return bool(self.dtype == np.float32)

    def __post_init__(self) -> None:
        self._keep: list[Any] = [self.stops, self.states]
        self._tables: list[tuple[Table, int, bool, Lanes]] = []  # with the stage, and whether it is an input
        table = np.stack([self._slots(call) for call in (*self.even, *self.odd)])
        self._states = np.zeros((len(self.states), StateSlot.SIZE), dtype=np.int64)
        for slots, (even, odd) in zip(self._states, self.states, strict=True):
            slots[StateSlot.AFTER_EVEN], slots[StateSlot.AFTER_ODD] = even.address, odd.address
            slots[StateSlot.ELEMENTS] = even.size
        sides = [[x for x in self._tables if x[2] is side] for side in (True, False)]
        self._rows = [np.array([self._row(*x) for x in side], dtype=np.int64) for side in sides]
        self._sides = sides
        self.taken = np.full(self.count, -1, dtype=np.int64)
        self.block = block = np.zeros(RollSlot.SIZE, dtype=np.int64)
        block[RollSlot.CALLS_PER_STEP], block[RollSlot.CALLS] = len(self.even), table.ctypes.data
        block[RollSlot.WORLDS], block[RollSlot.BLOCKS] = self.count, block_count(self.count, self.dtype)
        block[RollSlot.STOPS] = 0 if self.stops is None else self.stops.address
        block[RollSlot.TAKEN] = self.taken.ctypes.data
        inputs, outputs = self._rows
        block[RollSlot.INPUTS], block[RollSlot.INPUT] = len(inputs), inputs.ctypes.data
        block[RollSlot.OUTPUTS], block[RollSlot.OUTPUT] = len(outputs), outputs.ctypes.data
        block[RollSlot.STATES], block[RollSlot.STATE] = len(self.states), self._states.ctypes.data
        self._keep.append(table)
        self.begin(0)

    def _slots(self, call: ProgramCall) -> Any:
        arrays = [self._lanes(x, call.stage, True) for x in call.inputs]
        arrays += [self._lanes(x, call.stage, False) for x in call.outputs]
        pointers, strides = np.array([(x.address, x.stride) for x in arrays], dtype=np.int64).T.copy()
        blocks = np.array([block_count(self.count, self.dtype)], dtype=np.int64)
        self._keep += [arrays, pointers, strides, blocks]
        slots = np.zeros(CallSlot.SIZE, dtype=np.int64)
        kernel = call.kernel
        slots[CallSlot.FUNCTION] = (kernel.lanes32 if self.single else kernel.lanes).address
        slots[CallSlot.ARGUMENTS], slots[CallSlot.STRIDES] = pointers.ctypes.data, strides.ctypes.data
        slots[CallSlot.DIMENSIONS] = blocks.ctypes.data
        return slots

    def _lanes(self, place: Place, stage: int, is_input: bool) -> Lanes:
        """The array of a place; that of a table is filled, or read, in every step."""
        if isinstance(place, Lanes):
            return place
        stage = place.stage(stage)
        for table, own, side, lanes in self._tables:
            if table is place and (own, side) == (stage, is_input):
                return lanes
        _, _, worlds, size = place.values.shape
        lanes = Lanes(self.count if worlds > 1 else 1, size, self.dtype)
        self._tables.append((place, stage, is_input, lanes))
        return lanes

    def _row(self, table: Table, stage: int, is_input: bool, lanes: Lanes) -> list[int]:
        strides = table.step_stride, table.world_stride
        return [table.pointer(stage, 0), *strides, lanes.worlds, lanes.size, lanes.address]

    def begin(self, world: int) -> None:
        """Set the tables to the worlds from `world` on; all worlds are finite."""
        self.taken[:] = -1
        for side, rows in zip(self._sides, self._rows, strict=True):
            for (table, stage, _, _), slots in zip(side, rows, strict=True):
                slots[RowsSlot.FIRST] = table.pointer(stage, world)

    def record(self, every: int, targets: Sequence[Array | None]) -> None:
        """Record the states after each `every`-th step, each in an array (records, count, n) or not."""
        streamed = sum(x.strides[0] * len(x) for x in targets if x is not None) > CACHED_BYTES
        self._records = []
        for slots, target in zip(self._states, targets, strict=True):
            slots[StateSlot.FIRST] = 0
            if target is not None:
                slots[StateSlot.FIRST], slots[StateSlot.STRIDE] = target.ctypes.data, target.strides[0]
                rows = np.empty(target.shape[1:] if streamed else 0, self.dtype)
                slots[StateSlot.ROWS] = rows.ctypes.data
                self._records += [target, rows]
        self.block[RollSlot.STREAM], self.block[RollSlot.EVERY] = int(streamed), every

    def run(self, first: int, steps: int) -> None:
        """Take steps; other threads run meanwhile."""
        self.block[RollSlot.FIRST_STEP], self.block[RollSlot.STEPS] = first, steps
        roll(self.single)(self.block.ctypes.data)


class StageProgram(Protocol):
    """A program with named inputs, with their sizes, and named outputs."""

    @property
    def kernel(self) -> Kernel: ...

    @property
    def sizes(self) -> dict[str, int]: ...

    @property
    def outputs(self) -> tuple[str, ...]: ...


def program_call(
    program: StageProgram, stage: int, inputs: Mapping[str, Place], outputs: Mapping[str, Place]
) -> ProgramCall:
    """The call of a program for a stage, with its arguments by name; others are left out."""
    given, found = [inputs[name] for name in program.sizes], [outputs[name] for name in program.outputs]
    return ProgramCall(program.kernel, given, found, stage)
