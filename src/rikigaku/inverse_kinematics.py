"""Joint positions that bring a frame to a pose, numerically: Levenberg-Marquardt within the joint limits.

The error of a frame at (p, R) against (p*, R*) is e = [p* - p; log(R* R^T)] in world axes [m, rad], so that
J v = e is the step that would remove it. Each step minimises ``|J dq - e|^2 + damping |dq|^2``; coordinates
that stand at a limit and would leave it are held. From a stationary point that is no solution the search
starts anew, from a random posture.
Reference: T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method,
IEEE Transactions on Robotics 27(5), 2011 (damping that follows the error).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.poses import check_poses, rotation_vector
from rikigaku.states import as_position, coupled, generator, position_bounds, random_state

Array = NDArray[np.float64]

# Damping never falls below this part of the squared error's own scale: singular postures stay solvable.
_SMALLEST_DAMPING = 1e-12
# An attempt is given up when a step improves the error by less than this part.
_STALLED = 1e-5


@dataclass(frozen=True, eq=False)
class Solution:
    """The best posture found: its errors, whether they are within the tolerance, and the same in words.

    For a batch of targets every field has the batch's shape before its own.
    """

    q: Array
    success: Any
    position_error: Any  # [m]
    rotation_error: Any  # [rad]; 0 where only a position was asked for
    iterations: Any
    message: Any

    def __bool__(self) -> bool:
        return bool(np.all(self.success))


def inverse_kinematics(
    robot: Robot,
    target: Any,
    frame: str,
    q0: Any = None,
    *,
    tolerance: float = 1e-8,
    iterations: int = 100,
    restarts: int = 40,
    rng: Any = 0,
    **symbols: float,
) -> Solution:
    """q that brings a frame to a pose (4x4) or its origin to a position (3,), within the joint limits.

    Args:
        target: (4, 4), (3,), or a batch (..., 4, 4), (..., 3); poses in the world.
        q0: where the search starts (nq,), the middle of the limits if left out; the answer is often near it.
        tolerance: largest error [m] and [rad] of a success.
        iterations: steps of one attempt; restarts: further attempts, from random postures within the limits.
        rng: NumPy generator or seed of the random postures; the same seed gives the same answer.
        symbols: values of the robot's symbols, where its own are not meant.
    Returns:
        A Solution. A pose out of reach is no error: `success` is False and q is the best posture found.
    Raises:
        WrongValue: if the target is not a pose, or the robot has closed loops.
    """
    _open(robot)
    if not (tolerance > 0 and iterations >= 1 and restarts >= 0):
        raise WrongValue(
            f"A search needs a tolerance above 0, 1 or more iterations and 0 or more restarts; {tolerance}, "
            f"{iterations} and {restarts} were given."
        )
    if robot.nv == 0:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves: no frame can be brought anywhere.")
    targets, batch = _targets(target)
    start = _start(robot, q0)
    search = _Search(robot, frame, symbols, tolerance, iterations)
    answers = []
    random = generator(rng)
    for goal in targets:
        answers.append(search.best(goal, start, restarts, random))
    return answers[0] if batch == () else _stacked(answers, batch)


class _Search:
    """One frame of one robot: its kernels and the numbers that do not change from target to target."""

    def __init__(
        self, robot: Robot, frame: str, symbols: dict[str, float], tolerance: float, iterations: int
    ) -> None:
        laws = cast(Any, robot)
        self.robot, self.frame, self.symbols = robot, frame, symbols
        self.pose, self.jacobian = laws.pose.fix(frame=frame), laws.jacobian.fix(frame=frame)
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
        return self.told(best, total, restarts)

    def attempt(self, target: Array, q: Array) -> tuple[Solution, int]:
        """Levenberg-Marquardt from one posture, until within the tolerance or stalled."""
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
        """Not the coordinates that would take themselves, or a joint that follows them, out of its limits."""
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
        """The joint beyond its limits, in words: one that follows another may have limits it cannot keep."""
        for k in np.flatnonzero((q < self.lower) | (q > self.upper)):
            name = next(name for name, at in self.robot.q_slices.items() if at.start == k)
            return f"joint {name!r} at {q[k]:.6g}, beyond its limits {self.lower[k]:g} and {self.upper[k]:g}"
        return ""

    def told(self, best: Solution, total: int, restarts: int) -> Solution:
        """The solution with its iterations and its sentence."""
        if best.success:
            message = f"Frame {self.frame!r} is at the target, within {self.tolerance:g} m and rad."
        elif max(best.position_error, best.rotation_error) <= self.tolerance:
            message = f"Frame {self.frame!r} is at the target, but with {self.beyond(best.q)}."
        else:
            message = (
                f"{restarts + 1} attempts found no posture within the joint limits that brings frame "
                f"{self.frame!r} to the target. The best is off by {best.position_error:.3g} m and "
                f"{best.rotation_error:.3g} rad. Is the target within reach? More restarts= may help."
            )
        return Solution(best.q, best.success, best.position_error, best.rotation_error, total, message)


def _advance(robot: Robot) -> Callable[[Array, Array], Array]:
    """How a step in the tangent changes q."""
    if robot.nq == robot.nv:
        return np.add
    return cast(Callable[[Array, Array], Array], cast(Any, robot).integrate)


def _independent_directions(robot: Robot) -> Array:
    """Columns: unit rates of the joints that follow no other, with those that follow them."""
    followers = {coupling.joint for coupling in robot.couplings}
    own = [
        k for j in robot.joints if j.name not in followers for k in range(robot.nv)[robot.v_slices[j.name]]
    ]
    return np.array([coupled(robot, np.eye(robot.nv)[k], rates=True) for k in own]).reshape(-1, robot.nv).T


def _single_coordinates(robot: Robot) -> tuple[list[int], list[int]]:
    """Where the joints of one coordinate, which alone have limits, stand in q and in v."""
    single = [joint.name for joint in robot.joints if joint.nq == 1]
    return [robot.q_slices[n].start for n in single], [robot.v_slices[n].start for n in single]


def _start(robot: Robot, q0: Any) -> Array:
    lower, upper = position_bounds(robot)
    if q0 is not None:
        return coupled(robot, np.clip(as_position(robot, q0), lower, upper))
    q = as_position(robot, None)
    both = np.isfinite(lower) & np.isfinite(upper)
    q[both] = (lower[both] + upper[both]) / 2
    return coupled(robot, np.clip(q, lower, upper))


def _open(robot: Robot) -> None:
    if robot.loops:
        raise WrongValue(
            f"Robot {robot.name!r} has closed loops, which this search would break. It serves open robots."
        )


def _targets(target: Any) -> tuple[list[Array], tuple[int, ...]]:
    """The targets one by one, and the shape of their batch."""
    array = floats("The target", target)
    if array.shape[-2:] == (4, 4):
        check_poses("The target", array)
        return list(array.reshape(-1, 4, 4)), array.shape[:-2]
    if array.ndim and array.shape[-1] == 3:
        if not np.isfinite(array).all():
            raise WrongValue("The target must be finite numbers.")
        return list(array.reshape(-1, 3)), array.shape[:-1]
    raise WrongSize(
        f"A target is a pose (4, 4) or a position (3,), or a batch of them; {array.shape} was given."
    )


def _size(solution: Solution) -> float:
    return float(np.hypot(solution.position_error, solution.rotation_error))


def _stacked(answers: list[Solution], batch: tuple[int, ...]) -> Solution:
    def stack(name: str, dtype: Any = None) -> Any:
        values = np.array([getattr(answer, name) for answer in answers], dtype=dtype)
        return values.reshape(*batch, *values.shape[1:])

    return Solution(
        stack("q"),
        stack("success"),
        stack("position_error"),
        stack("rotation_error"),
        stack("iterations"),
        stack("message", object),
    )
