"""Redundant constraints: a maximal independent set, and the minimum-norm solution of a consistent system."""

from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.contact_problem import independent_rows, minimum_norm

_DEPENDENT = 1e-10  # relative to the largest singular value, rows scaled


def independent_equations(W: Array, *groups: Sequence[int]) -> list[int]:
    """A maximal independent set of constraints, those of the first groups first; W = J M^-1 J^T.

    Within a group each constraint that is taken is the one that those before it determine least: of nearly
    dependent constraints, which rounding makes independent, none is taken.
    """
    return independent_rows(W, groups, _DEPENDENT)


def minimum_norm_solution(A: Array, b: Array, least: float) -> tuple[Array | None, Array]:
    """The minimum-norm x with A x = b (None if there is none), and an orthonormal basis of A's null space.

    least: scale of b below which a residual A x - b is ignored.
    """
    n = A.shape[1]
    if len(b) == 0 or n == 0:
        return (np.zeros(n) if np.abs(b).max(initial=0.0) <= 1e-8 * least else None), np.eye(n)
    own = np.sqrt((A * A).sum(axis=1))
    scale = np.where(own > 1e-12 * own.max(initial=0.0), 1 / np.sqrt(np.maximum(own, 1e-300)), 1.0)
    x, free, rank = minimum_norm(A * scale[:, None], scale * b, _DEPENDENT)
    if rank < len(b) and not np.abs(A @ x - b).max() <= 1e-8 * max(least, float(np.abs(b).max())):
        return None, np.zeros((n, 0))
    return x, free
