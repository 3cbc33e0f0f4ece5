"""Recorded states in arrays of the caller, compared with the same steps taken again."""

from collections.abc import Callable, Mapping

import numpy as np

from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array
from rikigaku.rollout.rollout_problem import RolloutProblem
from rikigaku.rollout.world_block import WorldBlock, worlds_of_block

_SEGMENT = 256  # steps whose states are in memory together


def records_unchanged(problem: RolloutProblem, states: Mapping[str, Array]) -> bool:
    """Whether the recorded q and v are those of the steps, bit by bit; costs one rollout.

    A checksum would cost every rollout up to a tenth of its time, also those without derivatives.
    """
    worlds, steps, every = problem.worlds, problem.steps, problem.every or problem.steps
    known = states if problem.every else {name: x[None] for name, x in states.items()}
    program = problem.program
    program.kernel.lanes  # noqa: B018  (compiled before threads start)
    size = worlds_of_block(program, worlds.count, problem.threads)
    length = every * max(_SEGMENT // every, 1)
    changed: list[int] = []

    def segment(
        steps: slice, here: slice, state: Mapping[str, Array], stopped: Callable[[], bool]
    ) -> dict[str, Array]:
        """Compare the records of some steps; the state after them."""
        count = here.stop - here.start
        lost = ~np.isfinite(np.concatenate([state["q"], state["v"]], axis=1)).all(axis=1)
        rows = slice(steps.start // every, steps.stop // every)
        found = {name: np.empty((rows.stop - rows.start, count, x.shape[-1])) for name, x in known.items()}
        block = WorldBlock(program, count, problem.dt, problem.parts(steps, here), worlds.varied)
        block.begin(0, state, {"p": worlds.parameters(here)})
        block.record(every, found)
        block.run(steps.stop - steps.start, stopped)
        after = block.after(steps.stop - steps.start)
        for name, x in found.items():
            x[:, lost], after[name][lost] = np.nan, np.nan
            if not stopped() and not np.array_equal(x, known[name][rows, here], equal_nan=True):
                changed.append(here.start)
        return after

    def work(firsts: range, stopped: Callable[[], bool]) -> None:
        for first in firsts:
            here = slice(first, min(first + size, worlds.count))
            initial = {"q": worlds.q(here), "v": worlds.v(here)}
            state = {name: np.broadcast_to(x, (here.stop - first, x.shape[1])) for name, x in initial.items()}
            for step in range(0, steps // every * every, length):
                if stopped():
                    return
                state = segment(slice(step, min(step + length, steps)), here, state, stopped)

    each_block(worlds.count, size, problem.threads, work)
    return not changed
