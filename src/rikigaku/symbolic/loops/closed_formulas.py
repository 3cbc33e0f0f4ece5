"""Exact results of closed robots as printable formulas, shortened modulo the loop equations."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.errors import TooLarge
from rikigaku.laws.display_names import input_names
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.loops.independent_equations import generators
from rikigaku.symbolic.loops.position_ideal import length

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.loop_constraints import LoopConstraints

# Largest number of terms over a common denominator that is printed as a formula.
MOST_TERMS = 200_000
# Largest number of terms of all formulas together for which normal forms are computed.
_MOST_PARTS = 8_000


def closed_formulas(c: "LoopConstraints", title: str, value: Any) -> Formulas:
    """Exact numbers in nested lists as formulas."""
    sizes = (("q", (c.robot.nq,)), ("v", (c.robot.nv,)), ("a", (c.robot.nv,)))
    reading = FormulaContext(c.robot, c.state.ring, input_names(c.robot, sizes), True)
    numbers = np.array(value, dtype=object)
    array = np.empty(numbers.shape, dtype=object)
    for k, x in enumerate(shortened(c, title, list(numbers.flat))):
        array.flat[k] = closed_formula(x, one_fraction(c.robot.name, x), reading)
    return Formulas(f"{title}, closed robot {c.robot.name!r}", array, reading)


def shortened(c: "LoopConstraints", title: str, numbers: Sequence[Any]) -> list[Any]:
    """The same numbers, the coefficient of each inertial parameter reduced modulo the loop equations."""
    if (terms := sum(map(length, numbers))) > _MOST_PARTS:
        raise TooLarge(
            f"{title} of the closed robot {c.robot.name!r} has {terms} terms; up to {_MOST_PARTS} are "
            "reduced modulo the loops. Its list of steps, `intermediates()`, and numeric laws have no limit."
        )
    parameters = FormulaContext(c.robot, c.state.ring, {}).parameters
    found = []
    for x in numbers:
        total: Any = 0
        for name, factor in _collected(c, x, parameters).items():
            total = total + (factor * c.state.ring.variable(name) if name else factor)
        found.append(exact(total))
    return found


def exact(x: Any) -> Any:
    """The number; 0.0 of a law's literals as a fraction."""
    return Fraction(x) if isinstance(x, (int, float)) else x


def _collected(c: "LoopConstraints", x: Any, names: Sequence[str]) -> dict[str, Any]:
    """Coefficients of a number that is linear in some symbols; the rest under ""; each in normal form."""
    parts = x.parts if isinstance(x, RationalFunction) else {(): x}
    found: dict[str, Any] = {}
    for powers, part in parts.items():
        for name, coefficient in _split(part, names).items():
            if isinstance(x, RationalFunction):
                coefficient = RationalFunction(x.ring, x.factors, {powers: coefficient}, x.partial)
            found[name] = found[name] + coefficient if name in found else coefficient
    return {name: c.ideal.reduced(coefficient) for name, coefficient in found.items()}


def _split(x: Any, names: Sequence[str]) -> dict[str, Any]:
    """Coefficients of a polynomial that is linear in some generators."""
    if not isinstance(x, Exact):
        return {"": x}
    ring, used = x.ring, set(generators(x))
    parts: dict[str, Any] = {}
    rest = x.polynomial
    for name in names:
        if name in used:
            factor = x.polynomial.derivative(ring.names.index(name))  # it is linear
            parts[name] = ring.number(factor)
            rest = rest - factor * ring.generators[name]
    return parts if not rest else {**parts, "": ring.number(rest)}


def closed_formula(
    x: Any, number: ExactNumber, reading: FormulaContext, unreduced: Any = None
) -> ExactFormula:
    """The formula written part by part, or as the single fraction `number`, whichever is shorter.

    unreduced: the same number before it was reduced modulo the loop equations. Where it is searched for, the
    coefficient of each inertial parameter is taken from the form in which it is shortest.
    """
    if not isinstance(x, RationalFunction) and not isinstance(unreduced, RationalFunction):
        return ExactFormula(number, reading)
    equal = (x,) if unreduced is None else (unreduced, x)

    def shown() -> Formula:
        forms = (reading.writer(x), reading.writer(number))
        return min(forms, key=lambda formula: len(str(formula)))

    return ExactFormula(number, reading, shown, equal=equal)


def one_fraction(robot: str, x: Any) -> Any:
    """The number as a single fraction without common factors."""
    if not isinstance(x, RationalFunction):
        return x
    if x.numerator_bound > MOST_TERMS:
        raise TooLarge(
            f"A formula of the closed robot {robot!r} has up to {x.numerator_bound} terms over one "
            "denominator. Take its intermediates(), or numeric laws."
        )
    return x.numerator / x.denominator
