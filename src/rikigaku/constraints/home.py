"""Where a closed robot is at home: closed postures near the neutral one, regular ones, and walks from them.

A linkage may close in several ways, with different mobilities: a scissor lift also folds flat, and then each
of its arms turns alone. Which one is meant is decided near the neutral posture, not by chance.
"""

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.equations import LoopEquations
from rikigaku.model.robot import Robot
from rikigaku.states import neutral, position_bounds

Array = NDArray[np.float64]

_SPREADS = (0.05, 0.2, 0.5, 1.0)  # [rad, m]: how far from the neutral posture is looked first
_EACH = 8
_STEP = 0.02  # [rad, m] to neighbours
_WALK, _STRIDE = 6, 0.25  # steps of a walk, their length [rad, m]


def middle(robot: Robot) -> Array:
    """The neutral posture, with coordinates outside their limits in the middle of these."""
    q, (lower, upper) = neutral(robot), position_bounds(robot)
    outside = (q < lower) | (q > upper)
    low, high = np.where(np.isfinite(lower), lower, upper), np.where(np.isfinite(upper), upper, lower)
    q[outside] = (low[outside] + high[outside]) / 2
    return q


def around(equations: LoopEquations, q: Array, rng: np.random.Generator) -> Array:
    """A posture, then others further and further from it."""
    sizes = np.repeat(np.array([0.0, *_SPREADS]), [1, *([_EACH] * len(_SPREADS))])
    steps = sizes[:, None] * rng.uniform(-1, 1, (len(sizes), equations.robot.nv))
    return equations.moved(np.repeat(q[None], len(sizes), axis=0), steps)


def regular(equations: LoopEquations, q: Array, J: Array, ranks: NDArray[np.int64], least: float) -> Array:
    """Whether closed postures have neighbours along the motions J allows, of the same rank: no branchings."""
    rng = np.random.default_rng(0)
    good = np.ones(len(q), dtype=bool)
    for _ in range(2):
        there = _stepped(equations, q, J, ranks, rng.normal(size=(len(q), equations.robot.nv)), _STEP)
        good &= there[1] & (ranks_of(equations.jacobian(there[0]), least) == ranks)
    return good


def walked(equations: LoopEquations, home: Array, count: int, rank: int, least: float) -> Array:
    """Postures reached from home in small steps in random directions, all of that rank; home is the first."""
    rng = np.random.default_rng(0)
    q = np.repeat(home[None], count, axis=0)
    ahead = rng.normal(size=(count, equations.robot.nv))
    ranks = np.full(count, rank)
    for k in range(_WALK):  # the first of them are shorter
        found, good = _stepped(equations, q, equations.jacobian(q), ranks, ahead, _STRIDE)
        good &= (ranks_of(equations.jacobian(found), least) == rank) & (np.arange(count) > k)
        q[good] = found[good]
    return q


def ranks_of(J: Array, least: float) -> NDArray[np.int64]:
    """Ranks of several Jacobians: singular values above that part of the largest."""
    s = np.linalg.svd(J, compute_uv=False)
    return np.asarray((s > least * s[:, :1]).sum(axis=1))


def _stepped(
    equations: LoopEquations, q: Array, J: Array, ranks: NDArray[np.int64], ahead: Array, length: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Each posture after a step along the motion nearest to a direction, and whether it closes near by."""
    Vt = np.linalg.svd(J)[2]
    free = np.arange(Vt.shape[1]) >= ranks[:, None]
    along = np.einsum("kij,ki,kil,kl->kj", Vt, free, Vt, ahead, optimize=True)
    size = np.linalg.norm(along, axis=1, keepdims=True)
    guess = equations.moved(q, along * length / np.maximum(size, 1e-12))
    found = equations.newton(guess, range(equations.robot.nv), 12)
    near = np.abs(found.q - guess).max(axis=1, initial=0.0) < 0.5 * length
    return found.q, found.closed & (near | (free.sum(axis=1) == 0))
