"""Numbers of a closed robot as formulas to read, like those of any law."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.errors import TooLarge
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.element import ExactFormula
from rikigaku.symbolic.formulas import Formulas
from rikigaku.symbolic.loops.ideal import length
from rikigaku.symbolic.loops.over import Over
from rikigaku.symbolic.loops.rows import generators
from rikigaku.symbolic.names import input_names
from rikigaku.symbolic.reading import Reading

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.constraints import LoopConstraints

# Terms over a common denominator beyond which a closed robot's formula is not one to read.
MOST_TERMS = 200_000
# Terms of all its formulas, parts not multiplied out, beyond which shortening takes longer than it helps.
_MOST_PARTS = 8_000


def closed_formulas(c: "LoopConstraints", title: str, value: Any) -> Formulas:
    """Numbers of a closed robot, in nested lists, as formulas."""
    sizes = (("q", (c.robot.nq,)), ("v", (c.robot.nv,)), ("a", (c.robot.nv,)))
    reading = Reading(c.robot, c.state.ring, input_names(c.robot, sizes), True)
    numbers = np.array(value, dtype=object)
    array = np.empty(numbers.shape, dtype=object)
    for k, x in enumerate(shortened(c, title, list(numbers.flat))):
        array.flat[k] = closed_formula(x, one_fraction(c.robot.name, x), reading)
    return Formulas(f"{title}, closed robot {c.robot.name!r}", array, reading)


def shortened(c: "LoopConstraints", title: str, numbers: Sequence[Any]) -> list[Any]:
    """The same numbers, each parameter's factor shortened by the equations of the loops."""
    if (terms := sum(map(length, numbers))) > _MOST_PARTS:
        raise TooLarge(
            f"{title} of the closed robot {c.robot.name!r} has {terms} terms. Take robot.reduced and its "
            "intermediates(), or numeric laws."
        )
    parameters = Reading(c.robot, c.state.ring, {}).parameters
    found = []
    for x in numbers:
        total: Any = 0
        for name, factor in _collected(c, x, parameters).items():
            total = total + (factor * c.state.ring.variable(name) if name else factor)
        found.append(Fraction(total) if isinstance(total, float) else total)  # 0.0 of a law's literals
    return found


def _collected(c: "LoopConstraints", x: Any, names: Sequence[str]) -> dict[str, Any]:
    """A number linear in some symbols by symbol, the rest under ""; each reduced by itself."""
    parts = x.parts if isinstance(x, Over) else {(): x}
    found: dict[str, Any] = {}
    for powers, part in parts.items():
        for name, coefficient in _split(part, names).items():
            over = Over(x.determinants, {powers: coefficient}) if isinstance(x, Over) else coefficient
            found[name] = found[name] + over if name in found else over
    return {name: c.ideal.reduced(coefficient) for name, coefficient in found.items()}


def _split(x: Any, names: Sequence[str]) -> dict[str, Any]:
    """A polynomial linear in some generators, by generator."""
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


def closed_formula(x: Any, number: ExactNumber, reading: Reading) -> ExactFormula:
    """Written part by part, or as the one fraction that `number` is, whichever is shorter."""
    if not isinstance(x, Over):
        return ExactFormula(number, reading)

    def shown() -> Formula:
        forms = (x.written(reading.writing), reading.writing(number))
        return min(forms, key=lambda formula: len(str(formula)))

    return ExactFormula(number, reading, shown)


def one_fraction(robot: str, x: Any) -> Any:
    """All parts of a number over one denominator, without common factors."""
    if not isinstance(x, Over):
        return x
    if x.common_terms > MOST_TERMS:
        raise TooLarge(
            f"A formula of the closed robot {robot!r} has up to {x.common_terms} terms over one "
            "denominator. Take its intermediates(), or numeric laws."
        )
    return x.numerator / x.denominator
