"""Reference configuration at which ranks are determined, and random walks from it.

A linkage may have assembly modes of different mobility: a scissor lift also folds flat, and then each of its
arms rotates independently. The search starts near the neutral configuration, so that the choice is
reproducible.
"""

import numpy as np
from numpy.typing import NDArray

from rikigaku.closure.loop_closure_newton import LoopEquations
from rikigaku.closure.pivoting import ranks_of
from rikigaku.core.types import Array, Mask
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import neutral, position_bounds

_SPREADS = (0.05, 0.2, 0.5, 1.0)  # [rad, m]: distances from the neutral configuration, searched in this order
_STARTS_PER_SPREAD = 8
_STEP = 0.02  # [rad, m] to neighbours
_WALK, _STRIDE = 6, 0.25  # steps of a walk, their length [rad, m]


def middle_configuration(robot: RobotModel) -> Array:
    """The neutral configuration, with coordinates that violate their limits in the middle of these."""
    q, (lower, upper) = neutral(robot), position_bounds(robot)
    outside = (q < lower) | (q > upper)
    low, high = np.where(np.isfinite(lower), lower, upper), np.where(np.isfinite(upper), upper, lower)
    q[outside] = (low[outside] + high[outside]) / 2
    return q


def starts_around(equations: LoopEquations, q: Array, rng: np.random.Generator) -> Array:
    """q, then random configurations at increasing distances from it."""
    sizes = np.repeat(np.array([0.0, *_SPREADS]), [1, *([_STARTS_PER_SPREAD] * len(_SPREADS))])
    steps = sizes[:, None] * rng.uniform(-1, 1, (len(sizes), equations.robot.nv))
    return equations.moved(np.repeat(q[None], len(sizes), axis=0), steps)


def are_regular(
    equations: LoopEquations, q: Array, J: Array, ranks: NDArray[np.int64], tolerance: float
) -> Mask:
    """Whether closed configurations have closed neighbours of the same rank along the null space of J."""
    rng = np.random.default_rng(0)
    good = np.ones(len(q), dtype=bool)
    for _ in range(2):
        neighbours, closed = stepped(
            equations, q, J, ranks, rng.normal(size=(len(q), equations.robot.nv)), _STEP
        )
        good &= closed & (ranks_of(equations.jacobian(neighbours), tolerance) == ranks)
    return good


def random_walks(equations: LoopEquations, start: Array, count: int, rank: int, tolerance: float) -> Array:
    """Closed configurations of that rank, reached from `start` in random steps; `start` is the first."""
    rng = np.random.default_rng(0)
    q = np.repeat(start[None], count, axis=0)
    direction = rng.normal(size=(count, equations.robot.nv))
    ranks = np.full(count, rank)
    for k in range(_WALK):  # walk number k ends after k steps
        found, good = stepped(equations, q, equations.jacobian(q), ranks, direction, _STRIDE)
        good &= (ranks_of(equations.jacobian(found), tolerance) == rank) & (np.arange(count) > k)
        q[good] = found[good]
    return q


def stepped(
    equations: LoopEquations, q: Array, J: Array, ranks: NDArray[np.int64], direction: Array, length: float
) -> tuple[Array, Mask]:
    """Configurations after a step along a direction projected on the null space of J; which are closed."""
    Vt = np.linalg.svd(J)[2]
    free = np.arange(Vt.shape[1]) >= ranks[:, None]
    along = np.einsum("kij,ki,kil,kl->kj", Vt, free, Vt, direction, optimize=True)
    size = np.linalg.norm(along, axis=1, keepdims=True)
    guess = equations.moved(q, along * length / np.maximum(size, 1e-12))
    found = equations.newton(guess, steps=12)
    near = np.abs(found.q - guess).max(axis=1, initial=0.0) < 0.5 * length
    return found.q, found.closed & (near | (free.sum(axis=1) == 0))
