"""Inverse kinematics of closed robots: the branches of each leg, not their product.

At a given pose of a frame the legs of a parallel robot do not depend on each other. Newton's method closes
all loops from random configurations; the solutions of each leg are collected by themselves. A leg is a set of
joints that loops connect when the frame's body stands still. Where a position leaves the frame's orientation
open, the legs depend on it: they are given at the orientation nearest to the start.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rikigaku.closure.closure_plan import equations_of
from rikigaku.closure.configuration_comparison import differences, wrapped
from rikigaku.closure.loop_closure_newton import newton
from rikigaku.closure.platform_legs import PosedLoops
from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.ik_solution import IkSolution, LegBranches
from rikigaku.inverse_kinematics.joint_ranges import AT_LIMIT
from rikigaku.laws.tree.kinematics import known_frame
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds, random_state
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.numeric_formulas import numeric_formulas

_STARTS = 96  # random configurations of one round
_ROUNDS = 8
_SEEN = 4  # rounds follow until one finds nothing new and every branch was found this often
_EQUAL = 1e-6
_REACHED = 1e-10
_RANK = 1e-8  # smallest singular value of the Jacobian, relative to the largest, that counts
_MIXED = 1e-8  # residual of a combination of branches of legs that do not depend on each other
_MOST_LISTED = 16  # combinations of the legs' branches; of more only the nearest is given


def leg_solution(
    robot: RobotModel, frame: str, targets: Array, start: Array, limits: bool, symbols: Mapping[str, float]
) -> IkSolution:
    """The branches of all legs at poses (n, 4, 4) or positions (n, 3) of a frame.

    q (n, k, nq) has first of each leg the branch nearest to the start, within the limits if there is one;
    then the other combinations of branches, if there are no more than 16 in all.
    """
    problem = _LegProblem(robot, frame, symbols)
    formulas = numeric_formulas(robot, frame, ()) if len(problem.legs) == 1 and targets.ndim == 3 else None
    if formulas is not None:
        return _by_formulas(robot, formulas, targets, limits, symbols)
    starts = np.broadcast_to(start, (len(targets), start.shape[-1]))
    parts = [problem.solved(x, own, limits) for x, own in zip(targets, starts, strict=True)]
    count = max((len(part.q) for part in parts), default=0)
    rows = np.full((len(parts), count, robot.nq), np.nan)
    success, residual = np.zeros((len(parts), count), dtype=bool), np.full((len(parts), count), np.nan)
    for k, part in enumerate(parts):
        own = slice(len(part.q))
        rows[k, own], success[k, own], residual[k, own] = part.q, part.success, part.error
    present = np.isfinite(residual)
    return IkSolution(
        rows,
        success,
        residual,
        np.where(present & (targets.ndim < 3), 0.0, residual),
        np.zeros(len(parts), dtype=np.int64),
        np.array([part.text for part in parts], dtype=object),
        "search",
        present.astype(np.int64),
        max((part.dimension for part in parts), default=0),
        np.zeros(present.shape, dtype=np.int64),
        legs=np.array([*(part.legs for part in parts), None], dtype=object)[:-1],
    )


def _by_formulas(
    robot: RobotModel, formulas: JointFormulas, targets: Array, limits: bool, symbols: Mapping[str, float]
) -> IkSolution:
    """All configurations of a closed robot without separate legs (palletizers), by its formulas."""
    found = formulas.solve(targets, **symbols)
    lower, upper = position_bounds(robot)
    q = wrapped(robot, np.reshape(found.q, (-1, robot.nq)), ()).reshape(np.shape(found.q))
    present = np.asarray(found.valid)
    inside = present & ((q >= lower - AT_LIMIT) & (q <= upper + AT_LIMIT)).all(axis=-1) if limits else present
    error = np.where(present, found.error, np.nan)
    words = np.array([f"{own.sum()} configurations." for own in present], dtype=object)
    zeros = np.zeros(len(q), dtype=np.int64)
    multiplicity = present.astype(np.int64)
    return IkSolution(q, inside, error, error, zeros, words, "formulas", multiplicity, 0, 0 * multiplicity)


class _Branches(NamedTuple):
    """Configurations (k, nq) at one target, the nearest first, with their legs; what was found in words.

    error: residuals (k,). dimension: of the family that the configurations belong to, 0 if isolated.
    """

    q: Array
    success: Mask
    legs: tuple[LegBranches, ...]
    error: Array
    text: str
    dimension: int


class _LegProblem:
    def __init__(self, robot: RobotModel, frame: str, symbols: Mapping[str, float]) -> None:
        self.robot, self.frame = robot, frame
        self.loops = equations_of(robot, symbols)
        mechanism = instantiate(robot, FLOATS, {**robot.declared_values, **symbols})
        self.legs = _legs(mechanism, known_frame(mechanism, frame)[0])
        owner = {k: j.name for j in robot.joints for k in range(robot.nq)[robot.q_slices[j.name]]}
        self.names = [tuple(dict.fromkeys(owner[k] for k in leg)) for leg in self.legs]
        self.displacements = [robot.q_slices[j.name].start for j in robot.joints if j.type == "prismatic"]
        lower, upper = position_bounds(robot)
        self.lower, self.upper = lower - AT_LIMIT, upper + AT_LIMIT

    def solved(self, target: Array, start: Array, limits: bool) -> _Branches:
        """The branches of all legs at a pose (4, 4) or position (3,)."""
        equations = PosedLoops(self.loops, self.frame, target)
        rng = np.random.default_rng(2)
        found: list[list[tuple[Array, int]]] = [[] for _ in self.legs]
        dimension = 0
        for round_ in range(_ROUNDS):
            rows = self._closed(equations, start, rng)
            if not round_ and len(rows):
                dimension = self._dimension(equations, rows)
                if target.ndim == 1 and (dimension or self._depend(equations, rows)):
                    return self._at_nearest_pose(equations, rows, start, limits, dimension, rng)
            before = sum(map(len, found))
            for row in rows:
                for leg, own in zip(self.legs, found, strict=True):
                    self._collect(own, row, leg)
            seen = all(times >= _SEEN for own in found for _, times in own)
            if not len(rows) or dimension or (seen and sum(map(len, found)) == before):
                break
        if not all(found):
            absent, none = np.full((1, self.robot.nq), np.nan), np.full(1, np.nan)
            return _Branches(absent, np.zeros(1, dtype=bool), (), none, "No configuration was found.", 0)
        return self._combined(equations, found, start, limits, dimension)

    def _closed(self, equations: PosedLoops, start: Array, rng: np.random.Generator) -> Array:
        """Configurations (m, nq) that meet the target with closed loops, from a round of random starts."""
        begin = random_state(self.robot, rng, _STARTS).q
        begin[:, self.displacements] *= rng.choice((-1.0, 1.0), (_STARTS, len(self.displacements)))
        begin[0] = start
        q, residual = newton(equations, begin)
        good = np.asarray(np.abs(residual).max(axis=1) < _REACHED) & self.loops.aligned(q)
        return wrapped(self.robot, q[good], ())

    def _dimension(self, equations: PosedLoops, rows: Array) -> int:
        """Dimension of the family of configurations: rates minus the rank of all equations."""
        sizes = np.linalg.svd(equations.jacobian(rows), compute_uv=False)
        rank = (sizes > _RANK * sizes[:, :1]).sum(axis=1)
        return int(self.robot.nv - rank.max())

    def _depend(self, equations: PosedLoops, rows: Array) -> bool:
        """Whether branches of different legs, each from a configuration of its own, do not fit together."""
        mixed = rows.copy()
        for k, leg in enumerate(self.legs):
            mixed[:, leg] = np.roll(rows, k, axis=0)[:, leg]
        return bool(np.abs(equations.residual(mixed)).max() > _MIXED)

    def _at_nearest_pose(
        self,
        equations: PosedLoops,
        rows: Array,
        start: Array,
        limits: bool,
        dimension: int,
        rng: np.random.Generator,
    ) -> _Branches:
        """The branches at the orientation of the frame nearest to the start, of those a position leaves."""
        poses = equations.poses(rows)
        for _ in range(_ROUNDS if not dimension else 0):
            more = self._closed(equations, start, rng)
            gap = np.abs(equations.poses(more)[:, None] - poses).max(axis=(2, 3))
            new = gap.min(axis=1) > _EQUAL
            rows, poses = np.concatenate([rows, more]), np.concatenate([poses, equations.poses(more)])
            if not new.any():
                break
        distance = np.linalg.norm(differences(self.robot, rows, start), axis=1)
        inside = ((rows >= self.lower) & (rows <= self.upper)).all(axis=1)
        nearest = int(np.where(inside | (not limits), distance, distance + 1e6).argmin())
        own = self.solved(poses[nearest], start, limits)
        different: list[Array] = []
        for T in poses:
            if all(np.abs(T - other).max() > _EQUAL for other in different):
                different.append(T)
        left = (
            f"a family of dimension {dimension}"
            if dimension
            else f"{len(different)} orientations of frame {self.frame!r}, found from random starts"
        )
        text = f"The position leaves {left}. At the orientation nearest to the start: {own.text}"
        return own._replace(text=text, dimension=max(dimension, own.dimension))

    def _combined(
        self,
        equations: PosedLoops,
        found: list[list[tuple[Array, int]]],
        start: Array,
        limits: bool,
        dimension: int,
    ) -> _Branches:
        """The branches of all legs, the nearest first, and their combinations."""
        legs = []
        for leg, own, names in zip(self.legs, found, self.names, strict=True):
            rows = np.array([row for row, _ in own])
            chosen = rows[:, leg]
            inside: Mask = np.asarray(((chosen >= self.lower[leg]) & (chosen <= self.upper[leg])).all(axis=1))
            usable = inside if limits and inside.any() else np.ones(len(rows), dtype=bool)
            distance = np.linalg.norm(differences(self.robot, rows, start)[:, leg], axis=1)
            order = np.argsort(np.where(usable, distance, distance + 1e6), kind="stable")
            legs.append(LegBranches(names, rows[order][:, leg], inside[order]))
        counts = [len(leg.q) for leg in legs]
        listed = np.prod(counts, dtype=float) <= _MOST_LISTED
        places = list(itertools.product(*(range(k) for k in counts))) if listed else [(0,) * len(legs)]
        q = np.tile(start, (len(places), 1))
        good = np.ones(len(places), dtype=bool)
        for k, (leg, branches) in enumerate(zip(self.legs, legs, strict=True)):
            chosen_rows = [place[k] for place in places]
            q[:, leg] = branches.q[chosen_rows]
            good &= branches.inside[chosen_rows] if limits else True
        error = np.abs(equations.residual(q)).max(axis=1)
        kind = f", samples of a family of dimension {dimension}" if dimension else ""
        text = (
            f"Branches of {len(legs)} legs: {' x '.join(map(str, counts))}, found from random starts{kind}."
        )
        good &= error < _REACHED
        if not good.any():
            text += " A leg has no branch within the joint limits."
        return _Branches(q, good, tuple(legs), error, text, dimension)

    def _collect(self, own: list[tuple[Array, int]], row: Array, leg: list[int]) -> None:
        for k, (other, times) in enumerate(own):
            if np.abs(differences(self.robot, row, other)[leg]).max() < _EQUAL:
                own[k] = other, times + 1
                return
        own.append((row, 1))


def _legs(mechanism: Mechanism, platform: int) -> list[list[int]]:
    """Indices in q of the joints of each leg; the chain to the frame comes first."""
    group = list(range(len(mechanism.bodies)))

    def join(bodies: list[int]) -> None:
        roots = {group[k] for k in bodies}
        if roots:
            first = min(roots)
            for k, own in enumerate(group):
                if own in roots:
                    group[k] = first

    chain = list(mechanism.support(platform))
    join(chain)
    for loop in mechanism.loops:
        sides = [list(mechanism.support(end[0])) for end in (loop.start, loop.end)]
        # a side that goes through the frame's body stands still with it, up to that body
        still = [platform in side for side in sides]
        bodies: list[int] = []
        for side, fixed in zip(sides, still, strict=True):
            bodies += [k for k in side if not (fixed and k in chain)]
        shared = set(sides[0]) & set(sides[1])
        join([k for k in bodies if k not in shared or any(still)])
    legs: dict[int, list[int]] = {group[k]: [] for k in chain}
    for k, body in enumerate(mechanism.bodies):
        legs.setdefault(group[k], []).extend(body.q)
    return [sorted(places) for places in legs.values() if places]
