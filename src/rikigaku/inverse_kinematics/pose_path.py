"""Configurations along a path of poses: one branch of exact solutions, or searches one after another.

With times of the poses, joints keep their velocity limits: exact solutions that exceed them are reported, and
a search moves each joint no further than its limit allows, so the frame lags where that does not suffice.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.branch_path import Joints, branch_path
from rikigaku.inverse_kinematics.exact_solver import ExactSolver
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.levenberg_marquardt import SearchOptions, bounds_of, search
from rikigaku.inverse_kinematics.target_kinds import PoseTarget, Target
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import velocity_bounds

_RESTARTS = 4  # within the box that the velocity limits leave
_HELD = 1e-9  # [rad, m]: a joint this near to the end of its box is held by its velocity limit


class PathOptions(NamedTuple):
    """largest_step: of a joint between poses [rad, m], more is a change of branch; intervals [s] or None."""

    largest_step: float
    intervals: Array | None


def path_options(largest_step: float, times: ArrayLike | None, count: int) -> PathOptions:
    """Validated options of a path of poses.

    Raises:
        WrongValue: if the step is not positive or the times do not increase.
    """
    if not largest_step > 0:
        raise WrongValue(f"largest_step is above 0, not {largest_step}.")
    if times is None:
        return PathOptions(float(largest_step), None)
    t = floats("times", times)
    if t.shape != (count,) or not np.isfinite(t).all() or not (np.diff(t) > 0).all():
        raise WrongValue(f"times are {count} increasing numbers [s], one for each pose of the path.")
    return PathOptions(float(largest_step), np.diff(t))


def exact_path(
    solver: ExactSolver, found: IkSolution, start: Array | None, limits: bool, options: PathOptions
) -> IkSolution:
    """One configuration for each pose, chosen from all of them."""
    coordinates = list(solver.arm.coordinates)
    lower, upper = (x[coordinates] for x in solver.bounds)
    if not limits:
        lower, upper = np.full(len(lower), -np.inf), np.full(len(upper), np.inf)
    own = None if start is None else start[coordinates]
    moves = _moves(solver.robot, options)
    moves = None if moves is None else moves[:, coordinates]
    joints = Joints(solver.angles, lower, upper)
    path = branch_path(found.q[..., coordinates], found.success, own, joints, options.largest_step, moves)
    good: Any = np.isfinite(path.q).all(axis=1)
    q = found.q[np.arange(len(good)), found.success.argmax(axis=1)].copy()
    q[:, coordinates] = path.q
    q[~good] = np.nan
    errors = [
        np.where(good, np.where(found.success, x, 0.0).max(axis=1), np.nan)
        for x in (found.position_error, found.rotation_error)
    ]
    changes = path.changes, path.too_fast
    return _path_solution(q, good, errors, *changes, found.iterations, solver.method)


def searched_path(
    robot: RobotModel,
    goal: Target,
    targets: Array,
    start: Array,
    search_options: SearchOptions,
    options: PathOptions,
) -> IkSolution:
    """A path by searches, each from the configuration before it."""
    parts: list[IkSolution] = []
    changes, fast, before = list[int](), list[int](), start
    moves = _moves(robot, options)
    lower, upper = bounds_of(robot) if search_options.bounds is None else search_options.bounds
    for k, target in enumerate(targets):
        one = replace(goal, **{"pose" if isinstance(goal, PoseTarget) else "position": target})
        own = search_options
        if moves is not None and k:
            box = np.maximum(lower, before - moves[k - 1]), np.minimum(upper, before + moves[k - 1])
            own = own._replace(bounds=box, restarts=min(own.restarts, _RESTARTS))
        found = search(robot, [one], (), before, own)
        moved = np.abs(found.q - before).max(initial=0.0)
        if moves is None and k and found.success and (moved > options.largest_step or not parts[-1].success):
            changes.append(k)
        if moves is not None and k and not found.success:
            held = np.abs(found.q - before) > moves[k - 1] - _HELD
            fast += [k] if held.any() else []
        if found.success or moves is not None:
            before = found.q
        parts.append(found)
    good = np.array([bool(x.success) for x in parts], dtype=bool)
    rows = [x.q if x.success or moves is not None else np.full(robot.nq, np.nan) for x in parts]
    q = np.array(rows).reshape(len(rows), robot.nq)
    errors = [np.array([getattr(x, name) for x in parts]) for name in ("position_error", "rotation_error")]
    iterations = np.array([x.iterations for x in parts], dtype=np.int64)
    return _path_solution(q, good, errors, tuple(changes), tuple(fast), iterations, "search")


def _moves(robot: RobotModel, options: PathOptions) -> Array | None:
    """What velocity limits let each coordinate of q move between consecutive poses (n - 1, nq)."""
    if options.intervals is None:
        return None
    largest, rates = np.full(robot.nq, np.inf), velocity_bounds(robot)
    for joint in robot.joints:
        if joint.nq == 1:
            largest[robot.q_slices[joint.name].start] = rates[robot.v_slices[joint.name].start]
    return options.intervals[:, None] * largest


def _path_solution(
    q: Array,
    good: Any,
    errors: Sequence[Array],
    changes: tuple[int, ...],
    too_fast: tuple[int, ...],
    iterations: Any,
    method: str,
) -> IkSolution:
    parts = []
    missing = np.nonzero(~good)[0]
    if len(missing):
        why = "are not reached in time" if too_fast else "have no configuration"
        parts.append(f"{len(missing)} of {len(good)} poses {why}, the first is {missing[0]}.")
    if changes:
        parts.append(f"The branch changes before {', '.join(map(str, changes[:8]))}.")
    if too_fast:
        parts.append(f"Velocity limits are too low for {len(too_fast)} steps, the first to {too_fast[0]}.")
    text = " ".join(parts) or "One branch follows the whole path."
    words = np.full(len(good), text, dtype=object)
    return IkSolution(
        q, good, errors[0], errors[1], iterations, words, method, changes=changes, too_fast=too_fast
    )
