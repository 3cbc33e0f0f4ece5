"""Formulas as SymPy: where people compute on by other means. Nothing of SymPy is used inside."""

from collections.abc import Sequence
from typing import Any

import sympy

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.program import Shape

_FUNCTIONS = {"sin": sympy.sin, "cos": sympy.cos, "sqrt": sympy.sqrt, "sign": sympy.sign}


def sympy_formula(formula: Formula) -> Any:
    """The formula as a SymPy expression; its symbols are real and have the same names."""
    terms = []
    for monomial, coefficient in formula.terms:
        factors = [sympy.Rational(coefficient.numerator, coefficient.denominator)]
        factors += [sympy.Pow(_atom(kind, inside), power) for (kind, inside), power in monomial]
        terms.append(sympy.Mul(*factors))
    return sympy.Add(*terms)


def sympy_array(elements: Sequence[Any], shape: Shape) -> Any:
    """SymPy expressions as a number, a column, a matrix or an array."""
    if not shape:
        return elements[0]
    if len(shape) <= 2:
        return sympy.ImmutableDenseMatrix(*shape, *([1] if len(shape) == 1 else []), list(elements))
    return sympy.ImmutableDenseNDimArray(list(elements), shape)


def _atom(kind: str, inside: Any) -> Any:
    if kind == "symbol":
        return sympy.Symbol(inside, real=True)
    if kind == "pi":
        return sympy.pi
    value = sympy_formula(inside)
    return value if kind == "sum" else _FUNCTIONS[kind](value)
