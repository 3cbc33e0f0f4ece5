"""Configurations with a singular Jacobian: double solutions, and points of continuous families."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.pose_newton import newton_kernel, newton_step
from rikigaku.inverse_kinematics.serial_arm import jacobian

# Singular: the smallest singular value of J, with the reach as unit of length, is below this. Two solutions
# closer than this are one, of multiplicity 2.
SINGULAR = 1e-6
# The smallest pivot of J^T J is at least the square of that singular value and at most some orders larger.
SUSPECT = 1e-10
_MOVES = (-2e-2, -1e-2, 1e-2, 2e-2)  # along the null vector [rad, reach]
_STEPS = 20
_REACHED = 1e-12


class SingularKinds(NamedTuple):
    """Of configurations (m,): multiplicity 1 or 2, and dimension of the family, 0 if isolated."""

    multiplicity: NDArray[np.int64]
    family: NDArray[np.int64]


def singular_kinds(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array) -> SingularKinds:
    """Double or member of a family? Lengths in units of the reach.

    A configuration is moved along the null vector of J, and Newton's method returns it to the pose. On a
    family it stays where it was moved to; at a double solution it comes back or does not converge.

    Args:
        links: L_0 ... L_n, each (4, 4) or (m, 4, 4). H: (m, 4, 4). q: (m, n).
    """
    m, n = q.shape
    multiplicity, family = np.ones(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    if not m:
        return SingularKinds(multiplicity, family)
    _, sizes, Vt = np.linalg.svd(jacobian(links, revolute, q))
    null = (sizes < SINGULAR).sum(axis=1) + max(n - 6, 0)
    at = np.nonzero(null)[0]
    if not len(at):
        return SingularKinds(multiplicity, family)
    own = [x if x.ndim == 2 else x[at] for x in links]
    T, target, kernel = [numbers(x) for x in own], numbers(H[at]), newton_kernel(revolute)
    stays = np.ones(len(at), dtype=bool)
    for move in _MOVES:
        start = q[at] + move * Vt[at, -1]
        x = start.copy()
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                step, errors = newton_step(kernel, T, target, x)
                reached = np.hypot(errors[:, 0], errors[:, 1]) < _REACHED
                x = np.where(reached[:, None], x, x + step)
        stays &= reached & (np.linalg.norm(x - start, axis=1) < 0.2 * abs(move))
    family[at[stays]] = null[at[stays]]
    multiplicity[at[~stays]] = 2
    return SingularKinds(multiplicity, family)
