"""Lengths drawn at random near given ones: short rational numbers with which loops still close."""

import math
from fractions import Fraction

import numpy as np

from rikigaku.errors import CannotClose
from rikigaku.symbolic.loops.closing import ConsistentState
from rikigaku.symbolic.loops.component import Component

_DENOMINATOR = 50  # of symbols without a value, drawn from [1, 2)
_BITS = 13  # of the others: few, for coefficients are recognised as quotients of short numbers
SPREADS = (Fraction(1, 20), Fraction(1, 50), Fraction(1, 200), Fraction(1, 200))  # loops close near by only


def near(declared: float | None, spread: Fraction, rng: np.random.Generator) -> Fraction:
    """A short random number near the declared one."""
    if declared is None:
        return Fraction(int(rng.integers(_DENOMINATOR, 2 * _DENOMINATOR)), _DENOMINATOR)
    if declared == 0:
        return Fraction(int(rng.integers(1, 100)), 100) * spread
    unit = Fraction(2) ** (math.frexp(declared)[1] - _BITS)
    middle = round(declared / float(unit))
    reach = max(int(abs(middle) * spread), 1)
    return unit * (middle + int(rng.integers(-reach, reach + 1)))


def generic_states(component: Component, bits: int, rng: np.random.Generator) -> list[ConsistentState]:
    """Two postures of a component at lengths in no special relation; none where loops do not close there."""
    for spread in SPREADS:
        values = {name: near(float(x), spread, rng) for name, x in component.values.items()}
        try:
            return [component.state(bits, values) for _ in range(2)]
        except CannotClose:
            continue
    return []
