"""Rotations that follow a rotation vector: R = exp(x), and how it turns when x moves.

The angular velocity of exp(x) is w = G(x) dx/dt, G = a 1 + b [x] + c x x^T, with a = sin(t)/t,
b = (1 - cos t)/t^2, c = (1 - a)/t^2 and t = |x|; in the axes the vector x is written in.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.rigid import axis_angle
from rikigaku.space.charts import cross_matrix

Array = NDArray[np.float64]

# Below this angle [rad] the closed forms lose digits; their series then take few terms.
_SMALL = 0.5
_TERMS = 12


class Turning(NamedTuple):
    """A rotation, its angular velocity and acceleration."""

    R: Array
    w: Array
    alpha: Array


def turning(x: Array, rate: Array, push: Array) -> Turning:
    """The rotation exp(x) and its motion, from x and its two derivatives by time."""
    angle = float(np.linalg.norm(x))
    G = turn_matrix(x)
    return Turning(axis_angle(x, angle), G @ rate, G @ push + _bias(x, rate))


def starting(x: Array, w: Array, alpha: Array) -> tuple[Array, Array]:
    """Derivatives of x that give exp(x) an angular velocity and acceleration; |x| < 2 pi."""
    G = turn_matrix(x)
    rate = np.asarray(np.linalg.solve(G, w), dtype=np.float64)
    push = np.linalg.solve(G, alpha - _bias(x, rate))
    return rate, np.asarray(push, dtype=np.float64)


def turn_matrix(x: Array) -> Array:
    """G(x)."""
    (a, b, c), _ = _parts(float(x @ x))
    return a * np.eye(3) + b * cross_matrix(x) + c * np.outer(x, x)


def _bias(x: Array, rate: Array) -> Array:
    """(dG/dt) dx/dt."""
    (_, _, c), slopes = _parts(float(x @ x))
    along = float(x @ rate)
    da, db, dc = (2 * along * slope for slope in slopes)
    bent = da * rate + db * np.cross(x, rate) + (dc * along + c * float(rate @ rate)) * x
    return np.asarray(bent + c * along * rate)


def _parts(s: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """a, b, c and their derivatives by s = t^2."""
    if s < _SMALL**2:
        parts, slopes = np.zeros(3), np.zeros(3)
        for first in range(3):  # sum over k of (-s)^k / (2 k + first + 1)!
            term = 1.0 / (1, 2, 6)[first]
            for k in range(_TERMS):
                parts[first] += term * s**k
                slopes[first] += k * term * s ** max(k - 1, 0)
                term /= -(2 * k + first + 2) * (2 * k + first + 3)
        return (parts[0], parts[1], parts[2]), (slopes[0], slopes[1], slopes[2])
    t = float(np.sqrt(s))
    a, b = float(np.sin(t) / t), float((1 - np.cos(t)) / s)
    c = (1 - a) / s
    return (a, b, c), ((float(np.cos(t)) - a) / (2 * s), (a - 2 * b) / (2 * s), (b - 3 * c) / (2 * s))
