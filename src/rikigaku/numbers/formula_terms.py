"""Terms of a formula: the types of its data, their order, and their value in any kind of number."""

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from rikigaku.core.errors import MissingValue
from rikigaku.numbers.elementary_functions import cos, sign, sin, sqrt
from rikigaku.numbers.number_kind import Kind, Number

FactorKind = Literal["symbol", "sin", "cos", "sqrt", "sign", "sum", "pi", "absolute"]  # the last for LaTeX
Factor = tuple[FactorKind, Any]  # ("symbol", name), ("pi", ""), ("sin", Formula), ...
Monomial = tuple[tuple[Factor, int], ...]
Terms = tuple[tuple[Monomial, Fraction], ...]

_ORDER = {"symbol": 0, "sin": 1, "cos": 2, "sqrt": 3, "sign": 4, "sum": 5, "pi": 6}


def factor_order(factor: tuple[Factor, int]) -> tuple[int, tuple[Any, ...], int]:
    """Sorting key of the factors of a term."""
    (kind, inside), power = factor
    return _ORDER[kind], natural_order(str(inside)), power


@lru_cache(maxsize=65536)
def natural_order(name: str) -> tuple[Any, ...]:
    """Sorting key of a name: its numbers are compared as numbers, theta2 before theta10."""
    parts = re.split(r"([0-9]+)", name)  # texts and numbers take turns
    return tuple(int(x) if k % 2 else x for k, x in enumerate(parts))


def in_order(terms: Iterable[tuple[Monomial, Fraction]]) -> Terms:
    """Terms in their order: by factors, the rational constant last."""
    return tuple(sorted(terms, key=lambda term: (not term[0], [factor_order(factor) for factor in term[0]])))


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
    for factor, power in monomial:
        value = _whole_power(_factor_value(factor, kind, symbols), abs(power))
        (above if power > 0 else below).append(value)
    negative = coefficient == -1 and bool(above)
    if not above or abs(coefficient) != 1:
        above.insert(0, kind.rational(coefficient))
    value = math.prod(above[1:], start=above[0])
    if below:
        value = value / math.prod(below[1:], start=below[0])
    return -value if negative else value


def _whole_power(base: Number, n: int) -> Number:
    """base**n for n > 0 by repeated squaring; a kind of number need only multiply."""
    if n == 1:
        return base
    half = _whole_power(base, n // 2)
    return half * half * base if n % 2 else half * half


def _factor_value(factor: Factor, kind: Kind, symbols: Mapping[str, Number]) -> Number:
    name, inside = factor
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
