"""Linear equations without pivoting, for formulas: + - * / only, no comparisons.

Coupled equations are solved as a block: up to three by Cramer's rule, more by Gram-Schmidt orthogonalisation
without square roots. The divisors (a determinant, or the square of a column) are zero only where the block is
singular.
Reference: G. H. Golub, C. F. Van Loan, Matrix Computations, chapter 5.
"""

from collections.abc import Sequence

from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Number
from rikigaku.symbolic.loops.cramer_solve import Minors, blocks

Numbers = Sequence[Number]
Block = tuple[list[int], list[int]]  # rows and columns

_CRAMER = 3  # larger blocks have too long minors


def plain_factors(A: Sequence[Numbers], columns: int) -> "PlainFactors":
    """The factors of a matrix given by rows, as many as columns or more."""
    return PlainFactors(A, columns)


class PlainFactors:
    """A matrix in blocks, each ready to be solved; one block where there are more rows than columns."""

    def __init__(self, A: Sequence[Numbers], columns: int) -> None:
        self.A, self.columns = A, columns
        whole: Block = (list(range(len(A))), list(range(columns)))
        self.blocks = blocks(A) if len(A) == columns else [whole]
        self.solvers: list[_Determinants | _Columns] = []
        for rows, places in self.blocks:
            part = [[A[i][j] for j in places] for i in rows]
            small = len(rows) == len(places) <= _CRAMER
            self.solvers.append(_Determinants(part) if small else _Columns(part, len(places)))

    def solve(self, b: Numbers) -> list[Number]:
        """x with A x = b, or nearest to it (least squares)."""
        x: list[Number] = [0] * self.columns
        for (rows, places), solver in zip(self.blocks, self.solvers, strict=True):
            before = [j for j in range(self.columns) if j not in places]
            rest = [b[i] - _dot([self.A[i][j] for j in before], [x[j] for j in before]) for i in rows]
            for place, value in zip(places, solver.solve(rest), strict=True):
                x[place] = value
        return x

    def solve_transposed(self, b: Numbers) -> list[Number]:
        """The shortest y with A^T y = b."""
        y: list[Number] = [0] * len(self.A)
        for (rows, places), solver in reversed(list(zip(self.blocks, self.solvers, strict=True))):
            others = [i for i in range(len(self.A)) if i not in rows]
            rest = [b[j] - _dot([self.A[i][j] for i in others], [y[i] for i in others]) for j in places]
            for row, value in zip(rows, solver.solve_transposed(rest), strict=True):
                y[row] = value
        return y

    def complement(self) -> list[list[Number]]:
        """A basis of the null space of A^T; empty if A is square."""
        if len(self.A) == self.columns:
            return []
        (solver,) = self.solvers
        assert isinstance(solver, _Columns)
        return solver.complement()


class _Determinants:
    """A small square matrix by Cramer's rule."""

    def __init__(self, A: Sequence[Numbers]) -> None:
        minors = Minors(A)
        self.cofactors = [minors.column(k) for k in range(len(A))]
        self.determinant = minors.determinant

    def solve(self, b: Numbers) -> list[Number]:
        return [_dot(row, b) / self.determinant for row in self.cofactors]

    def solve_transposed(self, b: Numbers) -> list[Number]:
        columns = zip(*self.cofactors, strict=True)
        return [_dot(column, b) / self.determinant for column in columns]


class _Columns:
    """A = Q R with orthogonal, not normalised columns of Q, and ones on the diagonal of R."""

    def __init__(self, A: Sequence[Numbers], n: int) -> None:
        self.rows = len(A)
        entries = [[row[j] for row in A] for j in range(n)]
        # sparse columns first: columns orthogonal to them stay unchanged
        self.order = sorted(range(n), key=lambda j: (sum(not is_zero(x) for x in entries[j]), j))
        self.Q: list[list[Number]] = []
        self.squares: list[Number] = []
        self.R: list[list[Number]] = []  # R[k]: components of the k-th column along those before it
        for j in self.order:
            column, parts = self._rest(entries[j])
            self.Q.append(column)
            self.squares.append(_dot(column, column))
            self.R.append(parts)

    def _rest(self, column: list[Number]) -> tuple[list[Number], list[Number]]:
        """The part of a vector orthogonal to all columns so far, and its components along them."""
        parts: list[Number] = []
        for q, square in zip(self.Q, self.squares, strict=True):
            product = _dot(q, column)
            parts.append(0 if is_zero(product) else product / square)
            if not is_zero(product):
                column = [x if is_zero(y) else x - parts[-1] * y for x, y in zip(column, q, strict=True)]
        return column, parts

    def solve(self, b: Numbers) -> list[Number]:
        _, y = self._rest(list(b))
        x: list[Number] = [0] * len(self.order)
        for k in reversed(range(len(self.order))):
            x[self.order[k]] = y[k]
            for i in range(k):
                y[i] = y[i] - self.R[k][i] * y[k]
        return x

    def solve_transposed(self, b: Numbers) -> list[Number]:
        z: list[Number] = []
        y: list[Number] = [0] * self.rows
        for k, j in enumerate(self.order):
            z.append(b[j] - _dot(self.R[k], z))
            if not is_zero(z[k]):
                scale = z[k] / self.squares[k]
                y = [
                    total if is_zero(q) else total + scale * q for total, q in zip(y, self.Q[k], strict=True)
                ]
        return y

    def complement(self) -> list[list[Number]]:
        """Unit vectors of the rows that are no pivots, made orthogonal to the columns."""
        size = self.rows
        taken = set(_deciding_rows([[q[i] for q in self.Q] for i in range(size)])) if self.Q else set()
        free = [i for i in range(size) if i not in taken]
        return [self._rest([int(i == k) for k in range(size)])[0] for i in free]


def _deciding_rows(A: Sequence[Numbers]) -> list[int]:
    """As many rows as there are columns, each with an entry in a column of its own."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    pattern = csr_array([[int(not is_zero(x)) for x in row] for row in A])
    return [int(i) for i in maximum_bipartite_matching(pattern, perm_type="row") if i >= 0]


def _dot(xs: Numbers, ys: Numbers) -> Number:
    total: Number = 0
    for x, y in zip(xs, ys, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total
