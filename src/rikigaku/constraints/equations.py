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
_SMALLEST = 1e-9  # singular values below this part of the largest ask for damping, not for long steps


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
        others do no harm; near singular postures they are damped.
        """
        q = np.array(q, dtype=np.float64)
        free_places = list(free)
        rows = list(range(self.residual(q[:1]).shape[-1]) if self.rows is None else self.rows)
        residual = self.residual(q)[..., rows]
        for _ in range(steps):
            size = np.abs(residual).max(axis=-1, initial=0)
            busy = np.flatnonzero(size > 1e-15)
            if not len(busy) or not free_places:
                break
            J = self.jacobian(q[busy])[..., rows, :][..., free_places]
            step = np.zeros((len(busy), self.robot.nv))
            step[:, free_places] = -_damped(J, residual[busy])
            tried = self.moved(q[busy], step)
            left = self.residual(tried)[..., rows]
            # close to the end rounding decides: a step that no longer helps is not taken
            better = (np.abs(left).max(axis=-1, initial=0) < size[busy]) | (size[busy] > 1e-9)
            if not better.any():
                break
            q[busy[better]], residual[busy[better]] = tried[better], left[better]
        closed = (np.abs(residual).max(axis=-1, initial=0) < CLOSED) & self.facing(q)
        whole = self.residual(q)
        closed &= np.abs(whole).max(axis=-1, initial=0) < (CLOSED if self.rows is None else NEARLY)
        return Search(q, whole, closed)


def _damped(J: Array, residual: Array) -> Array:
    """The step that removes the residual, no longer than `_LONGEST`, damped where J is nearly singular."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    along = np.einsum("...ij,...i->...j", U, residual)
    largest = s[..., :1] if s.shape[-1] else s
    gap = np.linalg.norm(residual, axis=-1, keepdims=True)
    # Levenberg-Marquardt with damping that vanishes with the residual keeps the order of convergence
    damping = np.minimum(1e-2 * gap, 1e-3 * largest) ** 2
    kept = s > _SMALLEST * largest
    scale = np.where(kept, s / np.where(kept, s * s + damping, 1.0), 0.0)
    step = np.einsum("...ji,...j->...i", Vt, scale * along)
    length = np.linalg.norm(step, axis=-1, keepdims=True)
    return np.asarray(step * np.minimum(1, _LONGEST / np.maximum(length, 1e-300)))
