"""QR factorisation A = Q R by Householder reflections, for traced programs [Golub2013].

It is stable without pivoting on values, and structural zeros cost nothing: the column with the fewest nonzero
rows is eliminated first, by one reflection of those rows, so weakly coupled blocks (the legs of a platform)
are solved one by one. A matrix that is singular to rounding gives NaN. Exact formulas have no order relation;
for them another factorisation is set in `FACTORS`.
"""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from rikigaku.numbers.elementary_functions import is_number, is_zero, sqrt, where
from rikigaku.numbers.number_kind import Number, Numbers

# Square of the smallest pivot, relative to the sum of squares of the matrix.
_SINGULAR = 1e-24


class Factors(Protocol):
    """Factors of a matrix with at least as many rows as columns."""

    def solve(self, b: Numbers) -> list[Number]: ...
    def solve_transposed(self, b: Numbers) -> list[Number]: ...
    def complement(self) -> list[list[Number]]: ...


# Another factorisation, for numbers without an order relation.
FACTORS: ContextVar[Callable[[Sequence[Numbers], int], Factors] | None] = ContextVar("FACTORS", default=None)


@dataclass(frozen=True)
class Reflection:
    """The reflection 1 - scale u u^T; u has entries for some rows, none if the column had one nonzero row."""

    u: dict[int, Number]
    scale: Number

    def apply(self, y: list[Number]) -> None:
        """Reflect y in place."""
        s: Number = 0
        for i, x in self.u.items():
            s = s + x * y[i]
        if not is_zero(s):
            s = s * self.scale
            for i, x in self.u.items():
                y[i] = y[i] - s * x


@dataclass(frozen=True)
class Orthogonal:
    """Q R of a matrix with at least as many rows as columns.

    order: (row, column) of each pivot in the order of elimination; inverse: the reciprocals of the pivots.
    """

    R: list[list[Number]]
    order: list[tuple[int, int]]
    inverse: list[Number]
    reflections: list[Reflection]

    def solve(self, b: Numbers) -> list[Number]:
        """The least-squares solution x of A x = b."""
        c = list(b)
        for reflection in self.reflections:
            reflection.apply(c)
        x: list[Number] = [0] * len(self.order)
        for k in reversed(range(len(self.order))):
            row, column = self.order[k]
            total = c[row]
            for _, other in self.order[k + 1 :]:
                total = total - self.R[row][other] * x[other]
            x[column] = total * self.inverse[k]
        return x

    def solve_transposed(self, b: Numbers) -> list[Number]:
        """The minimum-norm solution y of A^T y = b."""
        z: list[Number] = [0] * len(self.R)
        for k, (row, column) in enumerate(self.order):
            total = b[column]
            for above, _ in self.order[:k]:
                total = total - self.R[above][column] * z[above]
            z[row] = total * self.inverse[k]
        return self.rotated(z)

    def rotated(self, z: Numbers) -> list[Number]:
        """Q z."""
        y = list(z)
        for reflection in reversed(self.reflections):
            reflection.apply(y)
        return y

    def complement(self) -> list[list[Number]]:
        """Orthonormal basis of the null space of A^T; empty if A is square."""
        pivots = {row for row, _ in self.order}
        free = [i for i in range(len(self.R)) if i not in pivots]
        return [self.rotated([int(i == k) for k in range(len(self.R))]) for i in free]


def orthogonal(A: Sequence[Numbers], columns: int) -> Factors:
    """Factors of the matrix with rows A."""
    if (other := FACTORS.get()) is not None:
        return other(A, columns)
    R = [list(row) for row in A]
    size = _squares(x for row in R for x in row)
    remaining, open_rows = set(range(columns)), set(range(len(R)))
    order: list[tuple[int, int]] = []
    inverse: list[Number] = []
    reflections: list[Reflection] = []
    while remaining:
        nonzero = {c: [i for i in sorted(open_rows) if not is_zero(R[i][c])] for c in remaining}
        column = min(remaining, key=lambda c: (len(nonzero[c]) or len(R) + 1, c))
        rows = nonzero[column] or sorted(open_rows)[:1]
        pivot, reflection = _eliminated(R, rows, column, sorted(remaining - {column}), size)
        if reflection.u:
            reflections.append(reflection)
        order.append((rows[0], column))
        inverse.append(1 / pivot)
        remaining.remove(column)
        open_rows.remove(rows[0])
    return Orthogonal(R, order, inverse, reflections)


def _eliminated(
    R: list[list[Number]], rows: list[int], column: int, others: Sequence[int], size: Number
) -> tuple[Number, Reflection]:
    """Pivot and reflection that leave only the first of the rows nonzero in the column."""
    first = R[rows[0]][column]
    if len(rows) == 1:
        return _checked(first, size), Reflection({}, 0)
    squared = _squares(R[i][column] for i in rows)
    root = sqrt(where(squared < _SINGULAR * size, -1, squared))
    pivot = where(first < 0, root, -root)
    u = {i: R[i][column] for i in rows}
    u[rows[0]] = first - pivot
    reflection = Reflection(u, -1 / (pivot * u[rows[0]]))
    for c in others:
        values = [row[c] for row in R]
        reflection.apply(values)
        for i in rows:
            R[i][c] = values[i]
    return pivot, reflection


def _checked(pivot: Number, size: Number) -> Number:
    """The pivot; NaN where it is below rounding."""
    if is_number(pivot) and not is_number(size):  # a constant, as in gear equations
        return pivot
    return pivot * sqrt(where(pivot * pivot < _SINGULAR * size, -1, 1))


def _squares(numbers: Iterable[Number]) -> Number:
    total: Number = 0
    for x in numbers:
        total = total + x * x
    return total
