"""Loops of a program as LLVM text: one function for the body, and a table of slots for its iterations."""

from collections.abc import Sequence

from rikigaku.compiler.chunks import Chunk
from rikigaku.compiler.constant_table import CONSTANTS
from rikigaku.compiler.instructions import Operand, instructions, operand
from rikigaku.compiler.llvm_chunk import ChunkWriter
from rikigaku.compiler.llvm_text import Vector
from rikigaku.compiler.schedule import Iteration, Loop
from rikigaku.numbers.expression_graph import Node


def loop_body_function(number: int, loop: Loop, t: Vector, fuse: bool) -> str:
    """@iterations<i>, slots [bytes] of all iterations, and @loop_body<i>(ptr scratch, ptr slots)."""
    slots = [slot for iteration in loop.iterations for slot in iteration]
    table = ", ".join(f"i32 {t.bytes * slot}" for slot in slots)
    lines = [f"@iterations{number} = internal constant [{len(slots)} x i32] [{table}]"]
    head = f"define internal void @loop_body{number}(ptr noalias %scratch, ptr %slots) noinline"
    lines += [f'{head} "stackrealign" {{', "entry:", CONSTANTS]
    writer = _LoopBodyWriter(loop, t, fuse)
    return "\n".join([*lines, *writer.lines, "  ret void", "}"])


def iteration_lines(step: Iteration, loops: Sequence[Loop]) -> list[str]:
    """Call the body for one iteration."""
    first = step.place * len(loops[step.loop].iterations[0])
    slots = f"getelementptr (i32, ptr @iterations{step.loop}, i64 {first})"
    return [f"  call void @loop_body{step.loop}(ptr %scratch, ptr {slots})"]


class _LoopBodyWriter(ChunkWriter):
    """The lines of a loop body: shared values have fixed slots, those of an iteration are in its table."""

    def __init__(self, loop: Loop, t: Vector, fuse: bool) -> None:
        self.loop = loop
        self.item: dict[int, str] = {}
        body = loop.body
        (elements,) = body.results
        chunk = Chunk(list(instructions(body, fuse)))
        for k, x in enumerate(elements):
            if isinstance(x, Node):
                result = operand(x)
                chunk.outgoing.setdefault(result.index, []).append((result.negative, k))
        super().__init__(body, t, chunk)
        for k, x in enumerate(elements):
            if not isinstance(x, Node):
                self._write(k, self._constant(float(x)))

    def _lane_pointers(self, kind: str, stride: str, i: int) -> None:
        """A loop body reads and writes slots only."""

    def _value(self, index: int) -> str:
        if index in self.constants:
            return self._constant(self.constants[index])
        if index in self.positions:
            which, element = self.positions[index]
            if which == 1:  # read many times, and few enough to stay in registers
                if element not in self.item:
                    self.item[element] = self._read(self._own(element))
                return self.item[element]
            # shared: a memory operand
            return self._read(self._slot(self.loop.shared[element], f"%h{self.reads}"))
        return self.values[index]

    def _read(self, pointer: str) -> str:
        self.reads += 1
        name = f"%i{self.reads}"
        self.line(f"{name} = load {self.t.real}, ptr {pointer}, align {self.t.bytes}")
        return name

    def _keep(self, index: int) -> None:
        for negative, k in self.chunk.outgoing.get(index, ()):
            self._write(k, self._signed(Operand(index, negative)))

    def _write(self, k: int, value: str) -> None:
        pointer = self._own(self.program.inputs[1].size + k)
        self.line(f"store {self.t.real} {value}, ptr {pointer}, align {self.t.bytes}")

    def _own(self, k: int) -> str:
        """Pointer to the k-th slot of the iteration."""
        p = f"%own{k}"
        self.line(f"{p}.p = getelementptr i32, ptr %slots, i64 {k}")
        self.line(f"{p}.i = load i32, ptr {p}.p")
        self.line(f"{p}.o = zext i32 {p}.i to i64")
        self.line(f"{p} = getelementptr i8, ptr %scratch, i64 {p}.o")
        return p
