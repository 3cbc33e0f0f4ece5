"""Exact solution of sparse linear equations: block triangular form, each block by Cramer's rule.

Denominators are the determinants of the diagonal blocks, not of the whole matrix: a loop that depends on
another is solved after it, and independent loops have separate denominators.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from rikigaku.core.errors import TooLarge
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.rational_function import reciprocal_determinant

Matrix = Sequence[Sequence[ExactNumber]]

# Larger blocks have thousands of minors, each a long polynomial.
LARGEST_BLOCK = 6


class Solver:
    """Solver of A X = B for a square matrix A of polynomials.

    names: of the unknowns, for the error.
    Raises:
        TooLarge: if a diagonal block has more than 6 equations. ZeroDivisionError: if A is always singular.
    """

    def __init__(self, A: Matrix, names: Sequence[str]) -> None:
        self.A, self.blocks = A, blocks(A)
        for _, columns in self.blocks:
            _check_size([names[k] for k in columns])
        self._minors = [Minors([[A[i][j] for j in columns] for i in rows]) for rows, columns in self.blocks]
        found = [_scaled(minors.determinant) for minors in self._minors]
        # Constant determinants are divided by at once; blocks may share a determinant.
        self.determinants: tuple[Exact, ...] = tuple(dict.fromkeys(d for _, d in found if d is not None))
        self._inverses: list[Any] = []
        for scale, d in found:
            reciprocal: Any = (
                1 if d is None else reciprocal_determinant(self.determinants, self.determinants.index(d))
            )
            self._inverses.append(reciprocal * (1 / scale))

    def solved(self, B: Matrix) -> list[list[Any]]:
        """X with A X = B, entries polynomials over determinants of the blocks."""
        X: list[list[Any]] = [[0] * len(B[0]) for _ in self.A]
        for (rows, columns), minors, over in zip(self.blocks, self._minors, self._inverses, strict=True):
            right = [_rest(self.A[i], B[i], X, columns) for i in rows]
            for place, column in enumerate(columns):
                cofactors = minors.column(place)
                for k in range(len(B[0])):
                    X[column][k] = _dot(cofactors, [row[k] for row in right]) * over
        return X


def _check_size(names: Sequence[str]) -> None:
    if len(names) > LARGEST_BLOCK:
        raise TooLarge(
            f"The {len(names)} coordinates {', '.join(names)} are coupled in one block; formulas "
            f"are made up to {LARGEST_BLOCK}. Choose other independent coordinates (of a parallel robot: the "
            "platform's), or use the numeric laws (loop_jacobian)."
        )


def blocks(A: Matrix) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of the diagonal blocks of the block triangular form, in order of solution."""
    size = len(A)
    pattern = csr_array(
        np.array([[not _is_zero(x) for x in row] for row in A], dtype=int).reshape(size, size)
    )
    match = maximum_bipartite_matching(pattern, perm_type="column")  # the column of each row
    if (match < 0).any():
        raise ZeroDivisionError("The matrix is singular whatever its entries.")
    _, label = connected_components(pattern[:, match], directed=True, connection="strong")
    full = pattern[:, match].toarray()
    order: list[int] = []
    waiting = set(range(int(label.max(initial=-1)) + 1))
    while waiting:  # a block is ready when all blocks it depends on are solved
        for block in sorted(waiting):
            needs = set(label[np.flatnonzero(full[label == block].any(axis=0))]) - {block}
            if not needs & waiting:
                order.append(block)
                waiting.remove(block)
                break
    places = [np.flatnonzero(label == block).tolist() for block in order]
    return [(rows, [int(match[i]) for i in rows]) for rows in places]


class Minors:
    """Minors of a small matrix, each computed once."""

    def __init__(self, A: Matrix) -> None:
        self.A = A
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], Any] = {}

    @property
    def determinant(self) -> Any:
        """Determinant of the whole matrix."""
        every = tuple(range(len(self.A)))
        return self.of(every, every)

    def of(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> Any:
        """Determinant of these rows and columns, expanded along the first row."""
        if not rows:
            return 1
        key = rows, columns
        if key not in self._known:
            total: Any = 0
            for k, column in enumerate(columns):
                if not _is_zero(x := self.A[rows[0]][column]):
                    minor = self.of(rows[1:], columns[:k] + columns[k + 1 :])
                    total = total + (x * minor if k % 2 == 0 else -x * minor)
            self._known[key] = total
        return self._known[key]

    def column(self, place: int) -> list[Any]:
        """The row of the adjugate for one unknown: cofactors of a column."""
        every = tuple(range(len(self.A)))
        others = every[:place] + every[place + 1 :]
        signs = [(-1) ** (i + place) for i in every]
        return [
            sign * self.of(every[:i] + every[i + 1 :], others) for i, sign in zip(every, signs, strict=True)
        ]


def _scaled(d: Any) -> tuple[Fraction, Exact | None]:
    """A determinant as a rational number times one that leads with 1; None where it is a number."""
    if not isinstance(d, Exact):
        return Fraction(d), None
    lead = d.polynomial.leading_coefficient()
    scale = fraction(lead)
    return scale, d / scale


def _rest(row: Sequence[Any], right: Sequence[Any], X: list[list[Any]], own: Sequence[int]) -> list[Any]:
    """The right side less the contributions of the blocks solved before."""
    others = [j for j, x in enumerate(row) if j not in own and not _is_zero(x)]
    return [b - _dot([row[j] for j in others], [X[j][k] for j in others]) for k, b in enumerate(right)]


def _dot(xs: Sequence[Any], ys: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(xs, ys, strict=True):
        if not (_is_zero(x) or _is_zero(y)):
            total = total + x * y
    return total


def _is_zero(x: Any) -> bool:
    return not hasattr(x, "ring") and x == 0
