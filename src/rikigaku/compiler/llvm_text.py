"""LLVM types, constants and transpositions for vectors of a given width (1: a double), as text."""

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass


def number(x: float) -> str:
    """A double, exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


@dataclass(frozen=True)
class Vector:
    """The LLVM vector type that holds one double for each of `width` states; 1: a scalar."""

    width: int

    @property
    def double(self) -> str:
        return "double" if self.width == 1 else f"<{self.width} x double>"

    @property
    def long(self) -> str:
        return "i64" if self.width == 1 else f"<{self.width} x i64>"

    @property
    def bool(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    def constant(self, x: float) -> str:
        return number(x) if self.width == 1 else f"splat (double {number(x)})"

    def loaded(self, x: float, name: str) -> tuple[list[str], str]:
        """Lines and a value for a constant operand of a vector instruction.

        A memory operand is part of the instruction that uses it; a splat would need a broadcast before each
        use, because register pressure is high. `constant_definitions` defines the memory.
        """
        if self.width == 1:
            return [], self.constant(x)
        return [self._load(name, f"@k{number(x)[2:]}")], name

    def program_constant(self, x: float, name: str) -> tuple[list[str], str]:
        """Lines and a value for a constant of the program, read from the table of constants.

        `constant_table` gives the marker @c<bits> its place in the table. Zeros are part of the code.
        """
        if x == 0.0:
            return self.loaded(x, name)
        return [self._load(name, f"@c{number(x)[2:]}")], name

    def _load(self, name: str, pointer: str) -> str:
        return f"  {name} = load {self.double}, ptr {pointer}, align {8 * self.width}"

    def integer(self, k: int) -> str:
        return str(k) if self.width == 1 else f"splat (i64 {k})"

    def intrinsic(self, name: str) -> str:
        return f"@llvm.{name}.{'f64' if self.width == 1 else f'v{self.width}f64'}"

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
        d = self.double
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
        return [f"  {name} = load double, ptr {pointers[0]}, align 8"], [name]
    lines, rows = [], [""] * w
    kind = f"<{half} x double>"
    mask = ", ".join(f"i32 {j}" for j in range(w))
    for i in range(half):
        for part, place in enumerate((i, i + half)):
            parts = []
            for k in (i, i + half):
                x = f"{name}.h{part}.{k}"
                lines += [
                    f"  {x}.p = getelementptr double, ptr {pointers[k]}, i64 {part * half}",
                    f"  {x} = load {kind}, ptr {x}.p, align {8 * half}",
                ]
                parts.append(f"{kind} {x}")
            rows[place] = f"{name}.r{place}"
            lines.append(f"  {rows[place]} = shufflevector {', '.join(parts)}, <{w} x i32> <{mask}>")
    moved, columns = _exchanged(t, rows, name, half)
    return [*lines, *moved], columns


def _exchanged(t: Vector, rows: Sequence[str], name: str, end: int) -> tuple[list[str], list[str]]:
    """Rounds of shuffles at distances 1, 2, ... below `end`."""
    current, lines, step = list(rows), [], 1
    w = t.width
    while step < end:
        low = ", ".join(f"i32 {j if not j & step else w + j - step}" for j in range(w))
        high = ", ".join(f"i32 {j + step if not j & step else w + j}" for j in range(w))
        following = list(current)
        for i in range(w):
            if not i & step:
                a, b = current[i], current[i + step]
                x, y = f"{name}.{step}.{i}", f"{name}.{step}.{i + step}"
                for out, mask in ((x, low), (y, high)):
                    lines.append(
                        f"  {out} = shufflevector {t.double} {a}, {t.double} {b}, <{w} x i32> <{mask}>"
                    )
                following[i], following[i + step] = x, y
        current, step = following, step * 2
    return lines, current


def constant_definitions(t: Vector, text: str) -> str:
    """Definitions of the constants the text reads; not `constant`, or LLVM would fold them back."""
    lines = []
    for bits in sorted(set(re.findall(r"@k([0-9A-F]{16})\b", text))):
        values = ", ".join([f"double 0x{bits}"] * t.width)
        lines.append(f"@k{bits} = internal global {t.double} <{values}>, align {8 * t.width}")
    return "\n".join(lines)
