"""LLVM types, constants and transpositions for vectors of a given width and precision, as text."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def number(x: float) -> str:
    """A double, exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


@dataclass(frozen=True)
class Vector:
    """The LLVM vector type that holds one number for each of `width` states; 1: a scalar.

    single: numbers of 32 bits (float) instead of 64 (double).
    lanes: operands in memory have the layout of the registers, (blocks, elements, width) instead of
    (states, elements): nothing is transposed.
    """

    width: int
    single: bool = False
    lanes: bool = False

    @property
    def group(self) -> int:
        """Elements of an operand that are loaded and stored together."""
        return 1 if self.lanes else self.width

    @property
    def streams(self) -> bool:
        """Whether outputs that exceed the caches are stored past them."""
        return self.width > 1 and not self.lanes

    @property
    def scalar(self) -> str:
        return "float" if self.single else "double"

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return 4 if self.single else 8

    @property
    def bytes(self) -> int:
        """Bytes of the vector."""
        return self.size * self.width

    @property
    def real(self) -> str:
        return self.scalar if self.width == 1 else f"<{self.width} x {self.scalar}>"

    @property
    def whole(self) -> str:
        """Whole numbers of as many bits."""
        whole = f"i{8 * self.size}"
        return whole if self.width == 1 else f"<{self.width} x {whole}>"

    def number(self, x: float) -> str:
        """A number of this precision; LLVM writes floats as the doubles of the same value."""
        with np.errstate(over="ignore"):
            return number(float(np.float32(x)) if self.single else x)

    @property
    def bool(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    def constant(self, x: float) -> str:
        return self.number(x) if self.width == 1 else f"splat ({self.scalar} {self.number(x)})"

    def loaded(self, x: float, name: str) -> tuple[list[str], str]:
        """Lines and a value for a constant operand of a vector instruction.

        A memory operand is part of the instruction that uses it; a splat would need a broadcast before each
        use, because register pressure is high. `constant_table` gives the marker @k<bits> its place.
        """
        if self.width == 1:
            return [], self.constant(x)
        return self._load(name, f"@k{self.number(x)[2:]}"), name

    def program_constant(self, x: float, name: str) -> tuple[list[str], str]:
        """Lines and a value for a constant of the program, read from the table of constants.

        `constant_table` gives the marker @c<bits> its place in the table. Zeros are part of the code.
        """
        if x == 0.0:
            return self.loaded(x, name)
        return self._load(name, f"@c{number(x)[2:]}"), name

    def _load(self, name: str, place: str) -> list[str]:
        return [
            f"  {name}.p = getelementptr {self.scalar}, ptr %constants, i64 {place}",
            f"  {name} = load {self.real}, ptr {name}.p, align {self.bytes}",
        ]

    def integer(self, k: int) -> str:
        return str(k) if self.width == 1 else f"splat (i{8 * self.size} {k})"

    def intrinsic(self, name: str) -> str:
        kind = f"f{8 * self.size}"
        return f"@llvm.{name}.{kind if self.width == 1 else f'v{self.width}{kind}'}"

    def any(self, out: str, condition: str) -> list[str]:
        """out = 1 if the condition holds in some lane."""
        if self.width == 1:
            return [f"  {out} = and i1 {condition}, true"]
        return [
            f"  {out}.bits = bitcast {self.bool} {condition} to i{self.width}",
            f"  {out} = icmp ne i{self.width} {out}.bits, 0",
        ]

    def declarations(self) -> str:
        """The intrinsics a block may call."""
        d = self.real
        return "\n".join(
            [
                f"declare {d} {self.intrinsic('fma')}({d}, {d}, {d})",
                f"declare {d} {self.intrinsic('sqrt')}({d})",
                f"declare {d} {self.intrinsic('fabs')}({d})",
                f"declare {d} {self.intrinsic('copysign')}({d}, {d})",
                "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            ]
        )


def transposed(t: Vector, rows: Sequence[str], name: str) -> tuple[list[str], list[str]]:
    """Lines that transpose `width` vectors, and the names of the results: log2(width) rounds of shuffles."""
    return _exchanged(t, rows, name, t.width)


def read_transposed(t: Vector, pointers: Sequence[str], name: str) -> tuple[list[str], list[str]]:
    """The same for vectors in memory; loading halves saves one round of shuffles."""
    w, half = t.width, t.width // 2
    if w == 1:
        return [f"  {name} = load {t.scalar}, ptr {pointers[0]}, align {t.size}"], [name]
    lines, rows = [], [""] * w
    kind = f"<{half} x {t.scalar}>"
    mask = ", ".join(f"i32 {j}" for j in range(w))
    for i in range(half):
        for part, place in enumerate((i, i + half)):
            parts = []
            for k in (i, i + half):
                x = f"{name}.h{part}.{k}"
                lines += [
                    f"  {x}.p = getelementptr {t.scalar}, ptr {pointers[k]}, i64 {part * half}",
                    f"  {x} = load {kind}, ptr {x}.p, align {t.size * half}",
                ]
                parts.append(f"{kind} {x}")
            rows[place] = f"{name}.r{place}"
            lines.append(f"  {rows[place]} = shufflevector {', '.join(parts)}, <{w} x i32> <{mask}>")
    moved, columns = _exchanged(t, rows, name, half)
    return [*lines, *moved], columns


def narrow_groups(count: int) -> list[tuple[int, int]]:
    """Groups (start, size) that cover fewer elements than a register has: the largest power of two, twice."""
    size = 1 << (count.bit_length() - 1)
    return [(0, size)] if size == count else [(0, size), (count - size, size)]


def read_narrow(t: Vector, pointers: Sequence[str], size: int, name: str) -> tuple[list[str], list[str]]:
    """Lines that load `size` elements (a power of two below the width) of each lane; a vector for each."""
    w, kind, lines, rows = t.width, f"<{size} x {t.scalar}>", [], []
    for i in range(size):
        parts = []
        for lane in range(i, w, size):
            parts.append(f"{name}.q{lane}")
            lines.append(f"  {parts[-1]} = load {kind}, ptr {pointers[lane]}, align {t.size}")
        joined, own = size, parts
        while len(own) > 1:
            mask = ", ".join(f"i32 {j}" for j in range(2 * joined))
            pair = f"<{joined} x {t.scalar}>"
            following = []
            for k in range(0, len(own), 2):
                x = f"{name}.j{i}.{joined}.{k}"
                given = f"{pair} {own[k]}, {pair} {own[k + 1]}"
                lines.append(f"  {x} = shufflevector {given}, <{2 * joined} x i32> <{mask}>")
                following.append(x)
            joined, own = 2 * joined, following
        rows.append(own[0])
    moved, columns = _exchanged(t, rows, name, size)
    return [*lines, *moved], columns


def write_narrow(t: Vector, pointers: Sequence[str], columns: Sequence[str], name: str) -> list[str]:
    """Lines that store vectors, a power of two below the width, as elements of each lane."""
    w, size = t.width, len(columns)
    lines, rows = _exchanged(t, columns, name, size)
    for lane in range(w):
        first = lane // size * size
        mask = ", ".join(f"i32 {first + j}" for j in range(size))
        row = f"{t.real} {rows[lane % size]}, {t.real} poison"
        lines += [
            f"  {name}.e{lane} = shufflevector {row}, <{size} x i32> <{mask}>",
            f"  store <{size} x {t.scalar}> {name}.e{lane}, ptr {pointers[lane]}, align {t.size}",
        ]
    return lines


def _exchanged(t: Vector, rows: Sequence[str], name: str, end: int) -> tuple[list[str], list[str]]:
    """Rounds of shuffles at distances 1, 2, ... below `end`."""
    current, lines, step = list(rows), [], 1
    w = t.width
    while step < end:
        low = ", ".join(f"i32 {j if not j & step else w + j - step}" for j in range(w))
        high = ", ".join(f"i32 {j + step if not j & step else w + j}" for j in range(w))
        following = list(current)
        for i in range(len(rows)):
            if not i & step:
                a, b = current[i], current[i + step]
                x, y = f"{name}.{step}.{i}", f"{name}.{step}.{i + step}"
                for out, mask in ((x, low), (y, high)):
                    lines.append(f"  {out} = shufflevector {t.real} {a}, {t.real} {b}, <{w} x i32> <{mask}>")
                following[i], following[i + step] = x, y
        current, step = following, step * 2
    return lines, current
