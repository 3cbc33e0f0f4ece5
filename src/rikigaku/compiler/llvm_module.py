"""The LLVM module of a program, for one state or for batches."""

from typing import TYPE_CHECKING

from rikigaku.compiler.llvm_batch_loop import lanes_function, loop_function
from rikigaku.compiler.llvm_lookup import lookup_tables
from rikigaku.compiler.llvm_nan_propagation import divides, fill_nan
from rikigaku.compiler.llvm_output_stores import STREAM
from rikigaku.compiler.llvm_python_call import call_function, fill_function, plain_function
from rikigaku.compiler.llvm_simd_block import block_functions
from rikigaku.compiler.llvm_sincos import far_function
from rikigaku.compiler.llvm_text import Vector
from rikigaku.numbers.arctangent import without_atan2
from rikigaku.numbers.program import Program, with_elements

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Cpu


_MEMORY = """
declare ptr @malloc(i64)
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
"""


def text(program: Program, kind: str, cpu: "Cpu") -> tuple[str, Vector]:
    """LLVM text for one state (kind "one", or "function" for other native code to call) or for batches
    (kind "batch", or "batch32" in single precision; "lanes" and "lanes32" on arrays in the layout of the
    registers).

    Constants of the program are marked in the text (`constant_table`). The second result is the vector type.
    """
    t = vector_of(kind, cpu)
    whole, program = program, _without_empty(without_atan2(program))
    blocks = block_functions(program, t, cpu.fused)
    if kind == "one":
        write = call_function if len(program.outputs) == 1 else fill_function
        entry = write(program, checks_result=divides(program))
    elif kind == "function":
        entry = plain_function(whole)
    else:
        entry = (lanes_function if t.lanes else loop_function)(program, t, blocks.tile)
    tables = lookup_tables(program, t)
    body = "\n".join(
        [_MEMORY, tables, t.declarations(), far_function(t), fill_nan(t), STREAM, blocks.text, entry]
    )
    return body, t


def vector_of(kind: str, cpu: "Cpu") -> Vector:
    """The vector type of the code of that kind."""
    if kind in ("batch32", "lanes32"):
        return Vector(2 * cpu.width, single=True, lanes=kind == "lanes32")
    return Vector(cpu.width if kind in ("batch", "lanes") else 1, lanes=kind == "lanes")


def _without_empty(program: Program) -> Program:
    """The program without empty ports, which NumPy's signatures cannot express."""
    inputs, arguments = with_elements(program.inputs, program.arguments)
    outputs, results = with_elements(program.outputs, program.results)
    return Program(program.name, inputs, outputs, tuple(arguments), tuple(results))
