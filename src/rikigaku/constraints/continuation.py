"""From one closed posture to another: held coordinates move along a line, the others follow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.equations import LoopEquations

Array = NDArray[np.float64]

_LONGEST = 0.35  # [rad, m] a following coordinate may move in one piece of the way
_SHORTEST = 1e-4  # of the longest piece: below, the posture is given up
_CORRECTIONS = 12
_BENT = 0.5  # of the step that the slopes foretell: so far may the corrections go
_LEAST = 1e-6  # [rad, m] they may always go
_SINGULAR = 1e-8  # singular values below this part of the largest count as zero


class Way(NamedTuple):
    """Where each state got to: postures, and which part of the way it is (1: all of it)."""

    q: Array
    part: Array


def continued(
    equations: LoopEquations, q: Array, target: Array, held: list[int], held_q: list[int], free: list[int]
) -> Way:
    """Closed postures with the held coordinates (places in v, in q) at the target, by small steps from q.

    q: closed postures, (states, nq); target: (states, len(held_q)). Steps that do not close, move the free
    coordinates far, end far from where the slopes led, or pass over a singular posture, are halved: so a
    posture stays in its assembly mode.
    """
    q = np.array(q, dtype=np.float64)
    begin = q[:, held_q].copy()
    distance = np.abs(target - begin).max(axis=1, initial=0.0)
    longest = np.minimum(1.0, _LONGEST / np.maximum(distance, 1e-300))  # no more, or a turn might be missed
    part, piece = np.zeros(len(q)), longest.copy()
    while len(busy := np.flatnonzero((part < 1) & (piece > _SHORTEST * longest))):
        ahead = np.minimum(part[busy] + piece[busy], 1.0)
        guess = _predicted(equations, q[busy], begin[busy], target[busy], ahead, held, held_q, free)
        found = equations.newton(guess, free, _CORRECTIONS)
        moved = np.abs(found.q - q[busy])
        moved[:, held_q] = 0.0
        led = np.abs(guess - q[busy]).max(axis=1, initial=0.0)
        bent = np.abs(found.q - guess).max(axis=1, initial=0.0)
        good = found.closed & (moved.max(axis=1, initial=0.0) < _LONGEST) & (bent < _BENT * led + _LEAST)
        good[good] = _same_side(equations, q[busy[good]], found.q[good], free)
        q[busy[good]], part[busy[good]] = found.q[good], ahead[good]
        piece[busy] = np.where(good, np.minimum(2 * piece[busy], longest[busy]), 0.5 * piece[busy])
    return Way(q, part)


def _same_side(equations: LoopEquations, q: Array, other: Array, free: list[int]) -> NDArray[np.bool_]:
    """Whether no singular posture lies between two near ones: with A, B their Jacobians, det A^T B > 0.

    Where as many equations as free coordinates count this says that det A and det B have one sign; equations
    that follow from others do no harm. From a singular posture every way is right.
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
    """The held coordinates put ahead, the others moved along by the slopes where they are."""
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
    return unit(equations, guess)


def unit(equations: LoopEquations, q: Array) -> Array:
    """q with quaternions of length one."""
    return equations.moved(q, np.zeros((len(q), equations.robot.nv)))
