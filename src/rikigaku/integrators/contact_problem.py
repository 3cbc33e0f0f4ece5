"""Native functions of the contact problem W F + w0 = w: one library for all robots, loaded once."""

import ctypes
from collections.abc import Sequence
from functools import cache as once
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.llvm_cone_program import cone_program_memory
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

_WHOLE, _POINTER, _REAL = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "minimum_norm": (_WHOLE, *(_WHOLE,) * 2, *(_POINTER,) * 6, _REAL),
    "independent_rows": (_WHOLE, *(_WHOLE,) * 3, *(_POINTER,) * 5, _REAL),
    "minimize": (None, *(_WHOLE,) * 2, *(_POINTER,) * 6, _REAL),
}


@once
def _library() -> "Library":
    def text() -> str:
        from rikigaku.integrators.llvm_cone_program import cone_program_text
        from rikigaku.integrators.llvm_minimum_norm import minimum_norm_text
        from rikigaku.integrators.llvm_writer import DECLARED

        return "\n".join([DECLARED, minimum_norm_text(), cone_program_text()])

    return native_library("contact problem", text)


def load() -> None:
    """Compile the functions, or read them from the cache, before they are needed."""
    _library()


@once
def _function(name: str) -> Any:
    return ctypes.PYFUNCTYPE(*_SIGNATURES[name])(_library().address(name))


def minimum_norm(A: Array, b: Array, tolerance: float) -> tuple[Array, Array, int]:
    """The minimum-norm solution x of the independent rows of A x = b, an orthonormal basis of A's null space
    (n, n - rank), and the rank.

    tolerance: rows smaller than this, relative to the largest, depend on the others.
    """
    m, n = A.shape
    rows, right = np.array(A, dtype=np.float64, order="C"), np.ascontiguousarray(b, dtype=np.float64)
    x, basis, work = np.empty(n), np.empty((n, n)), np.empty(3 * n)
    order = np.empty(max(m, 1), dtype=np.int64)
    arrays = (rows, right, x, basis, order, work)
    rank = _function("minimum_norm")(m, n, *(a.ctypes.data for a in arrays), tolerance)
    return x, basis[: n - rank].T, rank


def independent_rows(W: Array, groups: Sequence[Sequence[int]], tolerance: float) -> list[int]:
    """A maximal independent set of rows of the positive semidefinite W, those of the first groups first.

    tolerance: the smallest part of a row's diagonal element that independent rows must leave.
    """
    rows = np.array([i for group in groups for i in group], dtype=np.int64)
    count, kept = len(rows), np.empty(len(rows) + 1, dtype=np.int64)
    starts = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    matrix, work = np.ascontiguousarray(W, dtype=np.float64), np.empty(count * count + count + 1)
    arrays = (matrix, rows, starts, kept, work)
    call = _function("independent_rows")
    found = call(len(W), count, len(groups), *(a.ctypes.data for a in arrays), tolerance)
    return sorted(int(i) for i in kept[:found])


def minimize(h: Array, G: Array, P: Array, c: Array, x: Array, exact: float) -> Array:
    """The x that minimizes x.P x / 2 + c.x with h + G x in its cones (see `llvm_cone_program`), from x."""
    count, _, n = G.shape
    solution, work = np.array(x, dtype=np.float64), np.empty(cone_program_memory(count, n))
    arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in (h, G, P, c)]
    arrays += [solution, work]
    _function("minimize")(count, n, *(a.ctypes.data for a in arrays), exact)
    return solution
