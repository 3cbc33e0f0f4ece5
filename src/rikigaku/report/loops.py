"""What a report says of closed loops: mobility, ways to assemble, how near a posture is to a singular one."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import ClosurePlan, closure
from rikigaku.display import Table, html_table
from rikigaku.errors import RikigakuError
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

_FEW = 12  # coordinates of a mode that a table can show


@dataclass(frozen=True, eq=False)
class LoopFigures:
    """The plan of the loops, assembly modes at the independent coordinates of the posture, singularity."""

    plan: ClosurePlan
    modes: Array
    singularity: Any = None

    def lines(self) -> list[str]:
        """For the terminal."""
        words = repr(self.plan).splitlines()
        words.append(f"  ways to assemble found at this posture: {len(self.modes)}")
        if self.singularity is not None:
            s = self.singularity
            words.append(f"  singular where 0: loops {s.loops:.3g}, drives {s.drives:.3g}")
        return words


def loop_figures(robot: Robot, q: Array) -> LoopFigures:
    """Figures of a closed robot at a closed posture."""
    plan, laws = closure(robot), cast(Any, robot)
    try:
        own = {name: q[robot.q_slices[name]] for name in dict.fromkeys(_joints(plan))}
        modes = laws.assemble(own, near=q, all=True)
    except RikigakuError:  # beyond the limits, or coordinates that do not serve here
        modes = q[None]
    near = None if plan.undriven else laws.singularity(q)
    return LoopFigures(plan, modes, near)


def loop_section(figures: LoopFigures) -> str:
    """The same as a part of the page."""
    plan = figures.plan
    named = [
        ("mobility", str(plan.mobility)),
        ("equations that count", f"{len(plan.rows)}, and {plan.redundancy} that follow from them"),
        ("independent", ", ".join(plan.independent)),
        ("dependent", ", ".join(plan.dependent)),
        ("driven", ", ".join(plan.driven) or "none"),
        ("redundant", ", ".join(plan.redundant) or "none"),
    ]
    if plan.undriven:
        named.append(("moves with all drives locked", ", ".join(plan.undriven)))
    if figures.singularity is not None:
        s = figures.singularity
        named.append(
            ("singular where 0", f"loops {s.loops:.3g}; drives {s.drives:.3g} (it moves with them locked)")
        )
    table = html_table(Table(("", ""), named), "data")
    return f"<section><h2>Loops</h2><div class='wide'>{table}</div>{_modes(figures)}</section>"


def _modes(figures: LoopFigures) -> str:
    robot, modes = figures.plan.robot, figures.modes
    count = f"<p>{len(modes)} ways to assemble it were found at the independent coordinates of this posture"
    if robot.nq > _FEW:
        return f"{count}.</p>"
    rows = [
        (f"{k + 1}", str(cast(Any, robot).assembly(q).mode), *(f"{x:.5g}" for x in q))
        for k, q in enumerate(modes)
    ]
    titles = ("", "signs", *(joint.name for joint in robot.joints for _ in range(joint.nq)))
    return f"{count}:</p><div class='wide'>{html_table(Table(titles, rows), 'data')}</div>"


def _joints(plan: ClosurePlan) -> list[str]:
    return [name.split("[")[0] for name in plan.independent]
