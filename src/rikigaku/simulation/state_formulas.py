"""Joint forces as formulas of time, positions and velocities, compiled into the vector field."""

from collections.abc import Sequence

from rikigaku.closure.closure_plan import closure
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Function, Numbers, TorqueSource
from rikigaku.simulation.state_variables import StateVariables


class StateFormulas(TorqueSource):
    """Forces [N m, N] as formulas: `StateFormulas(robot, ["-5*q1_dot + 2*sin(t)", "-10*q2"])`.

    Args:
        formulas: one for each coordinate of v; of a closed robot one for each actuated coordinate, in the
            order of `robot.closure().actuated`. Names are t and those of `law.formulas`: q1, q1_dot.
    """

    function: Function | None = None
    period: float | None = None
    pieces = None
    size = 0
    parameters: tuple[float, ...] = ()

    @checked
    def __init__(self, robot: Robot, formulas: Sequence[str | float | Formula]) -> None:
        self.variables = StateVariables.of(robot)
        plan = closure(robot).structure.actuated if is_closed(robot) else range(robot.nv)
        self.coordinates, self.nv = tuple(plan), robot.nv
        self.formulas = tuple(Formula.of(x) for x in formulas)
        if len(self.formulas) != len(self.coordinates):
            raise WrongSize(
                f"StateFormulas takes {len(self.coordinates)} formulas, one for each actuated coordinate of "
                f"robot {robot.name!r}; {len(self.formulas)} were given."
            )
        for formula in self.formulas:
            self.variables.check(formula, "the force", ("t",))

    @property
    def identity(self) -> str:
        return f"StateFormulas {self.nv} {self.coordinates} {', '.join(map(str, self.formulas))}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        values = {"t": t, **self.variables.values(q, v)}
        result: list[Number] = [0] * self.nv
        for k, formula in zip(self.coordinates, self.formulas, strict=True):
            result[k] = formula.evaluate(FLOATS, values)
        return result
