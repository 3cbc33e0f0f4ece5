"""The native solver of contact complementarity with friction, loaded into this process."""

import ctypes
from functools import cache as once
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.llvm_friction_blocks import Kind
from rikigaku.integrators.llvm_friction_solve import RESULT_SIZE, work_size
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

__all__ = ["RESULT_SIZE", "Kind", "SolverResult", "friction_solve", "load", "work_size"]

Whole = np.ndarray[Any, np.dtype[np.int64]]

_POINTER, _WHOLE = ctypes.c_void_p, ctypes.c_int64
_SOLVE = ctypes.CFUNCTYPE(
    None, _WHOLE, _WHOLE, _POINTER, _POINTER, _WHOLE, *(_POINTER,) * 5, ctypes.c_double, _WHOLE, _POINTER
)


class SolverResult(NamedTuple):
    """F, w = W F + w0, the residual and the unit it is compared with, Newton iterations, sweeps."""

    F: Array
    w: Array
    residual: float
    unit: float
    newton: int
    sweeps: int


@once
def _library() -> "Library":
    def text() -> str:
        from rikigaku.integrators.llvm_friction_solve import friction_text
        from rikigaku.integrators.llvm_writer import DECLARED

        return "\n".join([DECLARED, friction_text()])

    return native_library("friction solver", text)


def load() -> None:
    """Compile the solver, or read it from the cache, before it is needed."""
    _library()


@once
def _function() -> Any:
    return _SOLVE(_library().address("friction_solve"))


def friction_solve(
    W: Array, w0: Array, rows: Whole, numbers: Array, F: Array, tolerance: float, sweeps: int
) -> SolverResult:
    """Call the native solver: see `llvm_friction_solve`. rows: (count, 4), int64; numbers: (count, 3)."""
    n = len(w0)
    W, w0, numbers = (np.ascontiguousarray(x, dtype=np.float64) for x in (W, w0, numbers))
    rows = np.ascontiguousarray(rows, dtype=np.int64)
    F, w = np.array(F, dtype=np.float64), np.empty(n)
    work, result = np.zeros(work_size(n)), np.zeros(RESULT_SIZE)
    arrays = (rows, numbers, F, w, work)
    _function()(
        n, n, W.ctypes.data, w0.ctypes.data, len(rows), *(x.ctypes.data for x in arrays),
        tolerance, sweeps, result.ctypes.data,
    )  # fmt: skip
    return SolverResult(F, w, float(result[0]), float(result[1]), int(result[2]), int(result[3]))
