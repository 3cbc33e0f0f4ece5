"""The nearest configuration with closed loops to a target that a closed robot does not reach.

Levenberg-Marquardt steps on the error of the frame within the null space of the closure Jacobian, each
followed by Newton's method on the loops. Joints at a limit that a step would leave are held.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import equations_of
from rikigaku.closure.loop_closure_newton import CLOSED, newton
from rikigaku.closure.platform_legs import PosedLoops
from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.levenberg_marquardt import SearchOptions, bounds_of
from rikigaku.inverse_kinematics.target_kinds import PoseTarget, PositionTarget
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import random_state

_RANDOM = 6  # random configurations from which loops are closed, besides the start and the best of the search
_STEPS = 80
_LONGEST = 0.3  # step [rad, m]
_SETTLED = 1e-9  # relative gain of a step at which a minimum is reached
_RANK = 1e-9
_AT_LIMIT = 1e-9  # [rad, m]
_LARGEST_DAMPING = 1e8
_FIELDS = ("q", "position_error", "rotation_error", "message")


def with_closed_loops(
    robot: RobotModel,
    found: IkSolution,
    goal: PoseTarget | PositionTarget,
    targets: Array,
    start: Array,
    options: SearchOptions,
) -> IkSolution:
    """The result of a search; where it failed, the nearest configuration whose loops are closed."""
    fields: dict[str, Any] = {name: np.array(getattr(found, name)) for name in _FIELDS}
    loops = equations_of(robot, options.symbols)
    bounds = bounds_of(robot) if options.bounds is None else options.bounds
    for k in np.nonzero(~found.success)[0]:
        problem = _Nearest(robot, PosedLoops(loops, goal.frame, targets[k]), bounds)
        own = start if start.ndim == 1 else start[k]
        starts = [found.q[k], own, *random_state(robot, np.random.default_rng(7), _RANDOM).q]
        q, closed = problem.projected(np.array(starts, dtype=np.float64), problem.everything)
        if not closed.any():
            continue
        minima = [problem.minimum(x) for x in q[closed]]
        best = minima[int(np.argmin([cost for _, cost in minima]))][0]
        error = problem.error(best)
        distance, angle = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
        fields["q"][k], fields["position_error"][k], fields["rotation_error"][k] = best, distance, angle
        fields["message"][k] = (
            f"{options.restarts + 1} attempts found no configuration within the joint limits that brings "
            f"frame {goal.frame!r} to the target. The nearest found with closed loops is off by "
            f"{distance:.3g} m and {angle:.3g} rad."
        )
    return replace(found, texts=fields.pop("message"), **fields)


class _Nearest:
    """The least error of a frame over the configurations with closed loops within bounds."""

    def __init__(self, robot: RobotModel, equations: PosedLoops, bounds: tuple[Array, Array]) -> None:
        self.equations, self.loops = equations, equations.loops
        own = [j for j in robot.joints if j.nq == 1]
        self.places = [robot.q_slices[j.name].start for j in own]
        self.rates = [robot.v_slices[j.name].start for j in own]
        self.lower, self.upper = (x[self.places] for x in bounds)
        self.everything = list(range(robot.nv))

    def error(self, q: Array) -> Array:
        """Position [m] and rotation vector [rad] of the frame beside the target."""
        rows = self.loops.residual(q[None]).shape[-1]
        return np.asarray(self.equations.residual(q[None])[0, rows:])

    def projected(self, q: Array, free: list[int]) -> tuple[Array, Mask]:
        """Configurations (m, nq) with loops closed by the free rates, and which are closed within bounds."""
        q, residual = newton(self.loops, q, free)
        x = q[:, self.places]
        inside = ((x >= self.lower - _AT_LIMIT) & (x <= self.upper + _AT_LIMIT)).all(axis=1)
        return q, np.asarray((np.abs(residual).max(axis=1) < CLOSED) & self.loops.aligned(q) & inside)

    def minimum(self, q: Array) -> tuple[Array, float]:
        """A local minimum of the squared error from a closed configuration, and that square."""
        error = self.error(q)
        cost, damping = float(error @ error), 1e-3
        for _ in range(_STEPS):
            rows = self.loops.residual(q[None]).shape[-1]
            J = self.equations.jacobian(q[None])[0]
            step, free = self._step(q, J[:rows], J[rows:], error, damping)
            trial, good = self.projected(self.loops.moved(q[None], step[None]), free)
            new = self.error(trial[0])
            if good[0] and new @ new < cost:
                gain = 1 - float(new @ new) / cost
                q, error, cost, damping = trial[0], new, float(new @ new), max(damping / 5, 1e-9)
                if gain < _SETTLED:
                    break
            elif damping > _LARGEST_DAMPING:
                break
            else:
                damping *= 10
        return q, cost

    def _step(
        self, q: Array, closure: Array, frame: Array, error: Array, damping: float
    ) -> tuple[Array, list[int]]:
        """The damped step of rates that keeps the loops closed, and the rates that no limit holds."""
        free = list(self.everything)
        x = q[self.places]
        while True:
            sizes, Vt = np.linalg.svd(closure[:, free])[1:]
            N = Vt[int((sizes > _RANK * sizes[0]).sum()) :].T
            A = frame[:, free] @ N
            y = np.linalg.solve(A.T @ A + damping * np.eye(A.shape[1]), -A.T @ error) if A.size else A[0]
            step = np.zeros(len(self.everything))
            step[free] = N @ y
            step *= min(1.0, _LONGEST / max(np.abs(step).max(), 1e-300))
            move = step[self.rates]
            below, above = (
                (x <= self.lower + _AT_LIMIT) & (move < 0),
                (x >= self.upper - _AT_LIMIT) & (move > 0),
            )
            held = {
                rate for rate, flag in zip(self.rates, below | above, strict=True) if flag and rate in free
            }
            if not held:
                break
            free = [k for k in free if k not in held]
        with np.errstate(all="ignore"):  # up to the first limit
            room = np.where(
                move > 0, (self.upper - x) / move, np.where(move < 0, (self.lower - x) / move, np.inf)
            )
        return step * min(1.0, float(np.nanmin(room, initial=np.inf))), free
