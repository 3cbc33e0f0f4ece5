"""Continuation of closed configurations while held coordinates move along a line."""

from typing import NamedTuple

import numpy as np

from rikigaku.closure.loop_closure_newton import LoopEquations
from rikigaku.core.types import Array, Mask

_LONGEST = 0.35  # [rad, m] a free coordinate may move in one step
_SHORTEST = 1e-4  # of the longest step: a state that needs shorter ones is given up
_CORRECTIONS = 12
_CURVATURE = 0.5  # largest correction, relative to the predicted step
_LEAST = 1e-6  # [rad, m]: corrections up to this are always accepted
_SINGULAR = 1e-8  # singular values below this part of the largest are zero


class Continuation(NamedTuple):
    """Configurations reached, and the part of the line to the target that was covered (1: all of it)."""

    q: Array
    part: Array


def continued(
    equations: LoopEquations, q: Array, target: Array, held: list[int], held_q: list[int], free: list[int]
) -> Continuation:
    """Closed configurations with held coordinates (indices in v, in q) at the target, by small steps from q.

    q: closed configurations, (states, nq); target: (states, len(held_q)). A step is halved if it does not
    close, moves the free coordinates far, needs a large correction, or passes a singular configuration. So
    each state stays in its assembly mode.
    """
    q = np.array(q, dtype=np.float64)
    begin = q[:, held_q].copy()
    distance = np.abs(target - begin).max(axis=1, initial=0.0)
    longest = np.minimum(1.0, _LONGEST / np.maximum(distance, 1e-300))
    part, length = np.zeros(len(q)), longest.copy()
    while len(busy := np.flatnonzero((part < 1) & (length > _SHORTEST * longest))):
        ahead = np.minimum(part[busy] + length[busy], 1.0)
        guess = _predicted(equations, q[busy], begin[busy], target[busy], ahead, held, held_q, free)
        found = equations.newton(guess, free, _CORRECTIONS)
        moved = np.abs(found.q - q[busy])
        moved[:, held_q] = 0.0
        predicted = np.abs(guess - q[busy]).max(axis=1, initial=0.0)
        corrected = np.abs(found.q - guess).max(axis=1, initial=0.0)
        good = found.closed & (moved.max(axis=1, initial=0.0) < _LONGEST)
        good &= corrected < _CURVATURE * predicted + _LEAST
        good[good] = _same_mode(equations, q[busy[good]], found.q[good], free)
        q[busy[good]], part[busy[good]] = found.q[good], ahead[good]
        length[busy] = np.where(good, np.minimum(2 * length[busy], longest[busy]), 0.5 * length[busy])
    return Continuation(q, part)


def _same_mode(equations: LoopEquations, q: Array, other: Array, free: list[int]) -> Mask:
    """Whether no singular configuration lies between two near ones with Jacobians A, B: det A^T B > 0.

    With as many equations as free coordinates, det A and det B then have the same sign; redundant equations
    are allowed. From a singular configuration every direction is accepted.
    """
    A, B = (equations.jacobian(x)[:, :, free] for x in (q, other))
    s = np.linalg.svd(A, compute_uv=False)
    singular = s[:, -1] < _SINGULAR * s[:, 0] if free else np.ones(len(q), dtype=bool)
    return np.asarray(singular | (np.linalg.slogdet(np.swapaxes(A, 1, 2) @ B)[0] > 0))


def _predicted(
    equations: LoopEquations,
    q: Array,
    begin: Array,
    target: Array,
    ahead: Array,
    held: list[int],
    held_q: list[int],
    free: list[int],
) -> Array:
    """The held coordinates advanced by dq, the free ones by the prediction -J_free^+ J_held dq."""
    aim = begin + ahead[:, None] * (target - begin)
    guess = np.array(q)
    if len(held) == len(held_q) and free:  # held rates are differences of held positions
        J = equations.jacobian(q)
        right = np.einsum("kij,kj->ki", J[:, :, held], aim - q[:, held_q])
        step = np.zeros((len(q), equations.robot.nv))
        step[:, free] = -np.einsum("kij,kj->ki", np.linalg.pinv(J[:, :, free], rcond=1e-6), right)
        step *= np.minimum(1, _LONGEST / np.maximum(np.abs(step).max(axis=1, initial=0.0), 1e-300))[:, None]
        guess = equations.moved(q, step)
    guess[:, held_q] = aim
    return normalized(equations, guess)


def normalized(equations: LoopEquations, q: Array) -> Array:
    """q with quaternions of length one."""
    return equations.moved(q, np.zeros((len(q), equations.robot.nv)))
