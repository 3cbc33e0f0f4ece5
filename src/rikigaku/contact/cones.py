"""Numbers within cones: the widest margin, and the least numbers; small problems, to many digits.

Cones are |(u_1, u_2)| <= u_0, many at once, u = h + G x affine in what is sought: friction cones of contacts
(u_0 = mu f_n), and where u_1 = u_2 = 0 forces that only push. Minimised is x.P x / 2 + c.x by a primal-dual
interior-point method, Mehrotra's steps in the scaling of Nesterov and Todd.
Reference: L. Vandenberghe, The CVXOPT linear and quadratic cone program solvers (2010), sections 4 to 7.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TURNS = 60
_J = np.array([1.0, -1.0, -1.0])


class Margin(NamedTuple):
    """x, and by how much every u_0 exceeds |(u_1, u_2)| there, as far as it can be for all of them."""

    x: Array
    value: float


def widest(h: Array, G: Array, most: float) -> Margin:
    """x with the largest s <= most such that u_0 - s >= |(u_1, u_2)| in every cone.

    h: (cones, 3); G: (cones, 3, n). The margin is negative where no x is within all cones.
    """
    count, _, n = G.shape
    size = max(float(np.abs(h).max(initial=0.0)), 1e-300)
    grown = np.zeros((count + 1, 3, n + 1))
    grown[:count, :, :n] = G
    grown[:, 0, n] = -1.0
    heads = np.zeros((count + 1, 3))
    heads[:count], heads[count, 0] = h / size, most / size
    start = np.zeros(n + 1)
    start[n] = min(float((heads[:count, 0] - np.hypot(heads[:count, 1], heads[:count, 2])).min()), 0.0) - 1.0
    x = size * minimised(heads, grown, np.zeros((n + 1, n + 1)), -np.eye(n + 1)[n], start)[:n]
    return Margin(x, min(most, margin(h, G, x)))


def least(h: Array, G: Array, inside: Array) -> Array:
    """The shortest x within all cones; inside: an x strictly within them."""
    size = max(float(np.abs(h).max(initial=0.0)), 1e-300)
    n = G.shape[2]
    return size * minimised(h / size, G, np.eye(n), np.zeros(n), inside / size)


def margin(h: Array, G: Array, x: Array) -> float:
    """The least u_0 - |(u_1, u_2)| at x."""
    u = h + G @ x
    return float((u[:, 0] - np.hypot(u[:, 1], u[:, 2])).min(initial=np.inf))


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # a step too far ends the search
def minimised(h: Array, G: Array, P: Array, c: Array, x: Array, exact: float = 1e-15) -> Array:
    """x with the least x.P x / 2 + c.x, from one strictly within the cones; P has no negative eigenvalue."""
    n, flat = len(x), G.reshape(-1, len(x))
    s = h + G @ x
    z = np.zeros_like(s)
    z[:, 0] = max(1.0, float(np.abs(s).max()))
    best, found = np.inf, x
    for _ in range(_TURNS):
        dual = P @ x + c - flat.T @ z.ravel()
        primal = h + G @ x - s
        gap = float((s * z).sum())
        off = max(gap, float(np.abs(dual).max(initial=0.0)), float(np.abs(primal).max(initial=0.0)))
        if not off < best:  # numbers that are none, too
            break  # rounding decides from here on
        best, found = off, x
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
        reach = min(1.0, _reach(s, ds), _reach(z, dz))
        sigma = (1.0 - reach) ** 3
        bent = _product(_times(V, ds), _times(W, dz))
        right = -_product(lam, lam) - bent
        right[:, 0] += sigma * gap / len(s)
        dx, ds, dz = step(right)
        reach = min(1.0, 0.99 * _reach(s, ds), 0.99 * _reach(z, dz))
        x, s, z = x + reach * dx, s + reach * ds, z + reach * dz
    return found


def _solved(H: Array, b: Array) -> Array:
    """x with H x = b; no numbers where there is none."""
    try:
        return np.asarray(np.linalg.solve(H, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(len(b), np.nan)


def _scaling(s: Array, z: Array) -> tuple[Array, Array] | None:
    """W and its inverse, by cone: W z = W^-1 s; None where a number is on the edge of its cone."""
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
    """Jordan's product, cone by cone."""
    result = a[:, :1] * b + b[:, :1] * a
    result[:, 0] = (a * b).sum(axis=1)
    return result


def _divided(a: Array, r: Array) -> Array:
    """b with a o b = r."""
    first = (a * r) @ _J / ((a * a) @ _J)
    b = (r - first[:, None] * a) / a[:, :1]
    b[:, 0] = first
    return b


def _reach(u: Array, du: Array) -> float:
    """How many times du may be added until a number leaves its cone."""
    a, b, c = (du * du) @ _J, (u * du) @ _J, np.maximum((u * u) @ _J, 0.0)
    under = b * b - a * c
    root = np.sqrt(np.maximum(under, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(b < 0, c / (root - b), np.where(a < 0, -(b + root) / a, np.inf))
    far = np.where(under < 0, np.inf, far)
    back = np.where(du[:, 0] < 0, -u[:, 0] / np.minimum(du[:, 0], -1e-300), np.inf)
    far = np.minimum(far, back)
    return float(np.where(np.isfinite(far), far, np.inf).min(initial=np.inf))
