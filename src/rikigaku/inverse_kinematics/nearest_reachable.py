"""Poses that one method does not reach, by another: a search, or samples of a family after a search."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_solutions import nearest, sampled_family
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.joint_ranges import AT_LIMIT
from rikigaku.inverse_kinematics.levenberg_marquardt import SearchOptions, bounds_of, search
from rikigaku.inverse_kinematics.method_choice import exact_method
from rikigaku.inverse_kinematics.target_kinds import PoseTarget
from rikigaku.model.robot_model import RobotModel

Indices = NDArray[np.int64]
_FIELDS = ("q", "success", "position_error", "rotation_error", "iterations", "message")


def with_nearest(
    robot: RobotModel,
    best: IkSolution,
    goal: PoseTarget,
    given: Mapping[str, Array],
    start: Array,
    options: SearchOptions,
    unreachable: Mask,
) -> IkSolution:
    """The solutions, with a search for the nearest configuration where there is none within the limits.

    Given joints keep their values.

    Args:
        unreachable: (n,) where the exact method has shown that there is no solution. One attempt and few
            restarts find the nearest pose there; elsewhere the search makes all its attempts.
    """
    few = options._replace(restarts=min(options.restarts, 4))
    method = np.full(len(best.success), best.method, dtype=object)
    fields: dict[str, Any] = {name: np.array(getattr(best, name)) for name in _FIELDS}
    groups = [
        (rows, own)
        for own, flags in ((few, unreachable), (options, ~unreachable))
        for rows in _equal_values(given, np.nonzero(~best.success & flags)[0])
    ]
    for rows, own in groups:
        values = {name: float(x[rows[0]]) for name, x in given.items()}
        begin, held, inside = _held(robot, values, _rows_of(start, rows), own)
        method[rows] = "search"
        one = PoseTarget(frame=goal.frame, pose=goal.pose[rows])
        found = search(robot, [one], (len(rows),), begin, held)
        for name, whole in fields.items():
            whole[rows] = getattr(found, name)
        fields["success"][rows] &= inside
        for row in rows[~fields["success"][rows]]:
            gaps = f"{fields['position_error'][row]:.3g} m and {fields['rotation_error'][row]:.3g} rad"
            text = f"{best.message[row]} The nearest configuration found is off by {gaps}."
            fields["message"][row] = text if inside else f"{text} Given joints are beyond their limits."
    return replace(best, texts=fields.pop("message"), method=method, **fields)


def with_family(
    robot: RobotModel, found: IkSolution, goal: PoseTarget, start: Array, options: SearchOptions, limits: bool
) -> IkSolution:
    """The result of a search; where it failed, the nearest to the start of exact samples of the family.

    Only for arms with one redundant joint, the others by formulas or elimination.
    """
    rows = np.nonzero(~found.success)[0]
    try:
        exact = exact_method(robot, goal.frame, options.symbols, None, "auto", True, True, len(rows))
    except NotSolvable:
        return found
    if exact is None or exact.dimension != 1 or exact.solver.is_degenerate:
        return found
    start = _rows_of(start, rows)
    samples = sampled_family(
        exact.solver, goal.pose[rows], exact.given, start, options.tolerance, limits, exact.dimension
    )
    best = nearest(samples, start)
    good = np.nonzero(best.success)[0]
    if not len(good):
        return found
    fields: dict[str, Any] = {name: np.array(getattr(found, name)) for name in _FIELDS}
    method = np.full(len(found.success), found.method, dtype=object)
    for name in ("q", "success", "position_error", "rotation_error"):
        fields[name][rows[good]] = getattr(best, name)[good]
    method[rows[good]] = samples.method
    (joint,) = (name for name, x in exact.given.items() if np.isnan(x).all())
    for k in good:
        fields["message"][rows[k]] = (
            f"Frame {goal.frame!r} is at the target, within {options.tolerance:g} m and rad: the nearest of "
            f"{int(samples.success[k].sum())} configurations at sampled values of joint {joint!r}."
        )
    return replace(found, texts=fields.pop("message"), method=method, **fields)


def _rows_of(start: Array, rows: Indices) -> Array:
    """The starts of some targets; one start of all stays."""
    return start if start.ndim == 1 else start[rows]


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
        begin[..., at] = lower[at] = upper[at] = value
    return begin, options._replace(bounds=(lower, upper)), inside
