"""Inverse kinematics and base parameters of a robot for a report."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.numbers.program import Program
from rikigaku.report.formula_lines import FormulaLine, latex_of
from rikigaku.report.law_figures import missing_symbols, shown_frame
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters.parameter_names import latex_terms
from rikigaku.symbolic.inverse_kinematics.solution_program import branch_program
from rikigaku.symbolic.inverse_kinematics.solution_text import step_equations
from rikigaku.web.model_document import NamedConfigurations

BRANCHES = "branches"  # the law of a page that computes all branches from q
_MOST_GHOSTS = 16


@dataclass(frozen=True)
class InverseKinematicsBlock:
    """Steps of the solution in LaTeX, conditions on the pose, and branches at the configuration.

    program: computes the branches from q; None where some symbol has no value.
    """

    frame: str
    steps: tuple[FormulaLine, ...] = ()
    conditions: tuple[str, ...] = ()
    more_conditions: int = 0
    branches: int = 0
    configurations: tuple[tuple[float, ...], ...] = ()
    problem: str = ""
    program: Program | None = None

    def json(self) -> dict[str, Any]:
        """Everything but the program."""
        own = asdict(replace(self, program=None))
        del own["program"]
        return own


@dataclass(frozen=True)
class BaseParameterBlock:
    """Base parameters with their regrouping in LaTeX, and values where all are known.

    members: the parameters in each of the groups, as "m of link2".
    """

    total: int = 0
    names: tuple[str, ...] = ()
    lines: tuple[FormulaLine, ...] = ()
    members: tuple[tuple[str, ...], ...] = ()
    numbers: tuple[float, ...] = ()
    unimportant: tuple[str, ...] = ()
    verified: str = ""
    problem: str = ""


def inverse_kinematics_block(
    robot: Robot,
    q: Array | None,
    time_limit: float = 20.0,
    frame: str = "",
    progress: Callable[[str], object] | None = None,
) -> InverseKinematicsBlock:
    """Closed-form inverse kinematics of a frame (the shown one); `problem` says why there is none."""
    frame = frame or shown_frame(robot)
    try:
        formulas = robot.inverse_kinematics_formulas(frame, time_limit=time_limit, progress=progress)
    except RikigakuError as error:
        return InverseKinematicsBlock(frame, problem=str(error).split("\n")[0])
    found: tuple[tuple[float, ...], ...] = ()
    program = None
    if q is not None and not missing_symbols(robot):
        try:
            solved = formulas.solve(robot.pose(q, frame))
            found = tuple(tuple(float(x) for x in row) for row in list(solved)[:_MOST_GHOSTS])
            program = branch_program(formulas, robot.declared_values)
        except RikigakuError:
            found = ()  # the formulas hold elsewhere
    return InverseKinematicsBlock(
        frame,
        tuple(FormulaLine(left, right) for left, right in step_equations(formulas.shown_steps)),
        tuple(latex_of(x) for x in formulas.conditions),
        formulas.more_conditions,
        len(formulas.signs),
        found,
        program=program,
    )


def base_parameter_block(
    robot: Robot, progress: Callable[[str], None] | None = None, **options: Any
) -> BaseParameterBlock:
    """Base parameters of the robot; of a closed robot with its loops closed.

    options: those of `robot.base_parameters`.
    """
    if progress:
        progress("base_parameters")
    try:
        found = robot.base_parameters(**options)
    except RikigakuError as error:
        return BaseParameterBlock(problem=str(error).split("\n")[0])
    lines = []
    for name, terms in zip(found.found.kept, found.found.base, strict=True):
        own = found.latex_name(name)
        left = own if len(terms) == 1 else rf"{{{own}}}^{{R}}"
        parts = latex_terms(terms, found.latex_name)
        lines.append(FormulaLine(left, " ".join(parts).removeprefix("+ ")))
    numbers: tuple[float, ...] = ()
    if not missing_symbols(robot):
        try:
            numbers = tuple(float(x) for x in np.asarray(found.base_values()))
        except RikigakuError:
            numbers = ()
    return BaseParameterBlock(
        len(found.parameters) - len(found.zeros),
        tuple(found.symbols.get(name, name) for name in found.found.kept),
        tuple(lines),
        tuple(tuple(terms) for terms in found.found.base),
        numbers,
        tuple(found.symbols.get(name, name) for name in found.unimportant),
        found.verified,
    )


def branch_ghosts(block: InverseKinematicsBlock | None) -> list[NamedConfigurations]:
    """The branches as ghosts of the page."""
    if block is None or len(block.configurations) < 2:
        return []
    names = [str(k + 1) for k in range(len(block.configurations))]
    law = BRANCHES if block.program is not None else ""
    return [NamedConfigurations("ik.ghosts", names, [list(q) for q in block.configurations], law)]
