"""Rollouts with contacts, loops and stops by the fixed steps of `simulation.time_stepping`."""

from typing import Any

import numpy as np

from rikigaku.contact.contact_modes import contact_modes
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_arguments import Worlds
from rikigaku.rollout.rollout_result import Integers
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.time_stepping import WORLDS_PER_TILE, TimeStepping

TIME_STEPPING = "time_stepping"
_WORLDS = 16 * WORLDS_PER_TILE  # whose rows are in memory together, for each thread


def contact_rollout(
    robot: Robot, actuation: Actuation, table: Array | None, worlds: Worlds, contacts: Any, steps: int,
    dt: float, every: int, start: float, threads: int, q: Array, v: Array,
) -> Integers:  # fmt: skip
    """Fill q and v; the number of steps of each world up to the last recorded state that is finite.

    Raises:
        WrongValue: for parameters that differ between worlds: the programs of contacts read one set.
    """
    values = robot.declared_values
    given = worlds.columns[len(actuation.parameters) :]
    if any(len(x) > 1 or x[0] != values.get(name) for name, x in zip(robot.free_symbols, given, strict=True)):
        raise WrongValue(
            "Rollouts with contacts take no parameters: bind the symbols, as robot.bind(m=2.0), and call "
            "rollout for each robot."
        )
    system = (
        ContactSystem(robot, (), joints=())
        if contacts is None
        else contact_modes(robot, contacts, None).system
    )
    stepping = TimeStepping(system, actuation, dt)
    nq, end = robot.nq, robot.nq + robot.nv
    taken = np.zeros(worlds.count, dtype=np.int64)
    size = _WORLDS * threads
    for first in range(0, worlds.count, size):
        here = slice(first, min(first + size, worlds.count))
        count = here.stop - first
        inputs = None
        if table is not None:
            own = table[:, here] if table.shape[1] > 1 else table
            inputs = np.broadcast_to(own, (steps, count, table.shape[2]))
        q0, v0 = (np.broadcast_to(x, (count, x.shape[1])) for x in (worlds.q(here), worlds.v(here)))
        done = stepping.worlds(q0, v0, steps, start=start, every=every, inputs=inputs, threads=threads)
        if every:
            q[:, here], v[:, here] = done.records[..., :nq], done.records[..., nq:end]
            finite = np.isfinite(done.records[..., :end]).all(axis=2).sum(axis=0) * every
        else:
            q[here], v[here] = done.rows[:, :nq], done.rows[:, nq:end]
            finite = np.zeros(count, dtype=np.int64)
        taken[here] = np.where(np.isfinite(done.rows[:, :end]).all(axis=1), steps, finite)
    return taken
