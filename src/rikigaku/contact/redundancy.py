"""Redundant constraints: a maximal independent set, and the minimum-norm solution of a consistent system."""

from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array

_DEPENDENT = 1e-10  # relative to the largest singular value, rows scaled


def independent_equations(W: Array, rows: Sequence[int]) -> list[int]:
    """Those constraints that are independent of the ones before them; W = J M^-1 J^T (Delassus matrix)."""
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


def minimum_norm_solution(A: Array, b: Array, least: float) -> tuple[Array | None, Array]:
    """The minimum-norm x with A x = b (None if there is none), and an orthonormal basis of A's null space.

    least: scale of b below which a residual A x - b is ignored.
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
