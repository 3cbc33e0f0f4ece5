"""States brought onto the loops of a closed robot.

Positions are closed by Newton's method and velocities made to keep the loops closed, both by the least change
as kinetic energy measures: no constant has to be tuned, nor do springs at the loops add energy.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.4 (projection).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from rikigaku.constraints.equations import NEARLY
from rikigaku.constraints.plan import closure
from rikigaku.errors import CannotClose
from rikigaku.model.robot import Robot
from rikigaku.simulation.modes import Array
from rikigaku.simulation.run import Run, Status

_CLOSED = 1e-13  # [m, or sines of angles]: what positions are brought to
_CORRECTIONS = 6
_TORN = 1e-3  # [m, or sines]: rows that count are open, not only closed to the accuracy of the steps
_LOOKED_AT = 200  # steps
_AT_ONCE = 4096
_DIP = 0.1  # of both ends of a step: less on the way is a passage
_SINGULAR = 1e-4  # least singular value of the loops, against that of good postures


def onto_loops(robot: Robot, q: Any, v: Any = None) -> tuple[Array, Array]:
    """Positions and velocities brought onto the loops from near by, one state.

    Raises:
        CannotClose: if a few steps of Newton's method do not close the loops.
    """
    laws = cast(Any, robot)
    q = np.array(q, dtype=np.float64)
    v = np.zeros(robot.nv) if v is None else np.asarray(v, dtype=np.float64)
    rows = list(closure(robot).places.kept)  # the others follow
    gap = _gap(laws.loop_residual(q)[rows])
    for _ in range(_CORRECTIONS):
        if gap < _CLOSED:
            break
        moved = laws.integrate(q, laws.closing_step(q))
        left = _gap(laws.loop_residual(moved)[rows])
        if not left < gap:  # rounding decides from here on
            break
        q, gap = moved, left
    if not (gap < 1e-10 and _gap(laws.loop_residual(q)) < NEARLY):
        raise _still_open(robot, q)
    opening = np.abs(laws.loop_jacobian(q)) @ np.abs(v)
    if _gap(laws.loop_jacobian(q) @ v) <= 1e-15 * _gap(opening):  # at rest, or as good as it can be
        return q, v
    return q, np.asarray(laws.closed_velocity(q, v))


def _still_open(robot: Robot, q: Array) -> CannotClose:
    laws = cast(Any, robot)
    residual = np.abs(laws.loop_residual(q))
    row = laws.loop_rows()[int(np.argmax(residual))]
    why = laws.closing_step.status(q)
    return CannotClose(
        f"Robot {robot.name!r}: the loops are open by {residual.max():.3g} (row {row!r}) and are not closed "
        f"by small steps{'' if why == 'ok' else f': {why}'}. Begin at a closed posture: robot.assemble(...).",
        row.split(":")[0],
        "" if why == "ok" else "singular",
    )


def kept_closed(robot: Robot, done: Run) -> tuple[Run, str]:
    """A run up to where some loop came open, if one did, and a sentence about that; else all of it, and "".

    The integrator closes the rows that count; all others are looked at here, at every step.
    """
    plan, laws = closure(robot), cast(Any, robot)
    q = np.concatenate([done.records[:, 3 : 3 + robot.nq], done.y[None, : robot.nq]])
    with np.errstate(all="ignore"):  # a motion that broke down has numbers that are none at its end
        gaps = np.abs(laws.loop_residual(q))
    gaps[:, list(plan.places.rows)] *= NEARLY / _TORN  # these are closed by one step of Newton's method
    torn = gaps.max(axis=1, initial=0.0) > NEARLY + 10 * plan.slack
    if not torn.any():
        return done, ""
    first = int(np.argmax(torn))
    last = max(first - 1, 0)  # the last state with all loops closed
    row = int(np.argmax(gaps[first]))
    gap = abs(float(laws.loop_residual(q[first])[row]))
    name = laws.loop_rows()[row]
    t, y = done.t, done.y
    if first:
        t, y = float(done.records[last, 0]), done.records[last, 3 : 3 + done.field.size].copy()
    noted = [(event, at) for event, at in done.noted if at <= t]
    whole = replace(done, t=t, y=y, records=done.records[:last], noted=noted, status=Status.STUCK)
    why = (
        f"a loop opens at t = {t:.9g} s: the row {name!r} by {gap:.3g} in the next step. The robot leaves "
        "the postures that robot.closure() was found at, or the steps are too long"
    )
    return whole, why


def singular_passages(robot: Robot, records: Array) -> list[str]:
    """A note where the motion came so near to a singular posture of the loops that it is not to be trusted.

    records: steps of the integrator, (steps, start, end, length, q ...). Looked at are the shortest steps,
    which shrink where accelerations grow, and steps over a posture where the loops lose rank.
    """
    plan, laws = closure(robot), cast(Any, robot)
    if not plan.places.rows or len(records) < 2:
        return []
    rank = len(plan.places.rows)

    def clear(q: Array) -> Array:
        s = np.linalg.svd(laws.loop_jacobian(q), compute_uv=False)
        return np.asarray(s[:, rank - 1] / s[:, 0])

    q = records[:, 3 : 3 + robot.nq]
    least = _SINGULAR * np.median(clear(plan.samples))
    shortest = np.sort(np.argsort(records[:, 1] - records[:, 0])[:_LOOKED_AT])
    near = shortest[clear(q[shortest]) < least]
    steps, parts = _strides(laws, q, list(plan.places.rows), clear)
    over = records[steps, 0] + parts * (records[steps + 1, 0] - records[steps, 0])
    times = [*records[near, 0], *over]
    if not times:
        return []
    return [
        f"t = {min(times):.9g} s: the loops come near a singular posture, where they may branch. What "
        "follows depends on rounding: compare energy_audit()."
    ]


def _strides(laws: Any, q: Array, rows: list[int], clear: Callable[[Array], Array]) -> tuple[Any, Array]:
    """Steps over a posture where all largest minors of the loops' Jacobian change sign together: a branching.
    Which steps, and after which part of each.

    The product of the minors before and after is det(J_before J_after^T), by Cauchy and Binet.
    """
    found: list[int] = []
    for begin in range(0, len(q) - 1, _AT_ONCE):
        J = laws.loop_jacobian(q[begin : begin + _AT_ONCE + 1])[:, rows]
        J /= np.maximum(np.linalg.norm(J, axis=2, keepdims=True), 1e-300)
        size = np.linalg.det(J @ np.swapaxes(J, 1, 2))
        along = np.linalg.det(J[:-1] @ np.swapaxes(J[1:], 1, 2))
        found += (begin + np.flatnonzero(along < -0.5 * np.sqrt(np.abs(size[:-1] * size[1:])))).tolist()
    between = np.linspace(0, 1, 65)[:, None]
    # rows that count may lose rank alone, where others take over: then all together lose nothing
    sure, parts = [], []
    for k in found[:_LOOKED_AT]:
        on_the_way = clear(q[k] + between * (q[k + 1] - q[k]))
        if on_the_way.min() < _DIP * min(on_the_way[0], on_the_way[-1]):
            sure.append(k)
            parts.append(float(between[np.argmin(on_the_way), 0]))
    return np.array(sure, dtype=np.int64), np.array(parts)


def _gap(residual: Array) -> float:
    return float(np.abs(residual).max(initial=0.0))
