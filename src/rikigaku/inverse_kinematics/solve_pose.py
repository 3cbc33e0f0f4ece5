"""Inverse kinematics by the best method there is: formulas, elimination, continuation, or a search."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from rikigaku.core.errors import NotSolvable, UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import flag, number, precision
from rikigaku.inverse_kinematics.exact_solutions import all_configurations, nearest, sampled_family
from rikigaku.inverse_kinematics.family_members import with_family_members
from rikigaku.inverse_kinematics.ik_solution import IkSolution, shaped
from rikigaku.inverse_kinematics.leg_branches import leg_solution
from rikigaku.inverse_kinematics.levenberg_marquardt import SearchOptions, search, start_of
from rikigaku.inverse_kinematics.method_choice import METHODS, ExactMethod, exact_method, is_moved
from rikigaku.inverse_kinematics.nearest_closed import with_closed_loops
from rikigaku.inverse_kinematics.nearest_reachable import with_family, with_nearest
from rikigaku.inverse_kinematics.pose_path import PathOptions, exact_path, path_options, searched_path
from rikigaku.inverse_kinematics.position_wrist import WRIST, posed, with_wrist, without_wrist
from rikigaku.inverse_kinematics.single_precision import LEAST_TOLERANCE, TOLERANCE, single_precision
from rikigaku.inverse_kinematics.target_kinds import PoseTarget, PositionTarget, Target
from rikigaku.inverse_kinematics.target_poses import targets_of
from rikigaku.model.robot_model import RobotModel

_OPTIONS = (
    "all", "along", "largest_step", "times", "given", "limits", "method", "tolerance", "iterations",
    "restarts", "rng", "dtype",
)  # fmt: skip


def inverse_kinematics(
    robot: RobotModel,
    target: ArrayLike | Sequence[Target],
    frame: str | None = None,
    q0: ArrayLike | None = None,
    *,
    all: bool = False,
    along: bool = False,
    largest_step: float = 0.5,
    times: ArrayLike | None = None,
    given: Mapping[str, ArrayLike] | None = None,
    limits: bool = True,
    method: str = "auto",
    tolerance: float | None = None,
    iterations: int = 100,
    restarts: int = 40,
    rng: Any = 0,
    dtype: DTypeLike = np.float64,
    **symbols: float,
) -> IkSolution:
    """q that brings a frame to a pose (4x4) or its origin to a position (3,), within the joint limits.

    Chains of up to six revolute and prismatic joints are solved exactly, by formulas or by elimination; the
    configuration nearest to q0 is returned, or all of them. Everything else is searched for.

    Args:
        target: (4, 4), (3,), or a batch (..., 4, 4), (..., 3); poses in the world. Or a list of targets
            (rk.PoseTarget, rk.PositionTarget, rk.LookAtTarget, ...), which name their frames themselves.
        frame: a frame or link.
        q0: where the search starts (nq,), the middle of the limits if left out; of several configurations the
            nearest to it is returned. Joints that do not move the frame keep its values. One for each
            target of a batch is (..., nq).
        all: return every configuration, also at positions. A redundant arm has a family of them, given by
            samples at values of the redundant joints, and its `dimension`; `self_motion` gives the curves of
            dimension 1. A closed robot has branches of each leg (`legs`); up to 16 combinations of them are
            listed in q.
        along: the targets (n, 4, 4) are consecutive poses of a path. One branch is followed, from q0 if
            given; `changes` lists the poses before which the arm must change its branch, or needs a full
            revolution. A pose without configuration has NaN.
        largest_step: of a joint between consecutive poses of a path [rad, m]; more is a change of branch.
        times: of the poses of a path [s], increasing: the velocity limits of the joints are kept. Poses that
            an exact method reaches only by exceeding them are listed in `too_fast`. A search stays within
            them: where the arm cannot arrive in time, q is the nearest it can, and `success` is False.
        given: values of joints that are not solved for, by name; numbers, or one for each target.
        limits: configurations beyond the joint limits are no success. Angles differ by full revolutions
            where that brings them within the limits.
        method: "auto", or one of "formulas", "elimination", "continuation", "search".
        tolerance: largest error [m] and [rad] of a success; 1e-8, in single precision 1e-5.
        iterations, restarts: of the search: steps of one attempt, attempts from random configurations.
        rng: NumPy generator or seed of the random configurations; the same seed gives the same result.
        dtype: np.float32 for results of float32. Formulas and searches then run in single precision, twice as
            many poses in a register; elimination, families and paths in double precision.
        symbols: values of the robot's symbols, instead of its own.
    Returns:
        An IkSolution, with the method that was used. A pose out of reach is no error: `success` is False, and
        without all=True q is the best configuration found.
    Raises:
        WrongValue: if the target is not a pose, or options do not fit it.
        NotSolvable: if all configurations were asked for, and there is no method that gives them.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, "inverse_kinematics")
    for name in symbols:
        if name not in robot.free_symbols:
            raise UnknownName(
                "option or symbol", name, (*_OPTIONS, *robot.free_symbols), "inverse_kinematics"
            )
    kind = precision(dtype)
    everything, path, within = flag("all", all), flag("along", along), flag("limits", limits)
    bounds = None if within else (np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf))
    largest_error = _tolerance(tolerance, kind is np.float32)
    options = SearchOptions(largest_error, iterations, restarts, rng, symbols, bounds, kind)
    goals = _several(target, frame)
    if goals is not None:
        if everything or given or path or method not in ("auto", "search"):
            raise NotSolvable(
                "Several targets are searched for: no all=, along=, given= or other method.", []
            )
        shape = _common_shape(goals)
        return search(robot, goals, shape, start_of(robot, q0, within, shape), options)
    assert frame is not None
    targets, batch, is_pose = targets_of(target)
    start = start_of(robot, q0, within, () if path else batch)
    if path and (everything or len(batch) != 1):
        raise WrongValue(
            f"along= takes a path of poses (n, 4, 4), without all=; targets of batch {batch} were given."
        )
    if times is not None and not path:
        raise WrongValue("times= are those of the poses of a path: give along=True, too.")
    validated = path_options(largest_step, times, len(targets))
    steps = validated if path else None
    if robot.loops and everything and not given and method in ("auto", "search"):
        return shaped(leg_solution(robot, frame, targets, start, within, symbols), batch, kind)
    if everything and not is_pose and method != "search" and is_moved(robot, frame, symbols):
        own: dict[str, Any] = {"given": given, "limits": within, "method": method, **symbols}
        wrist = np.zeros((*start.shape[:-1], len(WRIST)))
        begin = np.concatenate([start, wrist], axis=-1)
        arm = with_wrist(robot, frame)
        found = inverse_kinematics(
            arm, posed(targets), WRIST[-1], begin, all=True, tolerance=largest_error, dtype=dtype, **own
        )
        return shaped(without_wrist(found, robot, largest_error), batch, kind)
    exact = exact_method(robot, frame, symbols, given, method, everything, is_pose, len(targets))
    if exact is None:
        if given:
            raise WrongValue("given= is for exact methods: lock the joints for a search (robot.lock(...)).")
        goal = (
            PoseTarget(frame=frame, pose=targets)
            if is_pose
            else PositionTarget(frame=frame, position=targets)
        )
        found = _searched(robot, goal, targets, start, options, steps)
        if method == "auto" and isinstance(goal, PoseTarget) and steps is None and not found.success.all():
            found = with_family(robot, found, goal, start, options, within)
        return shaped(_only(found) if everything else found, batch, kind)
    if steps is not None:
        first = None if q0 is None else start
        found = all_configurations(exact.solver, targets, exact.given, start, largest_error, within, True)
        found = with_family_members(exact.solver, found, targets, exact.given, start, within)
        return shaped(exact_path(exact.solver, found, first, within, steps), batch, kind)
    found = _exact(exact, targets, start, options, within, everything)
    if not everything:
        every, found = found, nearest(found, start)
        if method == "auto" and not found.success.all():
            goal = PoseTarget(frame=frame, pose=targets)
            # members of a family are samples: others may be within the limits
            unreachable = every.complete & (every.family.max(axis=1, initial=0) == 0)
            found = with_nearest(robot, found, goal, exact.given, start, options, unreachable)
    return shaped(found, batch, kind)


