"""Inverse kinematics by the best method there is: formulas, elimination, continuation, or a search."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.arrays import floats
from rikigaku.core.errors import NotSolvable, UnknownName, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.core.validation import flag, number, precision
from rikigaku.core.value_text import short
from rikigaku.inverse_kinematics.exact_solver import ExactSolver, exact_solver
from rikigaku.inverse_kinematics.ik_solution import Solution
from rikigaku.inverse_kinematics.joint_ranges import AT_LIMIT
from rikigaku.inverse_kinematics.leg_branches import leg_solution
from rikigaku.inverse_kinematics.levenberg_marquardt import SearchOptions, bounds_of, search, start_of
from rikigaku.inverse_kinematics.pose_path import exact_path, path_options, searched_path
from rikigaku.inverse_kinematics.single_precision import (
    LEAST_TOLERANCE,
    TOLERANCE,
    SinglePrecisionSolver,
    single_precision,
)
from rikigaku.inverse_kinematics.target_kinds import PoseTarget, PositionTarget, Target
from rikigaku.inverse_kinematics.target_poses import targets_of
from rikigaku.model.robot_model import RobotModel

METHODS = ("auto", "formulas", "elimination", "search")
_BATCHED = (
    "q", "success", "position_error", "rotation_error", "iterations", "message", "multiplicity", "family",
    "legs", "complete",
)  # fmt: skip
Indices = NDArray[np.int64]
_OPTIONS = (
    "all", "along", "largest_step", "times", "given", "limits", "method", "tolerance", "iterations",
    "restarts", "rng", "dtype",
)  # fmt: skip
_BEYOND = 1e12  # more than any squared distance of configurations


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
    given: Mapping[str, Any] | None = None,
    limits: bool = True,
    method: str = "auto",
    tolerance: float | None = None,
    iterations: int = 100,
    restarts: int = 40,
    rng: Any = 0,
    dtype: Any = np.float64,
    **symbols: float,
) -> Solution:
    """q that brings a frame to a pose (4x4) or its origin to a position (3,), within the joint limits.

    Chains of up to six revolute and prismatic joints are solved exactly, by formulas or by elimination; the
    configuration nearest to q0 is returned, or all of them. Everything else is searched for.

    Args:
        target: (4, 4), (3,), or a batch (..., 4, 4), (..., 3); poses in the world. Or a list of targets
            (rk.PoseTarget, rk.PositionTarget, rk.LookAtTarget, ...), which name their frames themselves.
        frame: a frame or link.
        q0: where the search starts (nq,), the middle of the limits if left out; of several configurations the
            nearest to it is returned. Joints that do not move the frame keep its values.
        all: return every configuration. A redundant arm has a family of them, given by samples at values of
            the redundant joints, and its `dimension`; `self_motion` gives the curves of dimension 1. A closed
            robot has branches of each leg (`legs`); up to 16 combinations of them are listed in q.
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
        method: "auto", or one of "formulas", "elimination", "search".
        tolerance: largest error [m] and [rad] of a success; 1e-8, in single precision 1e-5.
        iterations, restarts: of the search: steps of one attempt, attempts from random configurations.
        rng: NumPy generator or seed of the random configurations; the same seed gives the same result.
        dtype: np.float32 for results of float32. Formulas and searches then run in single precision, twice as
            many poses in a register; elimination, families and paths in double precision.
        symbols: values of the robot's symbols, instead of its own.
    Returns:
        A Solution, with the method that was used. A pose out of reach is no error: `success` is False, and
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
    tolerance = _tolerance(tolerance, kind is np.float32)
    everything, path = flag("all", all), flag("along", along)
    within = flag("limits", limits)
    start = start_of(robot, q0, within)
    bounds = None if within else (np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf))
    options = SearchOptions(tolerance, iterations, restarts, rng, symbols, bounds, kind)
    goals = _several(target, frame)
    if goals is not None:
        if everything or given or path or method not in ("auto", "search"):
            raise NotSolvable(
                "Several targets are searched for: no all=, along=, given= or other method.", []
            )
        shape = np.broadcast_shapes(*(goal.shape for goal in goals))
        return search(robot, goals, shape, start, options)
    assert frame is not None
    targets, batch, is_pose = targets_of(target)
    if path and (everything or len(batch) != 1):
        raise WrongValue(
            f"along= takes a path of poses (n, 4, 4), without all=; targets of batch {batch} were given."
        )
    if times is not None and not path:
        raise WrongValue("times= are those of the poses of a path: give along=True, too.")
    steps = path_options(largest_step, times, len(targets))
    if robot.loops and everything and not given and method in ("auto", "search"):
        return _shaped(leg_solution(robot, frame, targets, start, within, symbols), batch, kind)
    exact = _exact(robot, frame, symbols, given, method, everything, is_pose, len(targets))
    if exact is None:
        if given:
            raise WrongValue("given= is for exact methods: lock the joints for a search (robot.lock(...)).")
        goal = _target(targets, frame, is_pose)
        if path:
            path_found = searched_path(robot, goal, targets, start, options, steps)
            return _shaped(path_found, batch, kind)
        moved = _is_moved(robot, frame, symbols)
        if not moved:
            options = options._replace(restarts=0)
        found = search(robot, [goal], (len(targets),), start, options)
        if not moved:
            found.message[~found.success] = f"No joint moves frame {frame!r}: it stays where it is."
        return _shaped(found, batch, kind)
    solver, values, dimension = exact
    single = kind is np.float32 and solver.formulas is not None and not path
    own = single_precision(solver) if single else solver
    found = _all(
        own, targets, values, start.astype(kind, copy=False), tolerance, within, everything, dimension
    )
    if path:
        way = exact_path(solver, found, None if q0 is None else start, within, steps)
        return _shaped(way, batch, kind)
    if everything:
        return _shaped(found, batch, kind)
    best = _nearest(found, start)
    if best.success.all() or method != "auto":
        return _shaped(best, batch, kind)
    goal = PoseTarget(frame=frame, pose=targets)
    return _shaped(_with_search(robot, best, goal, values, start, options), batch, kind)


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


