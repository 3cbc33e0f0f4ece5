"""The native driver of fixed steps, loaded into this process: one for all robots."""

import ctypes
from functools import cache as once
from typing import TYPE_CHECKING, Any

from rikigaku.integrators.llvm_step_memory import FIRST, StepSlot, StepStatus, TileSlot
from rikigaku.integrators.native_library import native_library

if TYPE_CHECKING:
    from rikigaku.compiler.native_code import Library

__all__ = ["FIRST", "StepSlot", "StepStatus", "TileSlot", "advance", "piecewise"]


@once
def _library() -> "Library":
    def text() -> str:
        from rikigaku.integrators.llvm_time_stepping import time_stepping_text

        return time_stepping_text()

    return native_library("time stepping", text)


def piecewise() -> int:
    """Address of the native input function: piecewise polynomials."""
    return _library().address("piecewise")


@once
def advance() -> Any:
    """@advance of `llvm_time_stepping`; other threads run meanwhile."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_library().address("advance"))
