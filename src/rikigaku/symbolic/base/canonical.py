"""Coefficients of regrouping in the one form that exact numbers have: 3/4 for sin(pi/3)**2."""

from typing import Any

from rikigaku.errors import NotExact
from rikigaku.model.robot import Robot
from rikigaku.numbers.exact import ExactConstants
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.exact_state import with_roots
from rikigaku.symbolic.writing import written


def canonical(robot: Robot, formula: Formula) -> Formula:
    """A formula of the robot's symbols and constant angles, run on exact numbers; itself if these cannot.

    There sums of angles are multiplied out: whichever form is shorter stands.
    """
    if "sin" not in str(formula) and "cos" not in str(formula):
        return formula

    def number(ring: Ring) -> Any:
        if ring.rounded:  # angles that only come near
            return formula
        symbols = {name: ring.variable(name) for name in robot.free_symbols}
        return written(formula.evaluate(ExactConstants(ring), symbols))

    try:
        found: Formula = with_roots(robot, (), number)
    except NotExact:
        return formula
    return min(found, formula, key=lambda x: len(str(x)))
