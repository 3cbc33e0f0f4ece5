"""Gaussian elimination over exact fields: spans, independent rows and columns, and relations of the others.

Over any field (fractions, rational functions, residues) by `Space` and `dependence`; over balls of arbitrary
precision by largest pivots (`echelon`); over arrays of residues modulo a prime (`pivot_columns`, `solved`).
Float matrices are treated in `closure.pivoting`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log10
from typing import Any

import numpy as np
from flint import arb

from rikigaku.core.errors import NotVerified
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.prime_field import Residues

Row = Sequence[Number]
Zero = Callable[[Number], bool]  # decides whether a number is zero


class Spaces:
    """Factory of the spaces of one computation, with the zero test and division of its coefficient field.

    integer: converts an integer to the field, for the quotient of two integers.
    full: for each space in the order of creation, whether it becomes the whole space, as found by a run on
        another field. Such a space is the whole space from the start, and nothing is computed.
    size: magnitude of a number, for rounded numbers: the largest element of a row is its pivot. None: the
        first that is not zero.
    """

    def __init__(
        self,
        is_zero: Zero,
        full: Sequence[bool] | None = None,
        integer: Callable[[int], Number] = Fraction,
        size: Callable[[Number], float] | None = None,
    ) -> None:
        self.is_zero, self._integer, self._size = is_zero, integer, size
        self._full, self._made = full, list[Space]()

    def space(self, size: int, rows: Iterable[Row] = ()) -> "Space":
        """The span of the rows."""
        made = Space(size, self)
        if self._full is not None and self._full[len(self._made)]:
            rows = ([int(j == k) for j in range(size)] for k in range(size))
        self._made.append(made)
        for row in rows:
            made.add(row)
        return made

    def ratio(self, x: Number, y: Number) -> Number:
        """x / y in the field, also for two integers."""
        return self._integer(x) / y if isinstance(x, int) and isinstance(y, int) else x / y

    def pivot(self, row: Row) -> int | None:
        """Index of the first element that is not zero, or of the largest; None if all are zero."""
        nonzero = (k for k, x in enumerate(row) if not self.is_zero(x))
        if (size := self._size) is None:
            return next(nonzero, None)
        return max(nonzero, key=lambda k: size(row[k]), default=None)

    @property
    def full(self) -> list[bool]:
        """Which of the spaces created so far are the whole space."""
        return [len(space.rows) == space.size for space in self._made]


class Decisions:
    """Zero tests recorded on one kind of number and replayed on another.

    The same computation makes the same tests in the same order. Modulo a prime the tests are exact; replaying
    their outcomes on floats needs no tolerance.
    """

    def __init__(self) -> None:
        self._outcomes: list[bool] = []

    def recorded(self, is_zero: Zero) -> Zero:
        """The test, with its outcomes recorded."""

        def test(x: Number) -> bool:
            self._outcomes.append(is_zero(x))
            return self._outcomes[-1]

        return test

    def repeated(self) -> Zero:
        """A test that returns the recorded outcomes in order."""
        outcomes = iter(self._outcomes)
        return lambda x: next(outcomes)


class Space:
    """A linear space by a basis of rows in reduced echelon form."""

    def __init__(self, size: int, kind: Spaces) -> None:
        self.size, self.is_zero, self._ratio = size, kind.is_zero, kind.ratio
        self._rows: dict[int, list[Number]] = {}  # by pivot

    @property
    def rows(self) -> list[list[Number]]:
        """A basis."""
        return list(self._rows.values())

    def add(self, row: Row) -> bool:
        """Add a row to the span; returns whether it was independent."""
        if len(self._rows) == self.size:
            return False
        rest = list(row)
        for pivot, known in self._rows.items():
            if not self.is_zero(factor := rest[pivot]):
                rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
                rest[pivot] = 0
        first = next((k for k, x in enumerate(rest) if not self.is_zero(x)), None)
        if first is None:
            return False
        new = [0 if self.is_zero(x) else self._ratio(x, rest[first]) for x in rest]
        new[first] = 1
        for other, known in self._rows.items():
            if not self.is_zero(factor := known[first]):
                self._rows[other] = [x - factor * y for x, y in zip(known, new, strict=True)]
                self._rows[other][first] = 0
        self._rows[first] = new
        return True

    def close(self, maps: Sequence[Callable[[Row], Row]]) -> None:
        """Extend to the smallest space that contains this one and is invariant under the maps."""
        pending = self.rows
        while pending:
            row = pending.pop()
            pending += [image for f in maps if self.add(image := list(f(row)))]


def dependence(rows: Sequence[Row], kind: Spaces) -> tuple[list[int], dict[int, dict[int, Number]]]:
    """The first rows that are independent, and every other row as a combination of those.

    Returns the indices of the independent rows, and for each other row {independent row: coefficient}.
    """
    is_zero, ratio = kind.is_zero, kind.ratio
    kept: list[int] = []
    echelon: dict[int, tuple[list[Number], dict[int, Number]]] = {}  # pivot: row, its combination
    others: dict[int, dict[int, Number]] = {}
    for j, row in enumerate(rows):
        rest = list(row)
        combination: dict[int, Number] = {}
        for pivot, (known, of) in echelon.items():
            if is_zero(factor := rest[pivot]):
                continue
            rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
            rest[pivot] = 0
            for k, c in of.items():
                combination[k] = combination.get(k, 0) + factor * c
        first = kind.pivot(rest)
        if first is None:
            others[j] = {k: c for k, c in combination.items() if not is_zero(c)}
            continue
        kept.append(j)
        scale = rest[first]
        made = {k: ratio(-c, scale) for k, c in combination.items()} | {j: ratio(1, scale)}
        echelon[first] = ([0 if is_zero(x) else ratio(x, scale) for x in rest], made)
    return kept, others


@dataclass(frozen=True)
class Echelon:
    """Columns that are independent, left to right; for each other column its coefficients.

    smallest, largest: log10 of the smallest pivot and of the largest remainder treated as zero.
    """

    pivots: list[int]
    relations: dict[int, dict[int, arb]]
    smallest: float
    largest: float

    def largest_error(self, rows: Sequence[Sequence[arb]]) -> float:
        """log10 of the largest error of the relations in other rows, relative to the elements."""
        worst = -inf
        for row in rows:
            scale = _size(max((abs(x) for x in row), key=_size))
            for d, combination in self.relations.items():
                rest = row[d]
                for k, x in combination.items():
                    rest = rest - x * row[k]
                worst = max(worst, _size(rest) - scale)
        return worst


def echelon(rows: Sequence[Sequence[arb]], bits: int) -> Echelon:
    """Gauss-Jordan elimination with the largest pivot of each column; zero is below 2^(-bits/2)."""
    digits = bits * 0.30103
    A: Any = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        A[i] = row
    pivots: list[int] = []
    smallest, largest = inf, -inf
    for j in range(A.shape[1]):
        r = len(pivots)
        sizes = [_size(x) for x in A[r:, j]]
        best = int(np.argmax(sizes)) if sizes else 0
        if not sizes or sizes[best] < -digits / 2:
            largest = max(largest, sizes[best] if sizes else -inf)
            continue
        smallest = min(smallest, sizes[best])
        A[[r, r + best]] = A[[r + best, r]]
        A[r, j:] = A[r, j:] / A[r, j]
        for i in range(len(A)):
            if i != r and _size(A[i, j]) > -digits:
                A[i, j:] = [x.mid() for x in A[i, j:] - A[i, j] * A[r, j:]]
        pivots.append(j)
    if len(pivots) == len(rows):
        raise NotVerified("There are too few rows to determine the rank.")
    relations = {}
    for j in range(A.shape[1]):
        if j not in pivots:
            column = {pivots[i]: A[i, j] for i in range(len(pivots)) if pivots[i] < j}
            relations[j] = {k: x for k, x in column.items() if _size(x) > -digits / 3}
    return Echelon(pivots, relations, smallest, max(largest, -digits))


def _size(x: arb) -> float:
    """log10 |x| of the midpoint of a ball."""
    value = abs(x.mid())
    if value == 0:
        return -inf
    number = float(value)
    return log10(number) if number > 1e-300 else float(value.log().mid()) * 0.4342944819


def pivot_columns(rows: Residues, p: int) -> tuple[list[int], list[int]]:
    """The first columns that are independent, left to right, and rows in which they are."""
    A, order = rows.copy(), np.arange(len(rows))
    columns: list[int] = []
    for j in range(A.shape[1]):
        r = len(columns)
        found = np.flatnonzero(A[r:, j])
        if not found.size:
            continue
        k = r + int(found[0])
        A[[r, k]], order[[r, k]] = A[[k, r]], order[[k, r]]
        A[r] = A[r] * pow(int(A[r, j]), -1, p) % p
        below = r + 1 + np.flatnonzero(A[r + 1 :, j])
        A[below, j:] = (A[below, j:] - A[below, j, None] * A[r, j:]) % p
        columns.append(j)
        if len(columns) == len(A):
            break
    return columns, order[: len(columns)].tolist()


def solved(A: Residues, B: Residues, p: int) -> Residues:
    """X with A X = B modulo p, for a stack of square matrices A (..., n, n) and B (..., n, m).

    Raises ZeroDivisionError where a matrix of the stack is singular.
    """
    n = A.shape[-1]
    M = np.concatenate([A, B], axis=-1).reshape(-1, n, n + B.shape[-1])
    every = np.arange(len(M))
    for k in range(n):
        pivots = k + np.argmax(M[:, k:, k] != 0, axis=1)
        if not M[every, pivots, k].all():
            raise ZeroDivisionError("A matrix is singular modulo the prime.")
        M[every, pivots], M[every, k] = M[every, k], M[every, pivots].copy()
        M[:, k] = M[:, k] * _inverses(M[:, k, k], p)[:, None] % p
        others = np.flatnonzero(np.arange(n) != k)
        M[:, others, k:] = (M[:, others, k:] - M[:, others, k, None] * M[:, k, None, k:]) % p
    return M[:, :, n:].reshape(B.shape)


def _inverses(x: Residues, p: int) -> Residues:
    return np.array([pow(int(v), -1, p) for v in x])


def product(A: Residues, B: Residues, p: int) -> Residues:
    """A B modulo p, for matrices or stacks of them."""
    total = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), A.shape[-2], B.shape[-1]), np.int64)
    for k in range(A.shape[-1]):
        total = (total + A[..., :, k, None] * B[..., None, k, :]) % p
    return total
