"""Elements of tables of constants at computed places, as LLVM text.

The place is limited to the table before it is converted (NaN gives the first), so that no value of an input
reads other memory or sets a floating-point flag. Tables are constants of the object code: another table is
another code.
"""

import hashlib
import struct
from collections.abc import Sequence

from rikigaku.compiler.llvm_text import Vector, number
from rikigaku.numbers.program import Program

_DECLARATIONS = """declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minnum.f64(double, double)"""


def lookup_tables(program: Program) -> str:
    """Definitions of the tables that a program reads."""
    tables = {_name(node.value): node.value for node in program.nodes if node.op == "lookup"}
    lines = [_DECLARATIONS] if tables else []
    for name, table in sorted(tables.items()):
        values = ", ".join(f"double {number(x)}" for x in table)
        lines.append(f"{name} = internal constant [{len(table)} x double] [{values}], align 64")
    return "\n".join(lines)


def lookup_lines(t: Vector, table: Sequence[float], index: str, out: str) -> list[str]:
    """Lines that set `out` to the element of the table at the whole part of each lane of `index`."""
    lines, value, last = [], "undef", float(len(table) - 1)
    for lane in range(t.width):
        own, x = f"{out}.{lane}", index
        if t.width > 1:
            lines.append(f"  {own}.x = extractelement {t.double} {index}, i32 {lane}")
            x = f"{own}.x"
        lines += [
            f"  {own}.l = call double @llvm.maxnum.f64(double {x}, double {number(0.0)})",
            f"  {own}.h = call double @llvm.minnum.f64(double {own}.l, double {number(last)})",
            f"  {own}.k = fptoui double {own}.h to i64",
            f"  {own}.p = getelementptr double, ptr {_name(table)}, i64 {own}.k",
        ]
        if t.width == 1:
            return [*lines, f"  {out} = load double, ptr {own}.p, align 8"]
        whole = out if lane == t.width - 1 else f"{own}.v"
        lines += [
            f"  {own}.d = load double, ptr {own}.p, align 8",
            f"  {whole} = insertelement {t.double} {value}, double {own}.d, i32 {lane}",
        ]
        value = whole
    return lines


def _name(table: Sequence[float]) -> str:
    digest = hashlib.sha256(struct.pack(f"{len(table)}d", *table)).hexdigest()
    return f"@table_{digest[:24]}"
