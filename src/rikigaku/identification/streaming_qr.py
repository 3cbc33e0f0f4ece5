"""Triangular factors of regressors of any length in constant memory.

One factor R of the rows [W_j, y_j] for each equation. All that weighted least squares needs is in them:
weights of equations and gains change without a second pass over the data.

The first rows are factored by Householder's method, with pivoting. Later rows A are multiplied by the
inverse of that factor P and enter the Gram matrix G = 1 + sum of (A P^-1)^T (A P^-1). With G = L L^T the new
factor is L^T P (Cholesky QR with preconditioning [Fukaya2020]): matrix products in place of reflections. G
has no eigenvalue below 1, and P is replaced before an element of G exceeds `_GROWTH`: G is well conditioned
whatever the condition number of A is. (A P^-1) P is A within rounding, because pivots do not increase and
the right-hand side is reduced by substitution. So the factor is as accurate as Householder's.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from rikigaku.core.types import Array
from rikigaku.identification.packed_rows import RowLayout

# Pivots of the scaled information below this part of the largest belong to columns that the motion does not
# separate from others.
_RANK = 1e-7
_GROWTH = 1e4  # largest diagonal element of G
_ROUNDING = 1e-14  # diagonal of R over the lengths of its columns, at least


def independent_columns(A: Array) -> NDArray[np.bool_]:
    """Columns that the data determine: QR with pivoting of the columns at unit length."""
    sizes = np.linalg.norm(A, axis=0)
    present = np.flatnonzero(sizes > 1e-12 * sizes.max(initial=0.0))
    _, R, order = linalg.qr(A[:, present] / sizes[present], mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    kept = np.zeros(A.shape[1], dtype=bool)
    kept[present[order[: int((pivots > _RANK * pivots[0]).sum())]]] = True
    return kept


def triangular(A: Array) -> Array:
    """R of A = Q R."""
    R: Array = np.asarray(np.linalg.qr(A, mode="r"))
    return R


class _Factor:
    """The factor L^T P of rows [W, y] that are added; P is None before there are as many rows as columns."""

    def __init__(self, size: int) -> None:
        self._R = np.zeros((0, size))
        self._P: Array | None = None
        self._inverse, self._gram = np.zeros((size, size)), np.zeros((size, size))
        self._absent = np.zeros(size, dtype=bool)  # columns of zeros

    def add(self, A: Array) -> None:
        """Rows A (count, size)."""
        if self._P is not None:
            B = A @ self._inverse  # W P^-1, and y/s
            B[:, -1] -= B[:, :-1] @ (self._P[:-1, -1] / self._P[-1, -1])
            gram = B.T @ B
            if float(gram.diagonal().max()) < _GROWTH:  # False for NaN
                self._gram += gram
                if float(self._gram.diagonal().max()) > _GROWTH:
                    self._set(self.R)
                return
        self._set(triangular(np.concatenate([self.R, A])))

    @property
    def R(self) -> Array:
        """The triangular factor of all rows so far."""
        if self._P is None:
            return self._R
        S = np.linalg.cholesky(self._gram).T @ self._P
        S[:, self._absent] = 0.0
        return triangular(S)

    def _set(self, R: Array) -> None:
        """Replace P; a singular factor is made regular within its rounding errors."""
        self._R, self._P = R, None
        lengths = np.linalg.norm(R, axis=0)
        k = R.shape[1] - 1
        if len(R) <= k or not lengths.max(initial=0.0) > 0 or not np.isfinite(lengths).all():
            return
        self._absent = lengths == 0
        least = _ROUNDING * np.where(self._absent, lengths.max(), lengths)
        Q, T, order = linalg.qr(R[:k, :k], pivoting=True)
        T = _regular(T, least[order])
        P = np.zeros((k + 1, k + 1))
        P[:k, order], P[:k, k] = T, Q.T @ R[:k, k]
        P[k, k] = max(abs(float(R[k, k])), float(least[k]))
        self._inverse = np.zeros_like(P)
        self._inverse[order, :k] = linalg.solve_triangular(T, np.eye(k))
        self._inverse[k, k] = 1 / P[k, k]
        self._P, self._gram = P, np.eye(k + 1)


def _regular(T: Array, least: Array) -> Array:
    """T with diagonal elements of at least this size."""
    diagonal = T.diagonal()
    return np.asarray(T + np.diag(np.where(np.abs(diagonal) < least, least - diagonal, 0.0)))


class StreamingQR:
    """Factors R of the rows [W_j, y_j], one for each equation of a layout."""

    def __init__(self, layout: RowLayout) -> None:
        self.layout = layout
        self.rows = np.zeros(len(layout.places))
        self._factors = [_Factor(len(place) + 1) for place in layout.places]
        self._found: list[Array] | None = None  # factors of all rows so far

    def add(self, values: Array, weights: Array | None = None) -> None:
        """Packed rows of some samples (samples, size of the layout); weights: (samples, equations).

        Rows of zeros (samples that are left out) are not counted.
        """
        self._found = None
        self.rows += self._occupied(values)
        for j, (first, end) in enumerate(self.layout.bounds):
            A = values[:, first:end]
            if weights is not None:
                A = A * np.sqrt(weights[:, j, None])
            self._factors[j].add(A)

    @property
    def factors(self) -> list[Array]:
        """The factors, each with the columns of its equation and the right-hand side."""
        if self._found is None:
            self._found = [factor.R for factor in self._factors]
        return self._found

    def stacked(self, scales: Array) -> tuple[Array, Array]:
        """Rows of all equations, those of equation j divided by scales[j]: matrix and right-hand side."""
        factors = self.factors
        total = sum(len(R) for R in factors)
        A, b = np.zeros((total, self.layout.parameters)), np.zeros(total)
        k = 0
        for R, place, scale in zip(factors, self.layout.places, scales, strict=True):
            A[k : k + len(R), place] = R[:, :-1] / scale
            b[k : k + len(R)] = R[:, -1] / scale
            k += len(R)
        return A, b

    def residual_squares(self, theta: Array) -> Array:
        """Sums of squared residuals of each equation."""
        pairs = zip(self.factors, self.layout.places, strict=True)
        return np.array([float(np.sum((R[:, :-1] @ theta[place] - R[:, -1]) ** 2)) for R, place in pairs])

    def _occupied(self, values: Array) -> Array:
        """Number of rows of each equation that are not zero: most have a last column other than zero."""
        counts = np.full(len(self.rows), float(len(values)))
        last = values[:, self.layout.right_sides - 1] == 0
        for j in np.flatnonzero(last.any(axis=0)):
            first, end = self.layout.bounds[j]
            empty = ~values[last[:, j], first : end - 1].any(axis=1)
            counts[j] -= np.count_nonzero(empty)
        return counts
