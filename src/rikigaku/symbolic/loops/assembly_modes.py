"""`robot.assemble`: closed configurations, and all assembly modes from the exact equations of the loops."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.assembly import assembly_problem, closed_configurations, require_one_target
from rikigaku.closure.configuration_comparison import distinct, wrapped
from rikigaku.closure.held_coordinates import starting_configuration
from rikigaku.closure.platform_legs import PlatformPoses, platform_modes, platform_of, poses_of
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import CannotClose, NoFormula, NotSolvable, TooLarge
from rikigaku.core.types import Array
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import neutral

_MOST_COORDINATES = 6  # for the exact equations: with more, elimination takes long or fails


@checked
def assemble(
    robot: RobotModel,
    q_independent: ArrayLike | Mapping[str, ArrayLike],
    near: ArrayLike | None = None,
    *,
    path: bool = False,
    all: bool = False,
    strict: bool = True,
    **symbols: float,
) -> Array:
    """q of all joints with the loops closed, (..., nq), from the positions of the independent joints.

    Args:
        q_independent: (..., n) in the order of `robot.closure().independent` (a free joint has 7 numbers), or
            {joint: positions} for any joints that determine the others.
        near: a configuration (..., nq) to continue from in small steps: the assembly mode stays. Without it,
            Newton's method starts from the neutral configuration and from random ones, and the closed
            configuration nearest to the neutral one is taken; a batch continues from its first one.
        path: the first axis of q_independent is a path; each configuration continues the one before.
        all: all assembly modes of one set of positions within the joint limits, (modes, nq), nearest first:
            from the exact equations where these can be solved; for a platform on six legs in space or three
            in a plane, one configuration at each of its poses (`robot.platform_poses`); else as many as
            random starts find.
        strict: raise where the loops cannot be closed; else the row is NaN.
        symbols: values of the robot's symbols, instead of its own.
    Raises:
        CannotClose: with reason "unreachable" if no configuration closes there, "singular" if the assembly
            mode ends at a singular configuration before. WrongSize, WrongValue: if the coordinates do not
            determine the others.
    `robot.assembly_mode(q)` returns residual, rank and assembly mode of a configuration.
    """
    if not all:
        return closed_configurations(robot, q_independent, near, path=path, strict=strict, symbols=symbols)
    problem = assembly_problem(robot, q_independent, symbols)
    require_one_target(problem, path)
    like = neutral(robot) if near is None else starting_configuration(robot, near).reshape(-1, robot.nq)[0]
    held = problem.held
    found = exact_configurations(robot, held.joints, held.positions, problem.equations.symbols)
    if found is None and (platform := platform_of(robot, held, problem.equations.symbols)) is not None:
        found, poses = platform_modes(robot, platform, problem.equations, held, like)
        if poses.reached < poses.paths and not len(found):
            found = None
    return problem.sorted_modes(problem.sampled_modes(like) if found is None else found, like)


@checked
def all_platform_poses(
    robot: RobotModel, q_independent: ArrayLike | Mapping[str, ArrayLike], **symbols: float
) -> PlatformPoses:
    """All poses of the platform of a parallel robot at given positions of its actuated joints.

    Six legs that hold points of the platform at distances from the base (UPS, PUS, RUS) have up to 40 poses,
    three in a plane (RRR, RPR) up to 6. All complex solutions are followed by homotopy continuation.

    Args:
        q_independent: as `robot.assemble` takes them, one set of positions.
    Returns:
        PlatformPoses: `poses` (n, 4, 4) of the link or frame `frame` in the world, joint limits ignored.
        All are known if `reached` equals `paths`; special geometries have fewer solutions than paths.
    Raises:
        NotSolvable: if the robot is no platform on such legs.
    """
    problem = assembly_problem(robot, q_independent, symbols)
    require_one_target(problem, False)
    platform = platform_of(robot, problem.held, problem.equations.symbols)
    if platform is None:
        raise NotSolvable(
            f"Robot {robot.name!r} is no platform on six legs in space or three in a plane that hold its "
            "points at distances from the base. robot.assemble(..., all=True) finds modes of other robots.",
            [],
        )
    return poses_of(platform)


def exact_configurations(
    robot: RobotModel, joints: tuple[str, ...], positions: Array, symbols: Mapping[str, float]
) -> Array | None:
    """All closed configurations from the exact equations; None where square roots do not solve these."""
    if robot.nv > _MOST_COORDINATES or any(joint.nq > 1 for joint in robot.joints):
        return None
    known = robot.__dict__.setdefault("_exact_modes", {})
    if joints not in known:
        from rikigaku.symbolic.loops.loop_constraints import loop_constraints  # loads computer algebra: 1 s

        try:
            constraints = loop_constraints(robot, independent=joints, linear=False)
            known[joints] = constraints if constraints.eliminated(time_limit=0) else None
        except (NoFormula, TooLarge, CannotClose):
            known[joints] = None
    if known[joints] is None:
        return None
    at = dict(zip(joints, positions.tolist(), strict=True))
    found = known[joints].configurations(at, **symbols)
    held = [robot.q_slices[name].start for name in joints]
    return distinct(robot, wrapped(robot, np.asarray(found), held))
