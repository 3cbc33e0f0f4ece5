"""A law of a robot as exact formulas, run here if that is quick, else in a child process."""

from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.errors import NotExact, NoValue, TooLarge
from rikigaku.laws.record import Law
from rikigaku.model.robot import Robot
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.recipe import Recipe, input_shapes
from rikigaku.symbolic.algebra.here_or_there import here_or_there
from rikigaku.symbolic.algebra.jobs import Work as Work
from rikigaku.symbolic.algebra.jobs import progress
from rikigaku.symbolic.element import ExactFormula
from rikigaku.symbolic.exact_state import LOOP_ROOTS, exact_results
from rikigaku.symbolic.formulas import Formulas
from rikigaku.symbolic.intermediates import Intermediates
from rikigaku.symbolic.law_data import law_data, law_of
from rikigaku.symbolic.law_numbers import LawNumbers, Result, restored, saved
from rikigaku.symbolic.law_steps import law_intermediates, law_steps, one_or_named
from rikigaku.symbolic.names import law_names
from rikigaku.symbolic.reading import Reading

_ADVICE = (
    "Give more time (law.formulas(time_limit=...)), values to some symbols (law.formulas(L=0.4)), or read "
    "the law as a list of intermediate variables (law.intermediates())."
)
_TOLD = {error.__name__: error for error in (NotExact, NoValue, TooLarge)}


def law_formulas(robot: Robot, law: Law, recipe: Recipe, work: Work | None = None) -> Any:
    """The law as exact formulas: one formula, an array of them, or a named tuple of several results.

    Of closed robots `Intermediates` where formulas would be too long to read.

    Raises:
        NotExact: if the law needs what exact numbers do not have (the sine of a root).
        TooLarge: if a formula outgrows all reading. TimeLimit, JobCancelled: if the work was stopped.
    """
    data = law_data(robot, law, recipe)
    if data is None:  # a law made for the occasion, which a child process would not know
        numbers = _numbers(robot, law, recipe)
    else:
        numbers = here_or_there(
            lambda: _numbers(robot, law, recipe),
            _job,
            data,
            lambda answer: _from_job(robot, law, recipe, answer),
            what=f"The formulas of {law.called} of robot {robot.name!r}",
            work=work or Work(60.0),
            advice=_ADVICE,
        )
    if numbers is None:
        return law_intermediates(robot, law, recipe)
    names = law_names(robot, law, input_shapes(robot, law, recipe))
    reading = Reading(robot, numbers.ring, names, law.plan is not None)
    made = {
        name: _read(robot, law, recipe, name, result, reading) for name, result in numbers.results.items()
    }
    return one_or_named(made)


def _numbers(robot: Robot, law: Law, recipe: Recipe) -> LawNumbers | None:
    """What the law gives on exact numbers; None where steps are easier to read."""
    if law.plan is not None:
        from rikigaku.symbolic.closed_laws import closed_numbers  # for robots that have loops

        return closed_numbers(robot, law, recipe)
    progress(f"{law.called} is run on exact numbers")
    ring, results = exact_results(robot, law, recipe)
    found = {}
    for name, value in results.items():
        # literal numbers of a law (0, 1, 1/2) as fractions
        numbers = [Fraction(x) if isinstance(x, (int, float)) else x for x in flatten(value)]
        found[name] = Result(shape_of(value), numbers)
    return LawNumbers(ring, found)


def _job(data: dict[str, Any]) -> dict[str, Any]:
    try:
        found = _numbers(*law_of(data))
    except tuple(_TOLD.values()) as error:
        name = next(name for name, kind in _TOLD.items() if isinstance(error, kind))
        return {"error": name, "text": str(error)}
    return {"steps": True} if found is None else saved(found)


def _from_job(robot: Robot, law: Law, recipe: Recipe, answer: dict[str, Any]) -> LawNumbers | None:
    if "error" in answer:
        raise _TOLD[answer["error"]](answer["text"])
    if "steps" in answer:
        return None
    spare = 0 if law.plan is None else LOOP_ROOTS
    return restored(robot, input_shapes(robot, law, recipe), spare, answer)


def _read(robot: Robot, law: Law, recipe: Recipe, name: str, result: Result, reading: Reading) -> Any:
    """One result as formulas with the names people know."""
    if result.parts:
        from rikigaku.symbolic.loops.closed_formulas import closed_formula

        pairs = zip(result.parts, result.numbers, strict=True)
        made = [closed_formula(x, number, reading) for x, number in pairs]
    else:
        made = [ExactFormula(number, reading) for number in result.numbers]
    if not result.shape:
        return made[0]
    array = np.empty(result.shape, dtype=object)
    for k, x in enumerate(made):
        array.flat[k] = x

    def steps() -> Intermediates:
        return law_steps(robot, law, recipe)[name]

    kind = "robot" if law.plan is None else "closed robot"
    return Formulas(f"{name} of {law.called}, {kind} {robot.name!r}", array, reading, steps)
