"""A writer of LLVM text for small numerical algorithms, with Python operators and `with` blocks.

Values have operators (`y[i] + h * k[i]`), arrays are indexed, variables are cells in memory, and
control flow is `with` blocks. LLVM promotes cells to registers (mem2reg).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Union

from rikigaku.compiler.llvm_text import number

Operand = Union["Value", float, int]

LANES = 4  # elements of a vector operation
_VECTOR = f"<{LANES} x double>"


# Functions of LLVM that the writer calls, declared once in a module.
DECLARED = "\n".join(
    [
        *(f"declare double @llvm.{name}.f64(double)" for name in ("sqrt", "fabs", "floor")),
        f"declare {_VECTOR} @llvm.fabs.v{LANES}f64({_VECTOR})",
        f"declare {_VECTOR} @llvm.fmuladd.v{LANES}f64({_VECTOR}, {_VECTOR}, {_VECTOR})",
    ]
)


class Value:
    """A double, i64 or i1 under its name in the text."""

    def __init__(self, writer: "Writer", type: str, name: str) -> None:
        self.writer, self.type, self.name = writer, type, name

    def _with(self, floating: str, whole: str, other: Operand, swapped: bool = False) -> "Value":
        other = self.writer.value(other, self.type)
        a, b = (other, self) if swapped else (self, other)
        op = floating if self.type == "double" else whole
        return self.writer.result(self.type, f"{op} {self.type} {a.name}, {b.name}")

    def __add__(self, other: Operand) -> "Value":
        return self._with("fadd", "add", other)

    def __radd__(self, other: Operand) -> "Value":
        return self._with("fadd", "add", other, swapped=True)

    def __sub__(self, other: Operand) -> "Value":
        return self._with("fsub", "sub", other)

    def __rsub__(self, other: Operand) -> "Value":
        return self._with("fsub", "sub", other, swapped=True)

    def __mul__(self, other: Operand) -> "Value":
        return self._with("fmul", "mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> "Value":
        return self._with("fdiv", "sdiv", other)

    def __rtruediv__(self, other: Operand) -> "Value":
        return self._with("fdiv", "sdiv", other, swapped=True)

    def _compared(self, floating: str, whole: str, other: Operand) -> "Value":
        other = self.writer.value(other, self.type)
        op = f"fcmp {floating}" if self.type == "double" else f"icmp {whole}"
        return self.writer.result("i1", f"{op} {self.type} {self.name}, {other.name}")

    def __lt__(self, other: Operand) -> "Value":
        return self._compared("olt", "slt", other)

    def __le__(self, other: Operand) -> "Value":
        return self._compared("ole", "sle", other)

    def __gt__(self, other: Operand) -> "Value":
        return self._compared("ogt", "sgt", other)

    def __ge__(self, other: Operand) -> "Value":
        return self._compared("oge", "sge", other)

    def equals(self, other: Operand) -> "Value":
        return self._compared("oeq", "eq", other)

    def __and__(self, other: "Value") -> "Value":
        return self.writer.result("i1", f"and i1 {self.name}, {other.name}")

    def __or__(self, other: "Value") -> "Value":
        return self.writer.result("i1", f"or i1 {self.name}, {other.name}")

    def __invert__(self) -> "Value":
        return self.writer.result("i1", f"xor i1 {self.name}, true")


class Array:
    """An array of one type, given by its pointer."""

    def __init__(self, writer: "Writer", pointer: str, type: str = "double") -> None:
        self.writer, self.pointer, self.type = writer, pointer, type

    def at(self, index: Operand) -> "Array":
        """The array from that element on."""
        i = self.writer.value(index, "i64")
        p = self.writer.result("ptr", f"getelementptr {self.type}, ptr {self.pointer}, i64 {i.name}")
        return Array(self.writer, p.name, self.type)

    def __getitem__(self, index: Operand) -> Value:
        return self.writer.result(self.type, f"load {self.type}, ptr {self.at(index).pointer}")

    def __setitem__(self, index: Operand, x: Operand) -> None:
        v = self.writer.value(x, self.type)
        self.writer.line(f"store {self.type} {v.name}, ptr {self.at(index).pointer}")


class Cell(Array):
    """A variable: `c.value` reads and writes it."""

    @property
    def value(self) -> Value:
        return self[0]

    @value.setter
    def value(self, x: Operand) -> None:
        self[0] = x


class Writer:
    """Collects the lines of one function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.cells: list[str] = []
        self._count = 0

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def result(self, type: str, text: str) -> Value:
        name = self._fresh("%x")
        self.line(f"{name} = {text}")
        return Value(self, type, name)

    def value(self, x: Operand, type: str) -> Value:
        if isinstance(x, Value):
            return x
        return Value(self, type, number(float(x)) if type == "double" else str(int(x)))

    def cell(self, start: Operand, type: str = "double") -> Cell:
        name = self._fresh("%c")
        self.cells.append(f"  {name} = alloca {type}")
        cell = Cell(self, name, type)
        cell.value = start
        return cell

    # -- functions of numbers -------------------------------------------------------------------------------
    def sqrt(self, x: Value) -> Value:
        return self.result("double", f"call double @llvm.sqrt.f64(double {x.name})")

    def abs(self, x: Value) -> Value:
        return self.result("double", f"call double @llvm.fabs.f64(double {x.name})")

    def array(self, address: Value, type: str = "double") -> Array:
        """The array at an address, a whole number."""
        return Array(self, self.result("ptr", f"inttoptr i64 {address.name} to ptr").name, type)

    def call(self, function: str, *arguments: "Value | Array") -> None:
        """Call a function (its name, or a pointer to it) without result."""
        given = (f"ptr {x.pointer}" if isinstance(x, Array) else f"{x.type} {x.name}" for x in arguments)
        self.line(f"call void {function}({', '.join(given)})")

    def widened(self, x: Value) -> Value:
        """A number of 32 bits as one of 64; others as they are."""
        return self.result("double", f"fpext float {x.name} to double") if x.type == "float" else x

    def real(self, i: Value) -> Value:
        """A whole number as a real one."""
        return self.result("double", f"sitofp i64 {i.name} to double")

    def max(self, x: Value, y: Operand) -> Value:
        """The larger; y where x is NaN."""
        return self.select(x > y, x, y)

    def min(self, x: Value, y: Operand) -> Value:
        return self.select(x < y, x, y)

    def select(self, condition: Value, x: Operand, y: Operand) -> Value:
        type = next((v.type for v in (x, y) if isinstance(v, Value)), "double")
        a, b = self.value(x, type), self.value(y, type)
        return self.result(type, f"select i1 {condition.name}, {type} {a.name}, {type} {b.name}")

    # -- vectors --------------------------------------------------------------------------------------------
    def add_multiple(self, target: Array, count: Operand, factor: Value, source: Array) -> None:
        """target += factor source, in vector registers where the elements suffice."""
        splat = self._splat(factor)
        whole = self.value(count, "i64") / LANES * LANES
        with self._strides(whole) as i:
            x, y = (
                self.result(_VECTOR, f"load {_VECTOR}, ptr {a.at(i).pointer}, align 8")
                for a in (source, target)
            )
            total = self._vector_fused(splat, x.name, y.name)
            self.line(f"store {_VECTOR} {total.name}, ptr {target.at(i).pointer}, align 8")
        with self.loop(count, whole) as j:
            target[j] = target[j] + factor * source[j]

    def dot(self, count: Operand, x: Array, y: Array, start: Operand = 0.0, absolute: bool = False) -> Value:
        """start + the sum of x[i] y[i], or of |x[i] y[i]|, in vector registers where the elements suffice."""
        lanes = self.cell(Value(self, _VECTOR, "zeroinitializer"), _VECTOR)
        whole = self.value(count, "i64") / LANES * LANES
        with self._strides(whole) as i:
            a, b = (self.result(_VECTOR, f"load {_VECTOR}, ptr {v.at(i).pointer}, align 8") for v in (x, y))
            if absolute:
                a, b = (
                    self.result(_VECTOR, f"call {_VECTOR} @llvm.fabs.v{LANES}f64({_VECTOR} {v.name})")
                    for v in (a, b)
                )
            lanes.value = self._vector_fused(a.name, b.name, lanes.value.name)
        parts = lanes.value
        total = self.cell(start)
        with self.when(whole > 0):
            each = [
                self.result("double", f"extractelement {_VECTOR} {parts.name}, i64 {k}") for k in range(LANES)
            ]
            while len(each) > 1:
                each = [a + b for a, b in zip(each[::2], each[1::2], strict=True)]
            total.value = total.value + each[0]
        with self.loop(count, whole) as j:
            term = x[j] * y[j]
            total.value = total.value + (self.abs(term) if absolute else term)
        return total.value

    def _vector_fused(self, a: str, b: str, c: str) -> Value:
        """a b + c, as one operation where the processor has it."""
        arguments = ", ".join(f"{_VECTOR} {x}" for x in (a, b, c))
        return self.result(_VECTOR, f"call {_VECTOR} @llvm.fmuladd.v{LANES}f64({arguments})")

    def _splat(self, x: Value) -> str:
        one = self.result(_VECTOR, f"insertelement {_VECTOR} poison, double {x.name}, i64 0")
        mask = f"<{LANES} x i32> zeroinitializer"
        return self.result(_VECTOR, f"shufflevector {_VECTOR} {one.name}, {_VECTOR} poison, {mask}").name

    @contextmanager
    def _strides(self, end: Value) -> Iterator[Value]:
        """i = 0, lanes, 2 lanes, ... below end."""
        i = self.cell(0, "i64")
        with self.repeat() as done:
            now = i.value
            with self.when(now >= end):
                self.jump(done)
            yield now
            i.value = now + LANES

    # -- control --------------------------------------------------------------------------------------------
    def _start(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """Branch to that label; a new basic block follows."""
        self.line(f"br label %{label}")
        self._start(self._fresh("after"))

    def leave(self, status: Operand) -> None:
        """Return from the function."""
        self.line(f"ret i64 {self.value(status, 'i64').name}")
        self._start(self._fresh("after"))

    def leave_void(self) -> None:
        """Return from a function without result."""
        self.line("ret void")
        self._start(self._fresh("after"))

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        yes, on = self._fresh("when"), self._fresh("on")
        self.line(f"br i1 {condition.name}, label %{yes}, label %{on}")
        self._start(yes)
        yield
        self.line(f"br label %{on}")
        self._start(on)

    @contextmanager
    def loop(self, count: Operand, start: Operand = 0) -> Iterator[Value]:
        """i from start to count - 1."""
        i = self.cell(start, "i64")
        with self.repeat() as done:
            now = i.value
            with self.when(now >= count):
                self.jump(done)
            yield now
            i.value = now + 1

    @contextmanager
    def repeat(self) -> Iterator[str]:
        """A loop without end; a jump to the yielded label leaves it."""
        head, done = self._fresh("head"), self._fresh("done")
        self.line(f"br label %{head}")
        self._start(head)
        yield done
        self.line(f"br label %{head}")
        self._start(done)

    def function(self, head: str) -> str:
        """The whole definition."""
        return "\n".join([f"{head} {{", "entry:", *self.cells, *self.lines, "  unreachable", "}"])
