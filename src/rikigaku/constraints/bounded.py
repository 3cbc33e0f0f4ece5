"""Least forces within bounds: a small quadratic programme, solved in finitely many steps."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls

Array = NDArray[np.float64]

_NONE = 1e-9  # of the residual's possible size: below, no point is within the bounds
_ROUNDING = 1e-9  # of the bounds: b at their very edge may lie so much beyond it


def least_within(A: Array, b: Array, w: Array, bounds: Array) -> Array | None:
    """The s of least sum of w s^2 with A s = b and -bounds <= s <= bounds; None where there is none.

    A has full row rank, (m, n); w > 0; bounds may be infinite. With y = sqrt(w) s = y0 + N z, N a basis of
    what A leaves free, the least z with G z >= g follows from one problem of non-negative least squares. It
    tells which forces are at their bounds; the others then follow from A s = b alone.
    Reference: Lawson & Hanson, Solving Least Squares Problems, chapter 23: least distance programming.
    """
    found = _active(A, b, w, bounds)
    if found is None and least_factor(A, b, bounds) < 1 + _ROUNDING:
        found = _active(A, b, w, bounds * (1 + 2 * _ROUNDING))
    if found is None:
        return None
    free = found == 0
    s = np.where(free, 0.0, found * np.where(np.isfinite(bounds), bounds, 0.0))
    root = np.sqrt(w[free])
    s[free] = np.linalg.lstsq(A[:, free] / root, b - A @ s, rcond=None)[0] / root
    return np.asarray(np.clip(s, -bounds, bounds))


def _active(A: Array, b: Array, w: Array, bounds: Array) -> Array | None:
    """Which forces are at a bound: 1 at the upper, -1 at the lower, 0 between; None if no s is within."""
    count, root = len(b), np.sqrt(w)
    Q, R = np.linalg.qr((A / root).T, mode="complete")
    y = Q[:, :count] @ np.linalg.solve(R[:count].T, b)
    N = Q[:, count:]
    limited = np.flatnonzero(np.isfinite(bounds))
    edge = (root * bounds)[limited]
    G = np.vstack([N[limited], -N[limited]])
    g = np.concatenate([-edge - y[limited], -edge + y[limited]])
    size = np.abs(g).max(initial=0.0) or 1.0
    E = np.vstack([G.T, g / size])
    wanted = np.append(np.zeros(N.shape[1]), 1.0)
    pushing, left = nnls(E, wanted, maxiter=50 * max(E.shape[1], 1)) if len(limited) else (np.empty(0), 1.0)
    if left < _NONE:
        return None
    signs = np.zeros(len(w))
    lower, upper = np.split(pushing > 0, 2)
    signs[limited] = upper.astype(float) - lower
    return signs


def least_factor(A: Array, b: Array, bounds: Array) -> float:
    """How many times as large the bounds would have to be at least; infinite where that does not help."""
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
