"""Weighted least squares with bounds and equality constraints, by least distance programming [Lawson1974]."""

import numpy as np
from scipy.optimize import linprog, nnls

from rikigaku.core.types import Array

_INFEASIBLE = 1e-9  # residuals of non-negative least squares below this mean that no point is feasible
_ROUNDING = 1e-9  # of the bounds: relative amount by which rounding may put b beyond them


def bounded_least_norm(A: Array, b: Array, w: Array, bounds: Array) -> Array | None:
    """Minimise sum of w s^2 subject to A s = b and -bounds <= s <= bounds; None if infeasible.

    A has full row rank, (m, n); w > 0; bounds may be infinite. With y = sqrt(w) s = y0 + N z, N a basis of
    the null space, the shortest z with G z >= g follows from one non-negative least-squares problem, which
    gives the active bounds. The other elements of s then follow from A s = b.
    Reference: Lawson & Hanson, Solving Least Squares Problems, chapter 23: least distance programming.
    """
    active = _active(A, b, w, bounds)
    if active is None and smallest_bound_factor(A, b, bounds) < 1 + _ROUNDING:
        active = _active(A, b, w, bounds * (1 + 2 * _ROUNDING))
    if active is None:
        return None
    free = active == 0
    s = np.where(free, 0.0, active * np.where(np.isfinite(bounds), bounds, 0.0))
    root = np.sqrt(w[free])
    s[free] = np.linalg.lstsq(A[:, free] / root, b - A @ s, rcond=None)[0] / root
    return np.asarray(np.clip(s, -bounds, bounds))


def _active(A: Array, b: Array, w: Array, bounds: Array) -> Array | None:
    """Active bounds: 1 at the upper, -1 at the lower, 0 between; None if infeasible."""
    count, root = len(b), np.sqrt(w)
    Q, R = np.linalg.qr((A / root).T, mode="complete")
    y = Q[:, :count] @ np.linalg.solve(R[:count].T, b)
    N = Q[:, count:]
    limited = np.flatnonzero(np.isfinite(bounds))
    limit = (root * bounds)[limited]
    G = np.vstack([N[limited], -N[limited]])
    g = np.concatenate([-limit - y[limited], -limit + y[limited]])
    size = np.abs(g).max(initial=0.0) or 1.0
    E = np.vstack([G.T, g / size])
    right = np.append(np.zeros(N.shape[1]), 1.0)
    multipliers, residual = (
        nnls(E, right, maxiter=50 * max(E.shape[1], 1)) if len(limited) else (np.empty(0), 1.0)
    )
    if residual < _INFEASIBLE:
        return None
    signs = np.zeros(len(w))
    lower, upper = np.split(multipliers > 0, 2)
    signs[limited] = upper.astype(float) - lower
    return signs


def smallest_bound_factor(A: Array, b: Array, bounds: Array) -> float:
    """The smallest factor of the bounds that makes the problem feasible; infinite if none does."""
    limited = np.isfinite(bounds)
    rows = np.eye(len(bounds))[limited]
    edge = bounds[limited, None]
    least = linprog(
        np.append(np.zeros(len(bounds)), 1.0),
        A_ub=np.vstack([np.hstack([rows, -edge]), np.hstack([-rows, -edge])]),
        b_ub=np.zeros(2 * len(rows)),
        A_eq=np.hstack([A, np.zeros((len(b), 1))]),
        b_eq=b,
        bounds=[(None, None)] * len(bounds) + [(0, None)],
    )
    return float(least.x[-1]) if least.success else np.inf
