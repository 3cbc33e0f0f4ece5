"""Everything a report says about a robot, as data: for HTML, JSON and LaTeX."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import MissingValue, RikigakuError
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.model.robot_tables import Table, headline
from rikigaku.plotting import default_configuration
from rikigaku.report.kinematics_blocks import (
    BRANCHES,
    BaseParameterBlock,
    InverseKinematicsBlock,
    base_parameter_block,
    branch_ghosts,
    inverse_kinematics_block,
)
from rikigaku.report.law_blocks import LawBlock, law_blocks
from rikigaku.report.law_figures import (
    LawFigures,
    law_figures,
    law_inputs,
    missing_symbols,
    shown_frame,
    stated_state,
)
from rikigaku.report.loop_figures import LoopFigures, loop_figures
from rikigaku.report.parameter_tables import parameter_tables
from rikigaku.report.shown_laws import shown_law
from rikigaku.robot import Robot
from rikigaku.web.drawn_robot import assumed_values, drawn_robot
from rikigaku.web.model_document import BeamMesh, Motion, RobotDocument, SurfaceMesh, Visual
from rikigaku.web.robot_document import robot_document

Progress = Callable[[str, str], None]  # phase ("formulas", "laws"), and what is done


@dataclass(frozen=True, eq=False)
class Report:
    """A robot's report.

    drawn: the robot of the picture, and drawn_q its configuration; assumed: values that the picture takes for
    symbols of geometries and of gravity without one. document: None where no picture can be drawn.
    hand_singularity: smallest over largest singular value of the shown frame's Jacobian.
    """

    robot: Robot
    q: Array | None
    headline: str
    warnings: tuple[str, ...]
    tables: dict[str, Table]
    laws: dict[str, list[LawBlock]]
    inverse_kinematics: InverseKinematicsBlock | None
    base_parameters: BaseParameterBlock
    loops: LoopFigures | None
    figures: tuple[LawFigures, ...]
    document: RobotDocument | None
    hand_singularity: float | None = None
    version: str = ""
    frame: str = ""
    missing: tuple[str, ...] = field(default=())
    assumed: dict[str, float] = field(default_factory=dict)
    drawn: Robot | None = None
    drawn_q: Array | None = None
    block_values: dict[str, Array] = field(default_factory=dict)  # of laws in `laws` without figures

    def json(self) -> dict[str, Any]:
        """The report as plain data: JSON can hold it."""
        own = {
            "schema": 1,
            "robot": self.robot.name,
            "headline": self.headline,
            "version": self.version,
            "q": None if self.q is None else [float(x) for x in self.q],
            "warnings": list(self.warnings),
            "tables": {
                key: {"head": table.head, "rows": list(table.rows)} for key, table in self.tables.items()
            },
            "laws": {key: [asdict(block) for block in blocks] for key, blocks in self.laws.items()},
            "inverse_kinematics": None if self.inverse_kinematics is None else self.inverse_kinematics.json(),
            "base_parameters": asdict(self.base_parameters),
            "loops": _loop_data(self.loops),
            "figures": [_figure_data(item) for item in self.figures],
            "document": None if self.document is None else asdict(self.document),
        }
        return own


@checked
def report(
    robot: Robot,
    q: Array | None,
    *,
    warnings: Sequence[str] = (),
    version: str = "",
    time_limit: float = 8.0,
    visuals: Sequence[Visual] = (),
    motions: Sequence[Motion] = (),
    surfaces: Sequence[SurfaceMesh] = (),
    beams: Sequence[BeamMesh] = (),
    laws: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Analyse the robot.

    Args:
        q: the configuration shown and evaluated; None if symbols without a value place the links.
        visuals, motions, surfaces, beams: what the picture shows besides; see `rikigaku.web`.
        time_limit: seconds for the algebra of one law; what is not found by then is left out and says so.
        laws: names of the laws that are timed; all if None.
        progress: called with the phase and what is done.
    """
    q = None if q is None else numbers(f"q of robot {robot.name!r}", q, (robot.nq,))

    def say(phase: str, what: str) -> None:
        if progress:
            progress(phase, what)

    blocks = law_blocks(robot, time_limit, lambda name: say("formulas", name))
    say("formulas", "inverse_kinematics")
    inverse = inverse_kinematics_block(robot, q, time_limit) if robot.nv else None
    base = base_parameter_block(robot, lambda name: say("formulas", name))
    missing = tuple(missing_symbols(robot))
    loops = None
    if robot.loops and q is not None and not missing:
        say("formulas", "loop_constraints")
        loops = loop_figures(robot, q, time_limit)
    figures = law_figures(
        robot, q, lambda name, place, count: say("laws", f"{place + 1}/{count}: {name}"), laws
    )
    ghosts = [*branch_ghosts(inverse), *(loops.ghosts() if loops else [])]
    document, drawn, drawn_q = None, drawn_robot(robot), q
    say("page", "document")
    branches = inverse.program if inverse is not None else None
    try:
        drawn_q = default_configuration(drawn) if q is None else q
        document = robot_document(
            drawn,
            drawn_q,
            visuals=visuals,
            ghosts=ghosts,
            motions=motions,
            surfaces=surfaces,
            beams=beams,
            programs={} if branches is None else {BRANCHES: branches},
        )
    except RikigakuError:
        if q is not None:
            raise
        drawn_q = None  # with the assumed lengths the loops do not close, or a length divides by zero
    return Report(
        robot,
        q,
        headline(robot),
        tuple(warnings),
        parameter_tables(robot),
        blocks,
        inverse,
        base,
        loops,
        tuple(figures),
        document,
        _hand_singularity(robot, q),
        version,
        shown_frame(robot),
        missing,
        assumed_values(robot),
        drawn,
        drawn_q,
        {} if missing else _block_values(robot, q, blocks, {item.name for item in figures}),
    )


def _block_values(
    robot: Robot, q: Array | None, blocks: dict[str, list[LawBlock]], known: set[str]
) -> dict[str, Array]:
    """Values of laws that are not among the known ones, at the state of the report."""
    found: dict[str, Array] = {}
    if q is None:
        return found
    for block in (one for section in blocks.values() for one in section if one.law not in known):
        try:
            law = shown_law(robot, block.law).law
            with np.errstate(all="ignore"):
                value = np.asarray(law(*law_inputs(robot, law.law, stated_state(robot, q))))
        except RikigakuError:
            continue  # without a value here
        if np.isfinite(value).all():
            found[block.law] = value
    return found


def _hand_singularity(robot: Robot, q: Array | None) -> float | None:
    if q is None or not robot.nv or robot.loops:
        return None
    try:
        sizes = np.linalg.svd(robot.jacobian(q, shown_frame(robot)), compute_uv=False)
    except (MissingValue, RikigakuError):
        return None
    return float(sizes[min(6, robot.nv) - 1] / sizes[0]) if sizes[0] > 0 else 0.0


def _loop_data(loops: LoopFigures | None) -> dict[str, Any] | None:
    if loops is None:
        return None
    plan = loops.plan
    return {
        "mobility": plan.mobility,
        "independent": list(plan.independent),
        "dependent": list(plan.dependent),
        "actuated": list(plan.actuated),
        "equations": list(plan.equations),
        "redundant": list(plan.redundant),
        "constraints": [asdict(line) for line in loops.constraints],
        "explicit": list(loops.explicit),
        "assembly_modes": [[float(x) for x in q] for q in loops.modes],
    }


def _figure_data(item: LawFigures) -> dict[str, Any]:
    value = None if item.value is None or not np.isfinite(item.value).all() else item.value.tolist()
    return {**asdict(item), "value": value}
