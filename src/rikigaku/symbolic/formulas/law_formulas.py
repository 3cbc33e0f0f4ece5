"""Exact formulas of a law: computed in this process if quick, else in a child process."""

from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.core.errors import JobFailed, NotExact, NoValue, RikigakuError, TooLarge
from rikigaku.laws.display_names import law_names
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization, input_shapes
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.symbolic.algebra.child_process import JobOptions as JobOptions
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.symbolic.algebra.job_dispatch import in_process, in_process_or_child
from rikigaku.symbolic.formulas.determinant_size import check_determinant
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.exact_state import LOOP_ROOTS, exact_results
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.law_intermediates import law_intermediates, law_steps
from rikigaku.symbolic.formulas.law_json import (
    LawOutput,
    LawResults,
    law_data,
    law_of,
    results_from_json,
    results_to_json,
)
from rikigaku.symbolic.formulas.law_result import one_or_named

_ADVICE = (
    "Give more time (law.formulas(time_limit=...)), values to some symbols (law.formulas(L=0.4)), or read "
    "the law as a list of intermediate variables (law.intermediates())."
)
_REPORTED_ERRORS = {error.__name__: error for error in (NotExact, NoValue, TooLarge)}


def law_formulas(
    robot: RobotModel, law: Law, specialization: Specialization, work: JobOptions | None = None
) -> Any:
    """The law as exact formulas: one formula, an array of them, or a named tuple of several results.

    `Intermediates`, with the reason, where formulas are too long or their computation fails.

    Raises:
        NotExact: if the law needs what exact numbers do not have (the sine of a root).
        TimeLimit, JobCancelled: if the work was stopped.
    """
    replaceable: tuple[type[RikigakuError], ...] = (TooLarge, JobFailed)
    if law.plan is not None:  # equations of loops are solved by steps where they have no formula
        replaceable += (NotExact,)
    try:
        return _exact_formulas(robot, law, specialization, work or JobOptions(60.0))
    except replaceable as error:
        try:
            return law_intermediates(robot, law, specialization, str(error))
        except NotExact:  # the law has no list of intermediate variables either
            raise error from None


def _exact_formulas(robot: RobotModel, law: Law, specialization: Specialization, work: JobOptions) -> Any:
    what = f"The formulas of {law.called} of robot {robot.name!r}"
    data = law_data(robot, law, specialization)
    if data is None:  # a law outside the catalogue: a child process cannot find it
        numbers = in_process(
            lambda: _numbers(robot, law, specialization), what=what, work=work, advice=_ADVICE
        )
    else:
        numbers = in_process_or_child(
            lambda: _numbers(robot, law, specialization),
            _job,
            data,
            lambda result: _from_job(robot, law, specialization, result),
            what=what,
            work=work,
            advice=_ADVICE,
        )
    names = law_names(robot, law, input_shapes(robot, law, specialization))
    context = FormulaContext(robot, numbers.ring, names, law.plan is not None)
    made = {
        name: _read(robot, law, specialization, name, result, context)
        for name, result in numbers.results.items()
    }
    return one_or_named(made)


def _numbers(robot: RobotModel, law: Law, specialization: Specialization) -> LawResults:
    """Results of the law in exact numbers."""
    if law.plan is not None:
        from rikigaku.symbolic.formulas.closed_law_formulas import (
            closed_numbers,  # for robots that have loops
        )

        return closed_numbers(robot, law, specialization)
    check_determinant(robot, law)
    progress(f"{law.called} is run on exact numbers")
    ring, results = exact_results(robot, law, specialization)
    found = {}
    for name, value in results.items():
        # literal numbers of a law (0, 1, 1/2) as fractions
        numbers = [Fraction(x) if isinstance(x, (int, float)) else x for x in flatten(value)]
        found[name] = LawOutput(shape_of(value), numbers)
    return LawResults(ring, found)


def _job(data: dict[str, Any]) -> dict[str, Any]:
    try:
        found = _numbers(*law_of(data))
    except tuple(_REPORTED_ERRORS.values()) as error:
        name = next(name for name, kind in _REPORTED_ERRORS.items() if isinstance(error, kind))
        return {"error": name, "text": str(error)}
    return results_to_json(found)


def _from_job(
    robot: RobotModel, law: Law, specialization: Specialization, result: dict[str, Any]
) -> LawResults:
    if "error" in result:
        raise _REPORTED_ERRORS[result["error"]](result["text"])
    spare = 0 if law.plan is None else LOOP_ROOTS
    return results_from_json(robot, input_shapes(robot, law, specialization), spare, result)


def _read(
    robot: RobotModel,
    law: Law,
    specialization: Specialization,
    name: str,
    result: LawOutput,
    context: FormulaContext,
) -> Any:
    """One result as formulas with display names."""
    if result.parts:
        from rikigaku.symbolic.loops.closed_formulas import closed_formula

        unreduced = result.unreduced or [None] * len(result.numbers)
        forms = zip(result.parts, result.numbers, unreduced, strict=True)
        made = [closed_formula(x, number, context, other) for x, number, other in forms]
    else:
        made = [ExactFormula(number, context) for number in result.numbers]
    if not result.shape:
        return made[0]
    array = np.empty(result.shape, dtype=object)
    for k, x in enumerate(made):
        array.flat[k] = x

    def steps() -> Intermediates:
        return law_steps(robot, law, specialization)[name]

    kind = "robot" if law.plan is None else "closed robot"
    of_law = f" of {law.called}" if law.called != name else ""
    return Formulas(f"{name}{of_law}, {kind} {robot.name!r}", array, context, steps)
