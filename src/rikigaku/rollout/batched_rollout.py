"""`robot.rollout`: many worlds over fixed steps, the whole time loop in native code."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.compiler.kernel import thread_count
from rikigaku.core.errors import TooLarge, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, number, whole
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.integrators.rollout_driver import RollSlot, roll
from rikigaku.robot import Robot
from rikigaku.rollout.contact_rollout import TIME_STEPPING, contact_rollout
from rikigaku.rollout.rollout_arguments import Worlds, memory, outputs_of, torques_of, worlds_of
from rikigaku.rollout.rollout_result import Integers, Rollout
from rikigaku.rollout.step_program import METHODS, stage_times, step_program
from rikigaku.rollout.world_block import Table, WorldBlock, worlds_of_block
from rikigaku.simulation.actuation import Actuation

_WORLD_STEPS = 200_000  # between two returns to Python, where interrupts are handled


def rollout(
    robot: Robot,
    q0: ArrayLike | None,
    v0: ArrayLike | None = None,
    torque: Any = None,
    *,
    steps: int,
    dt: float,
    method: str | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    contacts: Any = None,
    every: int = 1,
    start: float = 0.0,
    out: tuple[Array, Array] | None = None,
    threads: int | None = None,
) -> Rollout:
    """The motions of many worlds over fixed steps, in native code.

    The same bits come out for any division of the worlds into calls and for any number of threads.

    Args:
        q0, v0: initial positions (nq,) or (worlds, nq) (None: neutral), velocities (nv,) or (worlds, nv) (at
            rest if left out).
        torque: an array (steps, worlds, n), constant in each step, in which steps or worlds may be 1 where
            all are equal; or what `rk.simulate` compiles: None, constant forces (n,), formulas of t,
            `rk.Data`, `rk.PD`, `rk.ComputedTorque`, `rk.GravityCompensation`, `rk.LinearPolicy`, sums.
        steps, dt: number of steps, and their length [s].
        method: "euler" (semi-implicit, order 1; the default), "implicit" (order 1, damping and
            stiffness of joints and controllers implicit: for stiff ones), "rk4" (order 4), or
            "time_stepping": order 1 with contacts and loops; the default if there are contacts.
        parameters: values of the robot's symbols, each a number or (worlds,): other values compile nothing.
        contacts: as in `rk.simulate`.
        every: steps between recorded states; 0: only the final states.
        start: time of the initial state [s].
        out: two arrays that q and v are written to.
        threads: number of threads; those of `rk.set_threads` if left out.
    Returns:
        The rollout. A world whose state is not finite stops alone: its states are NaN from there on, and
        `steps` and `status` say so.
    Raises:
        WrongSize, WrongValue, MissingValue: for arguments that do not fit the robot or each other.
    """
    steps, every = whole("steps", steps), whole("every", every, 0)
    dt, start = number("dt", dt, above=0), number("start", start)
    if method is None:
        method = "euler" if contacts is None else TIME_STEPPING
    method = choice("method", method, (*METHODS, TIME_STEPPING))
    threads = thread_count() if threads is None else whole("threads", threads)
    if method != TIME_STEPPING:
        if contacts is not None:
            raise WrongValue(f'Contacts take method="{TIME_STEPPING}"; {method!r} was given.')
        if is_closed(robot):
            raise WrongValue(
                f"Method {method!r} takes trees; robot {robot.name!r} has loops or gears. "
                f'Give method="{TIME_STEPPING}", or integrate single motions by rk.simulate.'
            )
    if not robot.nv:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves.")
    actuation, table = torques_of(robot, torque, steps)
    worlds = worlds_of(robot, q0, v0, table, parameters, actuation)
    if 8 * steps * 4 > memory():
        raise TooLarge(
            f"The times of {steps} steps exceed the memory of this machine: call rollout in parts."
        )
    t = start + dt * (np.arange(float(every), steps + 1, every) if every else np.array([float(steps)]))
    q, v = outputs_of(out, robot, worlds, len(t) if every else None, table)
    if method == TIME_STEPPING:
        taken = contact_rollout(
            robot, actuation, table, worlds, contacts, steps, dt, every, start, threads, q, v
        )
    else:
        taken = _smooth(robot, actuation, table, worlds, method, steps, dt, every, start, threads, q, v)
    return Rollout(t, q, v, taken, steps)


def _smooth(
    robot: Robot, actuation: Actuation, table: Array | None, worlds: Worlds, method: str, steps: int,
    dt: float, every: int, start: float, threads: int, q: Array, v: Array,
) -> Integers:  # fmt: skip
    """Fill q and v by blocks of worlds; the number of finite steps of each world."""
    program = step_program(robot, actuation, method)
    times = stage_times(method, start, dt, np.arange(float(steps)))
    inputs = _inputs(actuation, table, times)
    moments = Table(times[:, :, None, None])
    program.kernel.loop  # noqa: B018  (compiled before threads start)
    native = roll()
    size = worlds_of_block(program, worlds.count, threads)
    firsts = range(0, worlds.count, size)
    taken = np.zeros(worlds.count, dtype=np.int64)
    stopped: list[bool] = []

    def work(part: range) -> None:
        blocks: dict[int, WorldBlock] = {}
        for first in part:
            here = slice(first, min(first + size, worlds.count))
            count = here.stop - first
            if count not in blocks:
                blocks[count] = WorldBlock(program, count, dt, moments, inputs, worlds.varied)
            block = blocks[count]
            block.begin(first, worlds.q(here), worlds.v(here), worlds.parameters(here))
            if every:
                block.record(every, first, q, v)
            chunk = max(_WORLD_STEPS // count, 1)
            for step in range(0, steps, chunk):
                if stopped:
                    return
                block.block[RollSlot.FIRST_STEP] = step
                block.block[RollSlot.STEPS] = min(chunk, steps - step)
                native(block.block.ctypes.data)
            last = block.states[steps % 2]
            taken[here] = np.where(block.taken < 0, steps, block.taken)
            if not every:
                q[here], v[here] = last["q"], last["v"]

    if threads == 1 or len(firsts) == 1:
        work(firsts)
        return taken
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(work, firsts[k::threads]) for k in range(threads)]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            stopped.append(True)
            raise
    return taken


def _inputs(actuation: Actuation, table: Array | None, times: Array) -> Table | None:
    """Inputs of the actuation: a table of torques, or its polynomials at the times of the stages."""
    if table is not None:
        return Table(table[:, None])
    pieces = actuation.pieces
    if not actuation.size or pieces is None:
        return None
    if pieces.coefficients.shape[:2] == (1, 1):
        return Table(np.ascontiguousarray(pieces.coefficients[:, :, None]))
    values = pieces(times.ravel()).reshape(*times.shape, 1, actuation.size)
    return Table(np.ascontiguousarray(values))
