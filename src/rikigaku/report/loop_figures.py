"""Closed loops in a report: mobility, constraints as formulas, assembly modes, distance from singularity."""

from dataclasses import dataclass
from typing import Any

from rikigaku.closure.closure_plan import ClosurePlan, closure
from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.numbers.latex_names import aligned
from rikigaku.report.formula_lines import MOST_TERMS, FormulaLine, latex_of
from rikigaku.robot import Robot
from rikigaku.web.model_document import NamedConfigurations

_MOST_MODES = 16


@dataclass(frozen=True, eq=False)
class LoopFigures:
    """Structure of the loops, assembly modes at the configuration's independent coordinates, singularity.

    constraints, explicit: in LaTeX; explicit: the dependent coordinates, each as an aligned display.
    """

    plan: ClosurePlan
    modes: Array
    singularity: Any = None
    constraints: tuple[FormulaLine, ...] = ()
    explicit: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """For the terminal."""
        lines = repr(self.plan).splitlines()
        lines.append(f"  assembly modes found at this configuration: {len(self.modes)}")
        if self.singularity is not None:
            s = self.singularity
            lines.append(f"  singular where 0: loops {s.loops:.3g}, actuation {s.actuation:.3g}")
        return lines

    def ghosts(self) -> list[NamedConfigurations]:
        """The assembly modes as ghosts of the page."""
        if len(self.modes) < 2:
            return []
        rows = [[float(x) for x in q] for q in self.modes[:_MOST_MODES]]
        return [NamedConfigurations("loops.ghosts", [str(k + 1) for k in range(len(rows))], rows)]


def loop_figures(robot: Robot, q: Array, time_limit: float = 8.0) -> LoopFigures:
    """Figures of a closed robot at a closed configuration."""
    plan = closure(robot)
    try:
        own = {name: q[robot.q_slices[name]] for name in dict.fromkeys(_joints(plan))}
        modes = robot.assemble(own, near=q, all=True)
    except RikigakuError:  # beyond the limits, or coordinates that do not serve here
        modes = q[None]
    near = None if plan.unactuated else robot.singularity(q)
    return LoopFigures(plan, modes, near, *loop_formulas(robot, time_limit))


def loop_formulas(robot: Robot, time_limit: float) -> tuple[tuple[FormulaLine, ...], tuple[str, ...]]:
    """The independent constraints, and the dependent coordinates as formulas where elimination finds them."""
    try:
        constraints = robot.loop_constraints()
        lines = []
        for row in constraints.rows:
            formula = constraints.combined(row.formula)
            long = len(formula.terms) > MOST_TERMS
            lines.append(FormulaLine(row.name, "" if long else latex_of(formula), len(formula.terms)))
    except RikigakuError:
        return (), ()
    try:
        explicit = tuple(aligned(relation.latex()) for relation in constraints.eliminated(time_limit))
    except RikigakuError:
        explicit = ()
    return tuple(lines), explicit


def _joints(plan: ClosurePlan) -> list[str]:
    return [name.split("[")[0] for name in plan.independent]
