"""Heights on a rectangular grid, interpolated by a bicubic spline with continuous second derivatives.

    h(x, y) = sum over i, j of c_ij B(x/dx - i) B(y/dy - j)

B is the cubic B-spline. Natural end conditions: across the edges of the grid the second derivative is zero,
and beyond them h continues linearly. A point reads the 16 coefficients of its cell from a table of constants
(`lookup`), whatever the size of the grid.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from rikigaku.core.types import Array
from rikigaku.numbers.elementary_functions import lookup, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.vector import dot

MOST_HEIGHTS = 65_536
# h and its derivatives, by the symbols of a surface's formulas
SYMBOLS = ("h", "h_x", "h_y", "h_xx", "h_xy", "h_yy")
# derivative of each symbol with respect to x and y
DERIVATIVES = {
    "h": {"x": "h_x", "y": "h_y"},
    "h_x": {"x": "h_xx", "y": "h_xy"},
    "h_y": {"x": "h_xy", "y": "h_yy"},
}


@dataclass(frozen=True)
class HeightTable:
    """heights[i][j] [m] at x = origin[0] + i spacing[0], y = origin[1] + j spacing[1]."""

    heights: tuple[tuple[float, ...], ...] = field(repr=False, compare=False)
    spacing: tuple[float, float]
    origin: tuple[float, float]
    digest: str = ""

    def __post_init__(self) -> None:
        digest = hashlib.sha256(repr(self.shape).encode() + np.array(self.heights).tobytes()).hexdigest()
        object.__setattr__(self, "digest", digest)  # stands for the heights in `repr`, `==` and `hash`

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.heights), len(self.heights[0])

    @cached_property
    def _table(self) -> tuple[float, ...]:
        """c_ij row by row, one row and column more than heights on each side."""
        along_x = _spline_coefficients(np.array(self.heights))
        return tuple(float(c) for c in _spline_coefficients(along_x.T).T.ravel())

    def values(self, x: Number, y: Number) -> dict[str, Number]:
        """h and its derivatives at a point, by `SYMBOLS`."""
        (dx, dy), (rows, columns) = self.spacing, self.shape
        u = _Cell(rows - 1, (x - self.origin[0]) / dx)
        v = _Cell(columns - 1, (y - self.origin[1]) / dy)
        size, corner = columns + 2, u.start * (columns + 2) + v.start
        c = [[lookup(self._table, corner + (i * size + j)) for i in range(4)] for j in range(4)]
        a, b = u.weights, v.weights

        def total(p: int, q: int) -> Number:
            return dot(b[q], [dot(a[p], column) for column in c])

        return {
            "h": total(0, 0),
            "h_x": total(1, 0) / dx,
            "h_y": total(0, 1) / dy,
            "h_xx": total(2, 0) / (dx * dx),
            "h_xy": total(1, 1) / (dx * dy),
            "h_yy": total(0, 2) / (dy * dy),
        }


class _Cell:
    """The cell of a coordinate u in one direction: start <= u <= start + 1, of `count` cells."""

    def __init__(self, count: int, u: Number) -> None:
        inside = where(u < 0, 0, where(count < u, count, u))
        self.start = lookup(_whole_numbers(count), inside)
        self.f, self.beyond = inside - self.start, u - inside

    @cached_property
    def weights(self) -> tuple[list[Number], list[Number], list[Number]]:
        """B of the four lines and its first and second derivative; linear beyond the grid."""
        f = self.f
        g, s = 1 - f, f * f
        first = [-g * g / 2, (3 * s - 4 * f) / 2, (1 + 2 * f - 3 * s) / 2, s / 2]
        value = [g * g * g / 6, (4 - 6 * s + 3 * s * f) / 6, (1 + 3 * (f + s - s * f)) / 6, s * f / 6]
        value = [x + self.beyond * dx for x, dx in zip(value, first, strict=True)]
        return value, first, [g, 3 * f - 2, 1 - 3 * f, f]


@cache
def _whole_numbers(count: int) -> tuple[float, ...]:
    return tuple(float(k) for k in range(count))


def _spline_coefficients(heights: Array) -> Array:
    """Coefficients of natural cubic splines through the columns of heights (n, m): (n + 2, m)."""
    n = len(heights)
    A = np.diag(np.full(n, 4.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    A[0], A[-1] = 6 * np.eye(n)[0], 6 * np.eye(n)[-1]  # the second derivative is zero at both ends
    c = np.linalg.solve(A / 6, heights)
    return np.concatenate([2 * c[:1] - c[1:2], c, 2 * c[-1:] - c[-2:-1]])
