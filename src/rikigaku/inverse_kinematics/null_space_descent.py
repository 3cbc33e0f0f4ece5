"""Targets of lower priority, approached in the null space of those that are met.

Levenberg-Marquardt steps on the residuals e_2 of priority 1, restricted to the null space of J_1,

    dw = N (A^T A + damping)^-1 A^T e_2,  A = J_2 N,  J_1 N = 0,

each followed by steps that restore the targets of priority 0 and the loops. A step counts only if these are
met again and |e_2| decreases, so that priority 0 stays met. Joints at a limit that a step would leave are
held.
Reference: Y. Nakamura, H. Hanafusa, T. Yoshikawa, Task-priority based redundancy control of robot
manipulators, Int. J. of Robotics Research 6(2), 1987.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.search_kernel import SearchKernel
from rikigaku.inverse_kinematics.shared_kernels import run
from rikigaku.numbers.program import Program, trace

_RANK = 1e-6  # smallest singular value of J_1, relative to the largest, that counts
_LONGEST = 0.3  # step [rad, m]
_SETTLED = 1e-8  # step [rad, m] at which a target of lower priority is as near as it can be
_FIRST, _LEAST, _LARGEST = 1e-2, 1e-9, 1e9  # damping
_GAIN = 1e-10  # relative decrease of |e_2|^2 that is none
_MOST_IDLE = 5  # steps without such a decrease
_AT_LIMIT = 1e-12  # [rad, m]


class PriorityKernel(SearchKernel):
    """J_1, J_2, e_2 over the independent coordinates, and errors of all targets, of one robot."""

    name = "rows by priority"

    def _program(self) -> Program:
        inputs = [("q", (self.robot.nq,)), ("x", (sum(self.sizes),))]
        return trace(self.name, inputs, self._rows)

    def _rows(self, q: Any, x: Any) -> dict[str, Any]:
        (first, second), errors = self.levels(q, x)
        (J1, _), (J2, e2) = self.reduced(first), self.reduced(second)
        return {"J1": J1, "J2": J2, "e2": e2, "errors": errors[1:]}

    def evaluated(self, q: Array, x: Array) -> list[Array]:
        """J_1 (m, k, n), J_2 (m, l, n), e_2 (m, l), errors (m, 2 targets), in double precision."""
        shapes = [(len(q), *port.shape) for port in self.kernel.ports[1]]
        found = run(self.kernel, [q, x], shapes, q.dtype == np.float32)
        return [y.astype(np.float64, copy=False) for y in found]


def descended(
    kernel: PriorityKernel,
    q: Array,
    met: Mask,
    x: Array,
    restored: Callable[[NDArray[np.int64], Array], tuple[Array, Mask]],
    moved: Callable[[Array, Array], Array],
    limits: tuple[Array, Array],
    iterations: int,
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Configurations (m, nq) nearer to targets of priority 1, errors of all targets, numbers of steps.

    Args:
        q: configurations; met: where they meet the targets of priority 0. Others stay as they are.
        x: numbers of all targets (m, k).
        restored: rows and configurations -> configurations nearby that meet priority 0, and which do.
        moved: q, dv -> q plus a step, within the limits.
        limits: lower and upper bounds (nv,).
    """
    q = np.array(q)
    J1, J2, e2, errors = kernel.evaluated(q, x)
    steps = np.zeros(len(q), dtype=np.int64)
    damping, idle = np.full(len(q), _FIRST), np.zeros(len(q), dtype=np.int64)
    cost = (e2 * e2).sum(axis=1)
    going = np.nonzero(met)[0]
    for _ in range(iterations):
        if not len(going):
            break
        dv = _steps(kernel, q[going], J1[going], J2[going], e2[going], damping[going], limits)
        size = np.abs(dv).max(axis=1, initial=0.0)
        dv *= np.minimum(1.0, _LONGEST / np.maximum(size, 1e-300))[:, None]
        steps[going] += 1
        trial, good = restored(going, moved(q[going], dv.astype(q.dtype)))
        new = kernel.evaluated(trial, x[going])
        costs = (new[2] * new[2]).sum(axis=1)
        good &= costs < cost[going]
        little = ~(costs < (1 - _GAIN) * cost[going])
        rows = going[good]
        for whole, part in zip((q, J1, J2, e2, errors), (trial, *new), strict=True):
            whole[rows] = part[good]
        cost[rows] = costs[good]
        idle[going] = np.where(good & ~little, 0, idle[going] + good)
        damping[going] = np.where(good, np.maximum(damping[going] / 5, _LEAST), 10 * damping[going])
        ends = (size < _SETTLED) | (idle[going] > _MOST_IDLE) | (damping[going] > _LARGEST)
        going = going[~ends]
    return q, errors, steps


def _steps(
    kernel: PriorityKernel,
    q: Array,
    J1: Array,
    J2: Array,
    e2: Array,
    damping: Array,
    limits: tuple[Array, Array],
) -> Array:
    """Damped steps dv (m, nv) in the null space of J_1; coordinates that would leave a limit are held."""
    S = kernel.directions
    own = [joint for joint in kernel.robot.joints if joint.nq == 1]
    places = [kernel.robot.q_slices[joint.name].start for joint in own]
    rates = [kernel.robot.v_slices[joint.name].start for joint in own]
    low = q[:, places] <= limits[0][rates] + _AT_LIMIT
    high = q[:, places] >= limits[1][rates] - _AT_LIMIT
    free = np.ones((len(q), S.shape[1]), dtype=bool)
    dv = np.zeros((len(q), len(S)))
    left = np.arange(len(q))
    while len(left):
        mask = free[left][:, None].astype(np.float64)
        A1, A2 = J1[left] * mask, J2[left] * mask
        sizes, Vt = np.linalg.svd(A1)[1:]
        count = np.zeros(Vt.shape[:2], dtype=bool)
        count[:, : sizes.shape[1]] = sizes > _RANK * sizes[:, :1]
        null = np.where(count[..., None], 0.0, Vt)  # rows: basis of the null space, zero elsewhere
        A = A2 @ np.swapaxes(null, 1, 2)
        At = np.swapaxes(A, 1, 2)
        matrix = At @ A + damping[left, None, None] * np.eye(A.shape[2])
        y = np.linalg.solve(matrix, At @ e2[left][..., None])
        dw = (np.swapaxes(null, 1, 2) @ y)[..., 0] * mask[:, 0]
        dv[left] = dw @ S.T
        move = dv[left][:, rates]
        leaving = (low[left] & (move < 0)) | (high[left] & (move > 0))
        held = (leaving.astype(np.float64) @ (S[rates] != 0)) > 0
        held &= free[left]
        free[left] &= ~held
        left = left[held.any(axis=1)]
    return dv
