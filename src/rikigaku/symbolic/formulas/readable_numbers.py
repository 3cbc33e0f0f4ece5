"""Numbers of recorded programs as readers expect them: 8/375 for 0.021333333333333336, pi/2 for 1.5707963."""

import math
from fractions import Fraction

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_layout import COMMON_DENOMINATORS
from rikigaku.numbers.formula_terms import Monomial

_LARGEST_FRACTION = 10**6  # denominators up to here are as they were given
_PI = Fraction(math.pi)
_ROUNDING = Fraction(5, 10**14)  # relative error of numbers that are shown
# A float this near to a short number is taken for it; one float in 10 000 at random has such a neighbour.
_FEW_ROUNDINGS, _SHORT_DENOMINATOR, _SHORT_DIGITS = 1e-15, 10**4, 10


def number_of(value: float) -> Fraction:
    """The short decimal or fraction that a float stands for up to rounding, or its own decimal."""
    own = Fraction(repr(float(value)))
    for short in (Fraction(f"{value:.{_SHORT_DIGITS}g}"), own.limit_denominator(_SHORT_DENOMINATOR)):
        if abs(float(short - own)) <= _FEW_ROUNDINGS * abs(value):
            return short
    return own


def readable(formula: Formula) -> Formula:
    """The formula with floats as numbers for readers: 1/12 for 0.08333333333333333, at most 14 digits.

    Constant terms that are common multiples of pi are written with pi: theta7 - theta2 + pi.
    """
    turns = {m: x for m, c in formula.terms if not m and (x := _multiple_of_pi(c))}
    terms = ((_readable_monomial(m), _readable_number(c)) for m, c in formula.terms if m not in turns)
    shown = Formula(tuple(terms))
    return shown + Formula.of("pi") * turns[()] if turns else shown


def _multiple_of_pi(c: Fraction) -> Fraction | None:
    """c/pi, if c is a float and this is a common fraction up to rounding."""
    if c.denominator < _LARGEST_FRACTION:
        return None
    multiple = (c / _PI).limit_denominator(max(COMMON_DENOMINATORS))
    near = abs(multiple * _PI - c) <= _ROUNDING * abs(c)
    return multiple if near and multiple.denominator in COMMON_DENOMINATORS else None


def _readable_monomial(monomial: Monomial) -> Monomial:
    return tuple(
        ((kind, readable(inside) if isinstance(inside, Formula) else inside), power)
        for (kind, inside), power in monomial
    )


def _readable_number(c: Fraction) -> Fraction:
    if c.denominator < _LARGEST_FRACTION:
        return c
    simple = c.limit_denominator(max(COMMON_DENOMINATORS))
    if simple.denominator in COMMON_DENOMINATORS and abs(simple - c) <= _ROUNDING * abs(c):
        return simple
    short = Fraction(f"{float(c):.14g}")
    return short if abs(short - c) <= _ROUNDING * abs(c) else c
