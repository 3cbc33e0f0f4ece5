"""A law written as C for one state, compiled by gcc and looped over N states."""

import ctypes
from collections.abc import Callable, Sequence

from benchmarks.peers.build import shared_library
from benchmarks.states import Array

# No fusing beyond the fma calls in the text: the same bits as the native kernels.
GCC = ("gcc", "-O3", "-march=native", "-ffp-contract=off")


def loop_source(source: str, function: str, input_sizes: Sequence[int], output_size: int) -> str:
    """The text with a loop `void <function>_loop(long n, const double* x0, ..., double* out)` added."""
    names = [f"x{i}" for i in range(len(input_sizes))]
    parameters = "".join(f"const double* {x}, " for x in names)
    arguments = "".join(f"{x} + k * {size}, " for x, size in zip(names, input_sizes, strict=True))
    return (
        f"{source}\n"
        f"void {function}_loop(long n, {parameters}double* out) {{\n"
        f"  for (long k = 0; k < n; ++k) {function}({arguments}out + k * {output_size});\n"
        f"}}\n"
    )


def compiled_loop(
    source: str, function: str, input_sizes: Sequence[int], output_size: int
) -> Callable[[Sequence[Array], Array], None]:
    """A function of (inputs, out) that runs the C law over all rows.

    Args:
        source: C text that defines `void function(const double* x0, ..., double* out)` for one state.
        input_sizes: how many numbers each input has; output_size: how many the answer has.
    The arrays must be C-contiguous float64; nothing is checked, as in the C loops it stands beside.
    """
    text = loop_source(source, function, input_sizes, output_size)
    loop = getattr(ctypes.CDLL(str(shared_library(function, text, ".c", GCC, ["-lm"]))), f"{function}_loop")
    loop.restype = None

    def run(inputs: Sequence[Array], out: Array) -> None:
        loop(ctypes.c_long(len(inputs[0])), *(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, out)))

    return run
