"""Section: robots with loops: forward dynamics, closure residual over 10 s, energy over 100 s."""

from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks import closed_motion
from benchmarks.errors import Disagreement
from benchmarks.harness import interleaved, one_core, relative_error
from benchmarks.options import Options
from benchmarks.peers.closed_mujoco import ClosedMujoco
from benchmarks.peers.closed_pinocchio import ClosedPinocchio
from benchmarks.report import figure, table
from benchmarks.states import Array

# Positions of the states, and their spread.
SUBJECTS: dict[str, tuple[list[float], float]] = {
    "five_bar": ([1.2, 1.8], 0.3),
    "stewart": ([0.75] * 6, 0.05),
}
LEAST_RATIO, LEAST_CLOSER = 5.0, 1000.0
AGREEMENT = 1e-7  # Pinocchio's regularised solution of a planar loop is not more accurate
DURATION = 10.0  # [s]


def states(robot: Any, around: list[float], spread: float, count: int) -> tuple[Array, Array, Array]:
    """Random closed states and forces in all joints (in the actuated joints only)."""
    rng = np.random.default_rng(0)
    few = min(count, 500)  # configurations repeat: their number does not change the work
    own = np.array(around) + spread * rng.uniform(-1, 1, (few, len(around)))
    q = np.resize(robot.assemble(own), (count, robot.nq))
    v, _ = robot.complete(q, *rng.uniform(-1, 1, (2, count, len(around))))
    tau = np.zeros((count, robot.nv))
    driven = list(robot.closure().structure.actuated)
    tau[:, driven] = rng.uniform(-5, 5, (count, len(driven)))
    return q, v, tau


def evaluation(name: str, options: Options) -> dict[str, float]:
    """Nanoseconds a state by engine."""
    robot: Any = rk.load(name)
    around, spread = SUBJECTS[name]
    q, v, tau = states(robot, around, spread, options.states)
    own = np.ascontiguousarray(tau[:, list(robot.closure().structure.actuated)])
    ours, theirs, soft = (np.empty((len(q), robot.nv)) for _ in range(3))
    pinocchio = ClosedPinocchio(robot, robot.closure().redundancy > 0)
    mujoco = ClosedMujoco(robot)
    pin_states, mj_states = pinocchio.states(q, v, tau), mujoco.states(q, v, tau)
    runs = {
        "ours": lambda: robot.forward_dynamics(q, v, own, out=ours),
        pinocchio.name: lambda: pinocchio.run(pin_states, theirs),
        mujoco.name: lambda: mujoco.run(mj_states, soft),
    }
    with one_core():
        for run in runs.values():
            run()
        error = relative_error(ours, pinocchio.ours(theirs))
        if error > AGREEMENT:
            raise Disagreement("forward_dynamics with loops", "ours", pinocchio.name, error, AGREEMENT)
        times = interleaved(runs, len(q), options.rounds)
    return {key: timing.best for key, timing in times.items()} | {"error": error}


def opened(name: str) -> dict[str, float]:
    """Largest gap of the loops in a motion from rest, by engine."""
    robot = closed_motion.subject(name)
    q = robot.assemble(closed_motion.SUBJECTS[name][0])
    ours = rk.simulate(robot, q, duration=DURATION, output=1e-3)
    return {
        "ours": float(ours.residual.max()),
        "MuJoCo": ClosedMujoco(robot).opened(q, DURATION),
        "MuJoCo stiff": ClosedMujoco(robot, stiff=True).opened(q, DURATION),
    }


def run(options: Options) -> dict[str, Any]:
    """Measures, prints four tables, and returns everything."""
    record: dict[str, Any] = {}
    speed, gaps = [], []
    for name in SUBJECTS:
        times, gap = evaluation(name, options), opened(name)
        fastest = min(times["Pinocchio C++"], times["MuJoCo C"])
        ratio, closer = fastest / times["ours"], min(gap["MuJoCo"], gap["MuJoCo stiff"]) / gap["ours"]
        met = "yes" if ratio >= LEAST_RATIO else "NO"
        cells = [figure(times[key]) for key in ("ours", "Pinocchio C++", "MuJoCo C")]
        speed.append([name, *cells, figure(ratio, 1), met])
        cells = [f"{gap[key]:.1e}" for key in ("ours", "MuJoCo", "MuJoCo stiff")]
        gaps.append([name, *cells, f"{closer:.1e}", "yes" if closer >= LEAST_CLOSER else "NO"])
        record[name] = {"ns_per_state": times, "gap": gap, "ratio": ratio, "closer": closer}
    header = ("robot", "ours", "Pin C++", "MuJoCo C", "ratio", "target met")
    print(table(f"forward dynamics with loops: ns a state, {options.states} states", header, speed))
    header = ("robot", "ours", "MuJoCo", "(stiff)", "ratio", "target met")
    print(table(f"largest gap of the loops in {DURATION:g} s [m]", header, gaps))
    return {**record, "motion": closed_motion.run(options)}
