"""Conditions at which single worlds of a rollout stop: formulas of their state, compiled into the steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.robot import Robot
from rikigaku.simulation.actuation_program import kernel_of
from rikigaku.simulation.kept_programs import kept
from rikigaku.simulation.state_variables import StateVariables


@dataclass(frozen=True)
class StopCondition:
    """A world stops before the first step at whose beginning a formula is above zero."""

    variables: StateVariables
    formulas: tuple[Formula, ...]

    @cached_property
    def identity(self) -> str:
        return "; ".join(map(str, self.formulas))

    def running(self, q: Sequence[Number], v: Sequence[Number]) -> Number:
        """1 while no formula is above zero, else 0."""
        values, running = self.variables.values(q, v), 1.0
        for formula in self.formulas:
            running = where(formula.evaluate(FLOATS, values) > 0, 0.0, running)
        return running

    def kernel(self, robot: Robot) -> Kernel:
        """`running` of a row of the state (q, v, energies)."""

        def function(y: list[Number]) -> Mapping[str, Any]:
            return {"running": [self.running(y[: robot.nq], y[robot.nq : robot.nq + robot.nv])]}

        def make() -> Kernel:
            shapes = [("y", (robot.nq + robot.nv + EXTRA_STATES,))]
            return kernel_of(trace(f"stop condition of {robot.name}", shapes, function))

        return kept(robot, (StopCondition, self.identity), make)


def stop_condition(robot: Robot, stop: Any) -> StopCondition | None:
    """The condition of one formula, or of several of which one suffices; None: there is none.

    Raises:
        UnknownName, BadFormula, WrongValue: for what is no formula of positions and velocities.
    """
    if stop is None:
        return None
    given = [stop] if isinstance(stop, str | Formula) else stop
    if (
        not isinstance(given, list | tuple)
        or not given
        or not all(isinstance(x, str | Formula) for x in given)
    ):
        raise WrongValue(
            'stop is a formula of positions and velocities, as "q2^2 - 0.04" (the world stops where it is '
            f"above zero), or a list of them; {short(stop)} was given."
        )
    variables, formulas = StateVariables.of(robot), tuple(Formula.of(x) for x in given)
    for formula in formulas:
        variables.check(formula, "the condition")
    return StopCondition(variables, formulas)
