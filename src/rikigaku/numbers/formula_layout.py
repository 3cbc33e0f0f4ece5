"""How a formula is laid out for readers: numbers inside and outside of brackets, and the operations it shows.

A sum that is a factor has 1 as its first coefficient (`formula`). Readers want other numbers: small integers,
x*(3*a + 2*b) for 3*x*(a + 2*b/3), or decimals, x*(0.25*a - 0.13*b) for 0.25*x*(a - 13*b/25).
"""

from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_terms import Factor, Monomial, Terms, in_order

# Integers that are taken in at a glance, and that are read more easily than decimals.
_SMALL, _LARGEST_INTEGER = 50, 999
# Denominators people write as a fraction (L/3, pi/180); others are shown as a decimal where it is finite.
COMMON_DENOMINATORS = frozenset({*range(1, 13), 16, 18, 24, 36, 180, 360} - {5, 10})
# Denominators in front of brackets with small integers: x*(3*a + b)/4.
_IN_FRONT = frozenset(x for x in COMMON_DENOMINATORS if x <= 24)
UNREADABLE = 1000  # characters that a fraction like 203/4318 counts more


@lru_cache(maxsize=65536)
def shown_terms(formula: Formula) -> Terms:
    """The terms of a sum as they are shown: sums among them without brackets, numbers as readers want."""
    found: list[tuple[Monomial, Fraction]] = []
    for monomial, coefficient in formula.terms:
        if len(monomial) == 1 and monomial[0][0][0] == "sum" and monomial[0][1] == 1:
            whole, number = laid_out(monomial, coefficient)
            if abs(number) == 1:
                inside: Formula = whole[0][0][1]
                found += [(m, c * number) for m, c in shown_terms(inside)]
                continue
        found.append(laid_out(monomial, coefficient))
    terms = tuple(found) if len(found) == len(formula.terms) else in_order(found)
    return _without_leading_minus(terms)


def as_shown(formula: Formula) -> Formula:
    """The formula with its terms and numbers as they are shown: what is computed is what is read."""
    terms = []
    for monomial, coefficient in shown_terms(formula):
        factors = tuple(((kind, as_shown(x) if kind == "sum" else x), n) for (kind, x), n in monomial)
        terms.append((factors, coefficient))
    return Formula(tuple(terms))


def _without_leading_minus(terms: Terms) -> Terms:
    """1 - c**2 for -c**2 + 1, and (x - y)/a for -(y - x)/a."""
    if len(terms) > 1 and terms[0][1] < 0:
        return tuple(sorted(terms, key=lambda term: term[1] < 0))
    if len(terms) == 1 and terms[0][1] < 0:
        monomial, coefficient = terms[0]
        for k, ((kind, inside), power) in enumerate(monomial):
            if kind == "sum" and power % 2 and any(c < 0 for _, c in inside.terms):
                return (((*monomial[:k], ((kind, -inside), power), *monomial[k + 1 :]), -coefficient),)
    return terms


@lru_cache(maxsize=65536)
def laid_out(monomial: Monomial, coefficient: Fraction) -> tuple[Monomial, Fraction]:
    """The same term with the numbers of its sums as they are shown, and 1/sqrt(y) for sqrt(y)/y."""
    monomial, coefficient = _with_roots_below(monomial, coefficient)
    if not any(kind == "sum" for (kind, _), _ in monomial):
        return monomial, coefficient
    shown = list(monomial)
    alone = len(monomial) == 1 and monomial[0][1] == 1
    for k in sorted(range(len(monomial)), key=lambda k: monomial[k][1] > 0):  # sums below the line first
        (kind, inside), power = monomial[k]
        if kind == "sum":
            scale = _scale(inside, coefficient, power, alone)
            coefficient = coefficient / scale**power
            shown[k] = (kind, Formula(tuple((m, c * scale) for m, c in inside.terms))), power
    return tuple(shown), coefficient


def _with_roots_below(monomial: Monomial, coefficient: Fraction) -> tuple[Monomial, Fraction]:
    """sqrt(y)/y as 1/sqrt(y)."""
    powers = dict(monomial)
    for (kind, inside), power in monomial:
        if kind == "sqrt" and power == 1:
            number = inside.terms[0][1]  # a sum that is a factor has 1 in its place
            unit = Formula(tuple((m, c / number) for m, c in inside.terms))
            first = unit.terms[0][0]
            alone = len(unit.terms) == len(first) == 1 and first[0][1] == 1
            divisor: Factor = first[0][0] if alone else ("sum", unit)
            if powers.get(divisor, 0) < 0:
                powers[divisor] += 1
                powers[kind, inside] = -1
                coefficient = coefficient * number
    return tuple((factor, n) for factor, n in powers.items() if n), coefficient


