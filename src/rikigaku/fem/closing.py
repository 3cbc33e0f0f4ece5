"""The blows of loops that close during a motion."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.kinematics import moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.loads import Problem, mass_loads, torques_of
from rikigaku.fem.loops import cut, gear_columns
from rikigaku.fem.motion import Motion
from rikigaku.fem.phases import Impulse, Phases, impulses

Array = NDArray[np.float64]

_MEETING = 1e-9  # [m/s, rad/s]: slower than this ends meet without a blow


def impulses_of(problem: Problem) -> list[Impulse]:
    """All blows; loops that close at once share one, and what is closed already stays closed."""
    found: list[Impulse] = []
    t, motion, layout, phases = problem.motion.t, problem.motion, problem.layout, problem.phases
    closings = phases.closings(t)
    for time in sorted({time for time, _ in closings}):
        q, v = motion.before(time)
        q = q[None]
        state = moving(layout.bodies, q, v[None], np.zeros((1, len(v))))
        closed = [
            cut(state, loop)
            for loop in layout.mechanism.loops
            if phases.is_closed(loop.name, np.array([time]))[0]
        ]
        new = {name for when, name in closings if when == time}
        blow = impulses(time, closed, new, gear_columns(state), mass_matrix(layout, q[0], phases), v)
        if max(max(one.speed, one.spin) for one in blow) > _MEETING:
            found += blow
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
