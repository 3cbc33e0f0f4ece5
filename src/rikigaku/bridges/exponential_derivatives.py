"""Derivatives of `integrate` and `difference` in tangent spaces: solvers on manifolds want them.

A joint with a quaternion moves by q exp(v), v in body axes. With ad the matrix of the Lie bracket,
exp(v + dv) = exp(v) exp(Jr dv) and exp(d) exp(v) = exp(v) exp(T d), where T = expm(-ad) and Jr is the
integral of expm(-s ad) over s from 0 to 1: both are blocks of one matrix exponential [VanLoan1978].
"""

import numpy as np
from scipy.linalg import expm

from rikigaku.core.types import Array
from rikigaku.integrators.munthe_kaas import cross_matrix
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.robot import Robot


def integration_derivatives(robot: Robot, v: Array) -> tuple[Array, Array]:
    """Derivatives of the end of `integrate(q, v)` by q and by v, each (nv, nv), tangents in body axes."""
    by_q, by_v = np.eye(robot.nv), np.eye(robot.nv)
    k = 0
    for joint in robot.joints:
        for elementary, _ in joint_type(joint.type).motions:
            at = slice(k, k + elementary.nv)
            if elementary.nq > elementary.nv:  # it holds a quaternion
                by_q[at, at], by_v[at, at] = _exponential_derivatives(v[at])
            k = at.stop
    return by_q, by_v


def difference_derivatives(robot: Robot, v: Array) -> tuple[Array, Array]:
    """Derivatives of v = `difference(start, end)` by start and by end, each (nv, nv)."""
    by_q, by_v = integration_derivatives(robot, v)
    by_end = np.asarray(np.linalg.inv(by_v), dtype=np.float64)
    return -by_end @ by_q, by_end


def _exponential_derivatives(v: Array) -> tuple[Array, Array]:
    """T and Jr of a rotation (3 numbers) or of a twist (linear, angular)."""
    n = len(v)
    bracket = np.zeros((n, n))
    bracket[-3:, -3:] = cross_matrix(v[-3:])
    if n == 6:
        bracket[:3, :3], bracket[:3, 3:] = cross_matrix(v[3:]), cross_matrix(v[:3])
    both = np.zeros((2 * n, 2 * n))
    both[:n, :n], both[:n, n:] = -bracket, np.eye(n)
    both = np.asarray(expm(both))
    return both[:n, :n], both[:n, n:]
