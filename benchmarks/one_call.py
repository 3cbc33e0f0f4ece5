"""Section: one state, one call from Python; ours with `out=` beside Pinocchio's own bindings."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import check_agreement, interleaved, one_core
from benchmarks.laws import LAWS, Law
from benchmarks.options import Options
from benchmarks.ours import Ours, our_robot
from benchmarks.peers.pinocchio_model import pinocchio_model
from benchmarks.peers.pinocchio_python import PinocchioPython
from benchmarks.report import figure, table
from benchmarks.robots import Subject, subject
from benchmarks.states import random_states

CALLS = 2000


def repeated(call: Callable[[], object], times: int) -> Callable[[], None]:
    """Repeats the call a number of times."""

    def run() -> None:
        for _ in range(times):
            call()

    return run


def measured(robot: Subject, mine: Any | None, law: Law, calls: int, rounds: int) -> dict[str, float]:
    """Nanoseconds a call, best round."""
    model = pinocchio_model(robot)
    states = random_states(model.joints, robot.floating, 1)
    out = np.empty(int(np.prod(law.shape(states.nv, states.bodies))))
    peer = PinocchioPython(model)
    jobs = {"Pinocchio": peer.jobs(law, states, out)[0]}
    # One state as a user holds it: plain vectors, not rows of a batch.
    first = [x[0].copy() for x in model.native_states(states).inputs(law)]
    runs = {"Pinocchio": repeated(peer.call(law, first), calls)}
    if mine is not None:
        engine = Ours(mine, robot.frame, robot.floating)
        for job in engine.jobs(law, states, out):
            jobs["ours"] = job
            runs["ours"] = repeated(engine.one_call(law, states, np.empty_like(out)), calls)
    with one_core():
        check_agreement(law, jobs, 1, out)
        return {who: timing.best for who, timing in interleaved(runs, calls, rounds, 1.0).items()}


def run(options: Options) -> dict[str, Any]:
    """Measures, prints one table a robot, and returns everything."""
    record: dict[str, Any] = {}
    calls = CALLS // 10 if options.states < 2 * CALLS else CALLS
    for name in options.robots:
        robot = subject(name)
        mine = our_robot(robot)
        rows, kept = [], {}
        for law in (LAWS[name] for name in options.laws):
            best = measured(robot, mine, law, calls, options.rounds)
            ratio = best["Pinocchio"] / best["ours"] if "ours" in best else None
            rows.append([law.name, figure(best.get("ours")), figure(best["Pinocchio"]), figure(ratio, 1)])
            kept[law.name] = {"ns_per_call": best, "ratio": ratio}
        print(table(f"{name}: one call from Python, ns", ("law", "ours", "Pinocchio", "ratio"), rows))
        record[name] = kept
    return record
