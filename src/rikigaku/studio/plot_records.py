"""Curves over time, events and lines of formulas, as records for the page."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.types import Array
from rikigaku.simulation.solution import Solution

_MOST_POINTS = 1500  # of a curve
_MOST_EVENTS = 400


@dataclass(frozen=True)
class CurveRecord:
    """A curve over the times of its plot; name: a symbol, or the key of a text; None: a gap."""

    name: str
    values: list[float | None]


@dataclass(frozen=True)
class PlotRecord:
    """Curves over time [s]; title: key of a text; unit: shown in brackets behind it."""

    title: str
    unit: str
    times: list[float]
    curves: list[CurveRecord]


@dataclass(frozen=True)
class EventRecord:
    """What happened at a time [s], and the contact mode before."""

    t: float
    names: list[str]
    contact_mode: str


def plot_record(title: str, unit: str, t: ArrayLike, curves: dict[str, Any]) -> PlotRecord:
    """Curves by name over times t, thinned to what a plot can show; what is not finite is a gap."""
    times = np.asarray(t, dtype=np.float64)
    picked = _picked(times)
    found = [
        CurveRecord(name, _with_gaps(np.asarray(values, dtype=np.float64)[picked]))
        for name, values in curves.items()
    ]
    return PlotRecord(title, unit, [float(x) for x in times[picked] - times[0]], found)


def _with_gaps(values: Array) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in values]


def event_records(solution: Solution) -> list[EventRecord]:
    """The first events of a motion, at times since its start."""
    start = float(solution.t[0])
    return [
        EventRecord(float(event.t) - start, [event.name, *event.also], event.mode)
        for event in solution.events[:_MOST_EVENTS]
    ]


def _picked(t: Array) -> Any:
    count = len(t)
    return slice(None) if count <= _MOST_POINTS else np.linspace(0, count - 1, _MOST_POINTS).astype(int)
