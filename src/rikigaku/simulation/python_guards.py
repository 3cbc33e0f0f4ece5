"""Location of events of Python guards within a step, by bisection and regula falsi."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Mode
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.step_interpolation import interpolated
from rikigaku.simulation.vector_fields import ModeField

_NARROWEST, _ROUNDING = 1e-13, 1e-15  # [s]: bracket of an event, and that relative to a large time
_DEEPEST = 10  # bisections of a step in search of a crossing


class Crossing(NamedTuple):
    """Time and state of a zero crossing."""

    t: float
    y: Array


def python_guard_event(
    made: ModeField,
    mode: Mode,
    actuation: Actuation,
    step: Array,
    last: Array,
    inputs: Callable[[float, Array, Array], Array],
) -> Crossing | None:
    """The first crossing of the mode's Python guard within a recorded step that ends at `last`, or None.

    inputs: of the actuation at (t, q, v).
    """
    nq, n, guard = made.robot.nq, made.size, mode.python_guard
    assert guard is not None

    def value(t: float, y: Array) -> float:
        q, v = y[:nq].copy(), y[nq:-EXTRA_STATES].copy()
        tau = made.forces(actuation, np.array([t]), y[None], inputs(t, q, v)[None])[0]
        return guard.value(t, q, v, tau)

    def state(t: float) -> Array:
        if t == step[1]:
            return last
        y = interpolated(step[None], n, np.array([t]), np.zeros(1, dtype=np.int64))[0]
        projected = made.projected_states(mode, actuation, np.array([t]), y[None]) if t > step[0] else None
        return y if projected is None else projected[0]

    return first_crossing(value, state, step[0], step[1])


def first_crossing(
    value: Callable[[float, Array], float], state: Callable[[float], Array], begin: float, end: float
) -> Crossing | None:
    """The first time within a step at which value(t, y) is negative; None if it is not.

    An interval is bisected if the chord through its ends deviates from the value at the middle by more than a
    quarter of the distance to zero: a short dip between two samples is not missed.
    """
    known: dict[float, tuple[float, Array]] = {}

    def at(t: float) -> float:
        if t not in known:
            y = state(t)
            known[t] = value(t, y), y
        return known[t][0]

    def bracket(a: float, b: float, depth: int) -> tuple[float, float] | None:
        """An interval with a value >= 0 at its start and < 0 at its end."""
        middle = 0.5 * (a + b)
        if at(middle) < 0:
            return bracket(a, middle, depth - 1) or (a, middle) if depth > 0 else (a, middle)
        deviation = abs(at(middle) - 0.5 * (at(a) + at(b)))
        if depth > 0 and deviation > 0.25 * min(at(a), at(middle)):
            found = bracket(a, middle, depth - 1)
            if found is not None:
                return found
        if depth > 0 and deviation > 0.25 * min(at(middle), max(at(b), 0.0)):
            return bracket(middle, b, depth - 1) or ((middle, b) if at(b) < 0 else None)
        return (middle, b) if at(b) < 0 else None

    if at(begin) < 0:  # negative from the start: the event before it decides
        return Crossing(begin, known[begin][1])
    interval = bracket(begin, end, _DEEPEST)
    if interval is None:
        return None
    t = _root(at, *interval)
    return Crossing(t, known[t][1])


def _root(at: Callable[[float], float], a: float, b: float) -> float:
    """The end, with a negative value, of the smallest bracket: Illinois method with bisections."""
    fa, fb = at(a), at(b)
    for iteration in range(200):
        if b - a <= max(_NARROWEST, _ROUNDING * abs(b)):
            break
        c = 0.5 * (a + b) if iteration % 3 == 2 or fa == fb else b - fb * (b - a) / (fb - fa)
        if not a < c < b:
            c = 0.5 * (a + b)
            if not a < c < b:
                break
        fc = at(c)
        if fc < 0:
            b, fb, fa = c, fc, fa * 0.5 if iteration % 3 else fa
        else:
            a, fa, fb = c, fc, fb * 0.5 if iteration % 3 else fb
    return b
