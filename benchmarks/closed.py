"""Section: robots with loops: forward dynamics, closure residual over 10 s, energy over 100 s."""

from functools import partial
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks import closed_motion, closed_robots
from benchmarks.errors import Disagreement
from benchmarks.harness import interleaved, one_core, relative_error
from benchmarks.options import Options
from benchmarks.peers.closed_mujoco import ClosedMujoco
from benchmarks.peers.closed_pinocchio import ALGORITHMS, ClosedPinocchio
from benchmarks.report import figure, table
from benchmarks.states import Array

# Positions of the independent joints, and their spread.
SUBJECTS: dict[str, tuple[list[float], float]] = {
    "five_bar": ([1.2, 1.8], 0.3),
    "stewart": ([0.75] * 6, 0.05),
}
# Robots of real size, and the spread of their states about a posture.
LARGE = {"cassie": (closed_robots.cassie, 0.1), "humanoid, rods": (closed_robots.humanoid_with_rods, 0.05)}
LEAST_RATIO, LEAST_CLOSER = 5.0, 1000.0
AGREEMENT = 1e-7  # Pinocchio's regularised solution of a planar loop is not more accurate
DURATION = 10.0  # [s]


def subject(name: str) -> tuple[Any, Array]:
    """The robot, and some hundred closed configurations."""
    few = 500  # configurations repeat: their number does not change the work
    if name in LARGE:
        make, spread = LARGE[name]
        robot, q = make()
        return robot, closed_robots.closed_near(robot, q, spread, few)
    robot = rk.load(name)
    around, spread = SUBJECTS[name]
    rng = np.random.default_rng(0)
    own = np.array(around) + spread * rng.uniform(-1, 1, (few, len(around)))
    return robot, robot.assemble(own)


def states(robot: Any, few: Array, count: int) -> tuple[Array, Array, Array]:
    """Random closed states and forces in all joints (in the actuated joints only)."""
    rng = np.random.default_rng(0)
    q = np.resize(few, (count, robot.nq))
    v = robot.loop_projected_velocity(q, rng.uniform(-1, 1, (count, robot.nv)))
    tau = np.zeros((count, robot.nv))
    driven = list(robot.closure().structure.actuated)
    tau[:, driven] = rng.uniform(-5, 5, (count, len(driven)))
    return q, v, tau


def evaluation(name: str, options: Options) -> dict[str, float]:
    """Nanoseconds a state by engine, and the largest relative difference from ours."""
    robot, few = subject(name)
    q, v, tau = states(robot, few, options.states)
    own = np.ascontiguousarray(tau[:, list(robot.closure().structure.actuated)])
    ours, theirs, soft = (np.empty((len(q), robot.nv)) for _ in range(3))
    redundant = robot.closure().redundancy > 0
    peers = [ClosedPinocchio(robot, redundant, algorithm) for algorithm in ALGORITHMS]
    mujoco = ClosedMujoco(robot)
    pin_states, mj_states = peers[0].states(q, v, tau), mujoco.states(q, v, tau)
    runs: dict[str, Any] = {
        "ours": lambda: robot.forward_dynamics(q, v, own, out=ours),
        mujoco.name: lambda: mujoco.run(mj_states, soft),
    }
    runs |= {peer.name: partial(peer.run, pin_states, theirs) for peer in peers}
    with one_core():
        error = 0.0
        for run in runs.values():
            run()
        for peer in peers:
            peer.run(pin_states, theirs)
            error = max(error, relative_error(ours, peer.ours(theirs)))
            if error > AGREEMENT:
                raise Disagreement("forward_dynamics with loops", "ours", peer.name, error, AGREEMENT)
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
    engines = ("ours", *ALGORITHMS.values(), "MuJoCo C")
    for name in (*SUBJECTS, *LARGE):
        times = evaluation(name, options)
        ratio = min(times[key] for key in engines[1:]) / times["ours"]
        met = "yes" if ratio >= LEAST_RATIO else "NO"
        speed.append([name, *(figure(times[key]) for key in engines), figure(ratio, 1), met])
        record[name] = {"ns_per_state": times, "ratio": ratio}
    for name in SUBJECTS:
        gap = opened(name)
        closer = min(gap["MuJoCo"], gap["MuJoCo stiff"]) / gap["ours"]
        cells = [f"{gap[key]:.1e}" for key in ("ours", "MuJoCo", "MuJoCo stiff")]
        gaps.append([name, *cells, f"{closer:.1e}", "yes" if closer >= LEAST_CLOSER else "NO"])
        record[name] |= {"gap": gap, "closer": closer}
    header = ("robot", *engines, "ratio to the fastest", "target met")
    print(table(f"forward dynamics with loops: ns a state, {options.states} states", header, speed))
    header = ("robot", "ours", "MuJoCo", "(stiff)", "ratio", "target met")
    print(table(f"largest gap of the loops in {DURATION:g} s [m]", header, gaps))
    return {**record, "motion": closed_motion.run(options)}
