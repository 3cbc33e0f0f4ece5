"""Constraints of closed loops by ROSAM II (Table 1): Make_LoopCnd, Make_JCnd, and their use as arguments."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import MissingValue, RikigakuError, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_derivative import formula_derivative
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.rosam.rosam_poses import Described, as_robot
from rikigaku.rosam.variable_names import elements, variable_names
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.loops.closed_formulas import closed_formulas
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints, loop_constraints

GROBNER = "grobner"
_ZERO = 1e-9  # of the largest slope: closed configurations are known to more digits than floats have


class LoopCnd(Formulas):
    """The left sides f of the constraints f = 0 of a closed robot (eq. 13), a vector of formulas.

    constraints: the same as `robot.loop_constraints()`. explicit: the dependent coordinates as formulas of
    the independent ones (eq. 14), where 'grobner' was given; () otherwise.
    """

    def __init__(self, constraints: LoopConstraints, array: Any, solved: bool) -> None:
        context = FormulaContext(constraints.robot, constraints.state.ring, variable_names(constraints.robot))
        super().__init__(f"constraints of robot {constraints.robot.name!r}", array, context)
        self.constraints, self.explicit = constraints, constraints.explicit if solved else ()

    def each(self, change: Callable[[ExactFormula], ExactFormula]) -> "LoopCnd":
        """The same constraints with every left side changed."""
        return LoopCnd(self.constraints, super().each(change).array, bool(self.explicit))

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *map(str, self.explicit)])


@checked
def Make_LoopCnd(robot: Described, method: str = "", /) -> LoopCnd:
    """Make_LoopCnd: constraints f = 0 (eq. 13); 'grobner': solved too (eq. 14). Ours: `loop_constraints`."""
    if method not in ("", GROBNER):
        raise WrongValue(
            f"The second argument of Make_LoopCnd is {GROBNER!r}, or none; {short(method)} was given."
        )
    found = loop_constraints(as_robot(robot), explicit=method == GROBNER)
    context = FormulaContext(found.robot, found.state.ring, variable_names(found.robot))
    array = np.empty(len(found.rows), dtype=object)
    for k, row in enumerate(found.rows):
        array[k] = ExactFormula(row.formula, context)
    return LoopCnd(found, array, method == GROBNER)


@checked
def Make_JCnd(robot: Described, cnd: Any = None, /) -> Formulas:
    """Make_JCnd: the constraint Jacobian Jc (eq. 17). Ours: `robot.loop_constraints().jacobian`."""
    constraints = constraints_of(as_robot(robot), cnd)
    return closed_formulas(constraints, "Jc", constraints.jacobian)


def constraints_of(robot: Robot, cnd: Any) -> LoopConstraints:
    """The constraints of a robot, after checking that `cnd` is a complete set of them.

    cnd: what Make_LoopCnd returned, combined or not; or expressions (SymPy, texts) that are zero where its
    loops are closed; None for the robot's own.
    Raises:
        WrongValue: if an expression is not zero where the loops are closed, or some are missing.
    """
    own = loop_constraints(robot)
    if cnd is None:
        return own
    if isinstance(cnd, LoopCnd):
        if not same_mechanism(cnd.constraints.robot, robot):
            raise WrongValue(
                f"cnd has the constraints of robot {cnd.constraints.robot.name!r}, not of {robot.name!r}. "
                "Give Make_LoopCnd(RobotData) of the same RobotData."
            )
        return own
    _check(own, _expressions(cnd))
    return own


def no_constraints(robot: Robot, cnd: Any) -> None:
    """Refuse constraints of a robot that has none, or of its virtual tree.

    Raises:
        WrongValue: if any are given.
    """
    if cnd is None:
        return
    if robot.loops or robot.couplings:
        raise WrongValue(
            f"This is the virtual tree of robot {robot.name!r}: its loops are open, and it takes no cnd. "
            "Leave cnd out, or take the closed robot (Make_InvDyn(..., 1, cnd), tree=False)."
        )
    raise WrongValue(f"Robot {robot.name!r} has no loops, so it takes no cnd; {short(cnd)} was given.")


def same_mechanism(one: RobotModel, other: RobotModel) -> bool:
    """Whether two robots differ in their frames at most."""
    return replace(one, frames=()) == replace(other, frames=())


def _expressions(cnd: Any) -> list[Formula]:
    flat = elements(cnd)
    if flat is None:
        raise WrongValue(
            f"cnd is what Make_LoopCnd returns, or a list of expressions; {short(cnd)} was given."
        )
    return [x.formula if isinstance(x, ExactFormula) else Formula.of(x) for x in flat]


def _check(constraints: LoopConstraints, expressions: Sequence[Formula]) -> None:
    """Values are zero, and slopes independent, at a random closed configuration."""
    robot, state = constraints.robot, constraints.samples[0]
    names = variable_names(robot)
    at = {names[f"q[{k}]"]: float(x) for k, x in enumerate(state.q)}
    at |= {name: float(x) for name, x in state.symbols.items()}
    slopes = []
    for k, formula in enumerate(expressions, 1):
        try:
            value = float(formula.evaluate(FLOATS, at))
            row = [
                float(formula_derivative(formula, names[f"q[{i}]"]).evaluate(FLOATS, at))
                for i in range(robot.nq)
            ]
        except MissingValue as error:
            raise WrongValue(f"cnd({k}) = {formula}: {error} Robot {robot.name!r} has none of it.") from error
        except (RikigakuError, ArithmeticError, ValueError) as error:
            raise WrongValue(
                f"cnd({k}) = {formula} has no value where the loops are closed: {error}"
            ) from error
        if abs(value) > _ZERO * max(1.0, *map(abs, row)):
            raise WrongValue(
                f"cnd({k}) = {formula} is {value:.3g}, not zero, where the loops of robot {robot.name!r} are "
                "closed."
            )
        slopes.append(row)
    needed, rank = len(constraints.rows), int(np.linalg.matrix_rank(slopes)) if slopes else 0
    if rank < needed:
        raise WrongSize(
            f"cnd has {rank} independent constraints; robot {robot.name!r} has {needed}. Give all that "
            "Make_LoopCnd(RobotData) returns."
        )
