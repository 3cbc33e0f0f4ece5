"""The time loop of a rollout for a block of worlds, in native code.

A step is a sequence of calls of programs on arrays in the layout of vector registers (`Kernel.lanes`,
`lane_layout`); even and odd steps have arguments of their own, so that the state after one step is the input
of the next without copying. Inputs that advance with the step (its time, torques, stored states) are rows
(worlds, size) and are transposed at its beginning, outputs at its end. States are checked after every step
and recorded as rows after every `EVERY`-th.
"""

import ctypes
from enum import IntEnum
from functools import cache as once
from typing import TYPE_CHECKING, Any

from rikigaku.compiler.llvm_text import Vector
from rikigaku.integrators.lane_layout import layout_text
from rikigaku.integrators.llvm_writer import DECLARED, Array, Value, Writer
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library


class RollSlot(IntEnum):
    """Whole numbers of the block; CALLS: address of the calls of even steps, then those of odd steps.

    WORLDS, BLOCKS: their numbers. STOPS: address of numbers that are above 0 if a world has stopped, or 0.
    TAKEN: address of the numbers of steps until a world has stopped or is not finite; -1 before.
    INPUTS, INPUT, OUTPUTS, OUTPUT: number of rows that advance, and the address of their `RowsSlot`s.
    STATES, STATE: number of states and the address of their `StateSlot`s. STREAM: 1 if records exceed the
    caches.
    """

    FIRST_STEP, STEPS, EVERY, CALLS_PER_STEP, CALLS, WORLDS, BLOCKS, STOPS, TAKEN = range(9)
    INPUTS, INPUT, OUTPUTS, OUTPUT, STATES, STATE, STREAM = range(9, 16)
    SIZE = 16


class StateSlot(IntEnum):
    """Whole numbers of a state: the addresses of its arrays after even and after odd steps, its size, its
    first record (0: none), bytes between records, and the address of rows for a streamed record."""

    AFTER_EVEN, AFTER_ODD, ELEMENTS, FIRST, STRIDE, ROWS = range(6)
    SIZE = 6


class CallSlot(IntEnum):
    """Whole numbers of a call."""

    FUNCTION, ARGUMENTS, DIMENSIONS, STRIDES = range(4)
    SIZE = 4


class RowsSlot(IntEnum):
    """Whole numbers of rows that advance: the rows in step 0, bytes a step, bytes a world, number of worlds
    (1: all have the same), their size, and the address of the array for the programs."""

    FIRST, STRIDE, WORLD_STRIDE, WORLDS, ELEMENTS, LANES = range(6)
    SIZE = 6


_LINE = 32  # bytes of a non-temporal store, which is aligned to them
_STORED = f"<{_LINE // 4} x i32>"


def rollout_text() -> str:
    """@roll(block): STEPS steps from FIRST_STEP on; @roll32: the same in single precision."""
    from rikigaku.compiler.llvm_module import vector_of
    from rikigaku.compiler.native_code import host

    kinds = {"": vector_of("lanes", host()), "32": vector_of("lanes32", host())}
    texts = [f(t, suffix) for suffix, t in kinds.items() for f in (layout_text, _not_finite, _loop)]
    return "\n".join([DECLARED, _streaming_copy(), *texts, "!1 = !{i32 1}"])


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


def _loop(t: Vector, suffix: str) -> str:
    w = Writer()
    block = Array(w, "%block", "i64")
    first, calls = block[RollSlot.FIRST_STEP], block[RollSlot.CALLS_PER_STEP]
    table, every = w.array(block[RollSlot.CALLS], "i64"), block[RollSlot.EVERY]
    inputs, outputs, states = (
        (block[count], w.array(block[at], "i64"))
        for count, at in (
            (RollSlot.INPUTS, RollSlot.INPUT),
            (RollSlot.OUTPUTS, RollSlot.OUTPUT),
            (RollSlot.STATES, RollSlot.STATE),
        )
    )
    stream = block[RollSlot.STREAM].equals(1)
    with w.loop(first + block[RollSlot.STEPS], first) as step:
        odd = step - step / 2 * 2
        with w.loop(inputs[0]) as k:
            rows = inputs[1].at(k * int(RowsSlot.SIZE))
            with w.when(~rows[RowsSlot.STRIDE].equals(0) | step.equals(first)):
                _move(w, f"@pack{suffix}", rows, step)
        with w.loop(calls) as k:
            _call(w, table.at((odd * calls + k) * int(CallSlot.SIZE)))
        with w.loop(outputs[0]) as k:
            _move(w, f"@unpack{suffix}", outputs[1].at(k * int(RowsSlot.SIZE)), step)
        _check(w, t, suffix, block, states, step, odd)
        with w.when(every > 0):
            done = step + 1
            row = done / every
            with w.when(done.equals(row * every)), w.loop(states[0]) as i:
                _record(w, t, suffix, block, states[1].at(i * int(StateSlot.SIZE)), row - 1, odd, stream)
    with w.when(stream):
        w.line("fence seq_cst")  # non-temporal stores become visible before the caller continues
    w.leave_void()
    return w.function(f"define void @roll{suffix}(ptr %block)")


