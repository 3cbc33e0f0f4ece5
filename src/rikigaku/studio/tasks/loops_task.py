"""Loops of a robot: mobility, constraints as formulas, coordinates solved for, distance from singularity."""

from dataclasses import dataclass

from rikigaku.closure.closure_plan import closure
from rikigaku.core.errors import RikigakuError
from rikigaku.core.validation import numbers
from rikigaku.report.loop_figures import loop_formulas
from rikigaku.robot import Robot
from rikigaku.studio.tasks.bound_robot import with_values


@dataclass(frozen=True)
class LoopsRequest:
    """q: a closed configuration for the singularities, or []. time_limit of the elimination [s]."""

    q: list[float]
    time_limit: float


@dataclass(frozen=True)
class ConstraintLine:
    """A loop constraint: formula = 0 in LaTeX, "" where it is too long; terms: its number of terms."""

    name: str
    latex: str
    terms: int


@dataclass(frozen=True)
class LoopsResult:
    """Structure and formulas of the loops.

    explicit: dependent coordinates solved for, in LaTeX. loop_singularity, actuation_singularity: 0 where
    singular; None where there is no value.
    """

    mobility: int
    independent: list[str]
    dependent: list[str]
    actuated: list[str]
    equations: int
    redundant: list[str]
    unactuated: list[str]
    constraints: list[ConstraintLine]
    explicit: list[str]
    loop_singularity: float | None
    actuation_singularity: float | None


def loops(robot: Robot, arguments: LoopsRequest) -> LoopsResult:
    """Mobility and constraints."""
    plan = closure(robot)
    lines, explicit = loop_formulas(robot, arguments.time_limit)
    near = None
    if arguments.q and not plan.unactuated:
        try:
            bound = with_values(robot)
            near = bound.singularity(numbers(f"q of {robot.name!r}", arguments.q, (robot.nq,)))
        except RikigakuError:
            near = None  # symbols without a value
    return LoopsResult(
        plan.mobility,
        list(plan.independent),
        list(plan.dependent),
        list(plan.actuated),
        len(plan.equations),
        list(plan.redundant),
        list(plan.unactuated),
        [ConstraintLine(line.left, line.right, line.terms) for line in lines],
        list(explicit),
        None if near is None else float(near.loops),
        None if near is None else float(near.actuation),
    )
