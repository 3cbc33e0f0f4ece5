"""Arrays of a block of worlds in the layout of vector registers."""

from functools import cache
from typing import Any

import numpy as np

from rikigaku.core.types import Array

_ALIGNMENT = 64  # bytes: registers and cache lines


@cache
def lane_count(dtype: Any) -> int:
    """Numbers of a type in a vector register."""
    # llvmlite is loaded when code is first needed, not with the package
    from rikigaku.compiler.llvm_module import vector_of
    from rikigaku.compiler.native_code import host

    return vector_of("lanes32" if dtype == np.float32 else "lanes", host()).width


def block_count(worlds: int, dtype: Any) -> int:
    """Blocks, each of a register's worlds."""
    return -(-worlds // lane_count(dtype))


class Lanes:
    """Numbers (worlds, size), at first zeros. `values` has them as (blocks, size, lanes); lanes of the last
    block without a world repeat the last world."""

    def __init__(self, worlds: int, size: int, dtype: Any = np.float64) -> None:
        self.worlds = worlds
        shape = (block_count(worlds, dtype), size, lane_count(dtype))
        memory = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + _ALIGNMENT, np.uint8)
        first = -memory.ctypes.data % _ALIGNMENT
        self.values: Array = memory[first : len(memory) - _ALIGNMENT + first].view(dtype).reshape(shape)

    @property
    def size(self) -> int:
        return self.values.shape[1]

    @property
    def address(self) -> int:
        return int(self.values.ctypes.data)

    @property
    def stride(self) -> int:
        """Bytes a world; 0: all worlds share one."""
        return self.size * self.values.itemsize if self.worlds > 1 else 0

    def fill(self, rows: Array) -> None:
        """Set the numbers to rows (worlds, size), (1, size) or (size,)."""
        _, size, width = self.values.shape
        if rows.size == size:
            self.values[:] = rows.reshape(size, 1)
            return
        whole = self.worlds // width
        self.values[:whole] = rows[: whole * width].reshape(whole, width, size).swapaxes(1, 2)
        if whole < len(self.values):
            rest = rows[whole * width :]
            self.values[whole, :, : len(rest)] = rest.T
            self.values[whole, :, len(rest) :] = rest[-1][:, None]

    @property
    def rows(self) -> Array:
        """The numbers as an array (worlds, size) of its own."""
        # always a copy: for one block `reshape` alone would return a view, whose products round otherwise
        return self.values.swapaxes(1, 2).copy().reshape(-1, self.size)[: self.worlds]


def filled(rows: Array) -> Lanes:
    """Rows (worlds, size) or (size,) in the layout of vector registers."""
    found = Lanes(len(rows) if rows.ndim == 2 else 1, rows.shape[-1], rows.dtype)
    found.fill(rows)
    return found