def _move(w: Writer, function: str, rows: Array, step: Value) -> None:
    source = w.array(rows[RowsSlot.FIRST] + step * rows[RowsSlot.STRIDE])
    sizes = (rows[slot] for slot in (RowsSlot.WORLD_STRIDE, RowsSlot.WORLDS, RowsSlot.ELEMENTS))
    w.call(function, w.array(rows[RowsSlot.LANES]), source, *sizes)


def _call(w: Writer, call: Array) -> None:
    function = w.array(call[CallSlot.FUNCTION]).pointer
    slots = (CallSlot.ARGUMENTS, CallSlot.DIMENSIONS, CallSlot.STRIDES)
    w.call(function, *(w.array(call[slot]) for slot in slots), Array(w, "null"))


def _check(
    w: Writer, t: Vector, suffix: str, block: Array, states: tuple[Value, Array], step: Value, odd: Value
) -> None:
    """Note the step of each world that has stopped or is not finite for the first time."""
    lanes = block[RollSlot.BLOCKS] * t.width
    with w.when(~block[RollSlot.STOPS].equals(0)), w.loop(lanes) as k:
        stopped = w.widened(w.array(block[RollSlot.STOPS], t.scalar)[k]) > 0.0
        with w.when(stopped):
            _note(w, block, k, step)
    with w.loop(states[0]) as i:
        state = states[1].at(i * int(StateSlot.SIZE))
        at = w.array(state.at(odd + int(StateSlot.AFTER_EVEN))[0])
        registers = block[RollSlot.BLOCKS] * state[StateSlot.ELEMENTS]
        finite = w.result("i1", f"call i1 @is_finite{suffix}(ptr {at.pointer}, i64 {registers.name})")
        with w.when(~finite):
            w.call(f"@not_finite{suffix}", Array(w, "%block"), step, odd)


def _note(w: Writer, block: Array, lane: Value, step: Value) -> None:
    """Note the step of a world for the first time."""
    taken, world = w.array(block[RollSlot.TAKEN], "i64"), w.min(lane, block[RollSlot.WORLDS] - 1)
    with w.when(taken[world] < 0):
        taken[world] = step


def _not_finite(t: Vector, suffix: str) -> str:
    """@not_finite(block, step, odd): all states of a world with a number that is not finite become NaN."""
    w = Writer()
    block, step, odd = Array(w, "%block", "i64"), Value(w, "i64", "%step"), Value(w, "i64", "%odd")
    states, count = w.array(block[RollSlot.STATE], "i64"), block[RollSlot.STATES]

    def numbers(i: Value, lane: Value) -> tuple[Array, Value]:
        """The first number of a state in that lane, and the number of elements."""
        state = states.at(i * int(StateSlot.SIZE))
        size = state[StateSlot.ELEMENTS]
        at = w.array(state.at(odd + int(StateSlot.AFTER_EVEN))[0], t.scalar)
        return at.at(lane / t.width * (size * t.width) + (lane - lane / t.width * t.width)), size

    with w.loop(block[RollSlot.BLOCKS] * t.width) as lane:
        total = w.cell(0.0)
        with w.loop(count) as i:
            at, size = numbers(i, lane)
            with w.loop(size) as e:
                total.value = total.value + w.widened(at[e * t.width]) * 0.0
        with w.when(~total.value.equals(0.0)):
            with w.loop(count) as i:
                at, size = numbers(i, lane)
                with w.loop(size) as e:
                    w.line(f"store {t.scalar} {t.number(float('nan'))}, ptr {at.at(e * t.width).pointer}")
            _note(w, block, lane, step)
    w.leave_void()
    return w.function(
        f"define internal void @not_finite{suffix}(ptr %block, i64 %step, i64 %odd) noinline cold"
    )


def _record(
    w: Writer, t: Vector, suffix: str, block: Array, state: Array, row: Value, odd: Value, stream: Value
) -> None:
    with w.when(~state[StateSlot.FIRST].equals(0)):
        target = w.array(state[StateSlot.FIRST] + row * state[StateSlot.STRIDE])
        source, rows = w.array(state.at(odd + int(StateSlot.AFTER_EVEN))[0]), w.array(state[StateSlot.ROWS])
        worlds, size = block[RollSlot.WORLDS], state[StateSlot.ELEMENTS]
        sizes = size * t.size, worlds, size
        with w.when(stream):
            w.call(f"@unpack{suffix}", source, rows, *sizes)
            w.call("@stream", target, rows, worlds * size * t.size)
        with w.when(~stream):
            w.call(f"@unpack{suffix}", source, target, *sizes)


@once
def _library() -> "Library":
    return native_library("rollout", rollout_text)


@once
def roll(single: bool = False) -> Any:
    """@roll of `rollout_text`, or @roll32; other threads run meanwhile."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_library().address("roll32" if single else "roll"))
