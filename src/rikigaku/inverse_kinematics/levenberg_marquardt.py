"""Numeric inverse kinematics by the Levenberg-Marquardt method within joint limits [Sugihara2011].

The error of a frame at (p, R) against (p*, R*) is e = [p* - p; log(R* R^T)] in world axes [m, rad], so that
J v = e is the step that would remove it. Each step minimises ``|J dq - e|^2 + damping |dq|^2``; coordinates
at a limit that would leave it are held. From a stationary point that is no solution the search restarts at a
random configuration.
Reference: T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method,
IEEE Transactions on Robotics 27(5), 2011 (damping that follows the error).
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.ik_solution import Solution
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position, coupled, generator, position_bounds, random_state
from rikigaku.spatial.pose_arrays import rotation_vector

# Damping never falls below this part of the squared error's own scale: singular configurations stay solvable.
_SMALLEST_DAMPING = 1e-12
# An attempt is given up when a step improves the error by less than this part.
_STALLED = 1e-5


def search(
    robot: RobotModel,
    targets: Array,
    batch: tuple[int, ...],
    frame: str,
    start: Array,
    tolerance: float,
    iterations: int,
    restarts: int,
    rng: Any,
    symbols: Mapping[str, float],
) -> Solution:
    """Configurations nearest to targets (n, 4, 4) or (n, 3), each by a search of its own.

    Raises:
        WrongValue: for options that allow no search, or a robot with closed loops.
    """
    _open(robot)
    if not (tolerance > 0 and iterations >= 1 and restarts >= 0):
        raise WrongValue(
            f"A search needs a tolerance above 0, 1 or more iterations and 0 or more restarts; {tolerance}, "
            f"{iterations} and {restarts} were given."
        )
    if robot.nv == 0:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves: no frame can be brought anywhere.")
    method = _Search(robot, frame, dict(symbols), float(tolerance), iterations)
    # All searches draw the same random configurations: a result does not depend on the other targets.
    seed = generator(rng).integers(2**63)
    solutions = [method.best(goal, start, restarts, np.random.default_rng(seed)) for goal in targets]
    return solutions[0] if batch == () else _stacked(solutions, batch)


class _Search:
    """One frame of one robot: its kernels and the numbers that do not change from target to target."""

    def __init__(
        self, robot: RobotModel, frame: str, symbols: dict[str, float], tolerance: float, iterations: int
    ) -> None:
        self.robot, self.frame, self.symbols = robot, frame, symbols
        self.pose = bound_law(robot, "tree.pose").fix(frame=frame)
        self.jacobian = bound_law(robot, "tree.jacobian").fix(frame=frame)
        self.advance = _advance(robot)
        self.tolerance, self.iterations = tolerance, iterations
        self.lower, self.upper = position_bounds(robot)
        self.at, self.rate = _single_coordinates(robot)
        self.directions = _independent_directions(robot)

    def best(self, target: Array, q0: Array, restarts: int, rng: np.random.Generator) -> Solution:
        """The first success, or the smallest error of all attempts."""
        best, total = self.attempt(target, q0)
        for _ in range(restarts):
            if best.success:
                break
            found, steps = self.attempt(target, random_state(self.robot, rng).q)
            total += steps
            if found.success or _size(found) < _size(best):
                best = found
        return self.with_message(best, total, restarts)

    def attempt(self, target: Array, q: Array) -> tuple[Solution, int]:
        """Levenberg-Marquardt from one configuration, until within the tolerance or stalled."""
        S, e = self.directions, self.error(target, q)
        cost, factor, stalled, step = float(e @ e), 1e-2, 0, 0
        for step in range(self.iterations):
            if self.within(e):
                return self.solution(q, e), step
            J = self.jacobian(q, **self.symbols)[: len(e)] @ S
            free = self.may_move(q, J.T @ e)
            G = J[:, free]
            damping = factor * cost + _SMALLEST_DAMPING
            dw = np.zeros(S.shape[1])
            dw[free] = np.linalg.solve(G.T @ G + damping * np.eye(G.shape[1]), G.T @ e)
            trial = self.clipped(self.advance(q, S @ dw))
            e_trial = self.error(target, trial)
            cost_trial = float(e_trial @ e_trial)
            if cost_trial < cost:
                stalled = stalled + 1 if cost_trial > (1 - _STALLED) * cost else 0
                q, e, cost, factor = trial, e_trial, cost_trial, factor / 5
            else:
                factor, stalled = factor * 10, stalled + 1
            if stalled > 8:
                break
        return self.solution(q, e), step + 1

    def error(self, target: Array, q: Array) -> Array:
        """[p* - p; log(R* R^T)] in world axes, or its first three for a position."""
        T = self.pose(q, **self.symbols)
        if target.ndim == 1:
            return cast(Array, target - T[:3, 3])
        return np.concatenate([target[:3, 3] - T[:3, 3], rotation_vector(target[:3, :3] @ T[:3, :3].T)])

    def within(self, e: Array) -> bool:
        return (
            float(np.linalg.norm(e[:3])) <= self.tolerance and float(np.linalg.norm(e[3:])) <= self.tolerance
        )

    def may_move(self, q: Array, downhill: Array) -> NDArray[np.bool_]:
        """Coordinates that take neither themselves nor a coupled joint beyond a limit."""
        motion = self.directions[self.rate] * downhill
        stuck = (q <= self.lower)[self.at, None] & (motion < 0)
        stuck |= (q >= self.upper)[self.at, None] & (motion > 0)
        moving: NDArray[np.bool_] = np.logical_not(np.any(stuck, axis=0))
        return moving

    def clipped(self, q: Array) -> Array:
        inside = np.clip(q, self.lower, self.upper)
        return coupled(self.robot, inside) if self.robot.couplings else inside

    def solution(self, q: Array, e: Array) -> Solution:
        position, rotation = float(np.linalg.norm(e[:3])), float(np.linalg.norm(e[3:]))
        return Solution(q, self.within(e) and not self.beyond(q), position, rotation, 0, "")

    def beyond(self, q: Array) -> str:
        """Text about a joint beyond its limits: a coupled joint may be unable to keep its own."""
        for k in np.flatnonzero((q < self.lower) | (q > self.upper)):
            name = next(name for name, at in self.robot.q_slices.items() if at.start == k)
            return f"joint {name!r} at {q[k]:.6g}, beyond its limits {self.lower[k]:g} and {self.upper[k]:g}"
        return ""

    def with_message(self, best: Solution, total: int, restarts: int) -> Solution:
        """The solution with its total iterations and message."""
        if best.success:
            message = f"Frame {self.frame!r} is at the target, within {self.tolerance:g} m and rad."
        elif max(best.position_error, best.rotation_error) <= self.tolerance:
            message = f"Frame {self.frame!r} is at the target, but with {self.beyond(best.q)}."
        else:
            message = (
                f"{restarts + 1} attempts found no configuration within the joint limits that brings frame "
                f"{self.frame!r} to the target. The best is off by {best.position_error:.3g} m and "
                f"{best.rotation_error:.3g} rad. Is the target within reach? More restarts= may help."
            )
        return Solution(best.q, best.success, best.position_error, best.rotation_error, total, message)


def _advance(robot: RobotModel) -> Callable[[Array, Array], Array]:
    """The function q, dq -> q plus a step in the tangent space."""
    if robot.nq == robot.nv:
        return np.add
    return bound_law(robot, "tree.integrate")


def _independent_directions(robot: RobotModel) -> Array:
    """Columns: unit rates of the independent joints, with those of the joints coupled to them."""
    followers = {coupling.joint for coupling in robot.couplings}
    own = [
        k for j in robot.joints if j.name not in followers for k in range(robot.nv)[robot.v_slices[j.name]]
    ]
    return np.array([coupled(robot, np.eye(robot.nv)[k], rates=True) for k in own]).reshape(-1, robot.nv).T


def _single_coordinates(robot: RobotModel) -> tuple[list[int], list[int]]:
    """Indices in q and v of the joints with one coordinate; only these have limits."""
    single = [joint.name for joint in robot.joints if joint.nq == 1]
    return [robot.q_slices[n].start for n in single], [robot.v_slices[n].start for n in single]


# The latest robot with its bounds and the middle of its limits: a loop over targets asks for one robot.
_latest: list[tuple[RobotModel, tuple[Array, Array], Array]] = []


def start_of(robot: RobotModel, q0: Any) -> Array:
    """q0 within the joint limits, or the middle of the limits."""
    if not _latest or _latest[0][0] is not robot:
        lower, upper = position_bounds(robot)
        q = as_position(robot, None)
        both = np.isfinite(lower) & np.isfinite(upper)
        q[both] = (lower[both] + upper[both]) / 2
        _latest[:] = [(robot, (lower, upper), coupled(robot, np.clip(q, lower, upper)))]
    _, (lower, upper), middle = _latest[0]
    if q0 is None:
        return middle.copy()
    return coupled(robot, np.clip(as_position(robot, q0), lower, upper))


def _open(robot: RobotModel) -> None:
    if robot.loops:
        raise WrongValue(
            f"Robot {robot.name!r} has closed loops, which this search would break. It serves open robots."
        )


def _size(solution: Solution) -> float:
    return float(np.hypot(solution.position_error, solution.rotation_error))


def _stacked(solutions: list[Solution], batch: tuple[int, ...]) -> Solution:
    def stack(name: str, dtype: Any = None) -> Any:
        values = np.array([getattr(solution, name) for solution in solutions], dtype=dtype)
        return values.reshape(*batch, *values.shape[1:])

    return Solution(
        stack("q"),
        stack("success"),
        stack("position_error"),
        stack("rotation_error"),
        stack("iterations"),
        stack("message", object),
    )
