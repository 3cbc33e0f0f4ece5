"""Chattering: contacts of one body that bounce in turns, each to rest, and set one another off again.

A ball that bounces to rest, or a block that rocks, approaches more slowly at every impact. Where contacts
bounce in turns, one that has nearly come to rest is set off again by its neighbour, with a multiple of its
last speed of approach: a Zeno sequence within each bounce of another one, thousands of impacts in
milliseconds. The number of these revivals in a time window therefore tells chattering from motions that come
to rest by themselves, whatever their rates.
"""

from collections import deque
from typing import Any

import numpy as np

from rikigaku.core.types import Array

_WINDOW = 20e-3  # [s]
_REVIVALS = 4  # within the window: so many are chattering
_GROWTH = 4.0  # of a contact's speed of approach from one impact to the next, which is a revival
# Approaches slower than the part of the fastest one in the window, or than a speed [m/s], are inelastic then.
_PART, _SPEED = 3e-3, 1e-4


class Chattering:
    """The recent impacts of a motion, and the speed below which chattering contacts do not bounce."""

    def __init__(self) -> None:
        self._impacts: deque[tuple[float, float]] = deque()  # times and speeds of approach
        self._revivals: deque[float] = deque()  # their times
        self._last: dict[int, tuple[float, float]] = {}  # of each contact: time and speed of its last impact

    def record(self, t: float, approach: Array, hit: Any) -> None:
        """Add an impact: speeds of approach [m/s] of all contacts, and which of them had an impulse."""
        speeds = {int(i): float(approach[i]) for i in np.flatnonzero(hit) if approach[i] > 0}
        for i, speed in speeds.items():
            before, slower = self._last.get(i, (-np.inf, np.inf))
            if t - before < _WINDOW and speed > _GROWTH * slower:
                self._revivals.append(t)
            self._last[i] = t, speed
        self._impacts.append((t, max(speeds.values(), default=0.0)))

    def speed(self, t: float) -> float:
        """Speed [m/s] below which approaches are inelastic, and closed contacts do not leave; 0 without
        chattering. The energy of such bounces is dissipated."""
        while self._impacts and t - self._impacts[0][0] > _WINDOW:
            self._impacts.popleft()
        while self._revivals and t - self._revivals[0] > _WINDOW:
            self._revivals.popleft()
        if len(self._revivals) < _REVIVALS:
            return 0.0
        return max(_SPEED, _PART * max(speed for _, speed in self._impacts))
