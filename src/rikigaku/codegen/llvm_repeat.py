"""Loops of a program (`rikigaku.numbers.repeat`), as LLVM text: one function for a turn, a table of slots."""

from collections.abc import Sequence

from rikigaku.codegen.chunks import Chunk
from rikigaku.codegen.instructions import Operand, instructions, operand
from rikigaku.codegen.llvm_chunk import ChunkWriter
from rikigaku.codegen.llvm_text import Vector
from rikigaku.codegen.schedule import Loop, Turn
from rikigaku.numbers.graph import Node


def turn_function(number: int, loop: Loop, t: Vector, fuse: bool) -> str:
    """@turns<i>, where the numbers of all turns stand (bytes); @turn<i>(ptr scratch, ptr slots), one turn."""
    slots = [slot for turn in loop.turns for slot in turn]
    table = ", ".join(f"i32 {8 * t.width * slot}" for slot in slots)
    lines = [f"@turns{number} = internal constant [{len(slots)} x i32] [{table}]"]
    lines += [
        f'define internal void @turn{number}(ptr noalias %scratch, ptr %slots) noinline "stackrealign" {{',
        "entry:",
    ]
    writer = _TurnWriter(loop, t, fuse)
    return "\n".join([*lines, *writer.lines, "  ret void", "}"])


def turn_lines(step: Turn, loops: Sequence[Loop]) -> list[str]:
    """Run one turn."""
    first = step.place * len(loops[step.loop].turns[0])
    slots = f"getelementptr (i32, ptr @turns{step.loop}, i64 {first})"
    return [f"  call void @turn{step.loop}(ptr %scratch, ptr {slots})"]


class _TurnWriter(ChunkWriter):
    """Writes one turn: shared numbers stand in fixed slots, the turn's own where its table says."""

    def __init__(self, loop: Loop, t: Vector, fuse: bool) -> None:
        self.loop = loop
        self.item: dict[int, str] = {}
        turn = loop.turn
        (elements,) = turn.results
        chunk = Chunk(list(instructions(turn, fuse)))
        for k, x in enumerate(elements):
            if isinstance(x, Node):
                result = operand(x)
                chunk.outgoing.setdefault(result.index, []).append((result.negative, k))
        super().__init__(turn, t, chunk)
        for k, x in enumerate(elements):
            if not isinstance(x, Node):
                self._write(k, t.constant(float(x)))

    def _lane_pointers(self, kind: str, stride: str, i: int) -> None:
        """A turn has no arrays of its own."""

    def _value(self, index: int) -> str:
        if index in self.constants:
            return self._constant(self.constants[index])
        if index in self.positions:
            which, element = self.positions[index]
            if which == 1:  # most are read by all that follows, and few enough for registers
                if element not in self.item:
                    self.item[element] = self._read(self._own(element))
                return self.item[element]
            # shared: an operand in memory
            return self._read(self._slot(self.loop.shared[element], f"%h{self.reads}"))
        return self.values[index]

    def _read(self, pointer: str) -> str:
        self.reads += 1
        name = f"%i{self.reads}"
        self.line(f"{name} = load {self.t.double}, ptr {pointer}, align {8 * self.t.width}")
        return name

    def _keep(self, index: int) -> None:
        for negative, k in self.chunk.outgoing.get(index, ()):
            self._write(k, self._signed(Operand(index, negative)))

    def _write(self, k: int, value: str) -> None:
        pointer = self._own(self.program.inputs[1].size + k)
        self.line(f"store {self.t.double} {value}, ptr {pointer}, align {8 * self.t.width}")

    def _own(self, k: int) -> str:
        """Pointer to the k-th slot of the turn's table."""
        p = f"%own{k}"
        self.line(f"{p}.p = getelementptr i32, ptr %slots, i64 {k}")
        self.line(f"{p}.i = load i32, ptr {p}.p")
        self.line(f"{p}.o = zext i32 {p}.i to i64")
        self.line(f"{p} = getelementptr i8, ptr %scratch, i64 {p}.o")
        return p
