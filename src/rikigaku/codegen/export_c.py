"""A program as C source with no dependency but libm: the same operations in the same order, bit for bit."""

import keyword
import re

from rikigaku.codegen.instructions import Instruction, Operand, instructions, operand
from rikigaku.codegen.llvm_sincos import COSINE, LARGEST, REDUCTION, ROUNDER, SINE, TWO_OVER_PI
from rikigaku.errors import WrongValue
from rikigaku.numbers.graph import Node
from rikigaku.numbers.program import Program

_BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_C_WORDS = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "main", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
    "while",
})  # fmt: skip


def source(program: Program, name: str) -> str:
    """A C file defining `void name(const double *q, ..., double *out)` for one state.

    Compile without -ffast-math and with -ffp-contract=off; -mfma (or -march=native) makes fma an instruction.
    """
    checked_name(name)
    parameters = [f"const double *in{i}" for i in range(len(program.inputs))]
    parameters += [f"double *out{i}" for i in range(len(program.outputs))]
    shapes = [f" * in{i}: {_plain(p.name)} {list(p.shape)}" for i, p in enumerate(program.inputs)]
    shapes += [
        f" * out{i}: {_plain(p.name)} {list(p.shape)}, row-major" for i, p in enumerate(program.outputs)
    ]
    body: list[str] = []
    angles: set[int] = set()
    for instruction in instructions(program):
        body += _lines(instruction, angles)
    for i, elements in enumerate(program.results):
        for k, x in enumerate(elements):
            body.append(
                f"    out{i}[{k}] = {_spelled(operand(x)) if isinstance(x, Node) else _number(float(x))};"
            )
    comment = "\n".join(
        [f"/* {_plain(program.name)}: {program.operations}. Arrays are row-major.", *shapes, " */"]
    )
    return "\n".join(
        [
            *("#include <math.h>", "#include <stdint.h>", "#include <string.h>", "", _SINCOS, comment),
            *(f"void {name}({', '.join(parameters)})", "{", *body, "}", ""),
        ]
    )


def checked_name(name: str) -> str:
    """The name, if it is one C (and Python) can take."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or keyword.iskeyword(name) or name in _C_WORDS:
        raise WrongValue(
            f"{name!r} cannot be the name of a function; use letters, digits and _, and no reserved word."
        )
    return name


def _plain(text: str) -> str:
    """Text that cannot end a comment: names of links come from files."""
    return re.sub(r"[^\w .,-]", "_", text)


def _lines(instruction: Instruction, angles: set[int]) -> list[str]:
    out, args = f"v{instruction.index}", [_spelled(arg) for arg in instruction.args]
    match instruction.op:
        case "const":
            text = _number(instruction.value)  # type: ignore[arg-type]
        case "input":
            i, k = instruction.value  # type: ignore[misc]
            text = f"in{i}[{k}]"
        case "add" | "sub" | "mul" | "div":
            text = f"{args[0]} {_BINARY[instruction.op]} {args[1]}"
        case "fma":
            text = f"fma({', '.join(args)})"
        case "sqrt":
            text = f"sqrt({args[0]})"
        case "sign":
            text = f"{args[0]} != 0.0 && {args[0]} == {args[0]} ? copysign(1.0, {args[0]}) : {args[0]}"
        case "choose":
            text = f"{args[0]} < {args[1]} ? {args[2]} : {args[3]}"
        case "sin" | "cos":
            return _sincos(instruction, args[0], angles)
        case _:
            raise AssertionError(f"no C spelling for {instruction.op!r}")
    return [f"    const double {out} = {text};"]


def _sincos(instruction: Instruction, arg: str, angles: set[int]) -> list[str]:
    angle = instruction.args[0].index
    lines = []
    if angle not in angles:
        angles.add(angle)
        lines = [f"    double sin{angle}, cos{angle};", f"    sincos_of({arg}, &sin{angle}, &cos{angle});"]
    return [*lines, f"    const double v{instruction.index} = {instruction.op}{angle};"]


def _spelled(arg: Operand) -> str:
    return f"-v{arg.index}" if arg.negative else f"v{arg.index}"


def _number(x: float) -> str:
    return f"({x.hex()})" if x < 0 else x.hex()


def _horner(coefficients: tuple[float, ...]) -> str:
    text = _number(coefficients[0])
    for a in coefficients[1:]:
        text = f"fma({text}, z, {_number(a)})"
    return text


_REDUCED = "x"
for _part in REDUCTION:
    _REDUCED = f"fma(-k, {_number(_part)}, {_REDUCED})"

_SINCOS = f"""/* sine and cosine together, as in the native kernels */
static void sincos_of(double x, double *s, double *c)
{{
    if (fabs(x) > {_number(LARGEST)}) {{ *s = sin(x); *c = cos(x); return; }}
    const double t = fma(x, {_number(TWO_OVER_PI)}, {_number(ROUNDER)});
    const double k = t - {_number(ROUNDER)};
    uint64_t j;
    memcpy(&j, &t, sizeof j);
    const double r = {_REDUCED};
    const double z = r * r;
    const double p = fma(r * z, {_horner(SINE)}, r);
    const double q = fma(z * z, {_horner(COSINE)}, fma(z, -0.5, 1.0));
    const double a = j & 1 ? q : p, b = j & 1 ? p : q;
    *s = j & 2 ? -a : a;
    *c = (j ^ (j << 1)) & 2 ? -b : b;
}}
"""
