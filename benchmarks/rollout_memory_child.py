"""Rollouts of a million worlds in a fresh process: prints the memory of arrays and its growth."""

import json
import sys
from pathlib import Path

import numpy as np

import rikigaku as rk
from benchmarks.memory_child import resident

WORLDS, STEPS = 1_000_000, 10


def main(precision: str, torques: bool) -> None:
    """Final states written to arrays of the caller, and made by the call."""
    dtype = np.dtype(precision).type
    robot = rk.load("panda")
    rng = np.random.default_rng(1)
    q, v = (rng.uniform(-0.5, 0.5, (WORLDS, 7)).astype(dtype) for _ in range(2))
    tau = rng.normal(size=(STEPS, WORLDS, 7)).astype(dtype) if torques else None
    outs = (np.ones((WORLDS, 7), dtype), np.ones((WORLDS, 7), dtype))
    few = None if tau is None else tau[:, :5000].copy()
    robot.rollout(q[:5000], v[:5000], few, steps=STEPS, dt=1e-3, every=0, dtype=dtype)  # compiled, threads
    record = {}
    # with out= first: memory that a rollout has freed would not count as growth
    for way, out in (("out given", outs), ("final states", None)):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before = resident("VmRSS")
        motion = robot.rollout(q, v, tau, steps=STEPS, dt=1e-3, every=0, out=out, dtype=dtype)
        own = (motion.steps, motion.causes, motion.friction_residual)
        new = sum(x.nbytes for x in (*own, *(() if out else (motion.q, motion.v))))
        peak = resident("VmHWM") - before
        inputs = q.nbytes + v.nbytes + (0 if tau is None else tau.nbytes)
        record[way] = {"inputs": inputs, "new": new, "peak": peak}
        del motion
    print(json.dumps(record))


if __name__ == "__main__":
    main(sys.argv[1], "torques" in sys.argv[2:])
