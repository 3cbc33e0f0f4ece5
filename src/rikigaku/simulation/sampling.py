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
        kernel([*given, done.field.parameters(done.mode, drive)], outputs)
        for port, x in zip(kernel.ports[1], outputs, strict=True):
            whole = answers.setdefault(port.name, np.full((len(t), *port.shape), np.nan))
            whole[here] = x
    return answers


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
