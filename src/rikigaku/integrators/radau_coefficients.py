"""Coefficients of the Radau IIA method of order 5, from its three nodes.

With A the matrix of the method, A^-1 = T L T^-1, L = diag(g, [[a, b], [-b, a]]): the three coupled stages of
a step separate into one real system and one complex one, (g/h) I - J and ((a - i b)/h) I - J.

Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., section IV.8.
"""

from typing import NamedTuple

import numpy as np

Rows = tuple[tuple[float, float, float], ...]


class Radau(NamedTuple):
    """nodes c; T and its inverse; g; a, b; weights of the stages' increments in the estimate of the error."""

    nodes: tuple[float, float, float]
    T: Rows
    inverse: Rows
    g: float
    a: float
    b: float
    error: tuple[float, float, float]


def radau() -> Radau:
    """The method's numbers: its order conditions sum_j A_ij c_j^(k-1) = c_i^k / k, k = 1..3, give A."""
    root = np.sqrt(6.0)
    c = np.array([(4 - root) / 10, (4 + root) / 10, 1.0])
    powers = np.array([0, 1, 2])
    A = (c[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(c[:, None] ** powers)
    values, vectors = np.linalg.eig(np.linalg.inv(A))
    real = int(np.argmin(np.abs(values.imag)))
    pair = int(np.argmax(values.imag))
    w = vectors[:, pair] / vectors[2, pair]  # the last row of T is (1, 1, 0)
    T = np.stack([(vectors[:, real] / vectors[2, real]).real, w.real, w.imag], axis=1)
    error = (-13 - 7 * root) / 3, (-13 + 7 * root) / 3, -1 / 3
    return Radau(
        (float(c[0]), float(c[1]), 1.0),
        _rows(T),
        _rows(np.linalg.inv(T)),
        float(values[real].real),
        float(values[pair].real),
        float(values[pair].imag),
        (float(error[0]), float(error[1]), error[2]),
    )


def _rows(x: np.ndarray) -> Rows:
    return tuple((float(a), float(b), float(c)) for a, b, c in x)
