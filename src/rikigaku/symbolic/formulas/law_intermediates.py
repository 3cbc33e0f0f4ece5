"""Intermediate variables of a law: its recorded program, with linear equations solved by + - * / only."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rikigaku.laws.closed.dependent_coordinates import CONSTANT_MAP
from rikigaku.laws.display_names import law_names, port_names
from rikigaku.laws.householder import FACTORS
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization, input_shapes, record
from rikigaku.model.robot_model import RobotModel
from rikigaku.symbolic.formulas.exact_state import exact_ring
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.intermediates import Intermediates, intermediates
from rikigaku.symbolic.formulas.law_result import one_or_named

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.linear_substitution import LinearSubstitution


def law_intermediates(robot: RobotModel, law: Law, specialization: Specialization, reason: str = "") -> Any:
    """The law as intermediate variables; a named tuple where it has several results.

    reason: why it is given so, where formulas were requested.
    """
    steps = law_steps(robot, law, specialization)
    return one_or_named({name: replace(x, reason=reason) for name, x in steps.items()})


def law_steps(robot: RobotModel, law: Law, specialization: Specialization) -> dict[str, Intermediates]:
    """Every result of the law as steps, by name; those of closed robots hold no comparisons."""
    if law.plan is None:
        program = record(robot, law, specialization)
    else:
        from rikigaku.symbolic.formulas.pivot_free_solve import plain_factors  # for robots that have loops

        linear = plan_substitution(robot, law)
        with solving(plain_factors), constant_map(law, linear):
            program = record(robot, law, specialization, linear_change(linear))
    inputs = input_shapes(robot, law, specialization)
    named = law_names(robot, law, inputs)
    context = FormulaContext(robot, exact_ring(robot, inputs), named, law.plan is not None)
    names = port_names(robot, law, inputs)
    return {port.name: intermediates(program, port.name, names, context) for port in program.outputs}


def plan_substitution(robot: RobotModel, law: Law) -> "LinearSubstitution | None":
    """Linear relations of the dependent coordinates of a closed robot's law."""
    from rikigaku.symbolic.loops.linear_substitution import linear_substitution  # for robots that have loops

    places = getattr(law.plan, "independent", None)
    return None if places is None else linear_substitution(robot, places)


def linear_change(linear: "LinearSubstitution | None") -> Any:
    """The change of a recorded law's inputs by the relations."""
    return None if linear is None else lambda named: linear.inputs(named, lambda: math.pi)


@contextmanager
def constant_map(law: Law, linear: "LinearSubstitution | None") -> Iterator[None]:
    """Inside, v = P v_independent with the constant P of the relations, if all coordinates are linear."""
    P = None if linear is None or law.plan is None else linear.velocity_map(law.plan.independent)
    token = CONSTANT_MAP.set(P)
    try:
        yield
    finally:
        CONSTANT_MAP.reset(token)


@contextmanager
def solving(factors: Any) -> Iterator[None]:
    """Inside, laws of closed robots solve their linear equations by these factors."""
    token = FACTORS.set(factors)
    try:
        yield
    finally:
        FACTORS.reset(token)
