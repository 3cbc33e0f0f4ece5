"""Inverse kinematics by the best method there is: formulas, elimination, or a search."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.errors import NotSolvable, UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import flag
from rikigaku.inverse_kinematics.branch_path import Joints, branch_path
from rikigaku.inverse_kinematics.exact_solver import JOINTS, ExactSolver, exact_solver
from rikigaku.inverse_kinematics.ik_solution import Solution
from rikigaku.inverse_kinematics.joint_ranges import sampled_range, within_limits
from rikigaku.inverse_kinematics.levenberg_marquardt import search, start_of
from rikigaku.inverse_kinematics.target_kinds import PoseTarget, PositionTarget, Target
from rikigaku.inverse_kinematics.target_poses import targets_of
from rikigaku.model.robot_model import RobotModel

METHODS = ("auto", "formulas", "elimination", "search")
_BATCHED = (
    "q", "success", "position_error", "rotation_error", "iterations", "message", "multiplicity", "family",
)  # fmt: skip
_SAMPLES = 72  # values of one joint at which a one-parameter family is given


def inverse_kinematics(
    robot: RobotModel,
    target: ArrayLike | Sequence[Target],
    frame: str | None = None,
    q0: ArrayLike | None = None,
    *,
    all: bool = False,
    along: bool = False,
    largest_step: float = 0.5,
    given: Mapping[str, Any] | None = None,
    limits: bool = True,
    method: str = "auto",
    tolerance: float = 1e-8,
    iterations: int = 100,
    restarts: int = 40,
    rng: Any = 0,
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
        all: return every configuration. An arm of seven joints has a curve of them, given by samples.
        along: the targets (n, 4, 4) are consecutive poses of a path. One branch is followed, from q0 if
            given; `changes` lists the poses before which the arm must change its branch, or needs a full
            revolution. A pose without configuration has NaN.
        largest_step: of a joint between consecutive poses of a path [rad, m]; more is a change of branch.
        given: values of joints that are not solved for, by name; numbers, or one for each target.
        limits: configurations beyond the joint limits are no success. Angles differ by full revolutions
            where that brings them within the limits.
        method: "auto", or one of "formulas", "elimination", "search".
        tolerance: largest error [m] and [rad] of a success.
        iterations, restarts: of the search: steps of one attempt, attempts from random configurations.
        rng: NumPy generator or seed of the random configurations; the same seed gives the same result.
        symbols: values of the robot's symbols, instead of its own.
    Returns:
        A Solution, with the method that was used. A pose out of reach is no error: `success` is False, and
        without all=True q is the best configuration found.
    Raises:
        WrongValue: if the target is not a pose, or the robot has closed loops.
        NotSolvable: if all configurations were asked for, and there is no method that gives them.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, "inverse_kinematics")
    everything = flag("all", all)
    start = start_of(robot, q0)
    goals = _several(target, frame)
    if goals is not None:
        if everything or given or method not in ("auto", "search"):
            raise NotSolvable("Several targets are searched for: no all=, given= or other method.", [])
        shape = np.broadcast_shapes(*(goal.shape for goal in goals))
        return search(robot, goals, shape, start, tolerance, iterations, restarts, rng, symbols)
    assert frame is not None
    targets, batch, is_pose = targets_of(target)
    path = flag("along", along)
    if path and (everything or len(batch) != 1 or not largest_step > 0):
        raise WrongValue(
            f"along= takes a path of poses (n, 4, 4), without all=, and a largest_step above 0; targets of "
            f"batch {batch} and {largest_step} were given."
        )
    exact = _exact(robot, frame, symbols, given, method, everything, is_pose, len(targets))
    if exact is None and path:
        goal = _target(targets, frame, is_pose)
        return _searched_along(
            robot, goal, targets, start, tolerance, iterations, restarts, rng, symbols, float(largest_step)
        )
    if exact is None:
        if given:
            raise WrongValue("given= is for exact methods: lock the joints for a search (robot.lock(...)).")
        goal = _target(targets, frame, is_pose)
        found = search(robot, [goal], (len(targets),), start, tolerance, iterations, restarts, rng, symbols)
        return _shaped(found, batch)
    solver, values, dimension = exact
    if path:
        found = _all(solver, targets, values, start, tolerance, flag("limits", limits), dimension)
        return _along(solver, found, None if q0 is None else start, float(largest_step), bool(limits))
    found = _all(solver, targets, values, start, tolerance, flag("limits", limits), dimension)
    if everything:
        return _shaped(found, batch)
    best = _nearest(found, start)
    if best.success.all() or method != "auto":
        return _shaped(best, batch)
    return _with_search(
        robot, best, targets, batch, frame, start, tolerance, iterations, restarts, rng, symbols
    )


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
    dimension = len(solver.free) - JOINTS
    if dimension == 1 and everything:
        name = solver.redundant_joint
        solver = exact_solver(robot, frame, symbols, tuple(sorted([*values, name])))
        return solver, {**values, name: np.full(count, np.nan)}, 1
    if dimension > 0 or not solver.free:
        if wanted and not solver.free:
            raise NotSolvable(f"No joint moves frame {frame!r}, or all that do were given.", [])
        if wanted:
            free = ", ".join(solver.names[k] for k in solver.free)
            raise NotSolvable(
                f"{len(solver.free)} joints move frame {frame!r} ({free}): its configurations are a family "
                f"of dimension {max(dimension, 0)}. Give values of that many of them: given={{...}}.",
                [],
            )
        return None
    if method in ("formulas", "elimination") and solver.method != method:
        raise NotSolvable(f"Frame {frame!r} of robot {robot.name!r} is solved by {solver.method}.", [])
    return solver, values, 0


def _given(robot: RobotModel, given: Mapping[str, Any], count: int) -> dict[str, Array]:
    values = {}
    for name, value in given.items():
        if name not in robot.q_slices:
            raise UnknownName("joint", name, tuple(robot.q_slices), f"robot {robot.name!r}")
        values[name] = np.broadcast_to(np.asarray(value, dtype=np.float64), (count,))
    return values


def _all(
    solver: ExactSolver,
    targets: Array,
    values: dict[str, Array],
    start: Array,
    tolerance: float,
    limits: bool,
    dimension: int,
) -> Solution:
    """All configurations of each target (n, k, nq)."""
    n = len(targets)
    poses = targets
    if dimension:  # a curve: the same target with many values of one joint
        (name,) = [key for key, x in values.items() if np.isnan(x).all()]
        at = solver.robot.q_slices[name].start
        samples = sampled_range(solver.bounds[0][at], solver.bounds[1][at], _SAMPLES)
        poses = np.repeat(targets, len(samples), axis=0)
        values = {key: np.repeat(x, len(samples)) for key, x in values.items()} | {name: np.tile(samples, n)}
    found = solver.solve(poses, values)
    chain, multiplicity, family = found.q, found.multiplicity, found.family
    position, rotation = found.position, found.rotation
    if dimension:
        chain = chain.reshape(n, -1, chain.shape[-1])
        multiplicity, family = multiplicity.reshape(n, -1), family.reshape(n, -1)
        position, rotation = position.reshape(n, -1), rotation.reshape(n, -1)
    coordinates = list(solver.arm.coordinates)
    present = multiplicity > 0
    success = present & (position <= tolerance) & (rotation <= tolerance)
    if limits:
        lower, upper = (x[coordinates] for x in solver.bounds)
        chain, inside = within_limits(chain, start[coordinates], lower, upper, solver.angles)
        success &= inside
    q = chain
    if coordinates != list(range(len(start))):
        q = np.broadcast_to(start, (*chain.shape[:2], len(start))).copy()
        q[..., coordinates] = chain
    absent = ~present
    q[absent] = position[absent] = rotation[absent] = np.nan
    words = _messages(multiplicity, success, family, dimension)
    zeros = np.zeros(n, dtype=np.int64)
    return Solution(
        q, success, position, rotation, zeros, words, solver.method, multiplicity, dimension, family
    )


def _along(
    solver: ExactSolver, found: Solution, start: Array | None, largest_step: float, limits: bool
) -> Solution:
    """One configuration for each pose of a path."""
    coordinates = list(solver.arm.coordinates)
    lower, upper = (x[coordinates] for x in solver.bounds)
    if not limits:
        lower, upper = np.full(len(lower), -np.inf), np.full(len(upper), np.inf)
    own = None if start is None else start[coordinates]
    joints = Joints(solver.angles, lower, upper)
    path = branch_path(found.q[..., coordinates], found.success, own, joints, largest_step)
    good: Any = np.isfinite(path.q).all(axis=1)
    q = found.q[np.arange(len(good)), found.success.argmax(axis=1)].copy()
    q[:, coordinates] = path.q
    q[~good] = np.nan
    errors = [
        np.where(good, np.where(found.success, x, 0.0).max(axis=1), np.nan)
        for x in (found.position_error, found.rotation_error)
    ]
    return _path_solution(q, good, errors, path.changes, found.iterations, solver.method)


def _searched_along(
    robot: RobotModel,
    goal: Target,
    targets: Array,
    start: Array,
    tolerance: float,
    iterations: int,
    restarts: int,
    rng: Any,
    symbols: Mapping[str, float],
    largest_step: float,
) -> Solution:
    """A path by searches, each from the configuration before it."""
    parts: list[Solution] = []
    changes, before = [], start
    for k, target in enumerate(targets):
        one = replace(goal, **{"pose" if isinstance(goal, PoseTarget) else "position": target})
        found = search(robot, [one], (), before, tolerance, iterations, restarts, rng, symbols)
        moved = np.abs(found.q - before).max(initial=0.0)
        if k and found.success and (moved > largest_step or not parts[-1].success):
            changes.append(k)
        if found.success:
            before = found.q
        parts.append(found)
    good = np.array([bool(x.success) for x in parts])
    q = np.array([x.q if x.success else np.full(robot.nq, np.nan) for x in parts])
    errors = [np.array([getattr(x, name) for x in parts]) for name in ("position_error", "rotation_error")]
    return _path_solution(q, good, errors, tuple(changes), np.array([x.iterations for x in parts]), "search")


def _path_solution(
    q: Array, good: Any, errors: Sequence[Array], changes: tuple[int, ...], iterations: Any, method: str
) -> Solution:
    text = "One branch follows the whole path."
    missing = np.nonzero(~good)[0]
    if len(missing):
        text = f"{len(missing)} of {len(good)} poses have no configuration, the first is {missing[0]}."
    if changes:
        text += f" The branch changes before {', '.join(map(str, changes[:8]))}."
        text = text.replace("One branch follows the whole path. ", "")
    words = np.full(len(good), text, dtype=object)
    return Solution(q, good, errors[0], errors[1], iterations, words, method, changes=changes)


def _messages(multiplicity: Any, success: Any, family: Any, dimension: int) -> Any:
    """What was found for each target."""
    counts = (multiplicity > 0).sum(axis=1), success.sum(axis=1), family.max(axis=1)
    if len(multiplicity) == 1:
        words = np.empty(1, dtype=object)
        words[0] = _message(int(counts[0][0]), int(counts[1][0]), int(counts[2][0]), dimension)
        return words
    table, place = np.unique(counts[0] * 4000 * 8 + counts[1] * 8 + counts[2], return_inverse=True)
    found = [_message(int(x) // 32000, int(x) // 8 % 4000, int(x) % 8, dimension) for x in table]
    return np.array(found, dtype=object)[place]


def _message(count: int, good: int, family: int, dimension: int) -> str:
    if count == 0:
        return "The pose is out of reach."
    kind = f" samples of a family of dimension {dimension}" if dimension else ""
    text = f"{count} configurations{kind}"
    text += ": all there are." if good == count and not kind else "."
    if good < count:
        text = f"{count} configurations{kind}, {good} of them within the joint limits."
    if family:
        text += f" The arm is singular: some belong to a continuous family of dimension {family}."
    return text


def _nearest(found: Solution, start: Array) -> Solution:
    """The success nearest to the start, or else the configuration nearest to it."""
    distance = np.linalg.norm(found.q - start, axis=-1)
    distance = np.where(np.isfinite(distance), distance, np.inf)
    rank = distance + np.where(found.success, 0.0, 1e6)
    best = np.argmin(rank, axis=1)
    rows = np.arange(len(best))
    parts = [x[rows, best] for x in (found.q, found.success, found.position_error, found.rotation_error)]
    return replace(
        found,
        q=parts[0],
        success=parts[1],
        position_error=parts[2],
        rotation_error=parts[3],
        multiplicity=None,
        family=None,
    )


def _with_search(
    robot: RobotModel,
    best: Solution,
    targets: Array,
    batch: tuple[int, ...],
    frame: str,
    start: Array,
    tolerance: float,
    iterations: int,
    restarts: int,
    rng: Any,
    symbols: Mapping[str, float],
) -> Solution:
    """The solutions, with a search for the nearest configuration where there is none within the limits."""
    rows = np.nonzero(~best.success)[0]
    # An exact method has shown that there is no solution: one attempt and few restarts find the nearest pose.
    found = search(
        robot,
        [PoseTarget(frame=frame, pose=targets[rows])],
        (len(rows),),
        start,
        tolerance,
        iterations,
        min(restarts, 4),
        rng,
        symbols,
    )
    fields: dict[str, Any] = {}
    for name in ("q", "success", "position_error", "rotation_error", "iterations", "message"):
        whole = np.array(getattr(best, name))
        whole[rows] = getattr(found, name)
        fields[name] = whole
    return _shaped(replace(best, **fields), batch)


def _shaped(found: Solution, batch: tuple[int, ...]) -> Solution:
    """The fields with the batch's shape in place of the list of targets."""
    fields: dict[str, Any] = {}
    for name in _BATCHED:
        x = getattr(found, name)
        if x is not None:
            shaped = np.reshape(x, (*batch, *np.shape(x)[1:]))
            fields[name] = shaped[()] if shaped.ndim == 0 else shaped
    return replace(found, **fields)
