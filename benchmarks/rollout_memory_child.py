"""Rollouts of a million worlds in a fresh process: prints the memory of arrays and its growth."""

import json
from pathlib import Path

import numpy as np

import rikigaku as rk
from benchmarks.memory_child import resident

WORLDS, STEPS = 1_000_000, 10


def main() -> None:
    """Final states made by the call, and written to arrays of the caller."""
    robot = rk.load("panda")
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-0.5, 0.5, (2, WORLDS, 7))
    outs = (np.ones((WORLDS, 7)), np.ones((WORLDS, 7)))
    robot.rollout(q[:5000], v[:5000], steps=STEPS, dt=1e-3, every=0)  # compiled, threads started
    record = {}
    # with out= first: memory that a rollout has freed would not count as growth
    for way, out in (("out given", outs), ("final states", None)):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before = resident("VmRSS")
        motion = robot.rollout(q, v, steps=STEPS, dt=1e-3, every=0, out=out)
        own = (motion.steps, motion.causes, motion.friction_residual)
        new = sum(x.nbytes for x in (*own, *(() if out else (motion.q, motion.v))))
        peak = resident("VmHWM") - before
        record[way] = {"inputs": q.nbytes + v.nbytes, "new": new, "peak": peak}
        del motion
    print(json.dumps(record))


if __name__ == "__main__":
    main()
