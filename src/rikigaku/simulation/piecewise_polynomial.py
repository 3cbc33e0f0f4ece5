"""Piecewise polynomials over time: inputs of actuations that native code evaluates."""

from math import comb
from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array


class PiecewisePolynomial(NamedTuple):
    """Inputs as piecewise polynomials: starts (s), coefficients (s, powers, size), highest power first."""

    starts: Array
    coefficients: Array

    def __call__(self, t: Array) -> Array:
        """Inputs at times t; on a boundary those of the segment that starts there."""
        which = np.clip(np.searchsorted(self.starts, t, side="right") - 1, 0, len(self.starts) - 1)
        x = (t - self.starts[which])[:, None]
        total = np.zeros((len(t), self.coefficients.shape[2]))
        for k in range(self.coefficients.shape[1]):
            total = total * x + self.coefficients[which, k]
        return total

    def in_segment(self, t: float, segment: int) -> Array:
        """Inputs at one time by the polynomials of that segment."""
        total = np.zeros(self.coefficients.shape[2])
        for row in self.coefficients[segment]:
            total = total * (t - self.starts[segment]) + row
        return total

    def within(self, start: float, end: float) -> "PiecewisePolynomial":
        """The segments that overlap [start, end]."""
        first = max(int(np.searchsorted(self.starts, start, side="right")) - 1, 0)
        last = max(int(np.searchsorted(self.starts, end, side="left")), first + 1)
        return PiecewisePolynomial(self.starts[first:last], self.coefficients[first:last])


def stacked(first: PiecewisePolynomial, second: PiecewisePolynomial) -> PiecewisePolynomial:
    """The inputs of both, concatenated, over the union of their segments."""
    starts = np.union1d(first.starts, second.starts)
    powers = max(first.coefficients.shape[1], second.coefficients.shape[1])
    return PiecewisePolynomial(
        starts, np.concatenate([_shifted(x, starts, powers) for x in (first, second)], axis=2)
    )


def _shifted(pieces: PiecewisePolynomial, starts: Array, powers: int) -> Array:
    """Coefficients of the same polynomials about other starts, padded to that many powers."""
    which = np.clip(np.searchsorted(pieces.starts, starts, side="right") - 1, 0, None)
    table = pieces.coefficients[which][:, ::-1]  # lowest power first
    shift, count = starts - pieces.starts[which], table.shape[1]
    result = np.zeros((len(starts), powers, table.shape[2]))
    for power in range(count):
        for k in range(power + 1):  # the term x^k of (x + d)^power
            part = comb(power, k) * shift ** (power - k)
            result[:, powers - 1 - k] += part[:, None] * table[:, power]
    return result
