"""Choice between an exact method and a search, for one frame of a robot."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.errors import NotSolvable, UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.value_text import short
from rikigaku.inverse_kinematics.exact_solver import ExactSolver, exact_solver
from rikigaku.model.robot_model import RobotModel

EXACT = ("formulas", "elimination", "continuation")
METHODS = ("auto", *EXACT, "search")


class ExactMethod(NamedTuple):
    """A solver, the values (n,) of its given joints by name, and the dimension of the family of solutions.

    Redundant joints of a family are among the given ones, with NaN in place of values.
    """

    solver: ExactSolver
    given: dict[str, Array]
    dimension: int


def exact_method(
    robot: RobotModel,
    frame: str,
    symbols: Mapping[str, float],
    given: Mapping[str, ArrayLike] | None,
    method: str,
    everything: bool,
    is_pose: bool,
    count: int,
) -> ExactMethod | None:
    """The exact method for poses of a frame; None if a search must serve.

    Raises:
        NotSolvable: if all configurations or an exact method are asked for, and there is none.
    """
    wanted = everything or method in EXACT
    if wanted and method == "search":
        raise NotSolvable(
            "A search finds one configuration: leave all=True or method='search' out. All configurations of "
            f"a chain are found by {', '.join(EXACT)}.",
            [],
        )
    if wanted and (robot.loops or robot.couplings):
        raise NotSolvable(
            "Exact methods serve robots without loops or coupled joints; "
            "robot.inverse_kinematics_formulas(...) serves robots with loops.",
            [],
        )
    if method in EXACT and not is_pose:
        raise NotSolvable(f"method={method!r} solves positions with all=True, or give poses (4, 4).", [])
    if method == "search" or not is_pose or robot.loops or robot.couplings:
        return None
    values = _given(robot, given or {}, count)
    own = method if method in EXACT else "auto"
    try:
        solver = exact_solver(robot, frame, symbols, tuple(sorted(values)), own)
    except NotSolvable:
        if wanted:
            raise
        return None
    dimension = solver.dimension
    if dimension and everything:
        names = solver.redundant_joints
        solver = exact_solver(robot, frame, symbols, tuple(sorted([*values, *names])), own)
        return ExactMethod(solver, {**values, **{name: np.full(count, np.nan) for name in names}}, dimension)
    if not solver.names:
        return None
    if dimension or not solver.free:
        if wanted and not solver.free:
            raise NotSolvable(f"All joints that move frame {frame!r} were given.", [])
        if wanted:
            free = ", ".join(solver.names[k] for k in solver.free)
            raise NotSolvable(
                f"{len(solver.free)} joints move frame {frame!r} ({free}): its configurations are a family "
                f"of dimension {dimension}. Give values of that many of them: given={{...}}, or all=True.",
                [],
            )
        return None
    if solver.is_degenerate and not wanted:
        return None
    if method in EXACT and solver.method != method:
        raise NotSolvable(
            f"There is no {method} for frame {frame!r} of robot {robot.name!r}: it is solved by "
            f"{solver.method}.",
            [],
        )
    return ExactMethod(solver, values, 0)


def is_moved(robot: RobotModel, frame: str, symbols: Mapping[str, float]) -> bool:
    """Whether a joint moves the frame; frames of the base stay."""
    if robot.loops or robot.couplings:
        return True
    try:
        return bool(exact_solver(robot, frame, symbols, ()).arm.coordinates)
    except NotSolvable:  # a joint that is neither revolute nor prismatic
        return True


def _given(robot: RobotModel, given: Mapping[str, ArrayLike], count: int) -> dict[str, Array]:
    values = {}
    for name, value in given.items():
        if name not in robot.q_slices:
            raise UnknownName("joint", name, tuple(robot.q_slices), f"robot {robot.name!r}")
        own = floats(f"given[{name!r}]", value).ravel()
        if len(own) not in (1, count) or not np.isfinite(own).all():
            raise WrongValue(
                f"given[{name!r}] is one finite number [rad, m], or one for each of {count} targets; "
                f"{short(value)} was given."
            )
        values[name] = np.broadcast_to(own, (count,))
    return values
