"""What the runs of a motion say at given times: steps they belong to, inputs, accelerations and forces."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.simulation.drives import Drive, asked
from rikigaku.simulation.fields import MORE
from rikigaku.simulation.modes import Array
from rikigaku.simulation.run import Run


def sampled(runs: Sequence[Run], records: Array, output: Any) -> tuple[Array, Any]:
    """Times, and the step each belongs to."""
    first, last = records[0, 0], records[-1, 1]
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
        times = output[output <= last * (1 + 1e-12) + 1e-12]  # what lies beyond an early end is not known
    return times, np.clip(np.searchsorted(records[:, 0], times, side="right") - 1, 0, None)


def results_at(
    runs: Sequence[Run], drive: Drive, marks: Any, t: Array, y: Array, which: Any
) -> dict[str, Array]:
    """Accelerations, joint forces and what the modes tell (NaN where a mode does not) at times and states.

    which: the step each time is in; marks: the run of each step.
    """
    answers: dict[str, Array] = {}
    own = marks[which]
    for k in np.unique(own):
        done, here = runs[k], np.flatnonzero(own == k)
        kernel = done.field.results
        given = [t[here, None], y[here], _inputs(drive, done, t[here], y[here])]
        outputs = [np.empty((len(here), *port.shape)) for port in kernel.ports[1]]
        kernel([*given, _parameters(drive, done, t[here], *given[1:])], outputs)
        for port, x in zip(kernel.ports[1], outputs, strict=True):
            whole = answers.setdefault(port.name, np.full((len(t), *port.shape), np.nan))
            whole[here] = x
    return answers


def _parameters(drive: Drive, done: Run, t: Array, y: Array, u: Array) -> Array:
    """Those of the run's mode; at each state, where they are refined for what is told."""
    refined, nq = done.mode.refined, done.field.robot.nq
    whole = done.field.parameters(done.mode, drive)
    if refined is None:
        return whole
    tau, rest = np.empty((len(t), done.field.robot.nv)), whole[len(done.mode.parameters) :]
    done.field.forces([t[:, None], y, u, whole], [tau])
    return np.array(
        [(*refined(float(s), x[:nq], x[nq:-MORE], f), *rest) for s, x, f in zip(t, y, tau, strict=True)]
    )


def _inputs(drive: Drive, done: Run, t: Array, y: Array) -> Array:
    """u at those states."""
    if drive.pieces is not None:
        return drive.pieces(t)
    if drive.function is None:
        return np.zeros((len(t), drive.size))
    if drive.period is not None:
        starts = np.array([s for s, _ in done.inputs])
        values = np.array([u for _, u in done.inputs])
        return values[np.clip(np.searchsorted(starts, t, side="right") - 1, 0, None)]
    nq = done.field.robot.nq
    states = [(x[:nq], x[nq:-MORE]) for x in y]
    rows = [asked(drive, float(s), q, v) for s, (q, v) in zip(t, states, strict=True)]
    return np.array(rows).reshape(len(t), drive.size)
