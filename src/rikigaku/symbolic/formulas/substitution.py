"""Exact numbers with some of their variables replaced by numbers or formulas."""

from collections.abc import Mapping
from typing import Any

from rikigaku.numbers.exact_number import Exact, ExactConstants, ExactNumber
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.formula_context import FormulaContext


def substituted(number: ExactNumber, context: FormulaContext, values: Mapping[str, Any]) -> Any:
    """The number with variables replaced, all at once.

    Raises:
        UnknownName: for names that no formula of the robot holds. WrongValue: for other values.
        NotExact: for an angle whose sine is not exact in this ring.
    """
    for name in values:
        context.generator(name)
    new = {name: Formula.of(x) for name, x in values.items()}
    for formula in new.values():
        for name in formula.symbols:
            context.generator(name)
    if not isinstance(number, (Exact, RationalFunction)):
        return number
    ring = context.ring
    at = {name: ring.variable(generator) for name, generator in context.generators.items()}
    kind = ExactConstants(ring)
    numbers = {name: x for name, x in new.items() if x.is_number}  # sines of these are constants
    at |= {name: x.evaluate(kind, at) for name, x in new.items() if name not in numbers}
    return context.writer(number).substitute(numbers).evaluate(kind, at)
