"""Rows that depend on each other: which are enough, and the least solution where there are many."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_DEPENDENT = 1e-10  # against the largest singular value, rows scaled


def independent(W: Array, rows: Sequence[int]) -> list[int]:
    """The first of the rows that do not follow from those before; W = R M^-1 R^T of all rows R."""
    kept: list[int] = []
    L = np.zeros((0, 0))
    for row in rows:
        w = W[row, kept]
        y = np.linalg.solve(L, w) if kept else w
        rest = W[row, row] - y @ y
        if rest > _DEPENDENT * W[row, row]:
            L = np.block([[L, np.zeros((len(kept), 1))], [y[None, :], np.sqrt(rest)]])
            kept.append(row)
    return kept


def least_solution(A: Array, b: Array, least: float) -> tuple[Array | None, Array]:
    """The least x with A x = b (None if there is none) and an orthonormal base of what may be added to it.

    least: size of b below which it does not matter by how much A x misses it.
    """
    n = A.shape[1]
    if len(b) == 0 or n == 0:
        return (np.zeros(n) if np.abs(b).max(initial=0.0) <= 1e-8 * least else None), np.eye(n)
    own = np.sqrt((A * A).sum(axis=1))
    scale = np.where(own > 1e-12 * own.max(initial=0.0), 1 / np.sqrt(np.maximum(own, 1e-300)), 1.0)
    U, s, Vt = np.linalg.svd(A * scale[:, None])
    rank = int((s > _DEPENDENT * s[0]).sum()) if s[0] > 0 else 0
    x = Vt[:rank].T @ ((U[:, :rank].T @ (scale * b)) / s[:rank])
    if rank < len(b) and np.abs(A @ x - b).max() > 1e-8 * max(least, float(np.abs(b).max())):
        return None, np.zeros((n, 0))
    return x, Vt[rank:].T
