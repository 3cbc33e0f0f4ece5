"""Laws of closed robots on exact numbers: the same recursions, equations solved by determinants.

The numbers are reduced modulo the equations of the loops. Long ones (a 3-RRR's velocity forces, a Stewart
platform) are none to read, and laws that solve equations with quotients in them (accelerations from forces)
are not tried: these are lists of intermediate variables, with the solution among the steps (`law_steps`).
"""

from collections.abc import Sequence
from typing import Any

from rikigaku.errors import NotExact, TooLarge
from rikigaku.laws.record import Law
from rikigaku.model.robot import Robot
from rikigaku.numbers.graph import Node, reachable
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.recipe import Recipe, record
from rikigaku.symbolic.algebra.jobs import progress
from rikigaku.symbolic.exact_state import LOOP_ROOTS, exact_results
from rikigaku.symbolic.law_numbers import LawNumbers, Result
from rikigaku.symbolic.law_steps import solving
from rikigaku.symbolic.loops.closed_formulas import one_fraction, shortened
from rikigaku.symbolic.loops.constraints import loop_constraints
from rikigaku.symbolic.loops.ideal import length
from rikigaku.symbolic.loops.solve import Solver
from rikigaku.symbolic.plain_factors import PlainFactors

# Terms of an entry of the inverse matrix beyond which steps are read more easily than its products.
_LONGEST = 100


def closed_numbers(robot: Robot, law: Law, recipe: Recipe) -> LawNumbers | None:
    """What the law gives on exact numbers, shortened; None where no one would read it."""
    try:
        return _exact(robot, law, recipe)
    except (NotExact, TooLarge):
        return None


def _exact(robot: Robot, law: Law, recipe: Recipe) -> LawNumbers:
    if recipe.gravity or recipe.frames:
        raise NotExact("Formulas of closed robots with gravity or wrenches as variables come as steps.")
    with solving(_ForeseenFactors):
        record(robot, law, recipe)
    constraints = loop_constraints(robot)
    progress(f"{law.called} is run on exact numbers")
    with solving(_ExactFactors):
        ring, results = exact_results(robot, law, recipe, spare=LOOP_ROOTS)
    if ring is not constraints.state.ring:
        raise NotExact("The law needs square roots that the equations of the loops do not have.")
    found = {}
    for name, value in results.items():
        progress(f"{name} of {law.called} is shortened by the equations of the loops")
        parts = shortened(constraints, f"{name} of {law.called}", list(flatten(value)))
        found[name] = Result(shape_of(value), [one_fraction(robot.name, x) for x in parts], parts)
    return LawNumbers(ring, found)


class _ForeseenFactors(PlainFactors):
    """Run on traced numbers, which is quick, this tells whether exact numbers would fail in the end."""

    def __init__(self, A: Sequence[Sequence[Any]], columns: int) -> None:
        nodes = [x for row in A for x in row if isinstance(x, Node)]
        if any(node.op == "div" for node in reachable(nodes)):
            raise NotExact("Equations whose coefficients are quotients are solved step by step.")
        super().__init__(A, columns)


class _ExactFactors:
    """A square matrix of polynomials; solutions are numbers over the determinants of its blocks."""

    def __init__(self, A: Sequence[Sequence[Any]], columns: int) -> None:
        if len(A) != columns:
            raise NotExact("Forces of more drives than freedom are no quotients of polynomials.")
        if any(hasattr(x, "factors") for row in A for x in row):
            raise NotExact("Equations whose coefficients are quotients are solved step by step.")
        self.inverse: list[list[Any]] = []
        if columns:
            solver = Solver(A, [f"unknown {k + 1}" for k in range(columns)])
            self.inverse = solver.solved([[int(i == j) for j in range(columns)] for i in range(columns)])
        if (longest := max((length(x) for row in self.inverse for x in row), default=0)) > _LONGEST:
            raise TooLarge(f"Solved for, one coordinate has {longest} terms: its forces fill a book.")

    def solve(self, b: Sequence[Any]) -> list[Any]:
        return [_dot(row, b) for row in self.inverse]

    def solve_transposed(self, b: Sequence[Any]) -> list[Any]:
        return [_dot(column, b) for column in zip(*self.inverse, strict=True)]

    def complement(self) -> list[list[Any]]:
        return []


def _dot(xs: Sequence[Any], ys: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(xs, ys, strict=True):
        if hasattr(x, "ring") or x:
            total = total + x * y
    return total
