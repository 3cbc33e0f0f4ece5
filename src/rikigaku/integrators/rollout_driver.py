"""The native loop over fixed steps of a block of worlds: batch kernels called step after step.

A step is a sequence of calls of batch loops (`Kernel.loop`); even and odd steps have arguments of their own,
because a kernel reads one state and writes the other. Some arguments of a call advance with the step: its
time, its inputs, stored states. States are copied to the records after every `EVERY`-th step. The last call
of a step writes a number for each world: 0, another if it has stopped, NaN if its state is not finite.
"""

import ctypes
from enum import IntEnum
from functools import cache as once
from typing import TYPE_CHECKING, Any

from rikigaku.integrators.llvm_writer import DECLARED, Array, Value, Writer
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library


class RollSlot(IntEnum):
    """Whole numbers of the block; CALLS: address of the calls of even steps, then those of odd steps.

    WORLDS: their number. CHECKS: address of the numbers that are not 0 if a world has stopped or its state is
    not finite. TAKEN: address of the numbers of steps until then; -1 before.
    RECORDED, RECORDS: number of recorded arrays and the address of their `RecordSlot`s. STREAM: 1 if records
    exceed the caches.
    """

    FIRST_STEP, STEPS, EVERY, CALLS_PER_STEP, CALLS, WORLDS, CHECKS, TAKEN = range(8)
    RECORDED, RECORDS, STREAM = range(8, 11)
    SIZE = 11


class RecordSlot(IntEnum):
    """Whole numbers of a recorded array: its first record, bytes between records, bytes of the block in a
    record, and the addresses of the state after even and after odd steps."""

    FIRST, STRIDE, BYTES, AFTER_EVEN, AFTER_ODD = range(5)
    SIZE = 5


class CallSlot(IntEnum):
    """Whole numbers of a call; MOVING, MOVED: number of arguments that advance, address of `MoveSlot`s."""

    FUNCTION, ARGUMENTS, DIMENSIONS, STRIDES, MOVING, MOVED = range(6)
    SIZE = 6


class MoveSlot(IntEnum):
    """Whole numbers of an argument that advances: the address of its pointer, the pointer in step 0, and
    bytes a step."""

    POINTER, FIRST, STRIDE = range(3)
    SIZE = 3


_MEMCPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
_LINE = 32  # bytes of a non-temporal store, which is aligned to them
_STORED = f"<{_LINE // 4} x i32>"


def rollout_text() -> str:
    """@roll(block): STEPS steps from FIRST_STEP on; @roll32: the same in single precision."""
    loops = _loop("roll", "double"), _loop("roll32", "float")
    return "\n".join([DECLARED, _MEMCPY, _streaming_copy(), *loops, "!1 = !{i32 1}"])


def _streaming_copy() -> str:
    """@stream(target, source, bytes): copy past the caches; addresses and bytes are multiples of 4.

    Records are not read again here: a plain store would first read their lines from memory.
    """
    w = Writer()
    target, source = Array(w, "%target", "i32"), Array(w, "%source", "i32")
    count = Value(w, "i64", "%bytes") / 4
    address = w.result("i64", "ptrtoint ptr %target to i64")
    misaligned = w.result("i64", f"and i64 {address.name}, {_LINE - 1}")
    head = w.select(misaligned.equals(0), 0, (_LINE - misaligned) / 4)
    head = w.select(head < count, head, count)
    lines = (count - head) / (_LINE // 4)
    with w.loop(head) as i:
        target[i] = source[i]
    with w.loop(lines) as i:
        at = head + i * (_LINE // 4)
        x = w.result(_STORED, f"load {_STORED}, ptr {source.at(at).pointer}, align 4")
        w.line(f"store {_STORED} {x.name}, ptr {target.at(at).pointer}, align {_LINE}, !nontemporal !1")
    with w.loop(count, head + lines * (_LINE // 4)) as i:
        target[i] = source[i]
    w.leave_void()
    return w.function("define internal void @stream(ptr %target, ptr %source, i64 %bytes)")


def _loop(name: str, real: str) -> str:
    w = Writer()
    block = Array(w, "%block", "i64")
    first, calls = block[RollSlot.FIRST_STEP], block[RollSlot.CALLS_PER_STEP]
    table, every = w.array(block[RollSlot.CALLS], "i64"), block[RollSlot.EVERY]
    recorded, records = block[RollSlot.RECORDED], w.array(block[RollSlot.RECORDS], "i64")
    stream = block[RollSlot.STREAM].equals(1)
    with w.loop(first + block[RollSlot.STEPS], first) as step:
        odd = step - step / 2 * 2
        with w.loop(calls) as k:
            _call(w, table.at((odd * calls + k) * int(CallSlot.SIZE)), step)
        _check(w, block, step, real)
        with w.when(every > 0):
            done = step + 1
            row = done / every
            with w.when(done.equals(row * every)), w.loop(recorded) as i:
                _record(w, records.at(i * int(RecordSlot.SIZE)), row - 1, odd, stream)
    with w.when(stream):
        w.line("fence seq_cst")  # non-temporal stores become visible before the caller continues
    w.leave_void()
    return w.function(f"define void @{name}(ptr %block)")


def _call(w: Writer, call: Array, step: Value) -> None:
    moves = w.array(call[CallSlot.MOVED], "i64")
    with w.loop(call[CallSlot.MOVING]) as k:
        moved = moves.at(k * int(MoveSlot.SIZE))
        w.array(moved[MoveSlot.POINTER], "i64")[0] = moved[MoveSlot.FIRST] + step * moved[MoveSlot.STRIDE]
    function = w.array(call[CallSlot.FUNCTION]).pointer
    slots = (CallSlot.ARGUMENTS, CallSlot.DIMENSIONS, CallSlot.STRIDES)
    w.call(function, *(w.array(call[slot]) for slot in slots), Array(w, "null"))


def _check(w: Writer, block: Array, step: Value, real: str) -> None:
    """Note the step of each world whose check is not 0 for the first time."""
    worlds, checks = block[RollSlot.WORLDS], w.array(block[RollSlot.CHECKS], real)
    taken = w.array(block[RollSlot.TAKEN], "i64")
    total = w.cell(0.0)
    if real == "double":
        total.value = w.dot(worlds, checks, checks)
    else:
        with w.loop(worlds) as k:
            total.value = total.value + w.widened(checks[k])
    with w.when(~total.value.equals(0.0)), w.loop(worlds) as k:
        check = w.widened(checks[k])
        with w.when(~check.equals(0.0) & (taken[k] < 0)):
            taken[k] = step


def _record(w: Writer, record: Array, row: Value, odd: Value, stream: Value) -> None:
    target = w.array(record[RecordSlot.FIRST] + row * record[RecordSlot.STRIDE])
    source = w.array(record.at(odd + int(RecordSlot.AFTER_EVEN))[0])
    size = record[RecordSlot.BYTES]
    with w.when(stream):
        w.call("@stream", target, source, size)
    with w.when(~stream):
        w.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {target.pointer}, ptr {source.pointer}, i64 {size.name}, "
            "i1 false)"
        )


@once
def _library() -> "Library":
    return native_library("rollout", rollout_text)


@once
def roll(single: bool = False) -> Any:
    """@roll of `rollout_text`, or @roll32; other threads run meanwhile."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_library().address("roll32" if single else "roll"))
