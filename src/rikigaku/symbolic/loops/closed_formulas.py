"""Numbers of a closed robot as formulas to read, like those of any law."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.errors import TooLarge
from rikigaku.model.robot import Robot
from rikigaku.symbolic.element import ExactFormula, Reading
from rikigaku.symbolic.formulas import Formulas
from rikigaku.symbolic.loops.ideal import length
from rikigaku.symbolic.loops.over import Over
from rikigaku.symbolic.names import input_names

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.constraints import LoopConstraints

# Terms over a common denominator beyond which a closed robot's formula is not one to read.
MOST_TERMS = 200_000
# Terms of all its formulas, parts not multiplied out, beyond which shortening takes longer than it helps.
_MOST_PARTS = 8_000


def closed_formulas(
    c: "LoopConstraints", title: str, value: Any, names: Mapping[str, str] | None = None
) -> Formulas:
    """Numbers of a closed robot as formulas, each parameter's factor shortened by the loop's equations.

    names: of the variables that have values; those of all coordinates if None is given.
    """
    if names is None:
        sizes = (("q", (c.robot.nq,)), ("v", (c.robot.nv,)), ("a", (c.robot.nv,)))
        names = input_names(c.robot, sizes)
    reading = Reading(c.robot, c.state.ring, names)
    numbers = np.array(value, dtype=object)
    if (terms := sum(map(length, numbers.flat))) > _MOST_PARTS:
        raise TooLarge(
            f"{title} of the closed robot {c.robot.name!r} has {terms} terms. Take robot.reduced and its "
            "intermediates(), or numeric laws."
        )
    array = np.empty(numbers.shape, dtype=object)
    for index, x in np.ndenumerate(numbers):
        total: Any = 0
        for name, factor in c.closed.collected(x, reading.parameters).items():
            total = total + (factor * c.state.ring.variable(name) if name else factor)
        array[index] = _read(c, total, reading)
    return Formulas(f"{title}, closed robot {c.robot.name!r}", array, reading)


def _read(c: "LoopConstraints", x: Any, reading: Reading) -> ExactFormula:
    """Written part by part, or as one fraction without common factors, whichever is shorter."""
    number = Fraction(x) if isinstance(x, float) else _one_fraction(c.robot, x)  # 0.0 of a law's literals
    if not isinstance(x, Over):
        return ExactFormula(number, reading)
    forms = (c.written(x), reading.writing(number))
    return ExactFormula(number, reading, min(forms, key=lambda formula: len(str(formula))))


def _one_fraction(robot: Robot, x: Any) -> Any:
    if not isinstance(x, Over):
        return x
    if x.common_terms > MOST_TERMS:
        raise TooLarge(
            f"A formula of the closed robot {robot.name!r} has up to {x.common_terms} terms over one "
            "denominator. Take robot.loop_constraints().closed, which keeps its parts, or numeric laws."
        )
    return x.numerator / x.denominator
