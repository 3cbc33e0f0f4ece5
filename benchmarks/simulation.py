"""Simulated motion: our native integrator beside SciPy's DOP853 over Pinocchio, at equal accuracy."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import rikigaku as rk
from benchmarks.harness import shortest
from benchmarks.options import Options
from benchmarks.robots import SUBJECTS, Subject

DURATION = 2.0  # s of motion
RTOL, ATOL = 1e-9, 1e-12
FINE = 1e-13


def run(options: Options) -> dict[str, Any]:
    """Motion from a random configuration without joint forces; largest error against a fine solution."""
    print(f"{DURATION:g} s of motion, rtol {RTOL:g}: seconds of processor time, error of q at the end")
    results = {}
    for name in options.robots:
        if SUBJECTS[name].floating:  # SciPy over Pinocchio would need steps on the manifold
            continue
        results[name] = measured(SUBJECTS[name])
        row = results[name]
        print(
            f"{name:8} ours {row['ours']:.5f} s (error {row['our error']:.1e}, real time x "
            f"{DURATION / row['ours']:.0f}); SciPy + Pinocchio {row['scipy']:.3f} s (error "
            f"{row['their error']:.1e}); ratio {row['scipy'] / row['ours']:.0f}"
        )
    return results


def measured(subject: Subject) -> dict[str, float]:
    """Times and errors for one robot."""
    import pinocchio as pin

    robot, model = rk.load(subject.path), pin.buildModelFromUrdf(str(subject.path))
    data, n = model.createData(), robot.nv
    q = np.random.default_rng(0).uniform(-0.5, 0.5, n)
    start, none = np.concatenate([q, np.zeros(n)]), np.zeros(n)
    # Pinocchio omits friction
    viscous = np.array([float(joint.viscous) for joint in robot.joints if joint.nv])

    def field(t: float, y: Any) -> Any:
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], none - viscous * y[n:])])

    def theirs(rtol: float, atol: float) -> Any:
        return solve_ivp(field, (0, DURATION), start, method="DOP853", rtol=rtol, atol=atol).y[:n, -1]

    exact = theirs(FINE, FINE)
    ours = rk.simulate(robot, q, duration=DURATION, rtol=RTOL, atol=ATOL).q[-1]
    row = {"our error": float(abs(ours - exact).max())}
    row["their error"] = float(abs(theirs(RTOL, ATOL) - exact).max())
    row["ours"] = shortest(lambda: rk.simulate(robot, q, duration=DURATION, rtol=RTOL, atol=ATOL), 20)
    row["scipy"] = shortest(lambda: theirs(RTOL, ATOL), 3)
    return row
