"""Closed loops in the report: mobility, assembly modes, distance of the configuration from singularity."""

from dataclasses import dataclass
from typing import Any

from rikigaku.closure.closure_plan import ClosurePlan, closure
from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.model.robot_tables import Table, html_table
from rikigaku.robot import Robot

_FEW = 12  # coordinates of a mode that a table can show


@dataclass(frozen=True, eq=False)
class LoopFigures:
    """Structure of the loops, assembly modes at the configuration's independent coordinates, singularity."""

    plan: ClosurePlan
    modes: Array
    singularity: Any = None

    def lines(self) -> list[str]:
        """For the terminal."""
        lines = repr(self.plan).splitlines()
        lines.append(f"  assembly modes found at this configuration: {len(self.modes)}")
        if self.singularity is not None:
            s = self.singularity
            lines.append(f"  singular where 0: loops {s.loops:.3g}, actuation {s.actuation:.3g}")
        return lines


def loop_figures(robot: Robot, q: Array) -> LoopFigures:
    """Figures of a closed robot at a closed configuration."""
    plan, laws = closure(robot), robot
    try:
        own = {name: q[robot.q_slices[name]] for name in dict.fromkeys(_joints(plan))}
        modes = laws.assemble(own, near=q, all=True)
    except RikigakuError:  # beyond the limits, or coordinates that do not serve here
        modes = q[None]
    near = None if plan.unactuated else laws.singularity(q)
    return LoopFigures(plan, modes, near)


def loop_section(figures: LoopFigures) -> str:
    """The same as a part of the page."""
    plan = figures.plan
    named = [
        ("mobility", str(plan.mobility)),
        ("loop equations", f"{len(plan.equations)} independent, {plan.redundancy} redundant"),
        ("independent", ", ".join(plan.independent)),
        ("dependent", ", ".join(plan.dependent)),
        ("actuated", ", ".join(plan.actuated) or "none"),
        ("redundant", ", ".join(plan.redundant) or "none"),
    ]
    if plan.unactuated:
        named.append(("moves with all actuators locked", ", ".join(plan.unactuated)))
    if figures.singularity is not None:
        s = figures.singularity
        named.append(
            (
                "singular where 0",
                f"loops {s.loops:.3g}; actuation {s.actuation:.3g} (0: it moves with actuators locked)",
            )
        )
    table = html_table(Table(("", ""), named), "data")
    return f"<section><h2>Loops</h2><div class='wide'>{table}</div>{_modes(figures)}</section>"


def _modes(figures: LoopFigures) -> str:
    robot, modes = Robot.of(figures.plan.robot), figures.modes
    count = f"<p>{len(modes)} assembly modes were found at the independent coordinates of this configuration"
    if robot.nq > _FEW:
        return f"{count}.</p>"
    rows = [
        (f"{k + 1}", str(robot.assembly_mode(q).mode), *(f"{x:.5g}" for x in q)) for k, q in enumerate(modes)
    ]
    titles = ("", "signs", *(joint.name for joint in robot.joints for _ in range(joint.nq)))
    return f"{count}:</p><div class='wide'>{html_table(Table(titles, rows), 'data')}</div>"


def _joints(plan: ClosurePlan) -> list[str]:
    return [name.split("[")[0] for name in plan.independent]
