"""The native integrators, loaded into this process: one driver for each method, for all robots."""

import ctypes
from functools import cache as once
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.compiler.kernel import Function
from rikigaku.integrators.butcher_tableaus import TABLEAUS as EXPLICIT
from rikigaku.integrators.llvm_radau import RADAU, radau_memory
from rikigaku.integrators.llvm_runge_kutta import Integer, Real, Status, record_size, work_size
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

__all__ = [
    "IMPLICIT",
    "INPUT",
    "METHODS",
    "Integer",
    "Real",
    "Status",
    "adaptive",
    "driver",
    "piecewise",
    "record_size",
    "working",
]

TABLEAUS = {**EXPLICIT, RADAU.name: RADAU}
METHODS = tuple(TABLEAUS)
IMPLICIT = (RADAU.name,)

# void input(ptr data, ptr t, ptr y, ptr u, i64 segment): the C signature of a callback into Python
INPUT = ctypes.CFUNCTYPE(
    None,
    *(ctypes.c_void_p,) * 4,
    ctypes.c_int64,
)


def adaptive(method: str) -> bool:
    """Whether a method controls its step size."""
    return bool(TABLEAUS[method].errors)


class Driver(NamedTuple):
    """@advance of a method, and whether it controls its step size."""

    advance: Any
    adaptive: bool
    keep: object


@once
def driver(method: str) -> Driver:
    """The driver of that method, compiled or read from the cache."""
    library = _library(method)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *(ctypes.c_void_p,) * 19)
    return Driver(prototype(library.address("advance")), adaptive(method), library)


@once
def piecewise() -> Function:
    """The native input function: piecewise polynomials."""
    library = _library(METHODS[0])
    return Function(library.address("piecewise"), library)


def working(method: str, n: int, guards: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Working memory of a driver."""
    more = radau_memory(n) if method in IMPLICIT else 0
    return np.zeros(work_size(TABLEAUS[method], n, guards) + more)


@once
def _library(method: str) -> "Library":
    def text() -> str:
        from rikigaku.integrators.llvm_driver import driver_text

        return driver_text(TABLEAUS[method])

    return native_library(f"driver {method}", text)
