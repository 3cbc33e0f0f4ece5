"""The loop equations of a robot for batches of postures, and Newton's method on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

# Of the residual [m, or sines of angles]: below, loops are closed.
CLOSED = 1e-11
NEARLY = 1e-6  # [m, or sines]: what the rounded numbers of a file may leave open in equations too many
_LONGEST = 0.7  # [m, rad] a step may be, far from a solution
_STEPS = 60
_SMALLEST = 1e-12  # part of the sum of squares of J: squares of singular values below ask for no step
_EXACT, _NEAR = 1e-15, 1e-9  # lengths of the residual: nothing left; so near that rounding may decide
_DAMPING, _REFUSED = 1e-2, 1e-3  # at first, and at least after a step refused: times the residual
_LESS, _MORE = 0.25, 4.0  # after a step that helped, and after one that did not
_PATIENCE, _STUCK = 6, 0.99  # given up: a residual that fell by less than this part in so many steps


class Search(NamedTuple):
    """Where Newton's method ended: postures, their residuals, which are closed the right way round."""

    q: Array
    residual: Array
    closed: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LoopEquations:
    """Residual, Jacobian and steps of a robot with its symbols given; states along the first axis."""

    robot: Robot
    symbols: Mapping[str, float] = field(default_factory=dict)
    rows: tuple[int, ...] | None = None  # those that count, where the others hold only nearly

    @cached_property
    def _laws(self) -> Any:
        return cast(Any, self.robot)

    def residual(self, q: Array) -> Array:
        """All rows, (states, rows)."""
        return np.asarray(self._laws.loop_residual(q, **self.symbols))

    def jacobian(self, q: Array) -> Array:
        """(states, rows, nv)."""
        return np.asarray(self._laws.loop_jacobian(q, **self.symbols))

    def facing(self, q: Array) -> NDArray[np.bool_]:
        """Whether no cut joint is closed the wrong way round."""
        return np.asarray(np.all(self._laws.loop_facing(q, **self.symbols) > 0, axis=-1))

    def moved(self, q: Array, step: Array) -> Array:
        """q after a step in the tangent."""
        return np.asarray(self._laws.integrate(q, step))

    def newton(self, q: Array, free: Sequence[int], steps: int = _STEPS) -> Search:
        """Close the loops by moving the free coordinates (places in v), each state for itself.

        Steps are those of least length that remove the residual, all rows at once, so rows that follow from
        others do no harm. No step is taken that makes the residual longer: it is damped more instead. A state
        whose residual hardly falls any more is given up.
        """
        q = np.array(q, dtype=np.float64)
        free_places = list(free)
        rows = list(range(self.residual(q[:1]).shape[-1]) if self.rows is None else self.rows)
        residual = self.residual(q)[..., rows]
        size = np.linalg.norm(residual, axis=-1)
        damping, going = np.full(len(q), _DAMPING), np.full(len(q), bool(free_places))
        before = [size.copy()]
        for _ in range(steps):
            busy = np.flatnonzero(going & (size > _EXACT))
            if not len(busy):
                break
            J = self.jacobian(q[busy])[..., rows, :][..., free_places]
            step = np.zeros((len(busy), self.robot.nv))
            step[:, free_places] = -_damped(J, residual[busy], damping[busy] * size[busy])
            tried = self.moved(q[busy], step)
            left = self.residual(tried)[..., rows]
            better = np.linalg.norm(left, axis=-1) < size[busy]
            more = np.maximum(damping[busy], _REFUSED) * _MORE
            damping[busy] = np.where(better, damping[busy] * _LESS, more)
            q[busy[better]], residual[busy[better]] = tried[better], left[better]
            size[busy[better]] = np.linalg.norm(left[better], axis=-1)
            going[busy] = better | (size[busy] > _NEAR)  # close to the end rounding decides
            before.append(size.copy())
            if len(before) > _PATIENCE:
                going &= (size < _STUCK * before.pop(0)) | (size < _NEAR)
        whole = self.residual(q)
        closed = (np.abs(whole[..., rows]).max(axis=-1, initial=0) < CLOSED) & self.facing(q)
        closed &= np.abs(whole).max(axis=-1, initial=0) < (CLOSED if self.rows is None else NEARLY)
        return Search(q, whole, closed)


def _damped(J: Array, residual: Array, damping: Array) -> Array:
    """The steps that remove the residuals, no longer than `_LONGEST`, damped by Levenberg and Marquardt.

    J^T (J J^T + damping)^-1 residual, or with the smaller matrix J^T J. damping: one number a state, in
    proportion to the residual, which keeps the order of convergence.
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
