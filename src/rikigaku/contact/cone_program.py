"""Interior-point method for small second-order cone programs, to full precision.

Minimize x.P x / 2 + c.x subject to |(u_1, u_2)| <= u_0 in every cone, u = h + G x: friction cones of contacts
(u_0 = mu f_n) and, with u_1 = u_2 = 0, nonnegative forces. Primal-dual method with Mehrotra's
predictor-corrector steps in the Nesterov-Todd scaling.
Reference: L. Vandenberghe, The CVXOPT linear and quadratic cone program solvers (2010), sections 4 to 7.
"""

from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array

_ITERATIONS = 60
_J = np.array([1.0, -1.0, -1.0])


class Margin(NamedTuple):
    """x, and the smallest u_0 - |(u_1, u_2)| of all cones there."""

    x: Array
    value: float


def maximize_margin(h: Array, G: Array, most: float) -> Margin:
    """x with the largest s <= most such that u_0 - s >= |(u_1, u_2)| in every cone.

    h: (cones, 3); G: (cones, 3, n). The margin is negative if no x is inside all cones.
    """
    count, _, n = G.shape
    size = max(float(np.abs(h).max(initial=0.0)), 1e-300)
    G_extended = np.zeros((count + 1, 3, n + 1))
    G_extended[:count, :, :n] = G
    G_extended[:, 0, n] = -1.0
    heads = np.zeros((count + 1, 3))
    heads[:count], heads[count, 0] = h / size, most / size
    start = np.zeros(n + 1)
    start[n] = min(float((heads[:count, 0] - np.hypot(heads[:count, 1], heads[:count, 2])).min()), 0.0) - 1.0
    x = size * minimize(heads, G_extended, np.zeros((n + 1, n + 1)), -np.eye(n + 1)[n], start)[:n]
    return Margin(x, min(most, margin(h, G, x)))


def minimum_norm(h: Array, G: Array, inside: Array) -> Array:
    """The minimum-norm x inside all cones; inside: an x strictly inside them."""
    size = max(float(np.abs(h).max(initial=0.0)), 1e-300)
    n = G.shape[2]
    return size * minimize(h / size, G, np.eye(n), np.zeros(n), inside / size)


def margin(h: Array, G: Array, x: Array) -> float:
    """The smallest u_0 - |(u_1, u_2)| at x."""
    u = h + G @ x
    return float((u[:, 0] - np.hypot(u[:, 1], u[:, 2])).min(initial=np.inf))


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # a step that leaves the cones ends the search
def minimize(h: Array, G: Array, P: Array, c: Array, x: Array, exact: float = 1e-15) -> Array:
    """The x that minimizes x.P x / 2 + c.x, from a strictly feasible x; P is positive semidefinite."""
    n, flat = len(x), G.reshape(-1, len(x))
    s = h + G @ x
    z = np.zeros_like(s)
    z[:, 0] = max(1.0, float(np.abs(s).max()))
    best, solution = np.inf, x
    for _ in range(_ITERATIONS):
        dual = P @ x + c - flat.T @ z.ravel()
        primal = h + G @ x - s
        gap = float((s * z).sum())
        off = max(gap, float(np.abs(dual).max(initial=0.0)), float(np.abs(primal).max(initial=0.0)))
        if not off < best:  # no progress beyond rounding, or NaN
            break
        best, solution = off, x
        if off < exact:
            break
        scale = _scaling(s, z)
        if scale is None:
            break
        W, V = scale  # V inverts W
        lam = _times(W, z)
        VG = (V @ G).reshape(-1, n)
        H = P + VG.T @ VG
        H += 1e-16 * np.trace(H) * np.eye(n)

        def step(right: Array, W: Array = W, V: Array = V, lam: Array = lam, VG: Array = VG, H: Array = H,
                 dual: Array = dual, primal: Array = primal) -> tuple[Array, Array, Array]:  # fmt: skip
            a = _divided(lam, right)
            scaled = a - _times(V, primal)
            dx = _solved(H, VG.T @ scaled.ravel() - dual)
            ds = primal + G @ dx
            dz = _times(V, a - _times(V, ds))
            return dx, ds, dz

        dx, ds, dz = step(-_product(lam, lam))
        length = min(1.0, _step_length(s, ds), _step_length(z, dz))
        sigma = (1.0 - length) ** 3
        correction = _product(_times(V, ds), _times(W, dz))
        right = -_product(lam, lam) - correction
        right[:, 0] += sigma * gap / len(s)
        dx, ds, dz = step(right)
        length = min(1.0, 0.99 * _step_length(s, ds), 0.99 * _step_length(z, dz))
        x, s, z = x + length * dx, s + length * ds, z + length * dz
    return solution


def _solved(H: Array, b: Array) -> Array:
    """x with H x = b; NaN if H is singular."""
    try:
        return np.asarray(np.linalg.solve(H, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(len(b), np.nan)


def _scaling(s: Array, z: Array) -> tuple[Array, Array] | None:
    """Scaling W and its inverse, by cone: W z = W^-1 s; None where s or z is on the boundary of its cone."""
    ss, zz = (s * s) @ _J, (z * z) @ _J
    if not (ss.min() > 0 and zz.min() > 0):
        return None
    a, b = s / np.sqrt(ss)[:, None], z / np.sqrt(zz)[:, None]
    aligned = 1 + (a * b).sum(axis=1)
    if not (aligned.min() > 0 and s[:, 0].min() > 0 and z[:, 0].min() > 0):
        return None
    w = (a + _J * b) / np.sqrt(2 * aligned)[:, None]
    W = np.empty((len(s), 3, 3))
    W[:, 0, :], W[:, :, 0] = w, w
    W[:, 1:, 1:] = np.eye(2) + w[:, 1:, None] * w[:, None, 1:] / (1 + w[:, 0])[:, None, None]
    eta = (ss / zz) ** 0.25
    V = W * _J[:, None] * _J
    return W * eta[:, None, None], V / eta[:, None, None]


def _times(W: Array, u: Array) -> Array:
    """W u, cone by cone."""
    return np.asarray((W @ u[:, :, None])[:, :, 0])


def _product(a: Array, b: Array) -> Array:
    """Jordan product a o b, cone by cone."""
    result = a[:, :1] * b + b[:, :1] * a
    result[:, 0] = (a * b).sum(axis=1)
    return result


def _divided(a: Array, r: Array) -> Array:
    """b with a o b = r."""
    first = (a * r) @ _J / ((a * a) @ _J)
    b = (r - first[:, None] * a) / a[:, :1]
    b[:, 0] = first
    return b


def _step_length(u: Array, du: Array) -> float:
    """The largest step length for which u + step du stays in all cones."""
    a, b, c = (du * du) @ _J, (u * du) @ _J, np.maximum((u * u) @ _J, 0.0)
    under = b * b - a * c
    root = np.sqrt(np.maximum(under, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(b < 0, c / (root - b), np.where(a < 0, -(b + root) / a, np.inf))
    far = np.where(under < 0, np.inf, far)
    back = np.where(du[:, 0] < 0, -u[:, 0] / np.minimum(du[:, 0], -1e-300), np.inf)
    far = np.minimum(far, back)
    return float(np.where(np.isfinite(far), far, np.inf).min(initial=np.inf))
