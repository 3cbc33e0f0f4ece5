"""`robot.rollout`: many worlds over fixed steps, the whole time loop in native code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.compiler.kernel import thread_count
from rikigaku.core.errors import TooLarge, WrongValue
from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array
from rikigaku.core.validation import number, precision, whole
from rikigaku.integrators.time_stepping_driver import StepStatus
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.rollout.contact_rollout import contact_rollout
from rikigaku.rollout.rollout_arguments import (
    TIME_STEPPING,
    check_single,
    check_single_times,
    memory,
    method_of,
    outputs_of,
    torques_of,
    worlds_of,
)
from rikigaku.rollout.rollout_problem import RolloutProblem, checksum
from rikigaku.rollout.rollout_result import Integers, Rollout
from rikigaku.rollout.step_loop import Table
from rikigaku.rollout.stop_condition import stop_condition
from rikigaku.rollout.world_block import WorldBlock, worlds_of_block

_COPIED = 1 << 24  # bytes of inputs that are copied; of more a checksum is kept


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
    friction: ArrayLike | None = None,
    stop: str | Formula | Sequence[str | Formula] | None = None,
    every: int = 1,
    start: float = 0.0,
    out: tuple[Array, Array] | None = None,
    threads: int | None = None,
    dtype: Any = np.float64,
) -> Rollout:
    """The motions of many worlds over fixed steps, in native code.

    The same bits come out for any division of the worlds into calls and for any number of threads.

    Args:
        q0, v0: initial positions (nq,) or (worlds, nq) (None: neutral), velocities (nv,) or (worlds, nv) (at
            rest if left out).
        torque: an array (steps, worlds, n), constant in each step, in which steps or worlds may be 1 where
            all are equal; or what `rk.simulate` compiles: None, constant forces (n,), formulas of t,
            `rk.Data`, `rk.PD`, `rk.ComputedTorque`, `rk.GravityCompensation`, `rk.LinearPolicy`,
            `rk.NetworkPolicy`, sums.
        steps, dt: number of steps, and their length [s].
        method: "euler" (semi-implicit, order 1; the default), "implicit" (order 1, damping and
            stiffness of joints and controllers implicit: for stiff ones), "rk4" (order 4), or
            "time_stepping": order 1 with contacts and loops; the default if there are some.
        parameters: values of the robot's symbols, each a number or (worlds,): other values compile nothing.
        contacts: as in `rk.simulate`.
        friction: Coulomb coefficients instead of those of the contacts: one, (worlds,) or (worlds, contacts).
        stop: a formula of positions and velocities by their names, as "q2^2 - 0.04", or several: a world
            stops alone before the first step at whose beginning one of them is above zero, and keeps its
            state from there on.
        every: steps between recorded states; 0: only the final states.
        start: time of the initial state [s].
        out: two arrays that q and v are written to.
        threads: number of threads; those of `rk.set_threads` if left out.
        dtype: np.float32 for single precision, with twice as many worlds in a register; time too has 24 bits.
    Returns:
        The rollout. A world whose state is not finite stops alone: its states are NaN from there on, and
        `steps` and `status` say so.
    Raises:
        WrongSize, WrongValue, UnknownName, MissingValue: for arguments that do not fit the robot or each
            other.
    """
    steps, every = whole("steps", steps), whole("every", every, 0)
    if every > steps:
        raise WrongValue(
            f"every={every} records no state of {steps} steps: give at most {steps}, or 0 for final states."
        )
    dt, start = number("dt", dt, above=0), number("start", start)
    method = method_of(robot, method, contacts)
    threads = thread_count() if threads is None else whole("threads", threads)
    kind = _precision(dtype, method)
    if method != TIME_STEPPING and friction is not None:
        raise WrongValue("friction is that of contacts=[...], of which none are given.")
    if not robot.nv:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves.")
    actuation, table = torques_of(robot, torque, steps, kind)
    worlds = worlds_of(robot, q0, v0, table, parameters, actuation, friction, kind)
    if kind is np.float32:
        check_single(actuation)
        check_single_times(start, dt, steps)
    condition = stop_condition(robot, stop)
    if 8 * steps * 4 > memory():
        raise TooLarge(
            f"The times of {steps} steps exceed the memory of this machine: call rollout in parts."
        )
    t = start + dt * (np.arange(float(every), steps + 1, every) if every else np.array([float(steps)]))
    q, v = outputs_of(out, robot, worlds, len(t) if every else None, table, kind)
    large: list[str] = []
    differentiable = method != TIME_STEPPING and kind is np.float64
    if differentiable:  # also after the caller has changed his arrays
        if worlds.nbytes <= _COPIED:
            worlds = worlds.copied()
        else:
            large += ["initial states", "parameters"]
        if table is not None:  # whether it is the caller's memory is not known: DLPack does not say
            if table.nbytes <= _COPIED:
                table = table.copy()
            else:
                large.append("torques")
    problem = RolloutProblem(
        robot, actuation, table, worlds, method, steps, dt, every, start, threads, kind, condition
    )
    problem = replace(problem, checksums={name: checksum(problem.inputs[name], threads) for name in large})
    taken, causes, residual = (
        contact_rollout(problem, contacts, q, v) if method == TIME_STEPPING else _smooth(problem, q, v)
    )
    if not differentiable:
        problem = replace(problem, table=None)  # not needed any more
    elif out is None:
        q.flags.writeable = v.flags.writeable = False
    return Rollout(t, q, v, taken, steps, causes, residual, problem)


def _precision(dtype: Any, method: str) -> type[np.floating[Any]]:
    """np.float64 or np.float32."""
    found = precision(dtype)
    if found is np.float32 and method == TIME_STEPPING:
        raise WrongValue(f'Method "{TIME_STEPPING}" computes in float64: leave dtype out.')
    return found


def _smooth(problem: RolloutProblem, q: Array, v: Array) -> tuple[Integers, Integers, Array]:
    """Fill q and v by blocks of worlds; steps of each world, its `StepStatus`, zeros."""
    program, worlds, steps, every = problem.program, problem.worlds, problem.steps, problem.every
    single = problem.dtype is np.float32
    program.kernel.lanes32 if single else program.kernel.lanes  # noqa: B018  (compiled before threads start)
    tables = {name: Table(x) for name, x in problem.tables.items()}
    size = worlds_of_block(program, worlds.count, problem.threads)
    taken, causes = np.zeros((2, worlds.count), dtype=np.int64)

    def work(firsts: range, stopped: Callable[[], bool]) -> None:
        blocks: dict[int, WorldBlock] = {}
        for first in firsts:
            here = slice(first, min(first + size, worlds.count))
            count = here.stop - first
            if count not in blocks:
                blocks[count] = WorldBlock(program, count, problem.dt, tables, worlds.varied, problem.dtype)
            block = blocks[count]
            block.begin(first, {"q": worlds.q(here), "v": worlds.v(here)}, {"p": worlds.parameters(here)})
            if every:
                block.record(every, {"q": q[:, here], "v": v[:, here]})
            if not block.run(steps, stopped):
                return
            taken[here] = np.where(block.loop.taken < 0, steps, block.loop.taken)
            last = block.after(steps)
            finite = np.isfinite(last["q"]).all(axis=1) & np.isfinite(last["v"]).all(axis=1)
            causes[here] = np.where(finite, StepStatus.DONE, StepStatus.STATE)
            if not every:
                q[here], v[here] = last["q"], last["v"]

    each_block(worlds.count, size, problem.threads, work)
    return taken, causes, np.zeros(worlds.count)
