"""Intermediate variables of a law: its recorded program, with linear equations solved by + - * / only."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rikigaku.laws.householder import FACTORS
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization, input_shapes, record
from rikigaku.model.robot_model import RobotModel
from rikigaku.symbolic.formulas.display_names import law_names, port_names
from rikigaku.symbolic.formulas.exact_state import exact_ring
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.intermediates import Intermediates, intermediates
from rikigaku.symbolic.formulas.law_result import one_or_named


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

        with solving(plain_factors):
            program = record(robot, law, specialization)
    inputs = input_shapes(robot, law, specialization)
    named = law_names(robot, law, inputs)
    context = FormulaContext(robot, exact_ring(robot, inputs), named, law.plan is not None)
    names = port_names(robot, law, inputs)
    return {port.name: intermediates(program, port.name, names, context) for port in program.outputs}


@contextmanager
def solving(factors: Any) -> Iterator[None]:
    """Inside, laws of closed robots solve their linear equations by these factors."""
    token = FACTORS.set(factors)
    try:
        yield
    finally:
        FACTORS.reset(token)
