"""Steps of a block of worlds: calls of batch kernels, with their arguments in memory for native code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.compiler.llvm_batch_loop import CACHED_BYTES
from rikigaku.core.types import Array
from rikigaku.integrators.rollout_driver import CallSlot, MoveSlot, RecordSlot, RollSlot, roll


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers that advance with the step: (steps or 1, stages or 1, worlds or 1, size).

    A view with negative strides runs backward in time.
    """

    values: Array

    def pointer(self, stage: int, world: int) -> int:
        """Address of the numbers of a stage in step 0 for a world."""
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


Place = Array | Table  # of an argument: an array (worlds, size) or (size,), or a table


@dataclass(frozen=True, eq=False)
class KernelCall:
    """A call of a batch kernel: the places of its inputs and outputs."""

    kernel: Kernel
    arguments: Sequence[Place]
    stage: int = 0


@dataclass(eq=False)
class StepLoop:
    """The native loop over the steps of `count` worlds.

    even, odd: the calls of a step. checks: numbers that are not 0 for a world that has stopped or
    whose state is not finite; all arrays have their precision.
    """

    count: int
    even: Sequence[KernelCall]
    odd: Sequence[KernelCall]
    checks: Array
    taken: Any = field(init=False)

    @property
    def single(self) -> bool:
        """Whether the arrays are of float32."""
        return self.checks.dtype == np.float32

    def __post_init__(self) -> None:
        calls = [*self.even, *self.odd]
        self._keep: list[Any] = []
        self._moves: list[tuple[Any, Table, int]] = []  # the slots of an argument, its table and stage
        table = np.stack([self._slots(call) for call in calls])
        self.taken = np.full(self.count, -1, dtype=np.int64)
        self.block = block = np.zeros(RollSlot.SIZE, dtype=np.int64)
        block[RollSlot.CALLS_PER_STEP], block[RollSlot.CALLS] = len(self.even), table.ctypes.data
        block[RollSlot.WORLDS] = self.count
        block[RollSlot.CHECKS], block[RollSlot.TAKEN] = self.checks.ctypes.data, self.taken.ctypes.data
        self._keep.append(table)
        self.begin(0)

    def _slots(self, call: KernelCall) -> Any:
        count = len(call.arguments)
        pointers = np.zeros(count, dtype=np.int64)
        strides = np.full(
            2 * count, self.checks.itemsize, dtype=np.int64
        )  # between worlds, then between elements
        moves = np.zeros((count, MoveSlot.SIZE), dtype=np.int64)
        moving = 0
        for k, x in enumerate(call.arguments):
            if isinstance(x, Table):
                strides[k] = x.world_stride
                moves[moving, MoveSlot.POINTER] = pointers.ctypes.data + 8 * k
                moves[moving, MoveSlot.STRIDE] = x.step_stride
                self._moves.append((moves[moving], x, call.stage))
                moving += 1
            else:
                pointers[k] = x.ctypes.data
                strides[k] = x.strides[0] if x.ndim == 2 and len(x) > 1 else 0
                self._keep.append(x)
        sizes = [x.values.shape[-1] if isinstance(x, Table) else x.shape[-1] for x in call.arguments]
        dimensions = np.array([self.count, *sizes], dtype=np.int64)
        self._keep += [pointers, strides, dimensions, moves]
        slots = np.zeros(CallSlot.SIZE, dtype=np.int64)
        kernel = call.kernel
        slots[CallSlot.FUNCTION] = (kernel.loop32 if self.single else kernel.loop).address
        slots[CallSlot.ARGUMENTS], slots[CallSlot.STRIDES] = pointers.ctypes.data, strides.ctypes.data
        slots[CallSlot.DIMENSIONS] = dimensions.ctypes.data
        slots[CallSlot.MOVING], slots[CallSlot.MOVED] = moving, moves.ctypes.data
        return slots

    def begin(self, world: int) -> None:
        """Set the tables to the worlds from `world` on; all worlds are finite."""
        self.taken[:] = -1
        for slots, table, stage in self._moves:
            slots[MoveSlot.FIRST] = table.pointer(stage, world)

    def record(self, every: int, arrays: Sequence[tuple[Array, Array, Array]]) -> None:
        """Record after each `every`-th step: a target (records, count, n), the arrays after even and odd
        steps."""
        records = np.zeros((len(arrays), RecordSlot.SIZE), dtype=np.int64)
        for slots, (target, even, odd) in zip(records, arrays, strict=True):
            slots[RecordSlot.FIRST], slots[RecordSlot.STRIDE] = target.ctypes.data, target.strides[0]
            slots[RecordSlot.BYTES] = self.count * target.shape[-1] * target.itemsize
            slots[RecordSlot.AFTER_EVEN], slots[RecordSlot.AFTER_ODD] = even.ctypes.data, odd.ctypes.data
        self._records = records
        recorded = sum(target.strides[0] * len(target) for target, _, _ in arrays)
        self.block[RollSlot.STREAM] = int(recorded > CACHED_BYTES)
        self.block[RollSlot.EVERY] = every
        self.block[RollSlot.RECORDED], self.block[RollSlot.RECORDS] = len(arrays), records.ctypes.data

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


def kernel_call(
    program: StageProgram, stage: int, inputs: Mapping[str, Place], outputs: Mapping[str, Place]
) -> KernelCall:
    """The call of a program for a stage, with its arguments by name; others are left out."""
    places = [*(inputs[name] for name in program.sizes), *(outputs[name] for name in program.outputs)]
    return KernelCall(program.kernel, places, stage)
