"""Short forms of the steps of a solution, for readers: sums of angles, factors, fractions cancelled.

A step may use the names c2, s2 of an earlier joint and sines and cosines of other joints. With cos(q2) and
sin(q2) in their place, c2 cos(q1) - s2 sin(q1) is cos(q1 + q2). The shortest form is shown; it is equal to
the step's formula by exact arithmetic.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.exact_number import ExactConstants
from rikigaku.numbers.formula import Formula, product, total
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.formula_grouping import length
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.textbook_form import TextbookForms

_MOST_TERMS = 24  # of a step's formula, multiplied out; longer ones are shown as they were found


def short_form(formula: Formula, values: Mapping[str, Formula], sums: Mapping[str, Formula]) -> Formula:
    """The formula, or an equal one that is shorter.

    values: {"c2": cos(q2)} of the names of sines and cosines. sums: {"q3": phi - q1 - q2} of joints.
    """
    if len(formula.terms) > _MOST_TERMS:
        return formula
    angular = formula.substitute(dict(values))
    names = {str(value): Formula.symbol(name) for name, value in values.items()}
    forms = [formula]
    for candidate in (formula, angular, angular.substitute(dict(sums))):
        if (found := _textbook_form(candidate)) is not None:
            forms.append(_named(found, names))
    return min(forms, key=length)


def _textbook_form(formula: Formula) -> Formula | None:
    """The form of a textbook; None where the formula is long or holds roots."""
    angles = sorted(angle_symbols(formula))
    ring = Ring(angles, sorted(formula.symbols - set(angles)))
    at = {name: ring.variable(name) for name in (*angles, *sorted(formula.symbols - set(angles)))}
    try:
        number: Any = formula.evaluate(ExactConstants(ring), at)
        size = len(number.numerator.polynomial) if at else 0
    except (RikigakuError, AttributeError):
        return None
    if size > _MOST_TERMS:
        return None
    return TextbookForms(FormulaWriter(ring, {name: name for name in at}))(number)


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


def _named(formula: Formula, names: Mapping[str, Formula]) -> Formula:
    """The formula with sines and cosines that have names written by these."""
    terms = []
    for monomial, coefficient in formula.terms:
        factors = []
        for (kind, inside), power in monomial:
            if kind == "sum":
                factors.append((_named(inside, names), power))
                continue
            own = Formula((((((kind, inside), 1),), Fraction(1)),))
            factors.append((names.get(str(own), own), power))
        terms.append(product(factors, coefficient))
    return total(terms)
