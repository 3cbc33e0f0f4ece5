"""Ranks and independent rows or columns of float matrices, by singular values and by largest pivots.

Exact and modular elimination is in `symbolic.algebra.row_elimination`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array

RANK = 1e-8  # relative to the largest singular value: smaller ones are zero
LOOSE_RANK = 1e-5  # the same where the numbers of a file are rounded
_PREFERENCE = 0.25  # an earlier row is chosen if its pivot is at least this part of the largest
_SINGULAR = 1e-9  # relative to the largest element: smaller pivots are zero


def rank_of(J: Array, tolerance: float = RANK) -> int:
    """Rank of a matrix: number of singular values above the tolerance, relative to the largest."""
    return int(ranks_of(J[None], tolerance)[0])


def ranks_of(J: Array, tolerance: float = RANK) -> NDArray[np.int64]:
    """Ranks of a batch of matrices (samples, rows, columns)."""
    s = np.linalg.svd(J, compute_uv=False)
    return np.asarray((s > tolerance * s[:, :1]).sum(axis=1))


def regularity(J: Array, rank: int) -> Array:
    """Ratio of singular value number `rank` to the largest, for each matrix; 0 where the rank is higher."""
    if not rank:
        return np.ones(len(J))
    s = np.linalg.svd(J, compute_uv=False)
    higher = s[:, rank:].max(axis=1, initial=0) > RANK * s[:, 0]
    return np.where(higher, 0.0, s[:, rank - 1] / np.maximum(s[:, 0], 1e-300))


def independent_rows(J: Array, count: int, order: Sequence[int]) -> list[int]:
    """Up to `count` rows of J (samples, rows, columns) that are independent at every sample.

    Greedy: the next row is the one whose component orthogonal to the chosen rows is largest at its worst
    sample; among nearly equal ones the first in `order`.
    """
    left = np.array(J, dtype=np.float64)
    size = np.linalg.norm(left, axis=2).max()
    chosen: list[int] = []
    for _ in range(count):
        pivots = np.linalg.norm(left, axis=2).min(axis=0)
        pivots[chosen] = 0.0
        best = pivots[list(order)].max(initial=0.0)
        if best <= RANK * size:
            break
        row = next(i for i in order if pivots[i] >= _PREFERENCE * best)
        chosen.append(row)
        unit = left[:, row] / np.linalg.norm(left[:, row], axis=1, keepdims=True)
        left = left - np.einsum("kij,kj->ki", left, unit)[..., None] * unit[:, None]
    return sorted(chosen)


def orthogonal_part(rows: Array, chosen: Sequence[int]) -> Array:
    """Rows (samples, rows, columns) less their components along the chosen ones."""
    basis = np.linalg.qr(np.swapaxes(rows[:, list(chosen)], 1, 2))[0]
    return np.asarray(rows - np.einsum("kij,kjm,klm->kil", rows, basis, basis))


def largest_pivots(J: Array) -> tuple[list[int], list[int]]:
    """Columns and rows of a regular square block of J, as large as its rank, by complete pivoting."""
    A = J.copy()
    scale = np.abs(A).max(initial=0) or 1.0
    rows: list[int] = []
    columns: list[int] = []
    while len(rows) < min(A.shape):
        i, j = np.unravel_index(np.argmax(np.abs(A)), A.shape)
        if abs(A[i, j]) < _SINGULAR * scale:
            break
        rows.append(int(i))
        columns.append(int(j))
        A -= np.outer(A[:, j], A[i] / A[i, j])
        A[i] = 0
        A[:, j] = 0
    return columns, rows
