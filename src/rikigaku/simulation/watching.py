"""Guards in Python: a mode is looked at after every step, and the moment it gives way is found within it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rikigaku.simulation.fields import MORE, Field
from rikigaku.simulation.interpolation import interpolated
from rikigaku.simulation.modes import Array, Watch

_DEEPEST = 10  # halvings of a step in search of a passage


class Passage(NamedTuple):
    """When, and the state then."""

    t: float
    y: Array


def given_way(
    made: Field,
    watch: Watch,
    step: Array,
    last: Array,
    inputs: Callable[[float, Array, Array], Array],
    p: Array,
) -> Passage | None:
    """Where within a recorded step, which ends at the state `last`, the watch ends the mode; None if nowhere.

    inputs: those of the drive at (t, q, v). p: parameters of the programs.
    """
    nq, n = made.robot.nq, made.size

    def value(t: float, y: Array) -> float:
        q, v, tau = y[:nq].copy(), y[nq:-MORE].copy(), np.empty(made.robot.nv)
        made.forces([np.array([t]), y, inputs(t, q, v), p], [tau])
        return watch.value(t, q, v, tau)

    def state(t: float) -> Array:
        if t == step[1]:
            return last
        y = interpolated(step[None], n, np.array([t]), np.zeros(1, dtype=np.int64))[0]
        if made.settled is not None and t > step[0]:
            between, y = y, np.empty(n)
            made.settled([np.array([t]), between, np.zeros(made.drive.size), p], [y])
        return y

    return first_passage(value, state, step[0], step[1])


def first_passage(
    value: Callable[[float, Array], float], state: Callable[[float], Array], begin: float, end: float
) -> Passage | None:
    """The first time within a step at which value(t, y) has fallen below zero; None if it does not.

    A step is halved where a straight line through its ends misses the middle by more than what is left there
    to zero: a dip between two looks is not passed over.
    """
    known: dict[float, tuple[float, Array]] = {}

    def at(t: float) -> float:
        if t not in known:
            y = state(t)
            known[t] = value(t, y), y
        return known[t][0]

    def fallen(a: float, b: float, depth: int) -> tuple[float, float] | None:
        """An interval at whose end, not at whose beginning, the value is below zero."""
        middle = 0.5 * (a + b)
        if at(middle) < 0:
            return fallen(a, middle, depth - 1) or (a, middle) if depth > 0 else (a, middle)
        bend = abs(at(middle) - 0.5 * (at(a) + at(b)))
        if depth > 0 and bend > 0.25 * min(at(a), at(middle)):
            found = fallen(a, middle, depth - 1)
            if found is not None:
                return found
        if depth > 0 and bend > 0.25 * min(at(middle), max(at(b), 0.0)):
            return fallen(middle, b, depth - 1) or ((middle, b) if at(b) < 0 else None)
        return (middle, b) if at(b) < 0 else None

    if at(begin) < 0:  # it began so: what changed at that moment decides
        return Passage(begin, known[begin][1])
    bracket = fallen(begin, end, _DEEPEST)
    if bracket is None:
        return None
    t = _root(at, *bracket)
    return Passage(t, known[t][1])


def _root(at: Callable[[float], float], a: float, b: float) -> float:
    """The end, below zero, of an interval that cannot be halved any more: regula falsi (Illinois), halvings
    between."""
    fa, fb = at(a), at(b)
    for turn in range(200):
        if b - a <= 4 * np.finfo(float).eps * max(abs(a), abs(b)):
            break
        c = 0.5 * (a + b) if turn % 3 == 2 or fa == fb else b - fb * (b - a) / (fb - fa)
        if not a < c < b:
            c = 0.5 * (a + b)
            if not a < c < b:
                break
        fc = at(c)
        if fc < 0:
            b, fb, fa = c, fc, fa * 0.5 if turn % 3 else fa
        else:
            a, fa, fb = c, fc, fb * 0.5 if turn % 3 else fb
    return b
