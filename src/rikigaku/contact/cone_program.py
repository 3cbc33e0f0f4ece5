"""Second-order cone programs of contact forces: the widest margin to all friction limits, the minimum norm.

Cones |(u_1, u_2)| <= u_0 with u = h + G x: friction cones of contacts (u_0 = mu f_n) and, with u_1 = u_2 = 0,
nonnegative forces. They are solved in native code (`integrators.llvm_cone_program`).
"""

from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.contact_problem import minimize

_EXACT = 1e-15  # optimality conditions of the scaled problem


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
    start[n] = min(margin(heads[:count]), 0.0) - 1.0
    x = size * minimize(heads, G_extended, np.zeros((n + 1, n + 1)), -np.eye(n + 1)[n], start, _EXACT)[:n]
    return Margin(x, min(most, margin(h + G @ x)))


def minimum_norm(h: Array, G: Array, inside: Array) -> Array:
    """The minimum-norm x inside all cones; inside: an x strictly inside them."""
    size = max(float(np.abs(h).max(initial=0.0)), 1e-300)
    n = G.shape[2]
    return size * minimize(h / size, G, np.eye(n), np.zeros(n), inside / size, _EXACT)


def margin(u: Array) -> float:
    """The smallest u_0 - |(u_1, u_2)|; u: (cones, 3)."""
    return float((u[:, 0] - np.hypot(u[:, 1], u[:, 2])).min(initial=np.inf))
