"""Members of families of configurations at singular poses of a path that continue those of its other poses.

A singular pose has a continuous family of configurations, of which the exact methods list some. The
configurations on both sides of a run of singular poses are carried into it, pose by pose, by least-squares
steps; in between, blends of the two sides move along the family from one to the other.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.exact_chain import scaled
from rikigaku.inverse_kinematics.exact_solver import ExactSolver
from rikigaku.inverse_kinematics.found_configurations import wrapped
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.singular_configurations import corrected

_REACHED = 1e-12  # residual [reach, rad] of a member
_APART = 1e-6  # [rad, m]: members closer than this are one
_MOST_BLENDS = 16  # of one pose, between the nearest configurations of both sides
_STEPS = 12


def with_family_members(
    solver: ExactSolver,
    found: IkSolution,
    poses: Array,
    given: Mapping[str, Array],
    start: Array,
    limits: bool,
) -> IkSolution:
    """The configurations of a path's poses, with further members of their families.

    start: configuration (nq,); a path that begins with a singular pose may begin near to it.
    """
    singular = (np.asarray(found.family) > 0).any(axis=1) | ~np.asarray(found.complete)
    if not singular.any():
        return found
    path = _SingularPath(solver, found, poses, given)
    members = dict[int, Array]()
    edges = np.nonzero(np.diff(np.concatenate([[False], singular, [False]])))[0].reshape(-1, 2)
    for first, end in edges.tolist():
        members |= path.members(first, end, start[solver.coordinates])
    return _extended(solver, found, poses, members, start, limits)


class _SingularPath:
    """Configurations of the chain's joints (n, k, joints) along a path, and their least-squares steps."""

    def __init__(
        self, solver: ExactSolver, found: IkSolution, poses: Array, given: Mapping[str, Array]
    ) -> None:
        self.solver, self.poses = solver, scaled(poses, solver.reach)
        self.q, self.usable = found.q[..., solver.coordinates], found.success
        self.links = [scaled(x, solver.reach) for x in solver.chain_links(given)]
        self.dimension = np.asarray(found.family).max(axis=1)
        self.given = {solver.names.index(name): x for name, x in given.items()}

    def members(self, first: int, end: int, begin: Array) -> dict[int, Array]:
        """Members at the poses first ... end - 1, which are singular. begin: of a path that starts here."""
        before = self._beside(first - 1) if first else np.concatenate([begin[None], self._beside(0)])
        forward = self._carried(before, range(first, end))
        if end == len(self.q):  # nothing follows that these must meet
            return {k: self._different(own, k) for k, own in forward.items()}
        backward = self._carried(self._beside(end), range(end - 1, first - 1, -1))
        found = {}
        for k in range(first, end):
            ahead, behind = forward[k], backward[k]
            part = (k - first + 1) / (end - first + 1)
            blend = ahead[:, None] + part * wrapped(behind[None] - ahead[:, None], self.solver.angles)
            nearest = np.argsort(np.abs(blend - ahead[:, None]).max(axis=2), axis=None)[:_MOST_BLENDS]
            blend = self._corrected(blend.reshape(-1, blend.shape[-1])[nearest], k)
            found[k] = self._different(np.concatenate([ahead, behind, blend]), k)
        return found

    def _beside(self, k: int) -> Array:
        return np.asarray(self.q[k][self.usable[k]])

    def _carried(self, seeds: Array, places: range) -> dict[int, Array]:
        """Configurations beside a run of poses, moved to each of them in turn."""
        found = {}
        for k in places:
            seeds = found[k] = self._corrected(seeds, k)
        return found

    def _corrected(self, q: Array, k: int) -> Array:
        """The configurations moved to the k-th pose; those that do not reach it are left out."""
        solver, free = self.solver, list(self.solver.free)
        q = q.copy()
        for place, value in self.given.items():
            q[:, place] = value[k]
        links = [x if x.ndim == 2 else x[k] for x in self.links]
        target = np.broadcast_to(self.poses[k], (len(q), 4, 4))
        x, reached = q[:, free] / solver.units, np.zeros(len(q), dtype=bool)
        for dimension in (int(self.dimension[k]), 0):  # the nearest member of the family, or else any
            rows = np.nonzero(~reached)[0]
            if len(rows):
                own = corrected(links, solver.free_revolute, target[rows], x[rows], _STEPS, dimension)
                good = own[1] < _REACHED
                q[np.ix_(rows[good], np.array(free))] = own[0][good] * solver.units
                reached[rows[good]] = True
        return np.asarray(q[reached])

    def _different(self, q: Array, k: int) -> Array:
        """Configurations that differ from each other and from those known at the k-th pose."""
        kept = list(self._beside(k))
        known = len(kept)
        for x in q:
            gap = wrapped(np.array(kept).reshape(-1, len(x)) - x, self.solver.angles)
            if not len(gap) or np.abs(gap).max(axis=1).min() > _APART:
                kept.append(x)
        return np.array(kept[known:]).reshape(-1, q.shape[-1])


def _extended(
    solver: ExactSolver,
    found: IkSolution,
    poses: Array,
    members: dict[int, Array],
    start: Array,
    limits: bool,
) -> IkSolution:
    """The solution with the members appended to the configurations of their poses."""
    n, k, size = found.q.shape
    more = max(len(x) for x in members.values())
    q = np.concatenate([found.q, np.full((n, more, size), np.nan)], axis=1)
    success, position, rotation = (
        np.concatenate([x, np.full((n, more), fill)], axis=1)
        for x, fill in (
            (found.success, False),
            (found.position_error, np.nan),
            (found.rotation_error, np.nan),
        )
    )
    ranges = solver.ranges if limits else solver.unlimited
    for row, own in members.items():
        if not len(own):
            continue
        at = slice(k, k + len(own))
        own, inside, _ = ranges.moved(own, start[solver.coordinates])
        q[row, at] = start
        q[row, at, solver.coordinates] = own.T
        success[row, at] = inside
        position[row, at], rotation[row, at] = (x[0] for x in solver.errors(own[None], poses[row : row + 1]))
    return replace(found, q=q, success=success, position_error=position, rotation_error=rotation)
