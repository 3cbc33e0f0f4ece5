"""The derivative of a formula with respect to one of its symbols, as a formula."""

from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.numbers.formula_terms import Factor


def formula_derivative(formula: Formula, name: str) -> Formula:
    """d formula / d name, exact; sign(x) is treated as constant."""
    total = ZERO
    for monomial, coefficient in formula.terms:
        whole = Formula(((monomial, coefficient),))
        for factor, power in monomial:
            slope = _slope(factor, name)
            if slope:
                total = total + whole * power * slope / Formula((((((factor), 1),), ONE.terms[0][1]),))
    return total


def _slope(factor: Factor, name: str) -> Formula:
    """The derivative of one factor."""
    kind, inside = factor
    if kind == "symbol":
        return ONE if inside == name else ZERO
    if kind in ("pi", "sign"):
        return ZERO
    inner = formula_derivative(inside, name)
    if not inner or kind == "sum":
        return inner
    if kind == "sin":
        return inner * inside.cos()
    if kind == "cos":
        return -inner * inside.sin()
    return inner / (2 * inside.sqrt())
