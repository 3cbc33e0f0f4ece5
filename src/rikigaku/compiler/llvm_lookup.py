"""Elements of tables of constants at computed places, as LLVM text.

The place is limited to the table before it is converted (NaN gives the first), so that no value of an input
reads other memory or sets a floating-point flag. Tables are constants of the object code: another table is
another code.
"""

import hashlib
import struct
from collections.abc import Sequence

from rikigaku.compiler.llvm_text import Vector
from rikigaku.numbers.program import Program


def lookup_tables(program: Program, t: Vector) -> str:
    """Definitions of the tables that a program reads."""
    tables = {_name(node.value): node.value for node in program.nodes if node.op == "lookup"}
    if not tables:
        return ""
    limit = [_scalar(t).intrinsic(name) for name in ("maxnum", "minnum")]
    lines = [f"declare {t.scalar} {name}({t.scalar}, {t.scalar})" for name in limit]
    for name, table in sorted(tables.items()):
        values = ", ".join(f"{t.scalar} {t.number(x)}" for x in table)
        lines.append(f"{name} = internal constant [{len(table)} x {t.scalar}] [{values}], align 64")
    return "\n".join(lines)


def lookup_lines(t: Vector, table: Sequence[float], index: str, out: str) -> list[str]:
    """Lines that set `out` to the element of the table at the whole part of each lane of `index`."""
    lines, value, one = [], "undef", t.scalar
    largest, smallest = (_scalar(t).intrinsic(name) for name in ("maxnum", "minnum"))
    first, last = t.number(0.0), t.number(float(len(table) - 1))
    for lane in range(t.width):
        own, x = f"{out}.{lane}", index
        if t.width > 1:
            lines.append(f"  {own}.x = extractelement {t.real} {index}, i32 {lane}")
            x = f"{own}.x"
        lines += [
            f"  {own}.l = call {one} {largest}({one} {x}, {one} {first})",
            f"  {own}.h = call {one} {smallest}({one} {own}.l, {one} {last})",
            f"  {own}.k = fptoui {t.scalar} {own}.h to i64",
            f"  {own}.p = getelementptr {t.scalar}, ptr {_name(table)}, i64 {own}.k",
        ]
        if t.width == 1:
            return [*lines, f"  {out} = load {t.scalar}, ptr {own}.p, align {t.size}"]
        whole = out if lane == t.width - 1 else f"{own}.v"
        lines += [
            f"  {own}.d = load {t.scalar}, ptr {own}.p, align {t.size}",
            f"  {whole} = insertelement {t.real} {value}, {t.scalar} {own}.d, i32 {lane}",
        ]
        value = whole
    return lines


def _scalar(t: Vector) -> Vector:
    return Vector(1, t.single)


def _name(table: Sequence[float]) -> str:
    digest = hashlib.sha256(struct.pack(f"{len(table)}d", *table)).hexdigest()
    return f"@table_{digest[:24]}"
