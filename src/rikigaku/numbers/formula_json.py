"""Formulas as JSON, in the very form they have.

The text of a formula reads back as an equal number, yet in another form: the reader multiplies a number into
a sum, 9.81*(a + b) becomes 9.81*a + 9.81*b. A form that was searched for must come back as it was found.
"""

from fractions import Fraction
from typing import Any

from rikigaku.numbers.formula import Formula


def formula_data(formula: Formula) -> list[Any]:
    """The terms: [coefficient, [kind, content, power], ...] each."""
    return [
        [str(coefficient), *([kind, _content_data(content), power] for (kind, content), power in monomial)]
        for monomial, coefficient in formula.terms
    ]


def formula_of(data: list[Any]) -> Formula:
    """The formula of such data."""
    return Formula(
        tuple(
            (
                tuple(((kind, _content(content)), power) for kind, content, power in factors),
                Fraction(coefficient),
            )
            for coefficient, *factors in data
        )
    )


def _content_data(content: Any) -> Any:
    return formula_data(content) if isinstance(content, Formula) else content


def _content(data: Any) -> Any:
    return formula_of(data) if isinstance(data, list) else data