def _exact(
    exact: ExactMethod, targets: Array, start: Array, options: SearchOptions, limits: bool, everything: bool
) -> IkSolution:
    """All configurations by the exact method, in the precision of the options where it has formulas."""
    solver, given, dimension = exact
    if dimension:
        return sampled_family(solver, targets, given, start, options.tolerance, limits, dimension)
    single = options.dtype is np.float32 and solver.formulas is not None
    return all_configurations(
        single_precision(solver) if single else solver,
        targets,
        given,
        start.astype(np.float32) if single else start,
        options.tolerance,
        limits,
        limits or not everything,
    )


def _searched(
    robot: RobotModel,
    goal: PoseTarget | PositionTarget,
    targets: Array,
    start: Array,
    options: SearchOptions,
    steps: PathOptions | None,
) -> IkSolution:
    """One configuration for each target, or for the poses of a path one after another."""
    if steps is not None:
        return searched_path(robot, goal, targets, start, options, steps)
    if is_moved(robot, goal.frame, options.symbols):
        found = search(robot, [goal], (len(targets),), start, options)
        if robot.loops and not found.success.all():
            return with_closed_loops(robot, found, goal, targets, start, options)
        return found
    found = search(robot, [goal], (len(targets),), start, options._replace(restarts=0))
    found.message[~found.success] = f"No joint moves frame {goal.frame!r}: it stays where it is."
    return found


