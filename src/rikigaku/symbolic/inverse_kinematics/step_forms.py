"""Short forms of the steps of a solution, for readers: sums of angles, factors, fractions cancelled.

A step may use the names c2, s2 of an earlier joint and sines and cosines of other joints. With cos(q2) and
sin(q2) in their place, c2 cos(q1) - s2 sin(q1) is cos(q1 + q2). The shortest form is shown; it is equal to
the step's formula by exact arithmetic.
"""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.exact_number import ExactConstants
from rikigaku.numbers.formula import PI, Formula, product, total
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.formula_grouping import length
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.textbook_form import TextbookForms

PI_FACTOR = PI.terms[0][0][0][0]
_MOST_TERMS = 24  # of a step's formula, multiplied out; longer ones are shown as they were found


def short_form(
    formula: Formula,
    values: Mapping[str, Formula],
    sums: Mapping[str, Formula],
    displacements: Mapping[str, Formula] = MappingProxyType({}),
) -> Formula:
    """The formula, or an equal one that is shorter.

    values: {"c2": cos(q2)} of the names of sines and cosines. sums: {"q3": phi - q1 - q2} of joints.
    displacements: {"d1": px - l*cos(q1)} of prismatic joints.
    """
    if len(formula.terms) > _MOST_TERMS:
        return formula
    angular = formula.substitute(dict(values))
    summed = without_right_angles(angular.substitute(dict(sums)))
    names = {}
    for name, value in values.items():  # {"cos(q2)": c2}, also of c2 = -cos(q2)
        positive = value.terms[0][1] > 0
        names[str(value if positive else -value)] = Formula.symbol(name) * (1 if positive else -1)
    forms = [formula]
    for candidate in (formula, angular, summed, summed.substitute(dict(displacements))):
        if (found := _textbook_form(candidate)) is not None:
            forms.append(with_factors(found, names))
    return min(forms, key=length)


def _textbook_form(formula: Formula) -> Formula | None:
    """The form of a textbook; None where the formula is long or holds roots."""
    ring, names = _ring(formula)
    try:
        number: Any = formula.evaluate(ExactConstants(ring), {name: ring.variable(name) for name in names})
        if isinstance(number, (int, Fraction)):
            return Formula.of(number)
        size = len(number.numerator.polynomial) if names else 0
    except (RikigakuError, AttributeError):
        return None
    if size > _MOST_TERMS:
        return None
    return TextbookForms(FormulaWriter(ring, {name: name for name in names}))(number)


def _ring(*formulas: Formula) -> tuple[Ring, list[str]]:
    """A ring with the symbols of formulas, and their names."""
    angles = sorted(set().union(*map(angle_symbols, formulas)))
    others = sorted(set().union(*(formula.symbols for formula in formulas)) - set(angles))
    return Ring(angles, others), [*angles, *others]


def equal(first: Formula, second: Formula) -> bool:
    """Whether two formulas are equal by exact arithmetic; False where it cannot tell."""
    ring, names = _ring(first, second)
    at = {name: ring.variable(name) for name in names}
    try:
        return bool((first - second).evaluate(ExactConstants(ring), at) == 0)
    except RikigakuError:
        return False


def without_right_angles(formula: Formula) -> Formula:
    """The formula with cos(q - pi) written as -cos(q), cos(q + pi/2) as -sin(q)."""
    terms = []
    for monomial, coefficient in formula.terms:
        factors = []
        for (kind, inside), power in monomial:
            own = Formula((((((kind, inside), 1),), Fraction(1)),))
            if kind == "sum":
                own = without_right_angles(inside)
            elif kind in ("sin", "cos"):
                own = _turned(kind, inside)
            factors.append((own, power))
        terms.append(product(factors, coefficient))
    return total(terms)


def _turned(kind: str, angle: Formula) -> Formula:
    quarters = next((2 * c for monomial, c in angle.terms if monomial == ((PI_FACTOR, 1),)), Fraction(0))
    if quarters.denominator != 1:
        quarters = Fraction(0)
    rest = angle - PI * (quarters / 2)
    s, c = rest.sin(), rest.cos()
    turns = int(quarters) % 4
    return ((s, c, -s, -c) if kind == "sin" else (c, -s, -c, s))[turns]


def angle_symbols(formula: Formula) -> set[str]:
    """Symbols inside of sines and cosines."""
    found: set[str] = set()
    for monomial, _ in formula.terms:
        for (kind, inside), _ in monomial:
            if kind in ("sin", "cos"):
                found |= inside.symbols
            elif isinstance(inside, Formula):
                found |= angle_symbols(inside)
    return found


def with_factors(formula: Formula, names: Mapping[str, Formula]) -> Formula:
    """The formula with other formulas in place of sines and cosines: {"cos(q2)": c2}."""
    terms = []
    for monomial, coefficient in formula.terms:
        factors = []
        for (kind, inside), power in monomial:
            if kind == "sum":
                factors.append((with_factors(inside, names), power))
                continue
            own = Formula((((((kind, inside), 1),), Fraction(1)),))
            factors.append((names.get(str(own), own), power))
        terms.append(product(factors, coefficient))
    return total(terms)
