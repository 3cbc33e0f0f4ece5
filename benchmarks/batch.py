"""Section: every law over a batch of states, ours beside the peers, one table a robot."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.errors import CompilationFailed
from benchmarks.harness import Engine, Job, Timing, check_agreement, interleaved, lined_up, one_core
from benchmarks.laws import LAWS, Law
from benchmarks.options import Options
from benchmarks.ours import Ours, our_robot
from benchmarks.packed import LAWS as PACKED
from benchmarks.packed import PackedOurs
from benchmarks.peers.generated_c import GeneratedC
from benchmarks.peers.mujoco_c import MujocoC
from benchmarks.peers.mujoco_model import mujoco_model
from benchmarks.peers.pinocchio_cpp import PinocchioCpp
from benchmarks.peers.pinocchio_model import pinocchio_model
from benchmarks.peers.pinocchio_python import PinocchioPython
from benchmarks.report import figure, table
from benchmarks.robots import Subject, subject
from benchmarks.states import States, random_states

PINOCCHIO, NATIVE, MUJOCO, GCC, OURS, FILL = (
    "Pinocchio C++", "Pinocchio C++ native", "MuJoCo C", "gcc -O3", "ours", "fill",
)  # fmt: skip
HEADER = (
    "law",
    "ours",
    "Pin C++",
    "(native)",
    "MuJoCo C",
    "gcc -O3",
    "ratio",
    "MJ ratio",
    "fill",
    "target met",
)


def engines(robot: Subject, native: bool) -> tuple[list[Engine], list[Engine], tuple[str, ...]]:
    """The peers for this robot (the first is the reference), ourselves in two forms, and its joint names."""
    model = pinocchio_model(robot)
    found: list[Engine] = []
    try:
        found.append(PinocchioCpp(model))
        if native:
            found.append(PinocchioCpp(model, "native"))
    except CompilationFailed as error:
        print(f"{error}\nValues are compared with Pinocchio's Python bindings; no target can be judged.\n")
        found.append(PinocchioPython(model))
    found.append(MujocoC(mujoco_model(robot), model.frame_in_body()))
    mine = our_robot(robot)
    if mine is None:
        return found, [], model.joints
    ours: list[Engine] = [
        Ours(mine, robot.frame, robot.floating),
        GeneratedC(mine, robot.frame, robot.floating),
    ]
    return found, ours, model.joints


def measured(law: Law, states: States, everyone: Sequence[Engine], rounds: int) -> dict[str, Any]:
    """Timings of one law by engine (its fastest way) and of NumPy filling the same buffer."""
    count = len(states.q)
    out = lined_up(count * int(np.prod(law.shape(states.nv, states.bodies))))
    owner: dict[str, str] = {}
    jobs: dict[str, Job] = {}
    for engine in everyone:
        for way, job in enumerate(engine.jobs(law, states, out)):
            jobs[f"{engine.name} #{way}"], owner[f"{engine.name} #{way}"] = job, engine.name
    with one_core():
        errors = check_agreement(law, jobs, count, out)
        runs = {name: job.run for name, job in jobs.items()}
        times = interleaved({**runs, FILL: lambda: out.fill(1.0)}, count, rounds)
    fastest: dict[str, Timing] = {FILL: times.pop(FILL)}
    for name, timing in times.items():
        known = fastest.get(owner[name])
        if known is None or timing.best < known.best:
            fastest[owner[name]] = timing
    return {"times": fastest, "errors": errors}


def verdict(robot: Subject, times: Mapping[str, Timing]) -> dict[str, Any]:
    """Ratios of best times, and whether the target is met: fast enough beside the peers, or within twice
    the time NumPy needs to fill the result array."""
    best = {name: timing.best for name, timing in times.items()}
    if OURS not in best or PINOCCHIO not in best:
        return {"ratio": None, "ratio_mujoco": None, "met": None}
    ratio = best[PINOCCHIO] / best[OURS]
    ratio_mujoco = best[MUJOCO] / best[OURS] if MUJOCO in best else None
    fast = ratio >= robot.least_ratio
    if robot.least_ratio_mujoco is not None and ratio_mujoco is not None:
        fast = fast and ratio_mujoco >= robot.least_ratio_mujoco
    return {
        "ratio": ratio,
        "ratio_mujoco": ratio_mujoco,
        "met": fast or best[OURS] <= 2 * best.get(FILL, 0.0),
    }


def measured_packed(
    law: Law, states: States, peers: Sequence[Engine], packed: Engine, rounds: int
) -> dict[str, Any]:
    """A packed result beside the peers' dense ones, judged by the ratio alone."""
    result = measured(law, states, [*peers, packed], rounds)
    del result["times"][FILL]  # that of a dense result
    return result


def _row(law: str, times: Mapping[str, Timing], judged: Mapping[str, Any]) -> list[str]:
    best = {name: timing.best for name, timing in times.items()}
    met = {None: "-", True: "yes", False: "NO"}[judged["met"]]
    cells = [figure(best.get(name)) for name in (OURS, PINOCCHIO, NATIVE, MUJOCO, GCC)]
    ratios = [figure(judged["ratio"], 1), figure(judged["ratio_mujoco"], 1)]
    return [law, *cells, *ratios, figure(best.get(FILL)), met]


def run(options: Options) -> dict[str, Any]:
    """Measures, prints one table a robot, and returns everything."""
    record: dict[str, Any] = {}
    for name in options.robots:
        robot = subject(name)
        peers, ours, joints = engines(robot, options.native)
        states = random_states(joints, robot.floating, options.states)
        results = {law: measured(LAWS[law], states, [*peers, *ours], options.rounds) for law in options.laws}
        if ours:
            packed = PackedOurs(our_robot(robot), robot.floating)
            for law in (law for law in options.laws if law in PACKED):
                found = measured_packed(LAWS[law], states, peers, packed, options.rounds)
                results[f"{law}, packed"] = found
        rows, kept = [], {}
        for law, result in results.items():
            judged = verdict(robot, result["times"])
            rows.append(_row(law, result["times"], judged))
            times = {engine: asdict(timing) for engine, timing in result["times"].items()}
            kept[law] = {"ns_per_state": times, "errors": result["errors"], **judged}
        how = f"best of up to {options.rounds} rounds, {options.states} states"
        print(table(f"{name}, {states.nv} DOF: ns a state, {how}", HEADER, rows))
        record[name] = kept
    return record
