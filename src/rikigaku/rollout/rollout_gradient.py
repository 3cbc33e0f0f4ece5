"""Gradient of a function of the states of a rollout by the discrete adjoint method.

The adjoints run backward through the steps in native code, by segments of 256 steps, or of the square root of
more. Recorded states are checkpoints: where not every state was recorded, the steps of a segment are taken
again, with further checkpoints where a segment does not begin at a recorded state.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array, Mask
from rikigaku.rollout.adjoint_step import AdjointStep
from rikigaku.rollout.lanes import Lanes, filled
from rikigaku.rollout.rollout_problem import RolloutProblem
from rikigaku.rollout.rollout_result import Integers
from rikigaku.rollout.step_derivative import AdjointProgram, adjoint_program
from rikigaku.rollout.step_loop import Place, StepLoop, Table
from rikigaku.rollout.tangent_space import pulled_back
from rikigaku.rollout.world_block import WorldBlock, worlds_of_block

_SEGMENT = 256  # steps whose states are in memory together, at least; of longer intervals the square root


@dataclass(frozen=True, eq=False)
class RolloutGradient:
    """Derivatives of one function of all states.

    q0, v0: by the initial state of each world, (worlds, nv), that of q0 in the tangent space
    (q0 = `integrate(q0, x)` at x = 0).
    torque: in the shape of the table of torques; None if torques were no table.
    parameters: by each symbol of the robot, (worlds,).
    controller: by the parameters of the controller (gains, weights), added over the worlds.
    left_out: worlds whose state is not finite; their derivatives are NaN, and sums over worlds are without
    them.
    """

    q0: Array
    v0: Array
    torque: Array | None
    parameters: dict[str, Array]
    controller: Array
    left_out: Integers


def rollout_gradient(
    problem: RolloutProblem, states: Mapping[str, Array], costs: Mapping[str, Any], finite: Mask
) -> RolloutGradient:
    """The gradient of sum(costs * states) with constant `costs`.

    states: the recorded q and v. costs: arrays of the same shapes, None for zeros. finite: whether the state
    of each world stayed finite.
    """
    robot, worlds = problem.robot, problem.worlds
    known = {name: _cost(name, x, states[name]) for name, x in costs.items()}
    adjoint = adjoint_program(problem.program)
    for program in (adjoint, problem.program):
        program.kernel.lanes  # noqa: B018  (compiled before threads start)
    # the same blocks for any number of threads: sums over worlds have the same bits
    size = worlds_of_block(problem.program, worlds.count, 1)
    sums: dict[int, tuple[Array | None, Array]] = {}
    q0, v0 = np.empty((worlds.count, robot.nv)), np.empty((worlds.count, robot.nv))
    p = np.zeros((worlds.count, problem.program.sizes.get("p", 0)))
    table = problem.table
    torque = None if table is None else np.zeros_like(table)
    own = table is not None and table.shape[1] > 1  # each world has torques of its own

    def work(firsts: range, stopped: Callable[[], bool]) -> None:
        for first in firsts:
            here = slice(first, min(first + size, worlds.count))
            target = None
            if torque is not None:
                target = torque[:, here] if own else np.zeros_like(torque)
            block = _AdjointBlock(problem, adjoint, here, states, known, target, finite[here])
            if not block.run(stopped):
                return
            initial = np.broadcast_to(worlds.q(here), (block.count, robot.nq))
            q0[here], v0[here] = pulled_back(robot, initial, block.adjoints["q"]), block.adjoints["v"]
            if p.shape[1]:
                p[here] = block.adjoints["p"]
            total = np.where(finite[here, None], p[here], 0.0).sum(axis=0)
            sums[first] = (None if own else block.torque, total)

    each_block(worlds.count, size, problem.threads, work)
    controller = np.zeros(p.shape[1])
    for first in sorted(sums):
        part, total = sums[first]
        controller += total
        if torque is not None and part is not None:
            torque += part
    for x in (q0, v0, p):
        x[~finite] = np.nan
    if torque is not None and own:
        torque[:, ~finite] = np.nan
    count = len(problem.actuation.parameters)
    parameters = {name: p[:, count + k].copy() for k, name in enumerate(robot.free_symbols)}
    return RolloutGradient(q0, v0, torque, parameters, controller[:count], np.flatnonzero(~finite))


def _cost(name: str, given: Any, states: Array) -> Array:
    if given is None:
        return np.zeros((1,) * states.ndim)
    x = floats(f"The derivative by {name}", given)
    try:
        np.broadcast_to(x, states.shape)
    except ValueError:
        raise WrongSize(
            f"The derivative by {name} has the shape of {name} of the rollout, {states.shape}; "
            f"shape {x.shape} was given."
        ) from None
    if not np.isfinite(x).all():
        raise WrongValue(f"The derivative by {name} is finite; NaN or infinity was given.")
    return x.reshape((1,) * (states.ndim - x.ndim) + x.shape)


class _AdjointBlock:
    """The adjoints of a block of worlds. torque: those of its part of the table are added to it."""

    def __init__(
        self, problem: RolloutProblem, adjoint: AdjointProgram, here: slice, states: Mapping[str, Array],
        costs: Mapping[str, Array], torque: Array | None, finite: Mask,
    ) -> None:  # fmt: skip
        self.problem, self.adjoint, self.here, self.states, self.costs = problem, adjoint, here, states, costs
        self.count = count = here.stop - here.start
        sizes = adjoint.step.sizes
        carried = [name for name in ("q", "v", "p") if name in sizes]
        self.pair: list[dict[str, Lanes]] = [
            {name: Lanes(count, sizes[name]) for name in carried} for _ in range(2)
        ]
        self.parameters, self.torque, self.finite = problem.worlds.parameters(here), torque, finite
        # Steps between the recorded states that are checkpoints, and of the segments of such an interval.
        steps, every = problem.steps, problem.every or problem.steps
        self.interval = min(every * max(_SEGMENT // every, 1), steps)
        self.length = min(max(_SEGMENT, math.isqrt(self.interval - 1) + 1), self.interval)
        self.arrays: dict[str, Array] = {}

    @property
    def adjoints(self) -> dict[str, Array]:
        """Of q, v and p."""
        return {name: x.rows for name, x in self.pair[0].items()}

    def run(self, stopped: Callable[[], bool]) -> bool:
        """Run backward through all steps; false if another thread failed."""
        steps = self.problem.steps
        for first in reversed(range(0, steps, self.interval)):
            last = min(first + self.interval, steps)
            checkpoints = self._checkpoints(first, last, stopped)
            for start in reversed(range(first, last, self.length)):
                if stopped():
                    return False
                end, k = min(start + self.length, last), (start - first) // self.length
                self._backward(
                    start, end, self._states(start, end, {n: x[k] for n, x in checkpoints.items()})
                )
        return True

    def _checkpoints(self, first: int, last: int, stopped: Callable[[], bool]) -> dict[str, Array]:
        """States at the beginnings of the segments of an interval, (segments, worlds, n)."""
        begin = self._initial()
        if first:
            begin = {name: x[first // self.problem.every - 1, self.here] for name, x in self.states.items()}
        segments = -(-(last - first) // self.length)
        found = {name: np.empty((segments, self.count, x.shape[-1])) for name, x in begin.items()}
        for name, x in found.items():
            x[0] = begin[name]
        if segments > 1:
            block = self._forward(slice(first, last), begin)
            block.record(self.length, {name: x[1:] for name, x in found.items()})
            block.run((segments - 1) * self.length, stopped)
        return found

    def _initial(self) -> dict[str, Array]:
        return {"q": self.problem.worlds.q(self.here), "v": self.problem.worlds.v(self.here)}

    def _forward(self, steps: slice, state: Mapping[str, Array]) -> WorldBlock:
        problem = self.problem
        tables = problem.parts(steps, self.here)
        block = WorldBlock(problem.program, self.count, problem.dt, tables, problem.worlds.varied)
        block.begin(0, state, {"p": self.parameters})
        return block

    def _states(self, first: int, last: int, begin: Mapping[str, Array]) -> dict[str, Array]:
        """States before the steps from first to last, (steps, worlds, n); begin: that before the first."""
        steps = last - first
        found = {name: self._array(name, steps, x.shape[-1]) for name, x in begin.items()}
        for name, x in found.items():
            x[0] = begin[name]
        if self.problem.every == 1:
            for name, x in found.items():
                x[1:] = self.states[name][first : last - 1, self.here]
        elif steps > 1:
            block = self._forward(slice(first, last), begin)
            block.record(1, {name: x[1:] for name, x in found.items()})
            block.run(steps - 1)
        return found

    def _cost(self, name: str, first: int, last: int) -> Array:
        """What is added to the adjoint after each step, (steps, worlds, n)."""
        problem = self.problem
        x = self._array(f"cost {name}", last - first, self.states[name].shape[-1])
        x[:] = 0.0
        cost = np.broadcast_to(self.costs[name], self.states[name].shape)
        if not problem.every:
            if last == problem.steps:
                x[-1] = cost[self.here]
            return x
        every = problem.every
        done = np.arange(first + 1, last + 1)
        recorded = done % every == 0
        x[recorded] = cost[done[recorded] // every - 1, self.here]
        return x

    def _backward(self, first: int, last: int, states: Mapping[str, Array]) -> None:
        """Run the adjoints backward from step last to step first."""
        steps, sizes = slice(first, last), self.adjoint.step.sizes
        tables = self.problem.parts(steps, self.here, backward=True)
        arrays = {name: states[name] for name in ("q", "v")}
        arrays |= {f"cost {name}": self._cost(name, first, last) for name in ("q", "v")}
        if "u" in sizes:
            arrays["u out"] = self._array("u", last - first, sizes["u"])
        tables |= {name: Table(x[::-1, None]) for name, x in arrays.items() if name not in tables}
        inputs: dict[str, Place] = {**tables, "p": filled(self.parameters)}
        step = AdjointStep(self.adjoint, self.problem.dt, self.count, inputs)
        outputs = {"u": tables["u out"]} if "u" in sizes else {}
        even, odd = (
            [*step.forward(), *step.backward(before, {**after, **outputs}, tables)]
            for before, after in (self.pair, self.pair[::-1])
        )
        loop = StepLoop(self.count, even, odd)
        loop.run(0, last - first)
        if (last - first) % 2:
            self.pair.reverse()
        if self.torque is not None:
            self._add_torques(arrays["u out"], steps)

    def _array(self, name: str, steps: int, size: int) -> Array:
        """An array (steps, worlds, size) that the segments share."""
        if name not in self.arrays or len(self.arrays[name]) < steps:
            self.arrays[name] = np.zeros((steps, self.count, size))
        return self.arrays[name][:steps]

    def _add_torques(self, found: Array, steps: slice) -> None:
        """Add the adjoints of the inputs to those of the table, where worlds or steps may share one."""
        table = self.problem.table
        assert self.torque is not None
        assert table is not None
        if table.shape[1] == 1:
            found = np.where(self.finite[:, None], found, 0.0).sum(axis=1, keepdims=True)
        if len(table) == 1:
            self.torque += found.sum(axis=0, keepdims=True)
        else:
            self.torque[steps] += found
