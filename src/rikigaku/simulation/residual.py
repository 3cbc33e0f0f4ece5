"""How far a motion is off what holds it: loops, guides, and contacts that are closed."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rikigaku.simulation.drives import Drive
from rikigaku.simulation.free import is_closed
from rikigaku.simulation.modes import Array

if TYPE_CHECKING:
    from rikigaku.simulation.solution import Solution


def residual(solution: "Solution") -> Array:
    """The largest at each of the solution's times [m, or sines of angles]; zero where nothing holds."""
    worst = np.zeros(len(solution.t))
    if is_closed(solution.robot):
        gaps = cast(Any, solution.robot).loop_residual(solution.q)
        worst = np.asarray(np.abs(gaps).max(axis=-1, initial=0.0))
    marks = np.asarray(solution.record_modes)[solution.own_steps] if solution.runs else ()
    for k in np.unique(marks):
        done, here = solution.runs[k], np.flatnonzero(marks == k)
        kernel, drive = done.field.gaps, cast(Drive, solution.drive)
        if kernel is None:
            continue
        more = np.zeros((len(here), done.field.size - solution.robot.nq - solution.robot.nv))
        y = np.concatenate([solution.q[here], solution.v[here], more], axis=1)
        open_ = np.empty((len(here), *kernel.ports[1][0].shape))
        idle = np.zeros((len(here), drive.size))
        kernel([solution.t[here, None], y, idle, done.field.parameters(done.mode, drive)], [open_])
        worst[here] = np.maximum(worst[here], np.abs(open_).max(axis=1))
    return worst
