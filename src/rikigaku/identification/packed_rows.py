"""Rows [W_j, y_j] of all equations one after the other, without structural zeros.

The torque of a joint depends on the parameters of its own link and of the links beyond it alone: of a serial
arm about half of the entries of W are structural zeros.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RowLayout:
    """Where the entries of each equation are in packed rows (samples, size).

    places: for each equation its columns of W, of `parameters`; the right-hand side follows them.
    """

    places: tuple[Indices, ...]
    parameters: int

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """First entry of each equation, and the end."""
        ends = np.cumsum([len(place) + 1 for place in self.places]).tolist()
        return tuple(zip([0, *ends], ends, strict=False))

    @cached_property
    def right_sides(self) -> Indices:
        """Entries of the right-hand sides."""
        return np.array([end - 1 for _, end in self.bounds], dtype=np.intp)

    @cached_property
    def entries(self) -> tuple[Indices, Indices, Indices]:
        """Entries of W in packed rows, with their equations and columns."""
        at = [np.arange(first, end - 1) for first, end in self.bounds]
        rows = [np.full(len(place), j) for j, place in enumerate(self.places)]
        none = [np.zeros(0, dtype=np.intp)]
        return tuple(np.concatenate([*x, *none]) for x in (at, rows, self.places))  # type: ignore[return-value]

    @property
    def size(self) -> int:
        """Number of entries of a sample."""
        return self.bounds[-1][1] if self.bounds else 0

    def packed(self, W: Array, y: Array) -> Array:
        """Packed rows of W (samples, equations, parameters) and y (samples, equations)."""
        at, rows, columns = self.entries
        values = np.empty((len(W), self.size))
        values[:, at] = W[:, rows, columns]
        values[:, self.right_sides] = y
        return values

    def columns(self, values: Array) -> Array:
        """W (samples, equations, parameters) of packed rows."""
        at, rows, columns = self.entries
        W = np.zeros((len(values), len(self.places), self.parameters))
        W[:, rows, columns] = values[:, at]
        return W
