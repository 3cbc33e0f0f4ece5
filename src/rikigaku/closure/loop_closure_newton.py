"""Newton's method on loop-closure constraints r(q) = 0 for batches of states, damped as Levenberg-Marquardt.

One iteration serves every solver that closes loops: compiled laws (`LoopEquations`, here), recorded programs
that are refined in arbitrary precision (`symbolic.loops.precise_closure`), paths of joints and frames
(`fem.path_following`), and configurations for pictures (`plotting.display_configuration`).
Each gives its residual, its Jacobian and its step in the tangent space.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.types import Array, Mask
from rikigaku.model.robot_model import RobotModel

CLOSED = 1e-11  # [m, or sine of an angle]: loops with smaller residuals are closed
NEARLY_CLOSED = 1e-6  # [m, or sine]: residual of redundant equations that rounded numbers of a file may leave
STEPS = 60
_LONGEST = 0.7  # [m, rad] a step may be, far from a solution
_SMALLEST = 1e-12  # of the trace of J J^T: the least damping, so that redundant equations do no harm
_EXACT, _NEAR = 1e-15, 1e-9  # residual norms: zero up to rounding; so small that rounding errors may dominate
_DAMPING, _REJECTED = 1e-2, 1e-3  # initial, and least after a rejected step: times the residual norm
_LESS, _MORE = 0.25, 4.0  # factors of the damping after an accepted and a rejected step
_PATIENCE, _STUCK = 6, 0.99  # a state is abandoned if this many steps do not reduce its residual to this part


class ConstraintEquations(Protocol):
    """Equations r(q) = 0 for a batch of states, and the update of q by a tangent step."""

    def residual(self, q: Array) -> Array:
        """r, (states, equations)."""
        ...

    def jacobian(self, q: Array) -> Array:
        """J with dr/dt = J v, (states, equations, nv)."""
        ...

    def moved(self, q: Array, step: Array) -> Array:
        """q after a tangent step (states, nv)."""
        ...


class NewtonResult(NamedTuple):
    """Last iterates of Newton's method: configurations (states, nq) and residuals (states, equations)."""

    q: Array
    residual: Array


def newton(
    equations: ConstraintEquations,
    q: Array,
    free: Sequence[int] | None = None,
    steps: int = STEPS,
    rows: Sequence[int] | None = None,
    stop: Callable[[Array, Array], bool] | None = None,
) -> NewtonResult:
    """Solve r(q) = 0 by moving the free coordinates, each state of the batch by itself.

    The step is J^T (J J^T + damping)^-1 r: the shortest one that removes the residual, also with redundant
    equations. A step that increases the residual is rejected and the damping increased. A state whose
    residual stagnates is abandoned.

    Args:
        free: indices in v of the coordinates that may move; all if None.
        steps: the largest number of iterations.
        rows: equations to solve; all if None.
        stop: called with q and the residuals after each iteration; True ends the iteration early.
    """
    q = np.array(q, dtype=np.float64)
    whole = equations.residual(q)
    chosen = list(range(whole.shape[-1])) if rows is None else list(rows)
    residual = whole[..., chosen]
    size = np.linalg.norm(residual, axis=-1)
    damping, active = np.full(len(q), _DAMPING), np.full(len(q), free is None or len(free) > 0)
    history = [size.copy()]
    for _ in range(steps):
        busy = np.flatnonzero(active & (size > _EXACT))
        if not len(busy) or (stop is not None and stop(q, residual)):
            break
        J = equations.jacobian(q[busy])[..., chosen, :]
        places = list(range(J.shape[-1])) if free is None else list(free)
        step = np.zeros((len(busy), J.shape[-1]))
        step[:, places] = -_damped_step(J[..., places], residual[busy], damping[busy] * size[busy])
        tried = equations.moved(q[busy], step)
        new = equations.residual(tried)[..., chosen]
        better = np.linalg.norm(new, axis=-1) < size[busy]
        increased = np.maximum(damping[busy], _REJECTED) * _MORE
        damping[busy] = np.where(better, damping[busy] * _LESS, increased)
        q[busy[better]], residual[busy[better]] = tried[better], new[better]
        size[busy[better]] = np.linalg.norm(new[better], axis=-1)
        active[busy] = better | (size[busy] > _NEAR)  # near a solution rounding errors dominate
        history.append(size.copy())
        if len(history) > _PATIENCE:
            active &= (size < _STUCK * history.pop(0)) | (size < _NEAR)
    return NewtonResult(q, residual if rows is None else equations.residual(q))


