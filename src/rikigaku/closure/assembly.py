"""Closed configurations from the positions of independent joints, by Newton's method and continuation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import closure, equations_of
from rikigaku.closure.configuration_comparison import differences, distinct, within_limits, wrapped
from rikigaku.closure.continuation import continued, normalized
from rikigaku.closure.held_coordinates import HeldCoordinates, held_coordinates, starting_configuration
from rikigaku.closure.loop_closure_newton import LoopEquations
from rikigaku.closure.pivoting import LOOSE_RANK, RANK, ranks_of
from rikigaku.core.errors import CannotClose, WrongSize, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.laws.structure import loop_rows
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import neutral, random_state

_STARTS = 48  # random configurations that Newton's method starts from, for each target
_EXACT = 1e-14  # [m, or sine]: residuals by rounding alone
_BATCH = 64  # targets solved in one batch
_ROUNDS = (
    8  # of random starts when all assembly modes are wanted; two rounds without a new one end the search
)


def closed_configurations(
    robot: RobotModel,
    q_independent: Any,
    near: Any = None,
    *,
    path: bool = False,
    strict: bool = True,
    symbols: Mapping[str, float] | None = None,
) -> Array:
    """q of all joints with the loops closed, (..., nq); arguments as `robot.assemble` takes them.

    Raises:
        CannotClose: with reason "unreachable" or "singular". WrongSize, WrongValue: if the coordinates do not
            determine the others.
    """
    problem = assembly_problem(robot, q_independent, symbols or {})
    start = None if near is None else starting_configuration(robot, near)
    return problem.path(start, strict) if path else problem.batch(start, strict)


def assembly_problem(
    robot: RobotModel, q_independent: Any, symbols: Mapping[str, float]
) -> "AssemblyProblem":
    """The assembly of a robot at given positions, validated."""
    return AssemblyProblem(robot, equations_of(robot, symbols), held_coordinates(robot, q_independent))


@dataclass(frozen=True)
class AssemblyProblem:
    """Close the loops of a robot with some coordinates held at given positions."""

    robot: RobotModel
    equations: LoopEquations
    held: HeldCoordinates

    @property
    def free(self) -> list[int]:
        """Indices in v of the coordinates that are solved for."""
        return [k for k in range(self.robot.nv) if k not in self.held.v]

    def batch(self, near: Array | None, strict: bool) -> Array:
        """Each set of positions by itself, continued from `near` or from the solution of the first set."""
        targets = self.held.positions.reshape(-1, len(self.held.q))
        shape = self.held.batch
        if near is None:
            first = self.nearest_closed(targets[:1], neutral(self.robot))
            if len(targets) < 2:
                return self._checked(first, targets, shape, strict)
            near = closure(self.robot).samples[0] if np.isnan(first).any() else first[0]
            found = self._continued(near, targets)
            lost = np.isnan(found).any(axis=1)
            found[lost] = self.nearest_closed(targets[lost], near)
        else:
            shape = np.broadcast_shapes(shape, near.shape[:-1])
            targets = np.broadcast_to(self.held.positions, (*shape, len(self.held.q)))
            targets = targets.reshape(-1, len(self.held.q))
            found = self._continued(np.broadcast_to(near, (*shape, self.robot.nq)), targets)
        return self._checked(found, targets, shape, strict)

    def path(self, near: Array | None, strict: bool) -> Array:
        """The first axis of the positions in order, each continued from the configuration before."""
        positions = self.held.positions
        if positions.ndim < 2:
            raise WrongSize("path=True takes an array whose first axis is the path, (steps, ..., n).")
        found = []
        for k in range(len(positions)):
            near = replace(self, held=replace(self.held, positions=positions[k])).batch(near, strict)
            found.append(near)
        return np.array(found) if found else np.empty((*positions.shape[:-1], self.robot.nq))

    def _continued(self, near: Array, targets: Array) -> Array:
        """Continued from closed (or nearly closed) configurations; NaN where the continuation ends early."""
        robot = self.robot
        begin = np.array(np.broadcast_to(near.reshape(-1, robot.nq), (len(targets), robot.nq)))
        lost = np.isnan(begin).any(axis=1)
        begin[lost] = neutral(robot)
        search = self.equations.newton(begin)
        reached = continued(self.equations, search.q, targets, self.held.v, self.held.q, self.free)
        q = np.array(reached.q)
        q[(reached.part < 1) | ~search.closed | lost] = np.nan
        return q

    def nearest_closed(self, targets: Array, like: Array) -> Array:
        """For each target the closed configuration nearest to `like`, from random starts; else NaN."""
        found = np.full((len(targets), self.robot.nq), np.nan)
        for begin in range(0, len(targets), _BATCH):
            part = slice(begin, begin + _BATCH)
            q, closed = self._searched(targets[part], _STARTS, np.random.default_rng(0), like)
            for k in np.flatnonzero(closed.any(axis=1)):
                found[begin + k] = self._nearest(q[k, closed[k]], like)
        return found

    def _nearest(self, q: Array, like: Array) -> Array:
        q = self._of_plan_mobility(q)
        if (inside := within_limits(self.robot, q)).any():
            q = q[inside]
        linear = closure(self.robot).linear
        if linear is None or not (parallel := linear.hold(q)).any():
            return np.asarray(q[int(np.argmin(self._distance(q, like)))])
        q = q[parallel]  # not the crossed form
        best = q[int(np.argmin(self._distance(q, like)))]
        # where both forms meet, Newton's method finds few digits: the relations give them all
        exact = linear.nearest(best[None], self.held.q)
        gaps = [np.abs(self.equations.residual(x)).max(initial=0.0) for x in (exact, best[None])]
        return np.asarray(exact[0] if gaps[0] <= max(gaps[1], _EXACT) else best)

    def _distance(self, q: Array, like: Array) -> Array:
        return np.asarray(np.linalg.norm(differences(self.robot, q, like), axis=1))

    def _searched(
        self, targets: Array, count: int, rng: np.random.Generator, like: Array
    ) -> tuple[Array, Mask]:
        """Configurations (targets, starts, nq) by Newton's method in one batch, and which are closed."""
        starts = random_state(self.robot, rng, count).q
        starts[0] = like
        q = np.array(np.broadcast_to(starts, (len(targets), *starts.shape)))
        q[:, :, self.held.q] = targets[:, None]
        search = self.equations.newton(normalized(self.equations, q.reshape(-1, self.robot.nq)), self.free)
        found = wrapped(self.robot, search.q, self.held.q).reshape(q.shape)
        return found, search.closed.reshape(q.shape[:2])

    def _of_plan_mobility(self, q: Array) -> Array:
        """Those with the mobility of `robot.closure()`, if there are any: loops may also close folded."""
        plan = closure(self.robot)
        if not len(q):
            return q
        ranks = ranks_of(self.equations.jacobian(q), LOOSE_RANK if plan.slack else RANK)
        good = ranks == self.robot.nv - plan.mobility
        return q[good] if good.any() else q

    def sampled_modes(self, like: Array) -> Array:
        """Assembly modes that random starts find."""
        target = self.held.positions[None]
        rng = np.random.default_rng(0)
        found, rounds_without_new = np.empty((0, self.robot.nq)), 0
        for _ in range(_ROUNDS):
            q, closed = self._searched(target, _STARTS, rng, like)
            more = distinct(self.robot, np.concatenate([found, q[closed]]))
            rounds_without_new = rounds_without_new + 1 if len(more) == len(found) else 0
            found = more
            if rounds_without_new == 2:
                break
        return found

    def sorted_modes(self, found: Array, like: Array) -> Array:
        """Assembly modes within the joint limits and of the plan's mobility, nearest to `like` first."""
        found = self._of_plan_mobility(found[within_limits(self.robot, found)])
        if not len(found):
            raise self._error(self.held.positions, ())
        return np.asarray(found[np.argsort(self._distance(found, like), kind="stable")])

    def _checked(self, q: Array, targets: Array, shape: tuple[int, ...], strict: bool) -> Array:
        bad = np.flatnonzero(np.isnan(q).any(axis=1))
        if strict and len(bad):
            place = () if shape == () else tuple(int(i) for i in np.unravel_index(bad[0], shape))
            raise self._error(targets[bad[0]], place)
        return q.reshape(*shape, self.robot.nq)

    def _error(self, target: Array, place: tuple[int, ...]) -> CannotClose:
        where = f" (of the batch: {place})" if place else ""
        at = ", ".join(f"{x:.6g}" for x in target)
        begin = f"Robot {self.robot.name!r} does not assemble at {', '.join(self.held.joints)} = {at}{where}"
        if not np.isnan(self.nearest_closed(target[None], neutral(self.robot))).any():
            return CannotClose(
                f"{begin} in the assembly mode it starts from: a singular configuration lies between. "
                "Other assembly modes close there: give another near=..., or all=True.",
                reason="singular",
            )
        q = random_state(self.robot, np.random.default_rng(0), _STARTS).q
        q[:, self.held.q] = target
        left = self.equations.newton(normalized(self.equations, q), self.free).residual
        best = left[int(np.argmin(np.abs(left).max(axis=1)))]
        row = loop_rows(self.robot)[int(np.argmax(np.abs(best)))]
        return CannotClose(
            f"{begin}: no closed configuration was found from {_STARTS} starts. The nearest leaves "
            f"{np.abs(best).max():.3g} in the equation {row!r}.",
            row.split(":")[0],
            "unreachable",
        )


def require_one_target(problem: AssemblyProblem, path: bool) -> None:
    """Raise WrongValue for a batch or a path: all=True takes one set of positions."""
    if problem.held.batch or path:
        raise WrongValue("all=True takes one set of positions, not a batch or a path.")