def _target(targets: Array, frame: str, is_pose: bool) -> Target:
    if is_pose:
        return PoseTarget(frame=frame, pose=targets)
    return PositionTarget(frame=frame, position=targets)


def _exact(
    robot: RobotModel,
    frame: str,
    symbols: Mapping[str, float],
    given: Mapping[str, Any] | None,
    method: str,
    everything: bool,
    is_pose: bool,
    count: int,
) -> tuple[ExactSolver, dict[str, Array], int] | None:
    """The exact solver with the values of its given joints and the dimension of the family, or None."""
    wanted = everything or method in ("formulas", "elimination")
    if method == "search" or not is_pose or robot.loops or robot.couplings:
        if wanted:
            raise NotSolvable(
                "All configurations are found for poses (4, 4) of robots without loops or coupled joints; "
                "robot.inverse_kinematics_formulas(...) serves robots with loops.",
                [],
            )
        return None
    values = _given(robot, given or {}, count)
    try:
        solver = exact_solver(robot, frame, symbols, tuple(sorted(values)))
    except NotSolvable:
        if wanted:
            raise
        return None
    dimension = solver.dimension
    if dimension and everything:
        names = solver.redundant_joints
        solver = exact_solver(robot, frame, symbols, tuple(sorted([*values, *names])))
        return solver, {**values, **{name: np.full(count, np.nan) for name in names}}, dimension
    if dimension or not solver.free:
        if wanted and not solver.free:
            raise NotSolvable(f"No joint moves frame {frame!r}, or all that do were given.", [])
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
    if method in ("formulas", "elimination") and solver.method != method:
        raise NotSolvable(f"Frame {frame!r} of robot {robot.name!r} is solved by {solver.method}.", [])
    return solver, values, 0


def _is_moved(robot: RobotModel, frame: str, symbols: Mapping[str, float]) -> bool:
    """Whether a joint moves the frame; frames of the base stay."""
    if robot.loops or robot.couplings:
        return True
    try:
        return bool(exact_solver(robot, frame, symbols, ()).arm.coordinates)
    except NotSolvable:  # a joint that is neither revolute nor prismatic
        return True


