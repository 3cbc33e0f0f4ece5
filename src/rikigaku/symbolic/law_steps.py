"""A law of a robot as intermediate variables: the recorded program, equations solved by + - * / alone."""

from collections import namedtuple
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rikigaku.laws.orthogonal import FACTORS
from rikigaku.laws.record import Law
from rikigaku.model.robot import Robot
from rikigaku.recipe import Recipe, input_shapes, record
from rikigaku.symbolic.exact_state import exact_ring
from rikigaku.symbolic.intermediates import Intermediates, intermediates
from rikigaku.symbolic.names import law_names, port_names
from rikigaku.symbolic.reading import Reading


def law_intermediates(robot: Robot, law: Law, recipe: Recipe) -> Any:
    """The law as intermediate variables; a named tuple where it has several results."""
    return one_or_named(law_steps(robot, law, recipe))


def law_steps(robot: Robot, law: Law, recipe: Recipe) -> dict[str, Intermediates]:
    """Every result of the law as steps, by name; of closed robots nothing is compared in them."""
    if law.plan is None:
        program = record(robot, law, recipe)
    else:
        from rikigaku.symbolic.plain_factors import plain_factors  # for robots that have loops

        with solving(plain_factors):
            program = record(robot, law, recipe)
    inputs = input_shapes(robot, law, recipe)
    named = law_names(robot, law, inputs)
    reading = Reading(robot, exact_ring(robot, inputs), named, law.plan is not None)
    names = port_names(robot, law, inputs)
    return {port.name: intermediates(program, port.name, names, reading) for port in program.outputs}


@contextmanager
def solving(factors: Any) -> Iterator[None]:
    """Within, linear equations of the laws of closed robots are solved in this way."""
    token = FACTORS.set(factors)
    try:
        yield
    finally:
        FACTORS.reset(token)


def one_or_named(found: Mapping[str, Any]) -> Any:
    """The only one, or a named tuple of all."""
    if len(found) == 1:
        return next(iter(found.values()))
    return namedtuple("Results", found, rename=True)(**found)