def _only(found: IkSolution) -> IkSolution:
    """The one configuration of each target as all there are: of a frame that no joint moves."""
    fields = ("q", "success", "position_error", "rotation_error")
    listed: dict[str, Any] = {name: getattr(found, name)[:, None] for name in fields}
    count = listed["success"].astype(np.int64)
    return replace(found, **listed, multiplicity=count, family=0 * count)


def _tolerance(x: float | None, single: bool) -> float:
    """The largest error of a success; single precision does not reach the default of double precision."""
    if x is None:
        return TOLERANCE if single else 1e-8
    tolerance = number("tolerance", x, above=0.0)
    if single and tolerance < LEAST_TOLERANCE:
        raise WrongValue(
            f"A tolerance of {tolerance:g} is finer than single precision: dtype=np.float32 takes "
            f"{LEAST_TOLERANCE:g} or more. Leave dtype out for double precision."
        )
    return tolerance


def _common_shape(goals: Sequence[Target]) -> tuple[int, ...]:
    """Shape of the batch of several targets, by NumPy's rules of broadcasting."""
    shapes = [goal.shape for goal in goals]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        given = ", ".join(f"{type(goal).__name__} {shape}" for goal, shape in zip(goals, shapes, strict=True))
        raise WrongSize(
            f"Targets that are met together have batches of one shape, or a single value; {given} were given."
        ) from None


def _several(target: Any, frame: str | None) -> list[Target] | None:
    """The targets of a list of them; None for poses or positions of the one frame."""
    listed = [target] if isinstance(target, Target) else target
    if isinstance(listed, list | tuple) and listed and all(isinstance(x, Target) for x in listed):
        if frame is not None:
            raise WrongValue("Targets name their frames themselves: leave frame= out.")
        if all(x.priority for x in listed):
            raise WrongValue("At least one target must have priority 0.")
        return list(listed)
    if frame is None:
        raise WrongValue("Name the frame that shall reach the target: inverse_kinematics(target, 'hand').")
    return None
