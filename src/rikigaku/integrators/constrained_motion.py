"""Native functions of constrained motion, loaded into this process: one library for all robots."""

import ctypes
import struct
from collections.abc import Sequence
from functools import cache as once
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.llvm_contact_memory import SLIP_SIZE, Code, Slot
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

__all__ = ["SLIP_SIZE", "Code", "Slot", "address", "address_bits", "each_state", "function"]

# void f(ptr t, ptr y, ptr u, ptr p, ptr out). It holds the interpreter's lock: the memory behind p has one
# user.
_FUNCTION = ctypes.PYFUNCTYPE(None, *(ctypes.c_void_p,) * 5)


@once
def _library() -> "Library":
    def text() -> str:
        from rikigaku.integrators.llvm_constrained_motion import constrained_motion_text

        return constrained_motion_text()

    return native_library("constrained motion", text)


def address(name: str) -> int:
    """Address of a function of `llvm_constrained_motion`."""
    return _library().address(name)


@once
def function(name: str) -> Any:
    """The function, callable with addresses of t, y, u, p and out."""
    return _FUNCTION(address(name))


def each_state(address: int, rows: Sequence[Array], p: Array, out: Array) -> None:
    """Call a native function (t, y, u, p, out) for each of several states.

    rows: t (m,), y and u, a row for each state. p: for all of them. out: contiguous, a row for each.
    """
    call = _FUNCTION(address)
    arrays = [*(np.ascontiguousarray(x, dtype=np.float64) for x in rows), out]
    at, sizes = [x.ctypes.data for x in arrays], [x.strides[0] for x in arrays]
    shared = p.ctypes.data
    for _ in range(len(out)):
        call(at[0], at[1], at[2], shared, at[3])
        at = [x + size for x, size in zip(at, sizes, strict=True)]


def address_bits(address: int) -> float:
    """The double with the bits of an address."""
    return float(struct.unpack("d", struct.pack("q", address))[0])
