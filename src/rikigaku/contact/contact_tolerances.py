"""Tolerances of contacts: gaps, speeds, and forces and responses relative to their scales."""

import numpy as np

from rikigaku.core.types import Array

CLOSED = 1e-8  # [m]: smaller penetrations of an initial state are closed by projection
REST = 2e-9  # [m/s, rad/s]: smaller speeds are zero
# [m/s, rad/s]: a contact that leaves this slowly and is accelerated back stays closed: such a flight is less
# than 1e-13 m high, which is rounding of positions.
SLOW = 1e-6
TOLERANCE = 1e-9  # of forces and accelerations, relative to the largest of their kind
STICKING = 5e-11  # of static friction: relative excess over its limit that is accepted
_SMALLEST = 1e-6  # [m/s^2, m/s]: the smallest response that sets a scale
# The same relative to the terms whose sum is w0: where they cancel, what is left of w0 is their rounding.
_CANCELLED = 1e-5


def smallest_response(magnitude: float) -> float:
    """The smallest response w that sets a scale, where w0 is a sum of terms of this magnitude."""
    return max(_SMALLEST, _CANCELLED * magnitude)


def force_scale(W: Array, F: Array, least: float) -> float:
    """The scale of forces: the largest of F, or the force of the least response that sets a scale."""
    largest = float(np.diag(W).max(initial=0.0))
    return max(float(np.abs(F).max(initial=0.0)), least / largest if largest > 0 else 0.0)
