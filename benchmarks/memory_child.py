"""A million states in a fresh process: `python -m benchmarks.memory_child way` prints their memory."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.robots import subject

STATES = 1_000_000


def resident(field: str) -> int:
    """VmRSS (now) or VmHWM (the most since it was last cleared) of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])


def main(way: str) -> None:
    """Runs inverse dynamics of the UR5 over a million states, and prints its memory."""
    robot: Any = rk.load(subject("ur5").path)
    rng = np.random.default_rng(1)
    q, v, a = (rng.uniform(-1, 1, (STATES, 6)) for _ in range(3))
    if way == "one acceleration for all":
        a = a[0].copy()
    out = np.zeros((STATES, 6)) if way == "out given" else None
    if out is not None:
        out.fill(1.0)  # zeros are not in memory before they are touched
    few = slice(100_000)
    robot.inverse_dynamics(q[few], v[few], a[few] if a.ndim == 2 else a)  # compiled, threads started
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    tau = robot.inverse_dynamics(q, v, a, out=out)
    peak, after = resident("VmHWM"), resident("VmRSS")
    new = tau.nbytes if out is None else 0
    arrays = {"inputs": q.nbytes + v.nbytes + a.nbytes, "new": new}
    print(json.dumps({**arrays, "peak": peak - before, "after": after - before}))


if __name__ == "__main__":
    main(sys.argv[1])
