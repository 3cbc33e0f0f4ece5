"""Paths of a continuation: their last points, the extrapolation to the next, and their ends."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.complex_newton import Complex

Indices = NDArray[np.int64]

HISTORY = 5  # points of a path from which the next one is extrapolated
SINGULAR_END = 1e-3  # a path that is this near to its end and does not reach it ends at a singular one
_DIAGONAL = np.eye(HISTORY, dtype=bool)
_FIRST_STEP = 0.02


@dataclass
class Paths:
    """Paths on their way (m): parameter, next step, the last points with their parameters, and their places.

    times (m, 5) are NaN where there is no point yet; points (m, 5, 6), the latest first.
    """

    place: Indices
    t: Array
    h: Array
    times: Array
    points: Complex
    target: Complex
    difference: Complex

    @classmethod
    def begun(cls, q: Complex, start: Complex, target: Complex) -> "Paths":
        """Paths from configurations (m, 6) at their first parameters."""
        m = len(q)
        times, points = np.full((m, HISTORY), np.nan), np.zeros((m, HISTORY, 6), dtype=complex)
        times[:, 0], points[:, 0] = 0.0, q
        return cls(np.arange(m), np.zeros(m), np.full(m, _FIRST_STEP), times, points, target, start - target)

    def advance(self, t: Array, q: Complex, good: Mask) -> None:
        """Accept points where they are good."""
        times = np.concatenate([t[:, None], self.times[:, :-1]], axis=1)
        points = np.concatenate([q[:, None], self.points[:, :-1]], axis=1)
        if good.all():
            self.t, self.times, self.points = t, times, points
            return
        self.t = np.where(good, t, self.t)
        self.times = np.where(good[:, None], times, self.times)
        self.points = np.where(good[:, None, None], points, self.points)

    def kept(self, rows: Mask) -> "Paths":
        """Some of the paths."""
        return Paths(*(getattr(self, field.name)[rows] for field in fields(self)))

    def store(self, q: Complex, t: Array, rows: Mask) -> None:
        """Store the ends of paths; those near to their end are extrapolated to it."""
        own = self.kept(rows)
        q[own.place], t[own.place] = own.points[:, 0], own.t
        near = (own.t < 1) & (own.t > 1 - SINGULAR_END)
        if near.any():
            q[own.place[near]] = extrapolated(own.times[near], own.points[near], np.ones(int(near.sum())))


def extrapolated(times: Array, points: Complex, t: Array) -> Complex:
    """Values at t of the polynomials through points (m, k, 6) at times (m, k), NaN where there is none."""
    known = ~np.isnan(times)
    own = np.where(known, times, 0.0)
    gap = own[:, :, None] - own[:, None]
    left_out = ~(known[:, :, None] & known[:, None]) | _DIAGONAL
    factors = np.where(left_out, 1.0, (t[:, None] - own)[:, None] / np.where(left_out, 1.0, gap))
    weight = factors.prod(axis=2) * known
    return np.asarray((weight[:, None] @ points)[:, 0])
