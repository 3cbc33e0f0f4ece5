"""Inverse kinematics of closed robots: the branches of each leg, not their product.

At a given pose of a frame the legs of a parallel robot do not depend on each other. Newton's method closes
all loops from random configurations; the solutions of each leg are collected by themselves. A leg is a set of
joints that loops connect when the frame's body stands still.
"""

import itertools
from collections.abc import Mapping

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
    parts = [problem.solved(target, start, limits) for target in targets]
    q, good, legs, errors = zip(*parts, strict=True)
    count = max(len(own) for own in q)
    rows = np.full((len(q), count, robot.nq), np.nan)
    success, residual = np.zeros((len(q), count), dtype=bool), np.full((len(q), count), np.nan)
    for k, own in enumerate(q):
        rows[k, : len(own)], success[k, : len(own)], residual[k, : len(own)] = own, good[k], errors[k]
    present = np.isfinite(residual)
    words = np.array(
        [_message(own, bool(ok.any())) for own, ok in zip(legs, good, strict=True)], dtype=object
    )
    return IkSolution(
        rows,
        success,
        residual,
        np.where(present & (targets.ndim < 3), 0.0, residual),
        np.zeros(len(q), dtype=np.int64),
        words,
        "search",
        present.astype(np.int64),
        0,
        np.zeros(present.shape, dtype=np.int64),
        legs=np.array([*legs, None], dtype=object)[:-1],
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


def _message(legs: tuple[LegBranches, ...], good: bool) -> str:
    if not legs:
        return "No configuration was found."
    counts = " x ".join(str(len(leg.q)) for leg in legs)
    text = f"Branches of {len(legs)} legs: {counts}, found from random starts."
    return text if good else text + " A leg has no branch within the joint limits."


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

    def solved(
        self, target: Array, start: Array, limits: bool
    ) -> tuple[Array, Mask, tuple[LegBranches, ...], Array]:
        """Configurations (k, nq), the nearest first; whether they succeeded, the legs, and residuals (k,)."""
        equations = PosedLoops(self.loops, self.frame, target)
        rng = np.random.default_rng(2)
        found: list[list[tuple[Array, int]]] = [[] for _ in self.legs]
        for _ in range(_ROUNDS):
            begin = random_state(self.robot, rng, _STARTS).q
            begin[:, self.displacements] *= rng.choice((-1.0, 1.0), (_STARTS, len(self.displacements)))
            begin[0] = start
            before = sum(map(len, found))
            q, residual = newton(equations, begin)
            good = np.asarray(np.abs(residual).max(axis=1) < _REACHED) & self.loops.aligned(q)
            for row in wrapped(self.robot, q[good], ()):
                for leg, own in zip(self.legs, found, strict=True):
                    self._collect(own, row, leg)
            seen = all(times >= _SEEN for own in found for _, times in own)
            if not good.any() or (seen and sum(map(len, found)) == before):
                break
        if not all(found):
            return np.full((1, self.robot.nq), np.nan), np.zeros(1, dtype=bool), (), np.full(1, np.nan)
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
        return q, good & (error < _REACHED), tuple(legs), error

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
