"""LLVM text of the loop over poses: shared memory, calls of kernels, and flags of unresolved poses."""

from rikigaku.integrators.llvm_writer import Array, Cell, Value, Writer
from rikigaku.inverse_kinematics.native_arm_block import CONSTANTS, WORK, Call, CallSlot, Fallback, Slot


class PoseWriter:
    """A function that runs through poses: shared memory, calls of kernels, and reasons to leave a pose."""

    def __init__(self, width: int) -> None:
        self.w = w = Writer()
        self.width = width
        self.block = Array(w, "%block", "i64")
        memory = w.array(self.block[Slot.MEMORY])
        self.m: dict[str, Array] = {}
        used = 0
        for name, size in {**CONSTANTS, **WORK}.items():
            self.m[name] = memory.at(used)
            used += size
        self.status, self.brackets = w.cell(0, "i64"), w.cell(0, "i64")
        self.unclear, self.small = w.cell(0, "i64"), w.cell(0, "i64")
        self.zeros, self.largest, self.noise = w.cell(0, "i64"), w.cell(0.0), w.cell(0.0)

    def flag(self, reason: Fallback) -> None:
        w = self.w
        value = self.status.value
        self.status.value = w.result("i64", f"or i64 {value.name}, {int(reason)}")

    def call(self, which: Call, count: Value) -> None:
        """A kernel over as many states as fill the vectors."""
        w = self.w
        call = self.block.at(Slot.CALLS + CallSlot.SIZE * which)
        w.array(call[CallSlot.DIMENSIONS], "i64")[0] = self.filled(count)
        slots = (CallSlot.ARGUMENTS, CallSlot.DIMENSIONS, CallSlot.STRIDES)
        w.call(w.array(call[CallSlot.FUNCTION]).pointer, *(w.array(call[k]) for k in slots), Array(w, "null"))

    def filled(self, count: Value) -> Value:
        return (count + (self.width - 1)) / self.width * self.width

    def padded(self, name: str, count: Value, size: int = 1) -> None:
        """Repeat the last row until the vectors are full."""
        w, x = self.w, self.m[name]
        with w.loop(self.filled(count), count) as k:
            for i in range(size):
                x[k * size + i] = x[(count - 1) * size + i]

    def appended(self, cell: Cell, most: int, values: dict[str, Value]) -> None:
        w = self.w
        with w.when(cell.value >= most):
            self.flag(Fallback.MANY)
        with w.when(cell.value < most):
            for name, x in values.items():
                self.m[name][cell.value] = x
            cell.value = cell.value + 1

    def differ(self, a: Value, b: Value) -> Value:
        return (a & ~b) | (b & ~a)

    def placed(self, pose: Value) -> None:
        """Arguments of all calls that differ from pose to pose."""
        w = self.w
        for which in Call:
            call = self.block.at(Slot.CALLS + CallSlot.SIZE * which)
            slots = (CallSlot.ARGUMENTS, CallSlot.FIRST, CallSlot.ADVANCE)
            arguments, first, advance = (w.array(call[slot], "i64") for slot in slots)
            with w.loop(call[CallSlot.MOVING]) as k:
                arguments[k] = first[k] + pose * advance[k]
