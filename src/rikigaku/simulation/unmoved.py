"""A motion that ended where it began: no mode fits there, or its rates are not finite."""

import numpy as np

from rikigaku.bound import integrator
from rikigaku.model.robot import Robot
from rikigaku.simulation.drives import Drive
from rikigaku.simulation.fields import MORE
from rikigaku.simulation.modes import Array, Event
from rikigaku.simulation.solution import Solution


def unmoved(
    robot: Robot,
    drive: Drive,
    t: float,
    q: Array,
    v: Array,
    tau: Array,
    status: str,
    events: tuple[Event, ...] = (),
    notes: tuple[str, ...] = (),
) -> Solution:
    """The solution of one moment; accelerations are not known there (NaN)."""
    y = np.concatenate([q, v, np.zeros(MORE)])
    record = np.zeros((1, integrator.record_size(len(y))))
    record[0, :3] = t, t, 1.0  # a step of no length: its interpolant is y
    record[0, 3 : 3 + len(y)] = y
    none, first = np.zeros(1), np.zeros(1, dtype=np.int64)
    kept = {"a": np.full((1, robot.nv), np.nan), "tau": tau[None]}
    statistics = {"steps": 0, "evaluations": 0, "rejected": 0, "changes of mode": 0}
    return Solution(
        robot, np.array([t]), q[None].copy(), v[None].copy(), none, none.copy(), first, ("none",), events,
        status, record, first.copy(), statistics, drive, kept=kept, notes=notes,
    )  # fmt: skip
