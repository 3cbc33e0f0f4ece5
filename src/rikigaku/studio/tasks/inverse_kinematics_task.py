"""All configurations that bring a frame to the pose it has now, and the formulas that give them."""

from dataclasses import dataclass

import numpy as np

from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.report.kinematics_blocks import inverse_kinematics_block
from rikigaku.report.law_figures import shown_frame
from rikigaku.robot import Robot
from rikigaku.studio.tasks.bound_robot import with_values
from rikigaku.symbolic.algebra.child_process import progress

_MOST_BRANCHES = 72
_TIME_LIMIT = 20.0  # of formulas of closed robots [s]


@dataclass(frozen=True)
class BranchesRequest:
    """The pose of a frame ("": the shown one) at q. limits: leave out configurations beyond them."""

    frame: str
    q: list[float]
    limits: bool


@dataclass(frozen=True)
class BranchesResult:
    """Configurations with the same pose of the frame; one row of q each, the nearest to q first.

    method: "formulas", "elimination" or "search". dimension: of the family of a redundant arm.
    singular: branches that coincide with another, by place. problem: why there are none.
    """

    frame: str
    method: str
    positions: list[list[float]]
    singular: list[int]
    dimension: int
    error: float
    problem: str


@dataclass(frozen=True)
class JointFormulasRequest:
    """Inverse kinematics of a frame as formulas; time_limit of the algebra [s]."""

    frame: str
    time_limit: float


@dataclass(frozen=True)
class FormulaStep:
    """left = right in LaTeX."""

    left: str
    right: str


@dataclass(frozen=True)
class JointFormulasResult:
    """Steps of the solution, in order; conditions on the pose, in LaTeX, each equal to zero."""

    frame: str
    branches: int
    steps: list[FormulaStep]
    conditions: list[str]
    more_conditions: int
    problem: str


def branches(robot: Robot, arguments: BranchesRequest) -> BranchesResult:
    """Branches of inverse kinematics at a configuration."""
    robot = with_values(robot, geometry_only=True)
    frame = arguments.frame or shown_frame(robot)
    q = numbers(f"q of {robot.name!r}", arguments.q, (robot.nq,))
    if robot.loops:  # formulas take as many coordinates of the pose as the robot has freedoms
        by_formulas = _by_formulas(robot, q, frame, "")
        if by_formulas.positions:
            return by_formulas
    try:
        found = robot.inverse_kinematics(robot.pose(q, frame), frame, q, all=True, limits=arguments.limits)
    except RikigakuError as error:
        return BranchesResult(frame, "", [], [], 0, 0.0, str(error))
    rows = found.q.reshape(-1, robot.nq)
    reached = np.flatnonzero(np.ravel(found.success))
    if len(reached) > _MOST_BRANCHES:
        reached = reached[:: -(-len(reached) // _MOST_BRANCHES)]
    order = sorted(reached, key=lambda k: float(np.linalg.norm(robot.difference(q, rows[k]))))
    multiplicity = np.ravel(found.multiplicity) if found.multiplicity is not None else np.ones(len(rows))
    errors = [float(np.ravel(x)[k]) for k in order for x in (found.position_error, found.rotation_error)]
    return BranchesResult(
        frame,
        found.method,
        [[float(x) for x in rows[k]] for k in order],
        [i for i, k in enumerate(order) if multiplicity[k] > 1],
        int(found.dimension),
        max(errors, default=0.0),
        "" if order else "No configuration within the joint limits has this pose.",
    )


def _by_formulas(robot: Robot, q: Array, frame: str, problem: str) -> BranchesResult:
    """Branches of a robot with loops, where its formulas give them."""
    found = inverse_kinematics_block(robot, q, _TIME_LIMIT, frame, progress).configurations
    rows = sorted(found, key=lambda row: float(np.linalg.norm(robot.difference(q, np.array(row)))))
    target = robot.pose(q, frame)[:3, 3]
    errors = [float(np.abs(robot.pose(np.array(row), frame)[:3, 3] - target).max()) for row in rows]
    method, positions = ("formulas" if rows else ""), [list(row) for row in rows]
    return BranchesResult(frame, method, positions, [], 0, max(errors, default=0.0), "" if rows else problem)


def joint_formulas(robot: Robot, arguments: JointFormulasRequest) -> JointFormulasResult:
    """Formulas of the joint positions."""
    block = inverse_kinematics_block(robot, None, arguments.time_limit, arguments.frame, progress)
    return JointFormulasResult(
        block.frame,
        block.branches,
        [FormulaStep(line.left, line.right) for line in block.steps],
        list(block.conditions),
        block.more_conditions,
        block.problem,
    )