def _given(robot: RobotModel, given: Mapping[str, Any], count: int) -> dict[str, Array]:
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


def _all(
    solver: ExactSolver | SinglePrecisionSolver,
    targets: Array,
    values: dict[str, Array],
    start: Array,
    tolerance: float,
    limits: bool,
    everything: bool,
    dimension: int,
) -> Solution:
    """All configurations of each target (n, k, nq)."""
    n = len(targets)
    poses = targets
    if dimension:  # a family: the same target with many values of the redundant joints
        samples = solver.family_samples([key for key, x in values.items() if np.isnan(x).all()], limits)
        count = len(next(iter(samples.values())))
        poses = np.repeat(targets, count, axis=0)
        values = {key: np.repeat(x, count) for key, x in values.items()}
        values |= {name: np.tile(x, n) for name, x in samples.items()}
    found = solver.solve(poses, values, tolerance)
    chain, position, rotation = found.q, found.position, found.rotation
    coordinates = solver.coordinates
    success = found.multiplicity > 0
    if limits or not everything:  # angles by full revolutions within the limits, and near the start
        ranges = solver.ranges if limits else solver.unlimited
        chain, inside, clipped = ranges.moved(chain, start if solver.all_joints else start[coordinates])
        success &= inside
        own = np.nonzero(clipped.any(axis=1))[0]
        if len(own):  # configurations that were moved to a limit have other errors
            errors = solver.errors(chain[own], poses[own])
            position[own], rotation[own] = (
                np.where(clipped[own], new, old[own])
                for new, old in zip(errors, (position, rotation), strict=True)
            )
    accurate = (found.multiplicity > 0) & (position <= tolerance) & (rotation <= tolerance)
    success &= accurate
    complete = found.complete
    multiplicity, family = found.multiplicity, found.family
    if dimension:
        chain = chain.reshape(n, -1, chain.shape[-1])
        multiplicity, family = multiplicity.reshape(n, -1), family.reshape(n, -1)
        position, rotation = position.reshape(n, -1), rotation.reshape(n, -1)
        success, accurate = success.reshape(n, -1), accurate.reshape(n, -1)
        complete = np.asarray(complete.reshape(n, -1).all(axis=1), dtype=bool)
    present = multiplicity > 0
    q = chain
    if not solver.all_joints:
        q = np.broadcast_to(start, (*chain.shape[:2], len(start))).copy()
        q[..., coordinates] = chain
    absent = ~present
    q[absent] = position[absent] = rotation[absent] = np.nan
    words = _messages(multiplicity, accurate, success, family, complete, dimension)
    zeros = np.zeros(n, dtype=np.int64)
    return Solution(
        q,
        success,
        position,
        rotation,
        zeros,
        words,
        solver.method,
        multiplicity,
        dimension,
        family,
        complete=complete,
    )


_BITS = 18  # of a count of configurations


def _messages(
    multiplicity: Indices, accurate: Mask, success: Mask, family: Indices, complete: Mask, dimension: int
) -> NDArray[np.object_]:
    """What was found for each target."""
    counts = [np.count_nonzero(x, axis=1) for x in (multiplicity, accurate, success)]
    columns = [*counts, family.max(axis=1), complete.astype(np.int64)]
    if len(multiplicity) == 1:
        words = np.empty(1, dtype=object)
        words[0] = _message(dimension, *(int(x[0]) for x in columns))
        return words
    keys = columns[0]
    for x, bits in zip(columns[1:], (_BITS, _BITS, 3, 1), strict=True):
        keys = (keys << bits) | x
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    found = [_message(dimension, *(int(x[k]) for x in columns)) for k in first]
    return np.array(found, dtype=object)[place]


def _message(dimension: int, count: int, accurate: int, good: int, family: int, complete: int) -> str:
    doubt = "" if complete else " There may be more: the elimination is ill-conditioned at this pose."
    if count == 0:
        return "No configuration was found." + doubt if doubt else "The pose is out of reach."
    text = f"{count} configuration{'s' * (count != 1)}"
    if dimension:
        text += f", samples of a family of dimension {dimension}"
    if accurate < count:
        text += f", {accurate} of them within the tolerance"
    if good < accurate:
        text += f", {good} of them within the joint limits"
    text += ": all there are." if good == count and complete and not (dimension or family) else "."
    if family:
        text += f" The arm is singular: some belong to a continuous family of dimension {family}."
    return text + doubt


