"""Section: long passive motion of closed robots: energy, closure residual, orders of convergence."""

import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.options import Options
from benchmarks.report import table
from rikigaku.numbers.formula import Formula

DURATION = 100.0  # [s]
MOST_DRIFT, MOST_GAP = 1e-8, 1e-10
SHORT = 0.5  # [s], for the orders
# The longest of three steps, each half of the one before [s].
STEPS = {
    "dop853": {"four_bar": 0.0625, "five_bar": 0.015625, "stewart": 0.0625},
    "rk4": {"four_bar": 0.015625, "five_bar": 0.00390625, "stewart": 0.0078125},
}
# Positions of the independent joints at the start, at rest; springs (stiffness [N/m], length [m]) by joint.
SUBJECTS: dict[str, tuple[list[float], dict[str, tuple[str, str]]]] = {
    "four_bar": ([0.3], {}),
    "five_bar": ([1.2, 1.8], {}),
    "stewart": ([0.7, 0.72, 0.74, 0.7, 0.68, 0.71], {f"slide{k}": ("1500", "0.75") for k in range(1, 7)}),
}


def subject(name: str) -> Any:
    """The shipped robot, with its springs: a platform without springs would only fall."""
    robot, springs = rk.load(name), SUBJECTS[name][1]
    links = []
    for link in robot.links:
        k, rest = springs.get(link.joint.name, ("0", "0"))
        links.append(replace(link, joint=replace(link.joint, stiffness=Formula.of(k), rest=Formula.of(rest))))
    return replace(robot, links=tuple(links))


def kept(name: str) -> dict[str, float]:
    """Drift of the energy and gaps of the loops in a passive motion, default settings of `rk.simulate`."""
    robot = subject(name)
    q = robot.assemble(SUBJECTS[name][0])
    rk.simulate(robot, q, duration=0.01)  # compiled before it is timed
    begin = time.process_time()
    motion = rk.simulate(robot, q, duration=DURATION)
    took = time.process_time() - begin
    audit, dense = motion.energy_audit(), motion.at(np.linspace(0, DURATION, 50_001))
    gap = max(float(motion.residual.max()), float(np.abs(robot.loop_residual(dense.q)).max()))
    return {
        "steps": len(motion.t) - 1, "seconds": took, "kinetic": float(motion.kinetic_energy.max()),
        "drift": audit.relative, "gap": gap,
    }  # fmt: skip


def orders(name: str, method: str) -> tuple[list[float], list[float]]:
    """Errors of q after a short motion by steps of falling length, and the orders they fall with."""
    robot = subject(name)
    q = robot.assemble(SUBJECTS[name][0])
    exact = rk.simulate(robot, q, duration=SHORT, rtol=1e-13, atol=1e-15).q[-1]
    steps = [STEPS[method][name] / 2**k for k in range(3)]
    errors = [float(np.abs(fixed(robot, q, method, step) - exact).max()) for step in steps]
    return errors, [float(np.log2(a / b)) for a, b in pairwise(errors)]


def fixed(robot: Any, q: Any, method: str, step: float) -> Any:
    """q at the end, by fixed steps."""
    if method == "dop853":
        return rk.simulate(robot, q, duration=SHORT, step=step, largest_step=step, rtol=1e3, atol=1e3).q[-1]
    return rk.simulate(robot, q, duration=SHORT, method=method, step=step).q[-1]


def run(options: Options) -> dict[str, Any]:
    """Measures, prints two tables, and returns everything."""
    record: dict[str, Any] = {"kept": {}, "orders": {}}
    rows = []
    for name in SUBJECTS:
        found = record["kept"][name] = kept(name)
        met = found["drift"] < MOST_DRIFT and found["gap"] < MOST_GAP
        cells = [f"{found['steps']}", f"{found['seconds']:.2f}", f"{found['kinetic']:.2f}"]
        rows.append([name, *cells, f"{found['drift']:.1e}", f"{found['gap']:.1e}", "yes" if met else "NO"])
    header = ("robot", "steps", "time [s]", "T max [J]", "drift / T max", "gap", "target met")
    print(table(f"{DURATION:g} s of passive motion, default integrator", header, rows))
    rows = []
    for name in SUBJECTS:
        for method in STEPS:
            errors, found = orders(name, method)
            record["orders"][f"{name} {method}"] = {"errors": errors, "orders": found}
            cells = [f"{STEPS[method][name] * 1e3:.1f}", *(f"{e:.1e}" for e in errors)]
            rows.append([name, method, *cells, ", ".join(f"{x:.1f}" for x in found)])
    header = ("robot", "method", "step [ms]", "error", "half", "quarter", "orders")
    print(table(f"error of q after {SHORT:g} s by fixed steps", header, rows))
    return record
