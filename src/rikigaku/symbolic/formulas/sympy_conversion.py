"""Formulas and recorded programs as SymPy expressions, for interoperation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.program import Program, Shape
from rikigaku.numbers.program_evaluation import evaluated

_FUNCTIONS = {"sin": sympy.sin, "cos": sympy.cos, "sqrt": sympy.sqrt, "sign": sympy.sign}


def sympy_formula(formula: Formula, real: bool = True) -> Any:
    """The formula as a SymPy expression with symbols of the same names, by default declared real."""
    terms = []
    for monomial, coefficient in formula.terms:
        factors = [sympy.Rational(coefficient.numerator, coefficient.denominator)]
        factors += [
            sympy.Pow(_single_factor(kind, inside, real), power) for (kind, inside), power in monomial
        ]
        terms.append(sympy.Mul(*factors))
    return sympy.Add(*terms)


def sympy_array(elements: Sequence[Any], shape: Shape) -> Any:
    """SymPy expressions as a number, a column, a matrix or an array."""
    if not shape:
        return elements[0]
    if len(shape) <= 2:
        return sympy.ImmutableDenseMatrix(*shape, *([1] if len(shape) == 1 else []), list(elements))
    return sympy.ImmutableDenseNDimArray(list(elements), shape)


def _single_factor(kind: str, inside: Any, real: bool) -> Any:
    if kind == "symbol":
        return sympy.Symbol(inside, real=True if real else None)
    if kind == "pi":
        return sympy.pi
    value = sympy_formula(inside, real)
    return value if kind == "sum" else _FUNCTIONS[kind](value)


@dataclass(frozen=True)
class SympyLaw:
    """A law in SymPy.

    inputs: by name an array of symbols (a symbol where the input is one number).
    steps: (symbol, expression) in order, each in terms of inputs and earlier steps, as sympy.cse gives them.
    outputs: by name a number, a column, a matrix or an array, in terms of inputs and steps.
    """

    inputs: Mapping[str, Any]
    steps: Sequence[tuple[Any, Any]]
    outputs: Mapping[str, Any]

    def nested(self) -> dict[str, Any]:
        """The outputs in terms of the inputs alone. They grow fast: for small robots."""
        known: dict[Any, Any] = {}
        for symbol, value in self.steps:
            known[symbol] = value.xreplace(known)
        return {name: _mapped(value, known) for name, value in self.outputs.items()}


def sympy_law(program: Program) -> SympyLaw:
    """The program with a symbol for every element of its inputs; elements are called q0, q1, ..."""
    taken: set[str] = set()
    inputs = []
    for port in program.inputs:
        names = [f"{port.name}{k}" for k in range(port.size)] if port.shape else [port.name]
        inputs.append([_symbol(name, taken) for name in names])
    steps: list[tuple[Any, Any]] = []

    def named(value: Any) -> Any:
        symbol = _symbol(f"t{len(steps) + 1}", taken)
        steps.append((symbol, value))
        return symbol

    results = evaluated(
        program,
        inputs,
        {
            "const": _number,
            "sqrt": sympy.sqrt,
            "sin": sympy.sin,
            "cos": sympy.cos,
            "sign": sympy.sign,
            "atan2": sympy.atan2,
            "less": sympy.StrictLessThan,
            "choose": lambda condition, yes, no: sympy.Piecewise((yes, condition), (no, True)),
        },
        named,
    )
    keys = _keys([port.name for port in program.inputs])
    return SympyLaw(
        {key: sympy_array(x, port.shape) for key, port, x in zip(keys, program.inputs, inputs, strict=True)},
        tuple(steps),
        {port.name: sympy_array(x, port.shape) for port, x in zip(program.outputs, results, strict=True)},
    )


def _symbol(name: str, taken: set[str]) -> Any:
    """A real symbol of that name, or with primes where the name is taken: no text is read as a formula."""
    while name in taken:
        name += "'"
    taken.add(name)
    return sympy.Symbol(name, real=True)


def _keys(names: Sequence[str]) -> list[str]:
    """Distinct names, where a symbol of the robot has the name of an input."""
    return [name if name not in names[:k] else f"{name}'" for k, name in enumerate(names)]


def _number(x: float) -> Any:
    """Whole numbers stay exact; others keep the 53 bits they have."""
    return sympy.Integer(int(x)) if x == int(x) and abs(x) < 2**53 else sympy.Float(x)


def _mapped(value: Any, known: Mapping[Any, Any]) -> Any:
    if isinstance(value, sympy.ImmutableDenseNDimArray):
        return value.applyfunc(lambda x: x.xreplace(known))
    return value.xreplace(known)