def _nearest(found: Solution, start: Array) -> Solution:
    """The success nearest to the start, or else the configuration nearest to it."""
    gap = found.q - start
    rank = (gap * gap).sum(axis=-1)
    rank[~found.success] += _BEYOND
    rank[np.isnan(rank)] = np.inf
    own = np.arange(len(rank)), rank.argmin(axis=1)
    q, success = found.q[own], found.success[own]
    errors = found.position_error[own], found.rotation_error[own]
    return Solution(
        q, success, *errors, found.iterations, found.message, found.method, complete=found.complete
    )


def _with_search(
    robot: RobotModel,
    best: Solution,
    goal: PoseTarget,
    given: Mapping[str, Array],
    start: Array,
    options: SearchOptions,
) -> Solution:
    """The solutions, with a search for the nearest configuration where there is none within the limits.

    Given joints keep their values.
    """
    # An exact method has shown that there is no solution: one attempt and few restarts find the nearest pose.
    options = options._replace(restarts=min(options.restarts, 4))
    fields: dict[str, Any] = {
        name: np.array(getattr(best, name))
        for name in ("q", "success", "position_error", "rotation_error", "iterations", "message")
    }
    for rows in _equal_values(given, np.nonzero(~best.success)[0]):
        begin, held, inside = _held(
            robot, {name: float(x[rows[0]]) for name, x in given.items()}, start, options
        )
        one = PoseTarget(frame=goal.frame, pose=goal.pose[rows])
        found = search(robot, [one], (len(rows),), begin, held)
        for name, whole in fields.items():
            whole[rows] = getattr(found, name)
        fields["success"][rows] &= inside
        for row in rows[~fields["success"][rows]]:
            gaps = f"{fields['position_error'][row]:.3g} m and {fields['rotation_error'][row]:.3g} rad"
            text = f"{best.message[row]} The nearest configuration found is off by {gaps}."
            fields["message"][row] = text if inside else f"{text} Given joints are beyond their limits."
    return replace(best, **fields)


def _equal_values(given: Mapping[str, Array], rows: Indices) -> list[Indices]:
    """The targets in groups with equal values of the given joints."""
    if not given or not len(rows):
        return [rows] if len(rows) else []
    table = np.stack([x[rows] for x in given.values()], axis=1)
    place = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    return [rows[place == k] for k in range(place.max() + 1)]


def _held(
    robot: RobotModel, given: Mapping[str, float], start: Array, options: SearchOptions
) -> tuple[Array, SearchOptions, bool]:
    """Start and options of a search that holds given joints; whether they are within their limits."""
    if not given:
        return start, options, True
    lower, upper = (x.copy() for x in (options.bounds or bounds_of(robot)))
    begin, inside = start.copy(), True
    for name, value in given.items():
        at = robot.q_slices[name]
        inside &= bool((lower[at] - AT_LIMIT <= value).all() and (value <= upper[at] + AT_LIMIT).all())
        begin[at] = lower[at] = upper[at] = value
    return begin, options._replace(bounds=(lower, upper)), inside


def _shaped(found: Solution, batch: tuple[int, ...], dtype: type[np.floating[Any]]) -> Solution:
    """The fields with the batch's shape in place of the list of targets, rounded to the precision."""
    if found.q.dtype != dtype:
        names = ("q", "position_error", "rotation_error")
        rounded: dict[str, Any] = {name: np.asarray(getattr(found, name), dtype) for name in names}
        found = replace(found, **rounded)
    if len(batch) == 1:
        return found
    fields: dict[str, Any] = {"method": found.method, "dimension": found.dimension, "changes": found.changes}
    for name in _BATCHED:
        x = getattr(found, name)
        if x is not None:
            fields[name] = x.reshape(*batch, *x.shape[1:]) if batch else x[0]
    return Solution(**fields)
