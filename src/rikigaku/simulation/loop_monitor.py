"""Checks of a closed robot's motion: loops that open, and passages near singular configurations."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.closure.loop_closure_newton import NEARLY_CLOSED
from rikigaku.core.types import Array
from rikigaku.robot import Robot
from rikigaku.simulation.native_run import Run, Status

_OPEN = 1e-3  # [m, or sines]: residual of the independent equations beyond the accuracy of the steps
_STEPS_CHECKED = 200
_BATCH = 4096
_DIP = 0.1  # of the values at both ends of a step: a smaller value between them is a passage
_SINGULAR = 1e-4  # smallest singular value of the loop Jacobian, relative to that of regular configurations


def until_loops_open(robot: Robot, done: Run) -> tuple[Run, str]:
    """The part of a run before a loop opens, and a sentence about that; the whole run and "" if none does.

    The integrator closes the independent equations; the redundant ones are checked here, at every step.
    """
    plan = closure(robot)
    q = np.concatenate([done.records[:, 3 : 3 + robot.nq], done.y[None, : robot.nq]])
    with np.errstate(all="ignore"):  # a motion that failed ends with NaN
        gaps = np.abs(robot.loop_residual(q))
    gaps[:, list(plan.structure.equations)] *= NEARLY_CLOSED / _OPEN  # closed by one Newton step only
    opened = gaps.max(axis=1, initial=0.0) > NEARLY_CLOSED + 10 * plan.slack
    if not opened.any():
        return done, ""
    first = int(np.argmax(opened))
    last = max(first - 1, 0)  # the last state with all loops closed
    equation = int(np.argmax(gaps[first]))
    gap = abs(float(robot.loop_residual(q[first])[equation]))
    name = robot.loop_rows()[equation]
    t, y = done.t, done.y
    if first:
        t, y = float(done.records[last, 0]), done.records[last, 3 : 3 + done.field.size].copy()
    recorded = [(event, at) for event, at in done.recorded if at <= t]
    whole = replace(done, t=t, y=y, records=done.records[:last], recorded=recorded, status=Status.STUCK)
    why = (
        f"a loop opens at t = {t:.9g} s: the equation {name!r} by {gap:.3g} in the next step. The robot "
        "leaves the assembly mode of robot.closure(), or the steps are too long"
    )
    return whole, why


def singular_passages(robot: Robot, records: Array) -> list[str]:
    """A note if the motion passes so close to a singular configuration of the loops that it is unreliable.

    records: steps of the integrator, (steps, start, end, length, q ...). Checked are the shortest steps,
    which shrink where accelerations grow, and steps across a configuration where the loops lose rank.
    """
    plan = closure(robot)
    if not plan.structure.equations or len(records) < 2:
        return []
    rank = len(plan.structure.equations)

    def regularity(q: Array) -> Array:
        """Smallest singular value of the loop Jacobian relative to the largest."""
        s = np.linalg.svd(robot.loop_jacobian(q), compute_uv=False)
        return np.asarray(s[:, rank - 1] / s[:, 0])

    q = records[:, 3 : 3 + robot.nq]
    least = _SINGULAR * np.median(regularity(plan.samples))
    shortest = np.sort(np.argsort(records[:, 1] - records[:, 0])[:_STEPS_CHECKED])
    near = shortest[regularity(q[shortest]) < least]
    steps, parts = _crossings(robot, q, list(plan.structure.equations), regularity)
    over = records[steps, 0] + parts * (records[steps + 1, 0] - records[steps, 0])
    times = [*records[near, 0], *over]
    if not times:
        return []
    return [
        f"t = {min(times):.9g} s: the loops come near a singular configuration, where they may branch. The "
        "motion after it depends on rounding: compare energy_audit()."
    ]


def _crossings(
    robot: Robot, q: Array, equations: list[int], regularity: Callable[[Array], Array]
) -> tuple[Any, Array]:
    """Steps across a bifurcation, where all maximal minors of the loop Jacobian change sign together: their
    indices, and the fraction of each step at which it happens.

    The sum of products of minors before and after is det(J_before J_after^T) (Cauchy-Binet).
    """
    found: list[int] = []
    for begin in range(0, len(q) - 1, _BATCH):
        J = robot.loop_jacobian(q[begin : begin + _BATCH + 1])[:, equations]
        J /= np.maximum(np.linalg.norm(J, axis=2, keepdims=True), 1e-300)
        size = np.linalg.det(J @ np.swapaxes(J, 1, 2))
        along = np.linalg.det(J[:-1] @ np.swapaxes(J[1:], 1, 2))
        found += (begin + np.flatnonzero(along < -0.5 * np.sqrt(np.abs(size[:-1] * size[1:])))).tolist()
    between = np.linspace(0, 1, 65)[:, None]
    # The independent equations may lose rank alone, where redundant ones replace them: no bifurcation.
    sure, parts = [], []
    for k in found[:_STEPS_CHECKED]:
        on_the_way = regularity(q[k] + between * (q[k + 1] - q[k]))
        if on_the_way.min() < _DIP * min(on_the_way[0], on_the_way[-1]):
            sure.append(k)
            parts.append(float(between[np.argmin(on_the_way), 0]))
    return np.array(sure, dtype=np.int64), np.array(parts)
