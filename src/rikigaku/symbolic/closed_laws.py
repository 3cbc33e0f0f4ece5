"""Laws of closed robots as formulas: the same recursions, equations solved by determinants instead of floats.

Short ones are exact formulas, reduced modulo the equations of the loops. Long ones (a 3-RRR's velocity
forces, a Stewart platform) are a list of intermediate variables, with the solution of the linear equations
among the steps: it holds wherever the equations are regular.
"""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from rikigaku.errors import NotExact, TooLarge
from rikigaku.laws.orthogonal import FACTORS
from rikigaku.laws.record import Law
from rikigaku.model.robot import Robot
from rikigaku.recipe import Recipe, input_shapes
from rikigaku.symbolic.exact_state import exact_results
from rikigaku.symbolic.formulas import Formulas, one_or_named, program_intermediates
from rikigaku.symbolic.intermediates import Intermediates
from rikigaku.symbolic.loops.closed_formulas import closed_formulas
from rikigaku.symbolic.loops.constraints import loop_constraints
from rikigaku.symbolic.loops.ideal import length
from rikigaku.symbolic.loops.solve import Solver
from rikigaku.symbolic.names import law_names
from rikigaku.symbolic.plain_factors import plain_factors

# Terms of an entry of the inverse matrix beyond which steps are read more easily than its products.
_LONGEST = 100


def closed_law_formulas(robot: Robot, law: Law, recipe: Recipe) -> Any:
    """Exact formulas where they can be read, else `Intermediates`; a named tuple of several results."""
    try:
        found = _exact(robot, law, recipe)
    except (NotExact, TooLarge):
        found = closed_law_intermediates(robot, law, recipe)
    return one_or_named(found)


def closed_law_intermediates(robot: Robot, law: Law, recipe: Recipe) -> dict[str, Intermediates]:
    """Every result as steps: + - * /, sines and cosines, nothing compared."""
    with _solving(plain_factors):
        return program_intermediates(robot, law, recipe)


def _exact(robot: Robot, law: Law, recipe: Recipe) -> dict[str, Any]:
    if recipe.gravity or recipe.frames:
        raise NotExact("Formulas of closed robots with gravity or wrenches as variables come as steps.")
    constraints = loop_constraints(robot)
    with _solving(_ExactFactors):
        ring, results = exact_results(robot, law, recipe, spare=2)
    if ring is not constraints.state.ring:
        raise NotExact("The law needs square roots that the equations of the loops do not have.")
    names = law_names(robot, law, input_shapes(robot, law, recipe))
    found: dict[str, Any] = {}
    for name, value in results.items():
        made = closed_formulas(constraints, f"{name} of {law.name}", value, names)
        program = _program(robot, law, recipe, name)
        found[name] = (
            made.array[()] if not made.shape else Formulas(made.title, made.array, made.reading, program)
        )
    return found


def _program(robot: Robot, law: Law, recipe: Recipe, name: str) -> Callable[[], Intermediates]:
    return lambda: closed_law_intermediates(robot, law, recipe)[name]


@contextmanager
def _solving(factors: Any) -> Any:
    """Linear equations of laws are solved in this way meanwhile."""
    token = FACTORS.set(factors)
    try:
        yield
    finally:
        FACTORS.reset(token)


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
