"""Configurations at singular poses that formulas or eliminations miss, by Newton's method from many starts.

Where an angle is undetermined, formulas set it to one value, at which the other joints may not reach the
pose. At neighbouring poses it has other values. Branches there, and those that exist nowhere near (their
roots are set to zero), are starts of damped least-squares steps, which converge quadratically to families.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.exact_chain import ExactChain, scaled
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.pose_newton import ACCEPTED, newton_kernel, newton_step
from rikigaku.inverse_kinematics.serial_arm import displacements, pose_and_jacobian, pose_differences
from rikigaku.inverse_kinematics.singular_configurations import SUSPECT

Indices = NDArray[np.int64]
_NEIGHBOURS = 8  # pairs of opposite poses beside one where an angle is undetermined
_NEIGHBOUR = 1e-3  # their distances [reach, rad]
_STEPS = 48
_LONGEST, _FINISHED = 0.5, 1e-8  # [rad, reach] of a step
_SHORTER = 0.25  # of a step that does not reduce the residual
# an attempt ends where its residual is above this, decreasing from step to step
_FIRST_RESIDUAL, _DECREASE = 10.0, 0.6
_NEARLY, _APPROACHES = 1e-6, 40
_APART, _REGULAR_APART = 0.2, 1e-5  # [rad, reach]: members of a family, and others, that are listed apart


class Attempts(NamedTuple):
    """Ends of attempts: index of the start, q (m, n), smallest pivots of J^T J (m,)."""

    start: Indices
    q: Array
    pivot: Array


def attempts(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array) -> Attempts:
    """Configurations that damped least-squares steps reach from starts (m, n), lengths in units of the reach.

    links: L_0 ... L_n, each (4, 4) or (m, 4, 4). H: (m, 4, 4).
    """
    kernel, T, target = newton_kernel(revolute), [numbers(x) for x in links], numbers(H)
    place = np.nonzero(np.isfinite(q).all(axis=1))[0]
    x, step, limit = q.copy(), np.zeros_like(q), _FIRST_RESIDUAL
    residual, pivot = np.full(len(q), np.inf), np.zeros(len(q))
    for _ in range(_STEPS):
        if not len(place):
            break
        own, y = [t if t.ndim == 1 else t[place] for t in T], x[place] + step[place]
        next_step, errors = newton_step(kernel, own, target[place], y)
        error = np.hypot(errors[:, 0], errors[:, 1])
        better = error < residual[place]  # False for NaN
        at = place[better]
        x[at], residual[at], pivot[at] = y[better], error[better], errors[better, 2]
        next_step *= np.minimum(1.0, _LONGEST / np.abs(next_step).max(axis=1))[:, None]
        step[place] = np.where(better[:, None], next_step, _SHORTER * step[place])
        limit *= _DECREASE
        place = place[(np.abs(step[place]).max(axis=1) > _FINISHED) & (residual[place] < limit)]
    _approach(links, revolute, H, x, residual)
    good = np.nonzero(residual < ACCEPTED)[0]
    return Attempts(good, x[good], pivot[good])


def _approach(links: Sequence[Array], revolute: Sequence[bool], H: Array, q: Array, residual: Array) -> None:
    """Steps with adaptive damping to configurations where several singularities meet.

    There the error is quadratic in q, and so are the squares of the small singular values of J: damping is in
    proportion to the error.
    """
    place = np.nonzero((residual >= ACCEPTED) & (residual < _NEARLY))[0]
    x, step, factor = q[place], np.zeros((len(place), q.shape[1])), np.ones(len(place))
    residual[place] = np.inf
    for _ in range(_APPROACHES):
        if not len(place):
            break
        own = [L if L.ndim == 2 else L[place] for L in links]
        size = np.linalg.norm(
            pose_differences(pose_and_jacobian(own, revolute, x + step)[0], H[place]), axis=1
        )
        better = size < residual[place]
        x[better] += step[better]
        residual[place[better]] = size[better]
        q[place] = x
        going = residual[place] > 1e-2 * ACCEPTED
        place, x, factor = place[going], x[going], np.where(better, 0.25 * factor, 8 * factor)[going]
        X, J = pose_and_jacobian([L if L.ndim == 2 else L[place] for L in links], revolute, x)
        U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
        parts = np.einsum("mij,mi->mj", U, pose_differences(X, H[place]))
        damping = (factor * residual[place])[:, None] + 1e-18
        step = np.einsum("mjk,mj->mk", Vt, parts * sizes / (sizes * sizes + damping))


def neighbouring_poses(H: Array, rows: Indices) -> tuple[Indices, Array]:
    """Poses with these indices and poses beside them, in opposite pairs, and the indices of both."""
    moves = np.random.default_rng(5).normal(size=(_NEIGHBOURS, 6)) * _NEIGHBOUR
    moves = np.concatenate([np.zeros((1, 6)), moves, -moves])
    every = np.tile(rows, len(moves))
    return every, H[every] @ displacements(np.repeat(moves, len(rows), axis=0))


def from_neighbours(
    chain: ExactChain, formulas: FormulaKernel, poses: Array, given: Mapping[str, Array], rows: Indices
) -> tuple[Indices, Array, Array]:
    """Configurations at poses with these indices, from formulas there and at neighbouring poses.

    Returns:
        Index of the pose (m,), configurations (m, joints), smallest pivots (m,).
    """
    every, near = neighbouring_poses(scaled(poses, chain.reach), rows)
    near[:, :3, 3] *= chain.reach
    coordinates = formulas.formulas.coordinates
    values = {coordinates[chain.robot.q_slices[name].start]: given[name][every] for name in chain.given}
    start = formulas.solve(near, values)[0]
    at = np.repeat(every, start.shape[1])
    return corrected_starts(chain, poses, given, at, start.reshape(len(at), -1))


def corrected_starts(
    chain: ExactChain, poses: Array, given: Mapping[str, Array], at: Indices, start: Array
) -> tuple[Indices, Array, Array]:
    """The same from starts (m, joints) at poses with indices (m,)."""
    links = [scaled(x if x.ndim == 2 else x[at], chain.reach) for x in chain.chain_links(given)]
    free, unit = list(chain.free), chain.units
    found = attempts(links, chain.free_revolute, scaled(poses[at], chain.reach), start[:, free] / unit)
    q = start[found.start]
    q[:, free] = found.q * unit
    return at[found.start], q, found.pivot


def fill(
    chain: ExactChain, q: Array, present: NDArray[np.bool_], candidates: Array, pivot: Array
) -> list[int]:
    """Places of q (k, joints) without a present branch that get candidates (m, joints) apart from others.

    Regular ones come first, then members of families, the farthest from all others first.
    """
    places = []
    empty = np.nonzero(~present)[0].tolist()
    apart = np.where(pivot > SUSPECT, _REGULAR_APART, _APART)
    distance = np.full(len(candidates), np.inf)
    for x in q[present]:
        distance = np.minimum(distance, distances(chain, candidates, x))
    while empty and (distance > apart).any():
        regular = (distance > apart) & (pivot > SUSPECT)
        k = int(np.argmax(np.where(regular if regular.any() else distance > apart, distance, -1.0)))
        places.append(empty.pop(0))
        q[places[-1]] = candidates[k]
        distance = np.minimum(distance, distances(chain, candidates, candidates[k]))
    return places


def distances(chain: ExactChain, q: Array, other: Array) -> Array:
    """Largest differences (m,) of joints [rad, m], angles without full revolutions."""
    gap = q - other
    gap -= np.where(chain.angles, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
    return np.asarray(np.abs(gap).max(axis=1, initial=0.0))
