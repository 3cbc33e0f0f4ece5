"""Programs as one WebAssembly module: kinematics and dynamics in a browser, without a toolchain.

The module imports nothing. It exports

    memory                           the caller's arrays are there, too
    heap_base                        the first byte that the module does not use
    <name>(inputs, outputs)          one function a program: addresses of two arrays of float64; the inputs of
                                     the program one after the other, row-major, and its outputs likewise

and has a custom section "rikigaku": JSON with names and shapes of inputs and outputs.
"""

import json
from collections.abc import Mapping
from typing import Any

from rikigaku.compiler.llvm_sincos import COSINE, SINE, TWO_OVER_PI
from rikigaku.export.export_record import Export
from rikigaku.export.identifiers import checked_name
from rikigaku.export.wasm_code import FunctionCode, Scratch
from rikigaku.export.wasm_encoding import (
    F64,
    I32,
    OPCODES,
    Function,
    f64_const,
    i32_const,
    local_get,
    local_set,
    module,
)
from rikigaku.numbers.arctangent import without_atan2
from rikigaku.numbers.program import Port, Program

_RESERVED = frozenset({"memory", "heap_base"})
_FIRST = 64  # bytes at address 0 that stay empty: an address of 0 is a mistake of the caller
# pi/2 in parts of 33 bits: products with k < 2^20 are exact. The last part is rounded.
_HALF_PI = 1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21
_LARGEST = 2.0**40  # [rad]: beyond, sine and cosine are NaN


def wasm_module(programs: Mapping[str, Program]) -> bytes:
    """A module with one function for each program, by name.

    Results agree with the native kernels to rounding. Angles above 1.6e6 rad lose digits; above 2^40 rad
    sine and cosine are NaN.
    """
    return _module({name: (program, {}) for name, program in programs.items()})


def source(export: Export) -> bytes:
    """A module with the function of an exported law, and its documentation."""
    words = {"summary": export.summary, "inputs": export.inputs, "outputs": export.outputs}
    return _module({export.name: (export.program, words)})


def _module(programs: Mapping[str, tuple[Program, Mapping[str, Any]]]) -> bytes:
    programs = {name: (without_atan2(program), words) for name, (program, words) in programs.items()}
    scratch = Scratch(_FIRST)
    functions: list[Function] = [_sincos()]
    bodies: dict[Program, int] = {}

    def body(program: Program) -> int:
        if program not in bodies:
            code = FunctionCode(program, body, 0, scratch, one_block=False)
            count, encoded = code.encoded()
            functions.append(Function(((I32,) * code.parameters, ()), count, encoded))
            bodies[program] = len(functions) - 1
        return bodies[program]

    for name, (program, _) in programs.items():
        checked_name(name, _RESERVED, "WebAssembly")
        count, encoded = FunctionCode(program, body, 0, scratch).encoded()
        functions.append(Function(((I32, I32), ()), count, encoded, name))
    laws = {name: _description(*pair) for name, pair in programs.items()}
    return module(functions, scratch.end, {"rikigaku": json.dumps({"laws": laws}).encode()})


def _description(program: Program, words: Mapping[str, Any]) -> dict[str, Any]:
    summary = {"summary": words["summary"]} if words else {}
    return {
        **summary,
        "inputs": _ports(program.inputs, words.get("inputs")),
        "outputs": _ports(program.outputs, words.get("outputs")),
    }


def _ports(ports: tuple[Port, ...], descriptions: tuple[str, ...] | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"name": port.name, "shape": list(port.shape)} for port in ports]
    for port, text in zip(found, descriptions or (), strict=False):
        port["description"] = text
    return found


def _sincos() -> Function:
    """Sine and cosine together, as `llvm_sincos` computes them but without fused multiply-adds."""
    x, k, r, z, s, c, swapped = range(7)
    op = OPCODES.__getitem__

    def horner(coefficients: tuple[float, ...]) -> bytes:
        code = f64_const(coefficients[0])
        for a in coefficients[1:]:
            code += local_get(z) + op("f64.mul") + f64_const(a) + op("f64.add")
        return code

    code = local_get(x) + f64_const(TWO_OVER_PI) + op("f64.mul") + op("f64.nearest") + local_set(k)
    code += local_get(x)
    for part in _HALF_PI:
        code += local_get(k) + f64_const(part) + op("f64.mul") + op("f64.sub")
    # too large or not finite: NaN
    code += f64_const(float("nan")) + local_get(x) + op("f64.abs") + f64_const(_LARGEST) + op("f64.lt")
    code += op("select") + local_set(r)
    code += local_get(r) + local_get(r) + op("f64.mul") + local_set(z)
    # s = r + r z P(z)
    code += local_get(r) + local_get(z) + op("f64.mul") + horner(SINE) + op("f64.mul")
    code += local_get(r) + op("f64.add") + local_set(s)
    # c = (1 - z/2) + z^2 Q(z)
    code += local_get(z) + local_get(z) + op("f64.mul") + horner(COSINE) + op("f64.mul")
    code += f64_const(1.0) + local_get(z) + f64_const(0.5) + op("f64.mul") + op("f64.sub") + op("f64.add")
    code += local_set(c)
    # The quadrant is k mod 4: its low bit exchanges sine and cosine, the high bits give the signs.
    quadrant = local_get(k) + op("i64.trunc_sat_f64_s") + op("i32.wrap_i64")
    odd = quadrant + i32_const(1) + op("i32.and")
    code += local_get(c) + local_get(s) + odd + op("select") + local_set(swapped)
    code += local_get(s) + local_get(c) + odd + op("select") + local_set(c)
    negative = quadrant + i32_const(1) + op("i32.shr_u")
    code += local_get(swapped) + op("f64.neg") + local_get(swapped)
    code += negative + i32_const(1) + op("i32.and") + op("select")
    code += local_get(c) + op("f64.neg") + local_get(c)
    code += negative + quadrant + op("i32.xor") + i32_const(1) + op("i32.and") + op("select")
    return Function(((F64,), (F64, F64)), 6, code)