def _damped_step(J: Array, residual: Array, damping: Array) -> Array:
    """J^T (J J^T + damping)^-1 residual, or with the smaller matrix J^T J; no longer than `_LONGEST`.

    damping: one number a state, in proportion to the residual, which keeps quadratic convergence.
    """
    Jt = np.swapaxes(J, 1, 2)
    wide = J.shape[1] <= J.shape[2]
    G = J @ Jt if wide else Jt @ J
    least = _SMALLEST * np.trace(G, axis1=1, axis2=2) + 1e-300
    G = G + np.maximum(damping, least)[:, None, None] * np.eye(G.shape[1])
    r = residual[..., None]
    step = (Jt @ np.linalg.solve(G, r) if wide else np.linalg.solve(G, Jt @ r))[..., 0]
    length = np.linalg.norm(step, axis=-1, keepdims=True)
    return np.asarray(step * np.minimum(1, _LONGEST / np.maximum(length, 1e-300)))


class Search(NamedTuple):
    """Configurations that Newton's method found, their residuals, and which are closed and aligned."""

    q: Array
    residual: Array
    closed: Mask


class ClosureEquations(ABC):
    """Loop-closure constraints of a robot over a batch of configurations, states along the first axis."""

    rows: tuple[int, ...] | None = None  # equations to solve, where the redundant ones hold only nearly

    @abstractmethod
    def residual(self, q: Array) -> Array:
        """All equations, (states, rows): [m] or sines of angles."""

    @abstractmethod
    def jacobian(self, q: Array) -> Array:
        """J with d(residual)/dt = J v, (states, rows, nv)."""

    @abstractmethod
    def aligned(self, q: Array) -> Mask:
        """Whether no cut joint is closed with its axes reversed."""

    @abstractmethod
    def moved(self, q: Array, step: Array) -> Array:
        """q after a tangent step."""

    def newton(
        self, q: Array, free: Sequence[int] | None = None, steps: int = STEPS, first: bool = False
    ) -> Search:
        """Close the loops by moving the free coordinates (indices in v; all if None).

        first: stop as soon as one state of the batch is closed.
        """

        def one_closed(q: Array, residual: Array) -> bool:
            small = np.abs(residual).max(axis=-1, initial=0) < CLOSED
            return bool(small.any() and self.aligned(q[small]).any())

        q, residual = newton(self, q, free, steps, self.rows, one_closed if first else None)
        solved = residual if self.rows is None else residual[..., list(self.rows)]
        closed = (np.abs(solved).max(axis=-1, initial=0) < CLOSED) & self.aligned(q)
        if self.rows is not None:
            closed &= np.abs(residual).max(axis=-1, initial=0) < NEARLY_CLOSED
        return Search(q, residual, closed)


@dataclass(frozen=True, eq=False)
class LoopEquations(ClosureEquations):
    """Loop-closure constraints by compiled laws, at given values of the robot's symbols."""

    robot: RobotModel
    symbols: Mapping[str, float] = field(default_factory=dict)
    rows: tuple[int, ...] | None = None

    def _evaluated(self, law: str, q: Array) -> Array:
        return np.asarray(bound_law(self.robot, law)(q, **self.symbols))

    def residual(self, q: Array) -> Array:
        """All equations, (states, rows): [m] or sines of angles."""
        return self._evaluated("tree.loop_residual", q)

    def jacobian(self, q: Array) -> Array:
        """J with d(residual)/dt = J v, (states, rows, nv)."""
        return self._evaluated("tree.loop_jacobian", q)

    def aligned(self, q: Array) -> Mask:
        """Whether no cut joint is closed with its axes reversed."""
        return np.asarray(np.all(self._evaluated("tree.loop_alignment", q) > 0, axis=-1))

    def moved(self, q: Array, step: Array) -> Array:
        """q after a tangent step."""
        return np.asarray(bound_law(self.robot, "tree.integrate")(q, step))
