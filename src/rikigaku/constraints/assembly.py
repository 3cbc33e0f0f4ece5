"""Postures that close the loops: `robot.assemble`."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.continuation import continued, unit
from rikigaku.constraints.equations import LoopEquations
from rikigaku.constraints.held import Held, held_coordinates, starting_posture
from rikigaku.constraints.home import ranks_of
from rikigaku.constraints.modes import differences, exact_postures, unlike, within, wrapped
from rikigaku.constraints.plan import closure, equations_of
from rikigaku.constraints.sampling import LOOSE, RANK
from rikigaku.errors import CannotClose, WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.states import neutral, random_state
from rikigaku.structure import loop_rows

Array = NDArray[np.float64]

_STARTS = 48  # random postures a target is tried from
_TOGETHER = 64  # targets tried in one batch
_ROUNDS = 8  # of so many starts, when all modes are wanted; two rounds without a new one end it


def assemble(
    robot: Robot,
    q_independent: Any,
    near: Any = None,
    *,
    path: bool = False,
    all: bool = False,
    strict: bool = True,
    **symbols: float,
) -> Array:
    """q of all joints with the loops closed, from the positions of the independent ones.

    Args:
        q_independent: (..., n) in the order of `robot.closure().independent` (a free joint has 7 numbers), or
            {joint: positions} for any joints that decide the others.
        near: a posture (..., nq) to continue from, in small steps: the assembly mode stays. Without it the
            nearest to the neutral posture of those found from it and from random ones is taken, and a batch
            continues from its first posture.
        path: the first axis of q_independent is a path; each posture continues the one before.
        all: all assembly modes of one set of positions within the joint limits, (modes, nq), nearest first:
            from the exact equations where these can be solved, else as many as random starts find.
        strict: raise where a posture cannot be closed; else its row is NaN.
        symbols: values of the robot's symbols, where its own are not meant.
    Raises:
        CannotClose: with reason "unreachable" if no posture closes there, "singular" if the mode ends on the
            way at a singular posture. WrongSize, WrongValue: if the coordinates do not decide the others.
    `robot.assembly(q)` tells residual, rank and mode of a posture.
    """
    given = held_coordinates(robot, q_independent)
    equations = equations_of(robot, symbols)
    task = _Task(robot, equations, given)
    start = None if near is None else starting_posture(robot, near)
    if all:
        if given.batch or path:
            raise WrongValue("all=True takes one set of positions, not a batch or a path.")
        return task.modes(neutral(robot) if start is None else start.reshape(-1, robot.nq)[0])
    if path:
        return task.path(start, strict)
    return task.batch(start, strict)


@dataclass(frozen=True)
class _Task:
    robot: Robot
    equations: LoopEquations
    given: Held

    @property
    def free(self) -> list[int]:
        return [k for k in range(self.robot.nv) if k not in self.given.v]

    def batch(self, near: Array | None, strict: bool) -> Array:
        """Every set of positions for itself, from near or from the posture of the first."""
        targets = self.given.positions.reshape(-1, len(self.given.q))
        shape = self.given.batch
        if near is None:
            first = self.anywhere(targets[:1], neutral(self.robot))
            if len(targets) < 2:
                return self._refused(first, targets, shape, strict)
            near = closure(self.robot).samples[0] if np.isnan(first).any() else first[0]
            found = self._from(near, targets)
            lost = np.isnan(found).any(axis=1)
            found[lost] = self.anywhere(targets[lost], near)  # another mode is better than none
        else:
            shape = np.broadcast_shapes(shape, near.shape[:-1])
            targets = np.broadcast_to(self.given.positions, (*shape, len(self.given.q)))
            targets = targets.reshape(-1, len(self.given.q))
            found = self._from(np.broadcast_to(near, (*shape, self.robot.nq)), targets)
        return self._refused(found, targets, shape, strict)

    def path(self, near: Array | None, strict: bool) -> Array:
        """The first axis in order, each from the one before."""
        positions = self.given.positions
        if positions.ndim < 2:
            raise WrongSize("path=True takes an array whose first axis is the path, (steps, ..., n).")
        found = []
        for k in range(len(positions)):
            step = _Task(self.robot, self.equations, replace(self.given, positions=positions[k]))
            near = step.batch(near, strict)
            found.append(near)
        return np.array(found) if found else np.empty((*positions.shape[:-1], self.robot.nq))

    def _from(self, near: Array, targets: Array) -> Array:
        """Continued from closed postures (or such as are nearly closed); NaN where the way ends before."""
        robot = self.robot
        begin = np.array(np.broadcast_to(near.reshape(-1, robot.nq), (len(targets), robot.nq)))
        lost = np.isnan(begin).any(axis=1)
        begin[lost] = neutral(robot)
        search = self.equations.newton(begin, range(robot.nv))
        way = continued(self.equations, search.q, targets, self.given.v, self.given.q, self.free)
        q = np.array(way.q)
        q[(way.part < 1) | ~search.closed | lost] = np.nan
        return q

    def anywhere(self, targets: Array, like: Array) -> Array:
        """For each target the closed posture most like another, from random starts; else NaN."""
        found = np.full((len(targets), self.robot.nq), np.nan)
        for begin in range(0, len(targets), _TOGETHER):
            part = slice(begin, begin + _TOGETHER)
            q, closed = self._tried(targets[part], _STARTS, np.random.default_rng(0), like)
            for k in np.flatnonzero(closed.any(axis=1)):
                found[begin + k] = self._nearest(q[k, closed[k]], like)
        return found

    def _nearest(self, q: Array, like: Array) -> Array:
        q = self._meant(q)
        if (inside := within(self.robot, q)).any():
            q = q[inside]
        return np.asarray(q[int(np.argmin(self._far(q, like)))])

    def _far(self, q: Array, like: Array) -> Array:
        return np.asarray(np.linalg.norm(differences(self.robot, q, like), axis=1))

    def _tried(
        self, targets: Array, count: int, rng: np.random.Generator, like: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Postures (targets, starts, nq) by Newton's method, all at once, and which are closed."""
        starts = random_state(self.robot, rng, count).q
        starts[0] = like
        q = np.array(np.broadcast_to(starts, (len(targets), *starts.shape)))
        q[:, :, self.given.q] = targets[:, None]
        search = self.equations.newton(unit(self.equations, q.reshape(-1, self.robot.nq)), self.free)
        return wrapped(self.robot, search.q, self.given.q).reshape(q.shape), search.closed.reshape(
            q.shape[:2]
        )

    def _closed(self, target: Array, count: int, rng: np.random.Generator, like: Array) -> Array:
        q, closed = self._tried(target, count, rng, like)
        return q[closed]

    def _meant(self, q: Array) -> Array:
        """Those of the mobility that `closure` tells, if there are any: loops may also close folded."""
        plan = closure(self.robot)
        if not len(q):
            return q
        ranks = ranks_of(self.equations.jacobian(q), LOOSE if plan.slack else RANK)
        good = ranks == self.robot.nv - plan.mobility
        return q[good] if good.any() else q

    def modes(self, like: Array) -> Array:
        """All ways to close the loops, those most like `like` first."""
        target = self.given.positions[None]
        found = exact_postures(self.robot, self.given.joints, target[0], self.equations.symbols)
        if found is None:
            rng = np.random.default_rng(0)
            found, idle = np.empty((0, self.robot.nq)), 0
            for _ in range(_ROUNDS):
                more = unlike(self.robot, np.concatenate([found, self._closed(target, _STARTS, rng, like)]))
                idle = idle + 1 if len(more) == len(found) else 0
                found = more
                if idle == 2:
                    break
        found = self._meant(found[within(self.robot, found)])
        if not len(found):
            raise self._error(self.given.positions, ())
        return np.asarray(found[np.argsort(self._far(found, like), kind="stable")])

    def _refused(self, q: Array, targets: Array, shape: tuple[int, ...], strict: bool) -> Array:
        bad = np.flatnonzero(np.isnan(q).any(axis=1))
        if strict and len(bad):
            place = () if shape == () else tuple(int(i) for i in np.unravel_index(bad[0], shape))
            raise self._error(targets[bad[0]], place)
        return q.reshape(*shape, self.robot.nq)

    def _error(self, target: Array, place: tuple[int, ...]) -> CannotClose:
        where = f" (of the batch: {place})" if place else ""
        at = ", ".join(f"{x:.6g}" for x in target)
        begin = f"Robot {self.robot.name!r} does not assemble at {', '.join(self.given.joints)} = {at}{where}"
        if not np.isnan(self.anywhere(target[None], neutral(self.robot))).any():
            return CannotClose(
                f"{begin} in the mode of the posture it comes from: the way there meets a singular posture. "
                "Other modes close there: give another near=..., or ask for all=True.",
                reason="singular",
            )
        rng = np.random.default_rng(0)
        q = random_state(self.robot, rng, _STARTS).q
        q[:, self.given.q] = target
        left = self.equations.newton(unit(self.equations, q), self.free).residual
        best = left[int(np.argmin(np.abs(left).max(axis=1)))]
        row = loop_rows(self.robot)[int(np.argmax(np.abs(best)))]
        return CannotClose(
            f"{begin}: out of reach, as far as {_STARTS} starts tell. The nearest leaves "
            f"{np.abs(best).max():.3g} in the row {row!r}.",
            row.split(":")[0],
            "unreachable",
        )
