"""States, inputs, outputs and constraint residuals of the runs of a simulation at any times."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.simulation.actuation import Actuation, evaluate_function, input_counts
from rikigaku.simulation.external_wrenches import separated
from rikigaku.simulation.native_run import Run
from rikigaku.simulation.step_interpolation import interpolated

if TYPE_CHECKING:
    from rikigaku.simulation.solution import Solution


def sampled(runs: Sequence[Run], records: Array, output: Any) -> tuple[Array, Any]:
    """Output times, and the index of the step each belongs to.

    Times after an early end are left out. A motion that ends before the first of them has its start and end.
    """
    first, last = records[0, 0], records[-1, 1]
    if len(records) == 1 and first == last:
        return np.array([first]), np.zeros(1, dtype=np.int64)
    if output is None:
        t, which = [], []
        offset = 0
        for r in runs:
            count = len(r.records)
            t.append(np.append(r.records[:, 0], r.records[-1, 1]))
            which.append(offset + np.append(np.arange(count), count - 1))
            offset += count
        return np.concatenate(t), np.concatenate(which)
    if np.ndim(output) == 0:
        times = np.append(np.arange(first, last - 1e-9 * float(output), float(output)), last)
    else:
        times = output[output <= last + 1e-12 * (1 + abs(last))]
        times = times if len(times) else np.array([first, last])
    return times, np.clip(np.searchsorted(records[:, 0], times, side="right") - 1, 0, None)


def states_at(
    runs: Sequence[Run], actuation: Actuation, records: Array, marks: Any, t: Array, which: Any
) -> Array:
    """y at times t, each within the recorded step `which`; marks: the run of each step.

    The interpolant is one order below the steps and does not satisfy constraints (loops, surfaces, unit
    quaternions): interpolated states are projected as the steps are.
    """
    n = runs[0].field.size
    y = interpolated(records, n, t, which)
    own = np.asarray(marks)[which]
    between = t > records[which, 0]  # the end included: an event ends its step early
    for k in np.unique(own[between]):
        done, here = runs[k], np.flatnonzero((own == k) & between)
        projected = done.field.projected_states(done.mode, actuation, t[here], y[here])
        if projected is None:
            continue
        finite = np.isfinite(projected).all(axis=1)  # the projection fails at singular configurations
        y[here[finite]] = projected[finite]
    return y


def results_at(
    runs: Sequence[Run], actuation: Actuation, marks: Any, t: Array, y: Array, which: Any
) -> dict[str, Array]:
    """Accelerations, joint forces and outputs of the modes (NaN where a mode has none) at times and states.

    which: the step each time is in; marks: the run of each step.
    """
    results: dict[str, Array] = {}
    own = marks[which]
    for k in np.unique(own):
        done, here = runs[k], np.flatnonzero(own == k)
        u = _inputs(actuation, done, t[here], y[here])
        found = done.field.results_at(done.mode, actuation, t[here], y[here], u)
        found |= separated(done.field.robot, actuation, found, t[here], y[here], u)
        for name, x in found.items():
            whole = results.setdefault(name, np.full((len(t), *x.shape[1:]), np.nan))
            whole[here] = x
    return results


def _inputs(actuation: Actuation, done: Run, t: Array, y: Array) -> Array:
    """Inputs u at those states."""
    given = np.zeros((len(t), 0)) if actuation.pieces is None else actuation.pieces(t)
    if actuation.function is None:
        return given
    return np.concatenate([given, _computed(actuation, done, t, y)], axis=1)


def _computed(actuation: Actuation, done: Run, t: Array, y: Array) -> Array:
    """Inputs from the function: held ones, or evaluated."""
    if actuation.period is not None:
        starts = np.array([s for s, _ in done.inputs])
        values = np.array([u for _, u in done.inputs])
        return values[np.clip(np.searchsorted(starts, t, side="right") - 1, 0, None)]
    nq = done.field.robot.nq
    states = [(x[:nq], x[nq:-EXTRA_STATES]) for x in y]
    rows = [evaluate_function(actuation, float(s), q, v) for s, (q, v) in zip(t, states, strict=True)]
    return np.array(rows).reshape(len(t), input_counts(actuation)[1])


def residual(solution: "Solution") -> Array:
    """Largest residual of loops, guides and closed contacts at each of the solution's times [m, or sines]."""
    worst = np.zeros(len(solution.t))
    if is_closed(solution.robot):
        gaps = solution.robot.loop_residual(solution.q)
        worst = np.asarray(np.abs(gaps).max(axis=-1, initial=0.0))
    marks = np.asarray(solution.record_modes)[solution.own_steps] if solution.runs else ()
    for k in np.unique(marks):
        done, here = solution.runs[k], np.flatnonzero(marks == k)
        extra = np.zeros((len(here), EXTRA_STATES))
        y = np.concatenate([solution.q[here], solution.v[here], extra], axis=1)
        gaps = done.field.residual(done.mode, cast(Actuation, solution.actuation), solution.t[here], y)
        if gaps is not None:
            worst[here] = np.maximum(worst[here], gaps)
    return worst
