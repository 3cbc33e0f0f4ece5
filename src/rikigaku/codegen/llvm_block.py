"""The straight-line code of a program for one block of states (as many as a register holds), as LLVM text.

    void block(ptr in0, i64 stride0, ..., ptr out0, i64 stride0, ...)

reads and writes states whose elements lie one after the other (row-major core), states `stride` bytes apart.
Groups of elements are loaded when first needed and stored when complete, transposed in registers.
A state with a NaN or infinite input gets NaN in every output.
"""

from rikigaku.codegen.instructions import Instruction, Operand, instructions, operand
from rikigaku.codegen.llvm_sincos import sincos_inline
from rikigaku.codegen.llvm_text import Vector, number, transposed
from rikigaku.numbers.graph import Node
from rikigaku.numbers.program import Port, Program

# LLVM's instruction selection is superlinear in the length of a basic block.
_BLOCK_LENGTH = 600

_LINE = 64  # bytes in a cache line

_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def block_function(program: Program, t: Vector, fuse: bool = True) -> str:
    """Definition of @block for that width."""
    writer = _Writer(program, t)
    for instruction in instructions(program, fuse):
        writer.add(instruction)
    writer.finish()
    parameters = [f"ptr noalias %in{i}, i64 %is{i}" for i in range(len(program.inputs))]
    parameters += [f"ptr noalias %out{i}, i64 %os{i}" for i in range(len(program.outputs))]
    head = f"define internal void @block({', '.join(parameters)}) \"stackrealign\" {{\nentry:"
    return "\n".join([head, *writer.lines, "}"])