def _scale(inside: Formula, coefficient: Fraction, power: int, alone: bool) -> Fraction:
    """The number the sum is multiplied by: to small integers, to decimals, or the coefficient before it."""
    numbers = [laid_out(m, c)[1] for m, c in inside.terms]  # 4*((6*a + b)/2 + c/2) is 2*(6*a + b + c)
    below = lcm(*(c.denominator for c in numbers))
    above = gcd(*(int(c * below) for c in numbers))
    if max(abs(c) for c in numbers) * below <= _SMALL * above:
        outside = coefficient / Fraction(below, above) ** power
        equal = all(abs(c) == abs(numbers[0]) for c in numbers)  # 0.263*x*(a - b)
        equal = equal and all(_is_whole(x) for m, _ in inside.terms for (kind, x), _ in m if kind == "sum")
        if alone or equal or power != 1 or outside.denominator in _IN_FRONT:
            return Fraction(below, above)
    scales = [Fraction(1), Fraction(_without_tens(below))]
    if max(abs(c) for c in numbers) * below <= _LARGEST_INTEGER * above or below == 1:
        scales.append(Fraction(below, above))  # a decimal is read more easily than 2E-8*1412640
    if power == 1 and not alone:
        scales.insert(0, abs(coefficient))

    def characters(scale: Fraction) -> tuple[int, int]:
        scaled = Formula(tuple((m, c * scale) for m, c in inside.terms))
        unreadable, characters = divmod(
            digits_shown(scaled) + _characters(coefficient / scale**power), UNREADABLE
        )
        return unreadable, 0 if scale == abs(coefficient) else characters

    return min(dict.fromkeys(scales), key=characters)


@lru_cache(maxsize=65536)
def _is_whole(formula: Formula) -> bool:
    """Whether all numbers of a sum are shown as integers."""
    return all(
        c.denominator == 1 and all(_is_whole(x) for (kind, x), _ in m if kind == "sum")
        for m, c in shown_terms(formula)
    )


@lru_cache(maxsize=65536)
def digits_shown(formula: Formula) -> int:
    """Characters of the numbers in a formula; fractions that no one can read count more."""
    total = 0
    for monomial, coefficient in shown_terms(formula):
        total += _characters(coefficient)
        total += sum(digits_shown(inside) for (kind, inside), _ in monomial if kind == "sum")
    return total


def _characters(c: Fraction) -> int:
    """How long a number is to read."""
    if abs(c) == 1:
        return 0
    if c.denominator in COMMON_DENOMINATORS and abs(c.numerator) <= _LARGEST_INTEGER:
        return len(str(abs(c)))
    if has_decimal_inverse(c):  # x/0.4318
        return _characters(1 / c) + 2
    if _without_tens(c.denominator) != 1:
        return len(str(c)) + UNREADABLE
    return len(str(c.numerator * 10**40 // c.denominator).strip("-0")) + 2


def has_decimal_inverse(c: Fraction) -> bool:
    """Whether the number has no finite decimal, but its inverse has, and is no common integer."""
    if c.denominator in COMMON_DENOMINATORS or _without_tens(c.denominator) == 1:
        return False
    if c.numerator == 1 or _without_tens(abs(c.numerator)) != 1:
        return False
    return _characters(1 / c) + 1 < len(str(c))


def with_common_scale(*formulas: Formula) -> tuple[Formula, ...]:
    """Formulas of which only the ratios matter, multiplied by the positive number that makes them readable.

    atan2(0.0203*y - 0.4318*x, ...) for atan2(203*y/2159 - 2*x, ...).
    """
    numbers = [c for formula in formulas for _, c in formula.terms]
    if not numbers:
        return formulas
    below = lcm(*(c.denominator for c in numbers))
    above = gcd(*(int(c * below) for c in numbers))
    whole = Fraction(below, above)
    tens = Fraction(10) ** len(str(int(max(abs(c) for c in numbers) * whole)))
    scales = [Fraction(1), whole, whole / tens, *(1 / abs(c) for c in numbers)]

    def scaled(scale: Fraction) -> tuple[Formula, ...]:
        return tuple(Formula(tuple((m, c * scale) for m, c in f.terms)) for f in formulas)

    def cost(found: tuple[Formula, ...]) -> tuple[bool, int]:
        digits = [digits_shown(f) for f in found]
        numbers = [c for f in found for _, c in f.terms]
        fractions = sum(c.denominator in COMMON_DENOMINATORS - {1} for c in numbers)
        large = sum(c.denominator == 1 and abs(c) > _LARGEST_INTEGER for c in numbers)
        unreadable = any(x >= UNREADABLE for x in digits)
        return unreadable, 2 * sum(map(operations, found)) + sum(digits) + 4 * fractions + 6 * large

    return min((scaled(x) for x in dict.fromkeys(scales)), key=cost)


def _without_tens(n: int) -> int:
    """The part of a denominator that has no finite decimal."""
    for prime in (2, 5):
        while n % prime == 0:
            n //= prime
    return n


@lru_cache(maxsize=65536)
def operations(formula: Formula) -> int:
    """Number of operations shown: + - * /, powers, functions; the sign of a sum of negative terms is one.

    A number is one number, whether it is shown as 5/2 or as 2.5. Otherwise this is the count of SymPy's
    `count_ops`.
    """
    if not formula.terms:
        return 0
    terms = shown_terms(formula)
    total = len(terms) - 1 + all(c < 0 for _, c in terms)
    return total + sum(_term_operations(m, abs(c)) for m, c in terms)


def _term_operations(monomial: Monomial, coefficient: Fraction) -> int:
    total = above = below = 0
    for (kind, inside), power in monomial:
        if power > 0:
            above += 1
        else:
            below += 1
        total += abs(power) != 1
        if kind == "sum":
            total += operations(inside)
        elif kind not in ("symbol", "pi"):
            total += operations(inside) + (2 if kind == "sqrt" else 1)
    above += above > 0 and coefficient != 1
    return total + max(above - 1, 0) + below
