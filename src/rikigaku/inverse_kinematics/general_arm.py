"""All configurations of a general arm of six joints at given poses: at most 16 [Primrose1986].

Elimination gives starts; Newton's method on the pose removes their rounding errors. Where a start fails, a
zero is double, two starts meet or the number of configurations is odd, other cuts of the loop are used as
well.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.cut_choice import chosen_cuts
from rikigaku.inverse_kinematics.cut_solver import CutSolver
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.pose_newton import newton_kernel, newton_step
from rikigaku.inverse_kinematics.serial_arm import SerialArm, jacobian
from rikigaku.inverse_kinematics.singular_configurations import SINGULAR, SUSPECT, singular_kinds

MOST = 16
_TILE = 512  # poses whose arrays fit the caches
_STEPS = 12  # of Newton's method
_MANY_STEPS = 40  # from starts that are not near a solution
_TRIALS = 24  # values of the other joints for a zero whose configuration was not found
_MOVES = tuple(s * x for x in (1e-3, 4e-3, 1.5e-2, 6e-2, 0.2) for s in (-1, 1))  # [rad, reach]
_FINISHED = 1e-7  # step [rad, reach] after which the quadratic convergence leaves rounding errors only
ACCEPTED = 1e-12  # residual of a configuration, relative to the reach, and in rad
# Projection of a configuration to a number, to find equal ones; irrational, so that others rarely coincide.
_PROJECTION = np.sin(np.arange(1, 13) * np.sqrt(3))

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


class ArmConfigurations(NamedTuple):
    """q (n, 16, 6), residual [reach, rad], multiplicity and family (n, 16); NaN and 0 where there is none.

    multiplicity: 2 where two solutions coincide. family: dimension of the family of solutions, 0: isolated.
    """

    q: Array
    residual: Array
    multiplicity: Indices
    family: Indices


class _Found(NamedTuple):
    """Configurations of all poses, ordered by pose: index of the pose, q, residual, smallest pivot."""

    pose: Indices
    q: Array
    residual: Array
    pivot: Array


class GeneralArm:
    """Compiled inverse kinematics of one arm of six revolute or prismatic joints.

    Raises:
        NotSolvable: if the elimination is degenerate for every cut of the loop.
    """

    def __init__(self, arm: SerialArm) -> None:
        self.reach = arm.reach
        self.arm = SerialArm(self._scaled(arm.links), arm.revolute, arm.coordinates)
        self.links = list(self.arm.links)
        self.revolute = np.array(arm.revolute)
        self.newton = newton_kernel(arm.revolute)
        self.solvers = [CutSolver(arm.revolute, cut) for cut in chosen_cuts(self.arm)]
        if not self.solvers:
            raise NotSolvable(
                "The elimination is degenerate for this arm: its equations depend on each other for every "
                "cut of the loop. robot.inverse_kinematics(...) searches numerically.",
                [],
            )

    def solve(self, poses: Array, links: Sequence[Array] | None = None) -> ArmConfigurations:
        """All configurations at poses (n, 4, 4).

        links: L_0 ... L_6 of each pose, (4, 4) or (n, 4, 4), if they differ from those of the arm.
        """
        H = self._scaled(poses)
        own = self.links if links is None else [self._scaled(link) for link in links]
        with np.errstate(all="ignore"):
            if len(H) <= _TILE:
                return self._solved(own, H)
            parts = []
            for k in range(0, len(H), _TILE):
                tile = slice(k, k + _TILE)
                of_tile = own if links is None else [x if x.ndim == 2 else x[tile] for x in own]
                parts.append(self._solved(of_tile, H[tile]))
        return ArmConfigurations(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def _scaled(self, poses: Array) -> Array:
        """Poses with the reach as the unit of length."""
        scaled = np.array(poses, dtype=np.float64)
        scaled[..., :3, 3] /= self.reach
        return scaled

    def _solved(self, links: list[Array], H: Array) -> ArmConfigurations:
        found, doubtful = self._by(self.solvers[0], links, H)
        found, multiplicity, family = self._classified(found, links, H)
        doubtful |= np.bincount(found.pose, multiplicity, minlength=len(H)) % 2 == 1
        for solver in self.solvers[1:]:
            rows = np.nonzero(doubtful)[0]
            if not len(rows):
                break
            more, still = self._by(solver, [x if x.ndim == 2 else x[rows] for x in links], H[rows])
            found, _ = self._distinct(_joined(found, more._replace(pose=rows[more.pose])))
            found, multiplicity, family = self._classified(found, links, H)
            odd = np.bincount(found.pose, multiplicity, minlength=len(H)) % 2 == 1
            doubtful = np.zeros(len(H), dtype=bool)
            doubtful[rows] = still | odd[rows]
        if doubtful.any():
            found = self._completed(found, np.nonzero(doubtful)[0], links, H)
            found, multiplicity, family = self._classified(found, links, H)
        return self._table(len(H), found, multiplicity, family)

    def _completed(self, found: _Found, rows: Indices, links: list[Array], H: Array) -> _Found:
        """Further configurations of poses where every cut left a doubt.

        Partners of near-double solutions lie along the null vector of J. Zeros of the determinant whose other
        joints were inaccurate are started from several values of these.
        """
        solver = self.solvers[0]
        own = np.nonzero(np.isin(found.pose, rows))[0]
        pose = found.pose[own]
        J = jacobian([x if x.ndim == 2 else x[pose] for x in links], self.arm.revolute, found.q[own])
        null = np.linalg.svd(J)[2][:, -1]
        starts = [found.q[own] + move * null for move in _MOVES]
        places = [pose] * len(_MOVES)
        zeros, q = solver.starts([x if x.ndim == 2 else x[rows] for x in links], H[rows])
        owner, q = rows[zeros.polynomial[zeros.double]], q[zeros.double]
        rng = np.random.default_rng(17)
        free = np.arange(6) != solver.cut.order[3]
        for _ in range(_TRIALS):
            spread = np.where(self.revolute, rng.uniform(-np.pi, np.pi, q.shape), rng.uniform(-1, 1, q.shape))
            starts.append(np.where(free, spread, q))
            places.append(owner)
        place, start = np.concatenate(places), np.concatenate(starts)
        keep = np.isfinite(start).all(axis=1)
        place, start = place[keep], start[keep]
        q, residual, pivot = self._polished(
            [x if x.ndim == 2 else x[place] for x in links], H[place], start, _MANY_STEPS
        )
        good = residual < ACCEPTED
        more = _Found(place[good], q[good], residual[good], pivot[good])
        both = _joined(found, more)
        for _ in range(4):  # many starts meet: repetitions beyond the neighbours are found one after another
            both, equal = self._distinct(both)
            if not len(equal):
                break
        return both

    def _by(self, solver: CutSolver, links: list[Array], H: Array) -> tuple[_Found, Mask]:
        """Configurations by one cut, and the poses where some may be missing."""
        zeros, q = solver.starts(links, H)
        own = zeros.polynomial
        q, residual, pivot = self._polished([x if x.ndim == 2 else x[own] for x in links], H[own], q)
        good = residual < ACCEPTED
        doubtful = np.zeros(len(H), dtype=bool)
        doubtful[own[~good | zeros.double]] = True
        if not good.all():
            own, q, residual, pivot = own[good], q[good], residual[good], pivot[good]
        found, equal = self._distinct(_Found(own, q, residual, pivot))
        doubtful[equal] = True
        return found, doubtful

    def _polished(
        self, links: list[Array], H: Array, q: Array, steps: int = _STEPS
    ) -> tuple[Array, Array, Array]:
        """Newton's method from each start; residuals and smallest pivots."""
        T, target = [numbers(link) for link in links], numbers(H)
        active = np.arange(len(q))
        for _ in range(steps):
            own = [x if x.ndim == 1 else x[active] for x in T]
            step, _ = newton_step(self.newton, own, target[active], q[active])
            q[active] += step
            active = active[np.abs(step).max(axis=1) > _FINISHED]
            if not len(active):
                break
        _, errors = newton_step(self.newton, T, target, q)
        residual = np.hypot(errors[:, 0], errors[:, 1])
        return _wrapped(q, self.revolute), np.where(np.isfinite(residual), residual, np.inf), errors[:, 2]

    def _distinct(self, found: _Found) -> tuple[_Found, Indices]:
        """The configurations without repetitions, and the poses that had some."""
        q = found.q
        # continuous functions of angles, cheaper than sines: their distances from 0 and from a quarter
        quarter = q - 0.5 * np.pi
        quarter = np.where(quarter < -np.pi, quarter + 2 * np.pi, quarter)
        near = np.where(self.revolute, np.abs(q), q) @ _PROJECTION[:6]
        key = near + np.where(self.revolute, np.abs(quarter), 0.0) @ _PROJECTION[6:]
        order = np.lexsort((key, found.pose))
        drop = np.zeros(len(q), dtype=bool)
        for lag in (1, 2):  # two other configurations between equal ones are improbable
            a, b = order[:-lag], order[lag:]
            near = (found.pose[a] == found.pose[b]) & (np.abs(key[a] - key[b]) < 10 * SINGULAR)
            if near.any():
                a, b = a[near], b[near]
                gap = _wrapped(q[a] - q[b], self.revolute)
                drop[b[(np.abs(gap) < SINGULAR).all(axis=1)]] = True
        if not drop.any():
            return found, found.pose[:0]
        kept = ~drop
        return _Found(found.pose[kept], q[kept], found.residual[kept], found.pivot[kept]), found.pose[drop]

    def _classified(self, found: _Found, links: list[Array], H: Array) -> tuple[_Found, Indices, Indices]:
        """The configurations with their multiplicities and the dimensions of their families."""
        multiplicity = np.ones(len(found.pose), dtype=np.int64)
        family = np.zeros(len(found.pose), dtype=np.int64)
        at = np.nonzero(found.pivot < SUSPECT)[0]
        if len(at):
            own = found.pose[at]
            kinds = singular_kinds(
                [x if x.ndim == 2 else x[own] for x in links], self.arm.revolute, H[own], found.q[at]
            )
            multiplicity[at], family[at] = kinds
        return found, multiplicity, family

    def _table(self, n: int, found: _Found, multiplicity: Indices, family: Indices) -> ArmConfigurations:
        """Configurations as arrays, one row for each pose."""
        order = np.argsort(found.pose, kind="stable")
        own = found.pose[order]
        rank = np.arange(len(own)) - np.searchsorted(own, own)
        q, residual = np.full((n, MOST, 6), np.nan), np.full((n, MOST), np.nan)
        count, dimension = np.zeros((n, MOST), dtype=np.int64), np.zeros((n, MOST), dtype=np.int64)
        if (rank >= MOST).any():  # samples of a family may be more
            kept = rank < MOST
            order, own, rank = order[kept], own[kept], rank[kept]
        q[own, rank] = found.q[order] * np.where(self.revolute, 1.0, self.reach)
        residual[own, rank], count[own, rank] = found.residual[order], multiplicity[order]
        dimension[own, rank] = family[order]
        return ArmConfigurations(q, residual, count, dimension)


def _joined(first: _Found, second: _Found) -> _Found:
    pose = np.concatenate([first.pose, second.pose])
    q, residual, pivot = (np.concatenate(x) for x in zip(first[1:], second[1:], strict=True))
    return _Found(pose, q, residual, pivot)


def _wrapped(x: Array, revolute: Mask) -> Array:
    """Angles between -pi and pi; displacements as they are."""
    return np.asarray(x - np.where(revolute, 2 * np.pi * np.round(x / (2 * np.pi)), 0.0))
