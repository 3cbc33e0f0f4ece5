"""Angular velocity and acceleration of a rotation R = exp(x) from its rotation vector x(t), and back.

w = G(x) dx/dt with G = a 1 + b [x] + c x x^T (left Jacobian of SO(3)), a = sin(s)/s, b = (1 - cos s)/s^2,
c = (1 - a)/s^2 and s = |x|; all in the axes in which x is written.
"""

from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators.munthe_kaas import cross_matrix
from rikigaku.model.float_poses import axis_angle

# Below this angle [rad] the closed forms lose digits, and power series are used.
_SMALL = 0.5
_TERMS = 12


class RotationMotion(NamedTuple):
    """A rotation, its angular velocity and angular acceleration."""

    R: Array
    w: Array
    alpha: Array


def rotation_motion(x: Array, dx: Array, ddx: Array) -> RotationMotion:
    """The rotation exp(x) with its angular velocity and acceleration, from x and its time derivatives."""
    angle = float(np.linalg.norm(x))
    G = left_jacobian(x)
    return RotationMotion(axis_angle(x, angle), G @ dx, G @ ddx + _bias(x, dx))


def rotation_vector_rates(x: Array, w: Array, alpha: Array) -> tuple[Array, Array]:
    """dx/dt and its derivative that give exp(x) an angular velocity and acceleration; |x| < 2 pi."""
    G = left_jacobian(x)
    dx = np.asarray(np.linalg.solve(G, w), dtype=np.float64)
    ddx = np.linalg.solve(G, alpha - _bias(x, dx))
    return dx, np.asarray(ddx, dtype=np.float64)


def left_jacobian(x: Array) -> Array:
    """G(x), 3 x 3."""
    (a, b, c), _ = _coefficients(float(x @ x))
    return a * np.eye(3) + b * cross_matrix(x) + c * np.outer(x, x)


def _bias(x: Array, dx: Array) -> Array:
    """(dG/dt) dx/dt."""
    (_, _, c), derivatives = _coefficients(float(x @ x))
    x_dx = float(x @ dx)
    da, db, dc = (2 * x_dx * derivative for derivative in derivatives)
    first = da * dx + db * np.cross(x, dx) + (dc * x_dx + c * float(dx @ dx)) * x
    return np.asarray(first + c * x_dx * dx)


def _coefficients(square: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """a, b, c and their derivatives with respect to square = |x|^2."""
    if square < _SMALL**2:
        values, slopes = np.zeros(3), np.zeros(3)
        for i in range(3):  # sum over k of (-square)^k / (2 k + i + 1)!
            term = 1.0 / (1, 2, 6)[i]
            for k in range(_TERMS):
                values[i] += term * square**k
                slopes[i] += k * term * square ** max(k - 1, 0)
                term /= -(2 * k + i + 2) * (2 * k + i + 3)
        return (values[0], values[1], values[2]), (slopes[0], slopes[1], slopes[2])
    s = float(np.sqrt(square))
    a, b = float(np.sin(s) / s), float((1 - np.cos(s)) / square)
    c = (1 - a) / square
    return (a, b, c), (
        (float(np.cos(s)) - a) / (2 * square),
        (a - 2 * b) / (2 * square),
        (b - 3 * c) / (2 * square),
    )
