"""The native loop over fixed steps of a block of worlds: batch kernels called step after step.

A step is a sequence of calls of batch loops (`Kernel.loop`); even and odd steps have arguments of their own,
because a kernel reads one state and writes the other. Two arguments of a call advance with the step: its
time and its inputs. States are copied to the records after every `EVERY`-th step. The last call of a step
writes a number for each world that is NaN if its state is not finite.
"""

import ctypes
from enum import IntEnum
from functools import cache as once
from typing import TYPE_CHECKING, Any

from rikigaku.integrators.llvm_writer import DECLARED, Array, Value, Writer
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

MOVING = 2  # arguments of a call that advance with the step
RECORDED = 2  # arrays that are recorded: q and v


class RollSlot(IntEnum):
    """Whole numbers of the block; CALLS: address of the calls of even steps, then those of odd steps.

    WORLDS: their number. CHECKS: address of the numbers that are NaN if a state is not finite. TAKEN: address
    of the numbers of steps with a finite state; -1 until a state is not finite.
    RECORDS: for each recorded array its first record, bytes between records, bytes of the block in a record,
    and the addresses of the state after even and after odd steps.
    """

    FIRST_STEP, STEPS, EVERY, CALLS_PER_STEP, CALLS, WORLDS, CHECKS, TAKEN = range(8)
    RECORDS = 8
    SIZE = RECORDS + 5 * RECORDED


class CallSlot(IntEnum):
    """Whole numbers of a call. MOVED: for each argument that advances, the address of its pointer, the
    pointer in step 0, and bytes a step."""

    FUNCTION, ARGUMENTS, DIMENSIONS, STRIDES = range(4)
    MOVED = 4
    SIZE = MOVED + 3 * MOVING


_MEMCPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"


def rollout_text() -> str:
    """@roll(block): STEPS steps from FIRST_STEP on."""
    w = Writer()
    block = Array(w, "%block", "i64")
    first, calls = block[RollSlot.FIRST_STEP], block[RollSlot.CALLS_PER_STEP]
    table, every = w.array(block[RollSlot.CALLS], "i64"), block[RollSlot.EVERY]
    with w.loop(first + block[RollSlot.STEPS], first) as step:
        odd = step - step / 2 * 2
        with w.loop(calls) as k:
            _call(w, table.at((odd * calls + k) * int(CallSlot.SIZE)), step)
        _check(w, block, step)
        with w.when(every > 0):
            done = step + 1
            record = done / every
            with w.when(done.equals(record * every)):
                for i in range(RECORDED):
                    _record(w, block.at(RollSlot.RECORDS + 5 * i), record - 1, odd)
    w.leave_void()
    return "\n".join([DECLARED, _MEMCPY, w.function("define void @roll(ptr %block)")])


def _call(w: Writer, call: Array, step: Value) -> None:
    for k in range(MOVING):
        moved = call.at(CallSlot.MOVED + 3 * k)
        w.array(moved[0], "i64")[0] = moved[1] + step * moved[2]
    function = w.array(call[CallSlot.FUNCTION]).pointer
    arguments = (w.array(call[slot]) for slot in CallSlot if 0 < slot < CallSlot.MOVED)
    w.call(function, *arguments, Array(w, "null"))


def _check(w: Writer, block: Array, step: Value) -> None:
    worlds, checks = block[RollSlot.WORLDS], w.array(block[RollSlot.CHECKS])
    taken = w.array(block[RollSlot.TAKEN], "i64")
    total = w.dot(worlds, checks, checks)
    with w.when(~total.equals(total)), w.loop(worlds) as k:
        check = checks[k]
        with w.when(~check.equals(check) & (taken[k] < 0)):
            taken[k] = step


def _record(w: Writer, record: Array, row: Value, odd: Value) -> None:
    target = w.array(record[0] + row * record[1]).pointer
    source = w.array(record.at(odd + 3)[0]).pointer
    size = record[2]
    w.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size.name}, i1 false)")


@once
def _library() -> "Library":
    return native_library("rollout", rollout_text)


@once
def roll() -> Any:
    """@roll of `rollout_text`; other threads run meanwhile."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_library().address("roll"))
