"""Section: a large batch on one thread and on all processors: the speed-up, and the same bits."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.errors import Disagreement
from benchmarks.laws import LAWS
from benchmarks.options import Options
from benchmarks.ours import Ours, joint_names, our_robot
from benchmarks.report import figure, table
from benchmarks.robots import subject
from benchmarks.states import random_states

NUMBERS = 12_000_000  # inputs and outputs together: about 100 MB, far beyond the caches
MEASURED = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_dynamics_derivative")


def wall_time(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the wall clock (threads save that, not processor time), and the mean number of
    processors at work, which is below the number of threads if other programs use a processor."""
    wall, processor = time.perf_counter(), time.process_time()
    run()
    spent = time.perf_counter() - wall
    return spent, (time.process_time() - processor) / spent


def measured(
    robot_name: str, law_name: str, counts: tuple[int, ...], rounds: int
) -> dict[int, tuple[float, float]]:
    """Best nanoseconds a state, and processors at work then, by number of threads; interleaved rounds.

    Raises:
        Disagreement: if a bit of the answer depends on the number of threads.
    """
    robot, law = subject(robot_name), LAWS[law_name]
    mine: Any = our_robot(robot)
    names = joint_names(mine, robot.floating)
    per_state = int(np.prod(law.shape(mine.nv, mine.nv))) + len(law.inputs) * mine.nv
    states = random_states(names, robot.floating, NUMBERS // per_state)
    out = np.empty(len(states.q) * int(np.prod(law.shape(mine.nv, mine.nv))))
    job = Ours(mine, robot.frame, robot.floating).jobs(law, states, out)[0]
    best = dict.fromkeys(counts, (float("inf"), 0.0))
    answers = []
    try:
        for count in counts:
            rk.set_threads(count)
            out.fill(np.nan)
            job.run()
            answers.append(out.tobytes())
        if any(answer != answers[0] for answer in answers):
            raise Disagreement(law_name, f"{counts[-1]} threads", "one thread", float("nan"), 0.0)
        for _ in range(rounds):
            for count in counts:
                rk.set_threads(count)
                job.run()  # starts the threads
                wall, working = wall_time(job.run)
                best[count] = min(best[count], (wall / len(states.q) * 1e9, working))
    finally:
        rk.set_threads(1)
    return best


def run(options: Options) -> dict[str, Any]:
    """Measures, prints a table, and returns everything."""
    counts = (1, len(os.sched_getaffinity(0)))
    rows, record = [], {}
    for name in (name for name in ("ur5", "talos") if name in options.robots):
        for law in (law for law in MEASURED if law in options.laws):
            best = measured(name, law, counts, min(15, options.rounds))
            gain = best[counts[0]][0] / best[counts[-1]][0]
            times = [figure(best[n][0]) for n in counts]
            rows.append([f"{name} {law}", *times, figure(gain, 2), figure(best[counts[-1]][1], 2)])
            record[f"{name} {law}"] = {str(n): t for n, t in best.items()}
    header = ("law", "1 thread", f"{counts[-1]} threads", "speed-up", "at work")
    print(table("Large batches, ns a state by the wall clock; the bits are the same", header, rows))
    return record
