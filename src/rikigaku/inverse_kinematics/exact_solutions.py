"""Configurations of an exact method at given poses, within the joint limits."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_chain import ExactConfigurations
from rikigaku.inverse_kinematics.exact_solver import ExactSolver
from rikigaku.inverse_kinematics.family_limits import members_within
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.redundant_joints import family_samples
from rikigaku.inverse_kinematics.single_precision import SinglePrecisionSolver
from rikigaku.inverse_kinematics.solution_messages import messages

_BEYOND = 1e12  # more than any squared distance of configurations


def all_configurations(
    solver: ExactSolver | SinglePrecisionSolver,
    poses: Array,
    given: dict[str, Array],
    start: Array,
    tolerance: float,
    limits: bool,
    wrapped: bool,
) -> IkSolution:
    """All configurations at each pose (n, k, nq).

    given: values (n,) of the joints that are not solved for. start: (nq,) or (n, nq). wrapped: angles may
    differ by full revolutions where that brings them within the limits or near to the start.
    """
    found = solver.solve(poses, given, tolerance)
    chain, inside = _within(solver, found, poses, given, start, limits) if wrapped else (found.q, None)
    present = found.multiplicity > 0
    accurate = present & (found.position <= tolerance) & (found.rotation <= tolerance)
    success = accurate if inside is None else accurate & inside
    q = chain
    if not solver.all_joints:
        own = for_each(start)
        q = np.broadcast_to(own, (*chain.shape[:2], own.shape[-1])).copy()
        q[..., solver.coordinates] = chain
    position, rotation = found.position, found.rotation
    if not present.all():
        absent = ~present
        q[absent] = position[absent] = rotation[absent] = np.nan
    return IkSolution(
        q,
        success,
        position,
        rotation,
        np.zeros(len(poses), dtype=np.int64),
        partial(messages, found.multiplicity, accurate, success, found.family, found.complete),
        solver.method,
        found.multiplicity,
        0,
        found.family,
        complete=found.complete,
    )


def sampled_family(
    solver: ExactSolver,
    targets: Array,
    given: dict[str, Array],
    start: Array,
    tolerance: float,
    limits: bool,
    dimension: int,
) -> IkSolution:
    """Samples of the family of configurations of a redundant arm at each target (n, k, nq)."""
    n = len(targets)
    redundant = [name for name, x in given.items() if np.isnan(x).all()]
    samples = family_samples(solver, redundant, limits)
    count = len(next(iter(samples.values())))
    values = {name: np.repeat(x, count) for name, x in given.items()}
    values |= {name: np.tile(x, n) for name, x in samples.items()}
    begin = start if start.ndim == 1 else np.repeat(start, count, axis=0)
    found = all_configurations(
        solver, np.repeat(targets, count, axis=0), values, begin, tolerance, limits, limits
    )
    table = (n, count * found.q.shape[1])
    q = found.q.reshape(*table, found.q.shape[-1])
    success, multiplicity = found.success.reshape(table), found.multiplicity.reshape(table)
    position, rotation = (x.reshape(table) for x in (found.position_error, found.rotation_error))
    family = found.family.reshape(table)
    complete = found.complete.reshape(n, count).all(axis=1)
    accurate = (position <= tolerance) & (rotation <= tolerance)
    return IkSolution(
        q,
        success,
        position,
        rotation,
        np.zeros(n, dtype=np.int64),
        partial(messages, multiplicity, accurate, success, family, complete, dimension),
        found.method,
        multiplicity,
        dimension,
        family,
        complete=complete,
    )


def _within(
    solver: ExactSolver | SinglePrecisionSolver,
    found: ExactConfigurations,
    poses: Array,
    given: dict[str, Array],
    start: Array,
    limits: bool,
) -> tuple[Array, Mask]:
    """Angles moved by full revolutions within the limits and near to the start; which are inside.

    Configurations that are moved to a limit get other errors.
    """
    ranges = solver.ranges if limits else solver.unlimited
    near = start if solver.all_joints else start[..., solver.coordinates]
    chain, inside, clipped = ranges.moved(found.q, for_each(near))
    if clipped.any():
        own = np.nonzero(clipped.any(axis=1))[0]
        errors = solver.errors(chain[own], poses[own])
        for new, whole in zip(errors, (found.position, found.rotation), strict=True):
            whole[own] = np.where(clipped[own], new, whole[own])
    if limits and found.family.any():
        beyond = (found.family > 0) & ~inside
        if beyond.any():
            rows = np.nonzero(beyond.any(axis=1))[0]
            for own in [rows] if near.ndim == 1 else rows[:, None]:
                mask = np.zeros_like(beyond)
                mask[own] = beyond[own]
                begin = near if near.ndim == 1 else near[own[0]]
                _families_within(solver, found, mask, poses, given, begin, (chain, inside))
    return chain, inside


def _families_within(
    solver: ExactSolver | SinglePrecisionSolver,
    found: ExactConfigurations,
    beyond: Mask,
    poses: Array,
    given: dict[str, Array],
    start: Array,
    moved: tuple[Array, Mask],
) -> None:
    """Members within the limits in place of members beyond them; further ones where a branch is absent.

    A family with a listed member inside needs no other.
    """
    exact = solver.double if isinstance(solver, SinglePrecisionSolver) else solver
    chain, inside = moved
    own, branch = np.nonzero(beyond)
    values = {name: x[own] for name, x in given.items()}
    listed = np.where(inside[own][..., None] & (found.family[own] > 0)[..., None], found.q[own], np.nan)
    members = members_within(
        exact, values, poses[own], found.q[own, branch].astype(np.float64), start, own, listed
    )
    for k, q in zip(members.owner, members.q, strict=True):
        row, place = own[k], branch[k]
        if inside[row, place]:  # a second part of the same family
            empty = np.nonzero(found.multiplicity[row] == 0)[0]
            if not len(empty):
                continue
            place = empty[0]
        x, within, _ = solver.ranges.moved(q.astype(chain.dtype)[None], start.astype(chain.dtype))
        chain[row, place], inside[row, place] = x[0], within[0]
        found.multiplicity[row, place], found.family[row, place] = 1, found.family[row, branch[k]]
        errors = exact.errors(x[None].astype(np.float64), poses[[row]])
        found.position[row, place], found.rotation[row, place] = (float(e[0, 0]) for e in errors)


def for_each(start: Array) -> Array:
    """Configurations (nq,) or (n, nq) that are compared with (n, k, nq)."""
    return start if start.ndim == 1 else start[:, None]


def nearest(found: IkSolution, start: Array) -> IkSolution:
    """The success nearest to the start, or else the configuration nearest to it."""
    gap = found.q - for_each(start)
    rank = (gap * gap).sum(axis=-1)
    rank[~found.success] += _BEYOND
    rank[np.isnan(rank)] = np.inf
    own: tuple[NDArray[np.int64], NDArray[np.int64]] = np.arange(len(rank)), rank.argmin(axis=1)
    return IkSolution(
        found.q[own],
        found.success[own],
        found.position_error[own],
        found.rotation_error[own],
        found.iterations,
        found.texts,
        found.method,
        complete=found.complete,
    )
