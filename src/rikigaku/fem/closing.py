"""Loops that a motion must close, and the blows of those that close on the way."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import CannotClose
from rikigaku.fem.kinematics import moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.loads import Problem, mass_loads, torques_of
from rikigaku.fem.loops import cut
from rikigaku.fem.phases import Impulse, Phases, impulse
from rikigaku.fem.targets import Motion

Array = NDArray[np.float64]

_OPEN = 1e-6  # [m, or sines of angles]: gap of a loop that counts as closed
_MEETING = 1e-9  # [m/s]: slower than this ends meet without a blow


def check_closed(problem: Problem) -> None:
    """Where a loop is said to be closed, the motion must close it."""
    robot, t = problem.layout.robot, problem.motion.t
    if not robot.loops:
        return
    from rikigaku.structure import loop_rows

    residual = np.abs(cast(Any, robot).loop_residual(problem.motion.q))
    names = [row.split(":")[0] for row in loop_rows(robot)]
    for loop in robot.loops:
        rows = [k for k, name in enumerate(names) if name == loop.name]
        gap = np.where(
            problem.phases.is_closed(loop.name, t), residual[:, rows].max(axis=1, initial=0.0), 0.0
        )
        k = int(np.argmax(gap))
        if not gap[k] < _OPEN:
            raise CannotClose(
                f"The motion leaves loop {loop.name!r} of robot {robot.name!r} open by {gap[k]:.3g} at "
                f"t = {t[k]:.6g} s. Give paths of the independent joints (the others follow), or phases that "
                "say when it is closed.",
                loop.name,
            )


def impulses_of(problem: Problem) -> list[Impulse]:
    found = []
    t, motion, layout = problem.motion.t, problem.motion, problem.layout
    for time, name in problem.phases.closings(t):
        k = int(np.searchsorted(t, time, side="left")) - 1
        dt = time - t[k]
        v = motion.v[k] + dt * motion.a[k]
        q = np.asarray(cast(Any, layout.robot).integrate(motion.q[k], dt * (motion.v[k] + v) / 2))[None]
        state = moving(layout.bodies, q, v[None], np.zeros((1, len(v))))
        loop = next(loop for loop in layout.mechanism.loops if loop.name == name)
        one = cut(state, loop)
        M = mass_matrix(layout, q[0], problem.phases)
        blow = impulse(time, name, one.wrenches[0], one.forces[0], M, v)
        if blow.speed > _MEETING:
            found.append(blow)
    return found


def mass_matrix(layout: Layout, q: Array, phases: Phases | None = None) -> Array:
    """Of the open mechanism with its extra masses and rotors, (nv, nv), by unit accelerations."""
    nv = layout.mechanism.nv
    qs, zero = np.repeat(q[None], nv, axis=0), np.zeros((nv, nv))
    state = moving(layout.bodies, qs, zero, np.eye(nv), (0.0, 0.0, 0.0))
    motion = Motion(layout.robot, np.arange(nv, dtype=np.float64), qs, zero, np.eye(nv))
    problem = Problem(layout, motion, state, phases or Phases(), False)
    M = torques_of(problem, mass_loads(problem))
    return (M + M.T) / 2
