"""The value of a formula in any kind of number."""

import math
from collections.abc import Mapping
from fractions import Fraction

from rikigaku.errors import MissingValue
from rikigaku.numbers.formula_terms import Atom, Monomial, Terms
from rikigaku.numbers.functions import cos, sign, sin, sqrt
from rikigaku.numbers.kind import Kind, Number

_FUNCTIONS = {"sin": sin, "cos": cos, "sqrt": sqrt, "sign": sign}


def value_of(terms: Terms, kind: Kind, symbols: Mapping[str, Number]) -> Number:
    """The sum of the terms: constants come from `kind`, symbols from the mapping."""
    if not terms:
        return kind.rational(Fraction(0))
    values = [_term_value(monomial, coefficient, kind, symbols) for monomial, coefficient in terms]
    return sum(values[1:], start=values[0])


def _term_value(
    monomial: Monomial, coefficient: Fraction, kind: Kind, symbols: Mapping[str, Number]
) -> Number:
    above: list[Number] = []
    below: list[Number] = []
    for atom, power in monomial:
        value = _whole_power(_atom_value(atom, kind, symbols), abs(power))
        (above if power > 0 else below).append(value)
    negative = coefficient == -1 and bool(above)
    if not above or abs(coefficient) != 1:
        above.insert(0, kind.rational(coefficient))
    value = math.prod(above[1:], start=above[0])
    if below:
        value = value / math.prod(below[1:], start=below[0])
    return -value if negative else value


def _whole_power(base: Number, n: int) -> Number:
    """base**n for n > 0 by squaring: every kind of number multiplies, not every kind has powers."""
    if n == 1:
        return base
    half = _whole_power(base, n // 2)
    return half * half * base if n % 2 else half * half


def _atom_value(atom: Atom, kind: Kind, symbols: Mapping[str, Number]) -> Number:
    name, inside = atom
    if name == "symbol":
        if inside not in symbols:
            raise MissingValue(f"The symbol {inside!r} has no value: give {inside}=...")
        return symbols[inside]
    if name == "pi":
        return kind.pi()
    if name == "sum":
        return inside.evaluate(kind, symbols)
    if name == "sign" or not inside.is_number:
        return _FUNCTIONS[name](inside.evaluate(kind, symbols))
    return kind.sqrt(inside) if name == "sqrt" else kind.sin_cos(inside)[name == "cos"]
