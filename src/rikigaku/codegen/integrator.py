"""The native integrators, loaded into this process: one driver a method, for all robots and modes."""

import ctypes
import hashlib
from functools import cache as once
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.codegen import cache
from rikigaku.codegen.kernel import Function
from rikigaku.codegen.llvm_radau import RADAU, radau_memory
from rikigaku.codegen.llvm_step import Real, Status, Whole, record_size, work_size
from rikigaku.codegen.tableaus import TABLEAUS as EXPLICIT

if TYPE_CHECKING:
    from rikigaku.codegen.native import Library

__all__ = [
    "IMPLICIT",
    "INPUT",
    "METHODS",
    "Real",
    "Status",
    "Whole",
    "adaptive",
    "driver",
    "piecewise",
    "record_size",
    "working",
]

TABLEAUS = {**EXPLICIT, RADAU.name: RADAU}
METHODS = tuple(TABLEAUS)
IMPLICIT = (RADAU.name,)

# void input(ptr data, ptr t, ptr y, ptr u, i64 segment): what a call back into Python must look like
INPUT = ctypes.CFUNCTYPE(
    None,
    *(ctypes.c_void_p,) * 4,
    ctypes.c_int64,
)


def adaptive(method: str) -> bool:
    """Whether a method finds its steps itself."""
    return bool(TABLEAUS[method].errors)


class Driver(NamedTuple):
    """@advance of a method, and whether it finds its steps itself."""

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
    """The native input function: polynomials by segments."""
    library = _library(METHODS[0])
    return Function(library.address("piecewise"), library)


def working(method: str, n: int, guards: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Working memory of a driver."""
    more = radau_memory(n) if method in IMPLICIT else 0
    return np.zeros(work_size(TABLEAUS[method], n, guards) + more)


@once
def _library(method: str) -> "Library":
    from rikigaku.codegen import native
    from rikigaku.codegen.llvm_integrator import driver_text

    parts = ("driver", method, cache.source_fingerprint(), native.host().fingerprint)
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    if (entry := cache.read(key)) is None:
        entry = cache.Entry({}, native.object_code(driver_text(TABLEAUS[method]), optimise=True))
        cache.write(key, entry)
    return native.Library(entry.code)