class _Writer:
    def __init__(self, program: Program, t: Vector) -> None:
        self.program, self.t = program, t
        self.lines: list[str] = []
        self.values: dict[int, str] = {}
        self.loaded: dict[tuple[int, int], str] = {}
        self.pairs: set[int] = set()
        self.poison: str | None = None
        self.missing, self.groups = _output_groups(program, t.width)
        self.constant_groups = [key for key, count in self.missing.items() if count == 0]
        self.computed = self.signs = 0
        self.prefetches = _lines_to_come(program, t.width)
        self.interval = max(1, len(program.nodes) // max(1, len(self.prefetches)) // 2)
        for i in range(len(program.inputs)):
            self._lane_pointers("in", "is", i)
        for i in range(len(program.outputs)):
            self._lane_pointers("out", "os", i)
            if self.prefetches:
                self._line(f"%next{i} = getelementptr i8, ptr %out{i}.{t.width - 1}, i64 %os{i}")

    # -- instructions ---------------------------------------------------------------------------------------
    def add(self, instruction: Instruction) -> None:
        index, t = instruction.index, self.t
        if instruction.op == "const":
            self.values[index] = t.constant(instruction.value)  # type: ignore[arg-type]
        elif instruction.op == "input":
            number_, element = instruction.value  # type: ignore[misc]
            self.values[index] = self._input(number_, element)
        else:
            self._compute(instruction)
        self._store_complete(index)

    def _compute(self, instruction: Instruction) -> None:
        t, op, out = self.t, instruction.op, f"%v{instruction.index}"
        if op in ("sin", "cos"):
            self.values[instruction.index] = self._sincos(instruction.args[0], op)
            return
        args = [self._signed(arg) for arg in instruction.args]
        self.values[instruction.index] = out
        if op in _BINARY:
            self._line(f"{out} = {_BINARY[op]} {t.double} {args[0]}, {args[1]}")
        elif op == "fma":
            x, y, z = (f"{t.double} {a}" for a in args)
            self._line(f"{out} = call {t.double} {t.intrinsic('fma')}({x}, {y}, {z})")
        elif op == "sqrt":
            self._line(f"{out} = call {t.double} {t.intrinsic('sqrt')}({t.double} {args[0]})")
        elif op == "sign":  # zero stays zero, NaN stays NaN
            self._line(f"{out}.z = fcmp one {t.double} {args[0]}, {t.constant(0.0)}")
            one, x = f"{t.double} {t.constant(1.0)}", f"{t.double} {args[0]}"
            self._line(f"{out}.s = call {t.double} {t.intrinsic('copysign')}({one}, {x})")
            self._line(f"{out} = select {t.bool} {out}.z, {t.double} {out}.s, {x}")
        elif op == "less":
            self._line(f"{out} = fcmp olt {t.double} {args[0]}, {args[1]}")
        elif op == "choose":
            self._line(f"{out} = select {t.bool} {args[0]}, {t.double} {args[1]}, {t.double} {args[2]}")
        else:
            raise AssertionError(f"no LLVM spelling for {op!r}")
        self.computed += 1
        if self.prefetches and self.computed % self.interval == 0:
            self._prefetch(*self.prefetches.pop())
        if self.computed % _BLOCK_LENGTH == 0:
            self.lines += [f"  br label %part{self.computed}", f"part{self.computed}:"]

    def _sincos(self, arg: Operand, op: str) -> str:
        pair = f"%sc{arg.index}"
        if arg.index not in self.pairs:
            self.pairs.add(arg.index)
            self.lines += sincos_inline(self.t, self._signed(arg), pair)
        return f"{pair}.{op}"

    def _signed(self, arg: Operand) -> str:
        value = self.values[arg.index]
        if not arg.negative:
            return value
        self.signs += 1
        name = f"%n{self.signs}"
        self._line(f"{name} = fneg {self.t.double} {value}")
        return name

    # -- loads ----------------------------------------------------------------------------------------------
    def _input(self, i: int, element: int) -> str:
        if (i, element) not in self.loaded:
            self._load_group(i, _group(self.program.inputs[i].size, self.t.width, element))
        return self.loaded[i, element]

    def _load_group(self, i: int, elements: range) -> None:
        t, w, name = self.t, self.t.width, f"%l{i}.{elements.start}"
        if len(elements) == w:
            rows = []
            for lane in range(w):
                rows.append(f"{name}.r{lane}")
                pointer = self._at(f"%in{i}.{lane}", elements.start, f"{name}.p{lane}")
                self._line(f"{rows[-1]} = load {t.double}, ptr {pointer}, align 8")
            lines, columns = transposed(t, rows, f"{name}.t") if w > 1 else ([], rows)
            self.lines += lines
        else:
            columns = [self._gathered(i, element) for element in elements]
        for element, value in zip(elements, columns, strict=True):
            if (i, element) not in self.loaded:
                self.loaded[i, element] = value
                self._watch(value)

    def _gathered(self, i: int, element: int) -> str:
        value = "undef"
        for lane in range(self.t.width):
            name = f"%g{i}.{element}.{lane}"
            pointer = self._at(f"%in{i}.{lane}", element, f"{name}.p")
            self._line(f"{name}.x = load double, ptr {pointer}, align 8")
            self._line(f"{name} = insertelement {self.t.double} {value}, double {name}.x, i32 {lane}")
            value = name
        return value

    def _watch(self, value: str) -> None:
        """Multiply each input into a sum of zeros: NaN there marks a state with a NaN or infinite input."""
        t, previous = self.t, self.poison or self.t.constant(0.0)
        self.poison = f"{value}.w"
        args = ", ".join(f"{t.double} {a}" for a in (value, t.constant(0.0), previous))
        self._line(f"{self.poison} = call {t.double} {t.intrinsic('fma')}({args})")

    # -- stores ---------------------------------------------------------------------------------------------
    def _store_complete(self, index: int) -> None:
        for key in self.groups.pop(index, ()):
            self.missing[key] -= 1
            if self.missing[key] == 0:
                self._store_group(*key)

    def _store_group(self, i: int, start: int, stop: int) -> None:
        t, w = self.t, self.t.width
        values = [self._result(self.program.results[i][element]) for element in range(start, stop)]
        name = f"%s{i}.{start}"
        if stop - start == w:
            lines, rows = transposed(t, values, f"{name}.t") if w > 1 else ([], values)
            self.lines += lines
            for lane, row in enumerate(rows):
                pointer = self._at(f"%out{i}.{lane}", start, f"{name}.p{lane}")
                self._line(f"store {t.double} {row}, ptr {pointer}, align 8")
            return
        for element, value in zip(range(start, stop), values, strict=True):
            for lane in range(w):
                label = f"{name}.{element}.{lane}"
                pointer = self._at(f"%out{i}.{lane}", element, f"{label}.p")
                self._line(f"{label} = extractelement {t.double} {value}, i32 {lane}")
                self._line(f"store double {label}, ptr {pointer}, align 8")

    def _result(self, x: object) -> str:
        if isinstance(x, Node):
            return self._signed(operand(x))
        return self.t.constant(float(x))  # type: ignore[arg-type]

    def finish(self) -> None:
        """Store what depends on no instruction, look at every input, and mark the poisoned states."""
        for key in self.constant_groups:
            self._store_group(*key)
        for i, port in enumerate(self.program.inputs):
            for element in range(port.size):
                self._input(i, element)
        if self.poison is None:
            self._line("ret void")
            return
        t = self.t
        self._line(f"%bad = fcmp uno {t.double} {self.poison}, {self.poison}")
        self.lines += t.any("%any_bad", "%bad")
        self._line("br i1 %any_bad, label %spoil, label %done, !prof !0")
        self.lines.append("spoil:")
        for lane in range(t.width):
            self._spoil(lane)
        self.lines += ["  br label %done", "done:", "  ret void"]

    def _spoil(self, lane: int) -> None:
        bad = "%bad" if self.t.width == 1 else f"%bad{lane}"
        if self.t.width > 1:
            self._line(f"{bad} = extractelement {self.t.bool} %bad, i32 {lane}")
        for i, port in enumerate(self.program.outputs):
            self._line(f"call void @spoil(ptr %out{i}.{lane}, i64 {port.size}, i1 {bad})")

    def _prefetch(self, i: int, line: int) -> None:
        """Ask for a cache line the next block will write: stores that miss would stall the whole core."""
        name = f"%f{i}.{line}"
        self._line(f"{name} = getelementptr i8, ptr %next{i}, i64 {line}")
        self._line(f"call void @llvm.prefetch.p0(ptr {name}, i32 1, i32 3, i32 1)")

    # -- small things ---------------------------------------------------------------------------------------
    def _lane_pointers(self, kind: str, stride: str, i: int) -> None:
        self._line(f"%{kind}{i}.0 = getelementptr i8, ptr %{kind}{i}, i64 0")
        for lane in range(1, self.t.width):
            previous = f"%{kind}{i}.{lane - 1}"
            self._line(f"%{kind}{i}.{lane} = getelementptr i8, ptr {previous}, i64 %{stride}{i}")

    def _at(self, base: str, element: int, name: str) -> str:
        if element == 0:
            return base
        self._line(f"{name} = getelementptr double, ptr {base}, i64 {element}")
        return name

    def _line(self, text: str) -> None:
        self.lines.append("  " + text)


SPOIL = f"""
define internal void @spoil(ptr %out, i64 %size, i1 %bad) noinline cold {{
entry:
  br i1 %bad, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %size
  br i1 %more, label %body, label %done
body:
  %p = getelementptr double, ptr %out, i64 %i
  store double {number(float("nan"))}, ptr %p, align 8
  %next = add i64 %i, 1
  br label %loop
done:
  ret void
}}
!0 = !{{!"branch_weights", i32 1, i32 100000}}
"""


def _group(size: int, width: int, element: int) -> range:
    """The elements moved together with this one: a full register, the last one overlapping, or the rest."""
    if size < width:
        return range(size)
    start = min(element // width * width, size - width)
    return range(start, start + width)


def _lines_to_come(program: Program, width: int) -> list[tuple[int, int]]:
    """(output, offset in bytes) of every cache line of the next block of a dense batch; none for one state."""
    if width == 1:
        return []
    return [
        (i, offset) for i, port in enumerate(program.outputs) for offset in range(0, 8 * width * port.size, _LINE)
    ]


def _output_groups(
    program: Program, width: int
) -> tuple[dict[tuple[int, int, int], int], dict[int, list[tuple[int, int, int]]]]:
    """How many values each store group waits for, and which groups wait for each instruction."""
    missing: dict[tuple[int, int, int], int] = {}
    waiting: dict[int, list[tuple[int, int, int]]] = {}
    for i, port in enumerate(program.outputs):
        for group in sorted({_key(port, width, element) for element in range(port.size)}):
            key = (i, *group)
            awaited = {
                operand(x).index for x in program.results[i][group[0] : group[1]] if isinstance(x, Node)
            }
            missing[key] = len(awaited)
            for index in awaited:
                waiting.setdefault(index, []).append(key)
    return missing, waiting


def _key(port: Port, width: int, element: int) -> tuple[int, int]:
    group = _group(port.size, width, element)
    return group.start, group.stop
