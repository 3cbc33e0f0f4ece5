"""The straight-line code of one chunk of a program, as LLVM text.

Groups of elements are loaded when first needed and stored when complete, transposed in registers. Values from
and for other chunks pass through spill slots of the scratch array. NaN propagation: a state with a NaN or
infinite input, or with a quotient or root that is not finite, gets NaN in every output.
"""

from collections.abc import Sequence

from rikigaku.compiler.chunks import Chunk, Store, group
from rikigaku.compiler.instructions import Instruction, Operand, operand
from rikigaku.compiler.llvm_lookup import lookup_lines
from rikigaku.compiler.llvm_nan_propagation import divides
from rikigaku.compiler.llvm_sincos import sincos_inline
from rikigaku.compiler.llvm_text import Vector, narrow_groups, read_narrow, transposed, write_narrow
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.program import Program

# LLVM's instruction selection is superlinear in the length of a basic block.
_BASIC_BLOCK_LENGTH = 600

_LINE = 64  # bytes in a cache line

_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


class ChunkWriter:
    """The lines of one chunk's function."""

    def __init__(self, program: Program, t: Vector, chunk: Chunk) -> None:
        self.program, self.t, self.chunk = program, t, chunk
        self.lines: list[str] = []
        self.values: dict[int, str] = {}
        self.loaded: dict[tuple[int, int], str] = {}
        self.positions: dict[int, tuple[int, int]] = {}
        self.constants: dict[int, float] = {}
        self.pairs: set[int] = set()
        self.computed = self.signs = self.reads = self.checked = 0
        self.divides = divides(program)
        self.finite_sums = [t.constant(0.0)] * 4
        self.prefetches = _next_cache_lines(program, chunk, t)
        self.interval = max(1, len(chunk.instructions) // max(1, len(self.prefetches)))
        for i in range(len(program.inputs)):
            self._lane_pointers("in", "is", i)
        for i in range(len(program.outputs)):
            self._lane_pointers("out", "os", i)
            if self.prefetches:
                self.line(f"%next{i} = getelementptr i8, ptr %out{i}.{t.width - 1}, i64 %os{i}")
        for instruction in chunk.instructions:
            self._add(instruction)
        for store in chunk.stores.get(-1, ()):
            self._store(store)
        for index in sorted(chunk.outgoing.keys() & (self.positions.keys() | self.constants.keys())):
            self._keep(index)

    # -- instructions ---------------------------------------------------------------------------------------
    def _add(self, instruction: Instruction) -> None:
        index = instruction.index
        if instruction.op == "const":
            self.constants[index] = instruction.constant
            return
        if instruction.op == "input":  # loaded when used
            self.positions[index] = instruction.position
            return
        self._compute(instruction)
        self._keep(index)
        for store in self.chunk.stores.get(index, ()):
            self._store(store)
        self.computed += 1
        if self.prefetches and self.computed % self.interval == 0:
            self._prefetch(*self.prefetches.pop())
        if self.computed % _BASIC_BLOCK_LENGTH == 0:
            self.lines += [f"  br label %part{self.computed}", f"part{self.computed}:"]

    def _compute(self, instruction: Instruction) -> None:
        t, op, out = self.t, instruction.op, f"%v{instruction.index}"
        if op in ("sin", "cos"):
            self.values[instruction.index] = self._sincos(instruction.args[0], op)
            return
        args = [self._signed(arg) for arg in instruction.args]
        self.values[instruction.index] = out
        if op in _BINARY:
            self.line(f"{out} = {_BINARY[op]} {t.real} {args[0]}, {args[1]}")
        elif op == "fma":
            x, y, z = (f"{t.real} {a}" for a in args)
            self.line(f"{out} = call {t.real} {t.intrinsic('fma')}({x}, {y}, {z})")
        elif op == "sqrt":
            self.line(f"{out} = call {t.real} {t.intrinsic('sqrt')}({t.real} {args[0]})")
        elif op == "sign":  # zero stays zero, NaN stays NaN
            self.line(f"{out}.z = fcmp one {t.real} {args[0]}, {t.constant(0.0)}")
            one, x = f"{t.real} {t.constant(1.0)}", f"{t.real} {args[0]}"
            self.line(f"{out}.s = call {t.real} {t.intrinsic('copysign')}({one}, {x})")
            self.line(f"{out} = select {t.bool} {out}.z, {t.real} {out}.s, {x}")
        elif op == "choose":
            self.line(f"{out}.c = fcmp olt {t.real} {args[0]}, {args[1]}")
            self.line(f"{out} = select {t.bool} {out}.c, {t.real} {args[2]}, {t.real} {args[3]}")
        elif op == "lookup":
            self.lines += lookup_lines(t, instruction.table, args[0], out)
        else:
            raise AssertionError(f"no LLVM spelling for {op!r}")

    def _sincos(self, arg: Operand, op: str) -> str:
        pair = f"%sc{arg.index}"
        if arg.index not in self.pairs:
            self.pairs.add(arg.index)
            self.lines += sincos_inline(self.t, self._signed(arg), pair)
        return f"{pair}.{op}"

    def _signed(self, arg: Operand) -> str:
        value = self._value(arg.index)
        if not arg.negative:
            return value
        self.signs += 1
        name = f"%n{self.signs}"
        self.line(f"{name} = fneg {self.t.real} {value}")
        return name

    def _value(self, index: int) -> str:
        """A value of this chunk, of an earlier one through its slot, or an input."""
        # loaded at each use: a memory operand adds no register pressure
        if index in self.constants:
            return self._constant(self.constants[index])
        if index in self.chunk.incoming:
            self.reads += 1
            name = f"%i{self.reads}"
            slot = self._slot(self.chunk.incoming[index], f"{name}.p")
            self.line(f"{name} = load {self.t.real}, ptr {slot}, align {self.t.bytes}")
            return name
        if self.t.lanes and index in self.positions:
            return self._element(*self.positions[index])
        if index not in self.values:
            self.values[index] = self._input(*self.positions[index])
        return self.values[index]

    def _constant(self, x: float) -> str:
        self.reads += 1
        lines, value = self.t.program_constant(x, f"%k{self.reads}")
        self.lines += lines
        return value

    def _slot(self, slot: int, name: str) -> str:
        self.line(f"{name} = getelementptr {self.t.scalar}, ptr %scratch, i64 {slot * self.t.width}")
        return name

    def _keep(self, index: int) -> None:
        """Store a value in its slots, for other chunks."""
        for negative, slot in self.chunk.outgoing.get(index, ()):
            value = self._signed(Operand(index, negative))
            pointer = self._slot(slot, f"%w{slot}")
            self.line(f"store {self.t.real} {value}, ptr {pointer}, align {self.t.bytes}")

    def _element(self, i: int, element: int) -> str:
        self.reads += 1
        name = f"%e{self.reads}"
        pointer = self._at(f"%in{i}", element * self.t.width, f"{name}.p")
        self.line(f"{name} = load {self.t.real}, ptr {pointer}, align {self.t.bytes}")
        return name

    # -- loads ----------------------------------------------------------------------------------------------
    def _input(self, i: int, element: int) -> str:
        if (i, element) not in self.loaded:
            self._load_group(i, range(*group(self.program.inputs[i].size, self.t.width, element)))
        return self.loaded[i, element]

    def _load_group(self, i: int, elements: range) -> None:
        t, w, name = self.t, self.t.width, f"%l{i}.{elements.start}"
        if len(elements) == w:
            rows = []
            for lane in range(w):
                rows.append(f"{name}.r{lane}")
                pointer = self._at(f"%in{i}.{lane}", elements.start, f"{name}.p{lane}")
                self.line(f"{rows[-1]} = load {t.real}, ptr {pointer}, align {t.size}")
            lines, columns = transposed(t, rows, f"{name}.t") if w > 1 else ([], rows)
            self.lines += lines
            self._note(i, elements, columns)
            return
        for start, size in narrow_groups(len(elements)):
            first = elements.start + start
            pointers = [self._at(f"%in{i}.{k}", first, f"{name}.{start}.p{k}") for k in range(w)]
            lines, columns = read_narrow(t, pointers, size, f"{name}.{start}.t")
            self.lines += lines
            self._note(i, range(first, first + size), columns)

    def _note(self, i: int, elements: range, columns: Sequence[str]) -> None:
        for element, value in zip(elements, columns, strict=True):
            self.loaded.setdefault((i, element), value)

    # -- stores ---------------------------------------------------------------------------------------------
    def _store(self, store: Store) -> None:
        t, w, i, start = self.t, self.t.width, store.output, store.start
        values = [self._result(x) for x in self.program.results[i][start : store.stop]]
        name = f"%s{i}.{start}"
        if t.lanes:
            pointer = self._at(f"%out{i}", start * w, f"{name}.p")
            self.line(f"store {t.real} {values[0]}, ptr {pointer}, align {t.bytes}")
            return
        if self.divides:
            for value in values:
                self._check_finite(value)
        if len(values) == w:
            lines, rows = transposed(t, values, f"{name}.t") if w > 1 else ([], values)
            self.lines += lines
            for lane, row in enumerate(rows):
                pointer = self._at(f"%out{i}.{lane}", start, f"{name}.p{lane}")
                self.line(f"store {t.real} {row}, ptr {pointer}, align {t.size}")
            return
        for at, size in narrow_groups(len(values)):
            own = f"{name}.{at}"
            pointers = [self._at(f"%out{i}.{k}", start + at, f"{own}.p{k}") for k in range(w)]
            self.lines += write_narrow(t, pointers, values[at : at + size], f"{own}.t")

    def _result(self, x: Traced) -> str:
        if isinstance(x, Node):
            return self._signed(operand(x))
        return self._constant(float(x))

    def _prefetch(self, i: int, line: int) -> None:
        """Prefetch a cache line that the next block stores to: stores that miss the cache stall the core."""
        name = f"%f{i}.{line}"
        self.line(f"{name} = getelementptr i8, ptr %next{i}, i64 {line}")
        self.line(f"call void @llvm.prefetch.p0(ptr {name}, i32 1, i32 3, i32 1)")

    def _check_finite(self, value: str) -> None:
        """Add 0 * value to a sum, which becomes NaN in the lanes where the value is not finite."""
        self.checked += 1
        before = self.finite_sums.pop(0)  # four sums, so that consecutive additions are independent
        args = ", ".join(f"{self.t.real} {a}" for a in (value, self.t.constant(0.0), before))
        self.finite_sums.append(f"%z{self.checked}")
        self.line(f"{self.finite_sums[-1]} = call {self.t.real} {self.t.intrinsic('fma')}({args})")

    def check_slots(self, slots: Sequence[int]) -> None:
        """Check values in slots."""
        if self.t.lanes:
            return
        for k, slot in enumerate(slots):
            pointer = self._slot(slot, f"%u{k}.p")
            self.line(f"%u{k} = load {self.t.real}, ptr {pointer}, align {self.t.bytes}")
            self._check_finite(f"%u{k}")

    def _checked_sum(self) -> str:
        """The sum over all checked values: 0, or NaN."""
        total, *others = self.finite_sums
        for k, other in enumerate(others):
            self.line(f"%z.{k} = fadd {self.t.real} {total}, {other}")
            total = f"%z.{k}"
        return total

    def propagate_nan(self) -> None:
        """Fill all outputs of a state with NaN if an input, quotient or root is not finite.

        Callers of code for lanes check the states themselves.
        """
        t = self.t
        if t.lanes:
            self.line("ret void")
            return
        for i, port in enumerate(self.program.inputs):
            for element in range(port.size):
                self._check_finite(self._input(i, element))
        total = self._checked_sum()
        self.line(f"%bad = fcmp uno {t.real} {total}, {total}")
        self.lines += t.any("%any_bad", "%bad")
        self.lines += ["  br i1 %any_bad, label %fill, label %done, !prof !0", "fill:"]
        for lane in range(t.width):
            bad = "%bad" if t.width == 1 else f"%bad{lane}"
            if t.width > 1:
                self.line(f"{bad} = extractelement {t.bool} %bad, i32 {lane}")
            for i, port in enumerate(self.program.outputs):
                self.line(f"call void @fill_nan(ptr %out{i}.{lane}, i64 {port.size}, i1 {bad})")
        self.lines += ["  br label %done", "done:", "  ret void"]

    # -- pointers and lines ---------------------------------------------------------------------------------
    def _lane_pointers(self, kind: str, stride: str, i: int) -> None:
        if self.t.lanes:
            return
        self.line(f"%{kind}{i}.0 = getelementptr i8, ptr %{kind}{i}, i64 0")
        for lane in range(1, self.t.width):
            previous = f"%{kind}{i}.{lane - 1}"
            self.line(f"%{kind}{i}.{lane} = getelementptr i8, ptr {previous}, i64 %{stride}{i}")

    def _at(self, base: str, element: int, name: str) -> str:
        if element == 0:
            return base
        self.line(f"{name} = getelementptr {self.t.scalar}, ptr {base}, i64 {element}")
        return name

    def line(self, text: str) -> None:
        self.lines.append("  " + text)


def _next_cache_lines(program: Program, chunk: Chunk, t: Vector) -> list[tuple[int, int]]:
    """(output, offset in bytes) of the cache lines that this chunk stores to in the next block of a batch."""
    if not t.streams:
        return []
    lines = set()
    for stores in chunk.stores.values():
        for store in stores:
            row = t.size * program.outputs[store.output].size
            for lane in range(t.width):
                for element in (store.start, store.stop - 1):
                    lines.add((store.output, (lane * row + t.size * element) // _LINE * _LINE))
    return sorted(lines)
