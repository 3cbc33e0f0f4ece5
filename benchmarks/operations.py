"""Section: operation counts of inverse dynamics, of the programs that run, beside reference counts."""

from typing import Any

import numpy as np

from benchmarks.known_arms import ARMS, Arm
from benchmarks.options import Options
from benchmarks.report import table

# Largest difference between the reduced and the full model, of the largest joint force.
TOLERANCE = 1e-12
STATES = 100


def run(options: Options) -> dict[str, Any]:
    """Counts of every arm, full and reduced, with the difference between the two."""
    found = {arm.name: counted(arm) for arm in ARMS}
    rows = [
        [
            name,
            _pair(x["full"]),
            _pair(x["known_full"]),
            _pair(x["base"]),
            _pair(x["known_base"]),
            f"{x['sines']}",
            f"{x['difference']:.0e}",
            "yes" if x["met"] else "no",
        ]
        for name, x in found.items()
    ]
    header = ["products / sums", "full", "reference", "base", "reference", "sincos", "difference", "met"]
    print(table("Inverse dynamics, all inertias nonzero (signs and constants not counted)", header, rows))
    for arm in ARMS:
        print(f"  {arm.name}: {arm.source}")
    print()
    return found


def counted(arm: Arm) -> dict[str, Any]:
    """Products and sums of both programs, and the largest difference of their results at random states."""
    full = arm.robot()
    base = full.regrouped()
    q, v, a = np.random.default_rng(1).uniform(-2, 2, (3, STATES, full.nv))
    tau = full.inverse_dynamics(q, v, a)
    difference = np.abs(base.inverse_dynamics(q, v, a) - tau).max() / np.abs(tau).max()
    long, short = full.inverse_dynamics.operations, base.inverse_dynamics.operations
    met = difference <= TOLERANCE
    if arm.base is not None:
        met = met and short.mul <= arm.base[0] and short.add <= arm.base[1]
    return {
        "full": (long.mul, long.add),
        "base": (short.mul, short.add),
        "known_full": arm.full,
        "known_base": arm.base,
        "sines": short.sincos,
        "difference": float(difference),
        "met": bool(met),
    }


def _pair(counts: tuple[int, int] | None) -> str:
    return "-" if counts is None else f"{counts[0]}/{counts[1]}"
