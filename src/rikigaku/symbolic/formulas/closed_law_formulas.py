"""Exact formulas of closed robots: the same recursions, linear equations solved by Cramer's rule.

Numerators are reduced modulo the loop equations. Where formulas are too long (velocity forces of a 3-RRR, a
Stewart platform) or the equations hold quotients (forward dynamics), the law is given as intermediate
variables instead, with the solution among the steps (`law_steps`).
"""

from collections.abc import Sequence
from typing import Any

from rikigaku.core.errors import NotExact, TooLarge
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization, record
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.expression_graph import Node, reachable
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.symbolic.formulas.exact_state import LOOP_ROOTS, exact_results
from rikigaku.symbolic.formulas.law_intermediates import (
    constant_map,
    linear_change,
    plan_substitution,
    solving,
)
from rikigaku.symbolic.formulas.law_json import LawOutput, LawResults
from rikigaku.symbolic.formulas.pivot_free_solve import PlainFactors
from rikigaku.symbolic.loops.closed_formulas import exact, one_fraction, shortened
from rikigaku.symbolic.loops.cramer_solve import Solver
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints, loop_constraints
from rikigaku.symbolic.loops.position_ideal import length

# Terms of an entry of the inverse matrix beyond which intermediate variables are used instead.
_LONGEST = 100
_KEPT = 1_000  # terms of a result up to which its unreduced form is kept, which may be the one to show


def closed_numbers(robot: RobotModel, law: Law, specialization: Specialization) -> LawResults:
    """Results of the law in exact numbers, shortened.

    Raises:
        TooLarge, NotExact: where formulas are too long or do not exist; the law is then given by steps.
    """
    if specialization.gravity or specialization.frames:
        raise NotExact("Formulas of closed robots with gravity or wrenches as variables come as steps.")
    linear = plan_substitution(robot, law)
    with solving(_ForeseenFactors), constant_map(law, linear):
        record(robot, law, specialization, linear_change(linear))
    constraints = _constraints(robot, law)
    progress(f"{law.called} is run on exact numbers")

    def changed(ring: Ring, named: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return named if linear is None else linear.inputs(named, lambda: ring.variable("pi"))

    with solving(_ExactFactors), constant_map(law, linear):
        ring, results = exact_results(robot, law, specialization, LOOP_ROOTS, changed)
    if ring is not constraints.state.ring:
        raise NotExact("The law needs square roots that the equations of the loops do not have.")
    found = {}
    for name, value in results.items():
        progress(f"{name} of {law.called} is shortened by the equations of the loops")
        given = list(flatten(value))
        parts = shortened(constraints, f"{name} of {law.called}", given)
        numbers = [one_fraction(robot.name, x) for x in parts]
        unreduced = [exact(x) for x in given] if sum(map(length, given)) <= _KEPT else []
        found[name] = LawOutput(shape_of(value), numbers, parts, unreduced)
    return LawResults(ring, found)


def _constraints(robot: RobotModel, law: Law) -> LoopConstraints:
    """The constraints over the independent coordinates of the law's plan."""
    own = loop_constraints(robot)
    if own.independent == law.plan.independent:
        return own
    places = set(law.plan.independent)
    names = [joint.name for joint in robot.joints if robot.v_slices[joint.name].start in places]
    return loop_constraints(robot, independent=names)


class _ForeseenFactors(PlainFactors):
    """On traced numbers, which is quick: raises NotExact where the exact computation would fail."""

    def __init__(self, A: Sequence[Sequence[Any]], columns: int) -> None:
        nodes = [x for row in A for x in row if isinstance(x, Node)]
        if any(node.op == "div" for node in reachable(nodes)):
            raise NotExact("Equations whose coefficients are quotients are solved step by step.")
        super().__init__(A, columns)


class _ExactFactors:
    """A square matrix of polynomials; solutions are partial fractions over the determinants of its blocks."""

    def __init__(self, A: Sequence[Sequence[Any]], columns: int) -> None:
        if len(A) != columns:
            raise NotExact("Forces of redundant actuators are no rational functions of the state.")
        if any(isinstance(x, RationalFunction) for row in A for x in row):
            raise NotExact("Equations whose coefficients are quotients are solved step by step.")
        self.inverse: list[list[Any]] = []
        if columns:
            solver = Solver(A, [f"unknown {k + 1}" for k in range(columns)])
            self.inverse = solver.solved([[int(i == j) for j in range(columns)] for i in range(columns)])
        if (longest := max((length(x) for row in self.inverse for x in row), default=0)) > _LONGEST:
            raise TooLarge(f"The formula of one dependent coordinate has {longest} terms, too many to read.")

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
