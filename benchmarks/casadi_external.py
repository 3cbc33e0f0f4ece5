"""IPOPT on a law as an external C function, beside the SX graph and Pinocchio's CasADi interface.

Direct transcription: a Panda reaches a configuration, and a quadruped turns its trunk in flight by its
legs. Dynamics are constraints at every knot, Hessians exact. All functions describe the same problem, so
the cost must agree; the time is IPOPT's and that of the functions, processor time.

    python -m benchmarks.casadi_external [panda] [quadruped]
"""

import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi
import numpy as np

import rikigaku as rk
from benchmarks.robots import Subject

_FLAGS = ("-O1", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")


def external(law: Any, name: str, folder: Path, **options: Any) -> tuple[Any, float]:
    """The law as an external function, and the seconds of the C compiler."""
    law.export("casadi c", folder / f"{name}.c", name=name, **options)
    began = time.perf_counter()
    compiler = shutil.which("cc") or "gcc"
    files = (str(folder / f"{name}.c"), "-o", str(folder / f"{name}.so"), "-lm")
    subprocess.run([compiler, *_FLAGS, *files], check=True)
    return casadi.external(name, str(folder / f"{name}.so")), time.perf_counter() - began


def transcription(
    forward: Callable[..., Any],
    integrate: Callable[..., Any],
    start: np.ndarray,
    goal: Callable[[Any], Any],
    nv: int,
    torques: int,
    knots: int,
    dt: float,
) -> dict[str, Any]:
    """Minimise torques from rest at `start` to the goal at rest; symplectic Euler steps."""
    nq = len(start)
    q, v, u, cost, g = [start], [np.zeros(nv)], [], 0, []
    for k in range(knots):
        u.append(casadi.MX.sym(f"u{k}", torques))
        q.append(casadi.MX.sym(f"q{k}", nq))
        v.append(casadi.MX.sym(f"v{k}", nv))
        tau = casadi.vertcat(casadi.MX.zeros(nv - torques), u[k]) if torques < nv else u[k]
        g += [v[k + 1] - v[k] - dt * forward(q[k], v[k], tau), q[k + 1] - integrate(q[k], dt * v[k + 1])]
        cost += dt * casadi.sumsqr(u[k])
    g += [goal(q[-1]), v[-1]]
    x = casadi.vertcat(*u, *q[1:], *v[1:])
    guess = np.concatenate([np.zeros(knots * torques), np.tile(start, knots), np.zeros(knots * nv)])
    options = {"ipopt.print_level": 0, "print_time": False, "ipopt.max_iter": 100}
    solver = casadi.nlpsol("s", "ipopt", {"x": x, "f": cost, "g": casadi.vertcat(*g)}, options)
    began = time.process_time()
    result = solver(x0=guess, lbg=0, ubg=0)
    spent = time.process_time() - began
    stats = solver.stats()
    return {"cost": float(result["f"]), "iterations": stats["iter_count"], "s": spent, "ok": stats["success"]}


def pinocchio_forward(file: str) -> Any:
    """Pinocchio's forward dynamics over CasADi's SX, in our order of velocities."""
    import pinocchio
    import pinocchio.casadi as cpin

    model = cpin.Model(pinocchio.buildModelFromUrdf(file))
    data = model.createData()
    q, v, tau = (casadi.SX.sym(name, n) for name, n in (("q", model.nq), ("v", model.nv), ("tau", model.nv)))
    return casadi.Function("pin", [q, v, tau], [cpin.aba(model, data, q, v, tau)])


def panda(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    robot = rk.load("panda")
    start = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    target = start + np.array([0.6, 0.4, -0.3, 0.5, 0.2, -0.3, 0.4])

    def solved(forward: Any) -> dict[str, Any]:
        return transcription(
            forward, lambda q, step: q + step, start, lambda q: q - target, 7, 7, knots=30, dt=0.02
        )

    ours, compiled = external(robot.forward_dynamics, "panda_forward", folder)
    rows = [(f"external C (compiled in {compiled:.0f} s)", solved(ours))]
    rows.append(("SX graph", solved(robot.forward_dynamics.export("casadi"))))
    try:
        file = folder / "panda.urdf"
        robot.save(file)
        rows.append(("Pinocchio's CasADi interface", solved(pinocchio_forward(str(file)))))
    except (ImportError, AttributeError) as error:
        print(f"Pinocchio's CasADi interface cannot be had: {error}")
    return rows


def quadruped(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """A free trunk with four legs of three joints, gravity off: no net torque on the whole."""
    subject = Subject("solo12", "solo_description/robots/solo12.urdf", True, "", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(subject.path, free_base=True).with_gravity((0, 0, 0))
    start = robot.neutral()
    start[7:] = [0.0, 0.8, -1.6] * 2 + [0.0, -0.8, 1.6] * 2
    angle = 0.05  # [rad], about y

    def goal(q: Any) -> Any:
        return casadi.vertcat(q[4] / q[3], q[5] / q[3] - np.tan(angle / 2), q[6] / q[3])

    def solved(forward: Any, step: Any) -> dict[str, Any]:
        return transcription(forward, step, start, goal, robot.nv, 12, knots=8, dt=0.03)

    ours, compiled = external(robot.forward_dynamics, "solo_forward", folder)
    step, _ = external(robot.integrate, "solo_integrate", folder)
    rows = [(f"external C (compiled in {compiled:.0f} s)", solved(ours, step))]
    graphs = (robot.forward_dynamics.export("casadi"), robot.integrate.export("casadi"))
    rows.append(("SX graph", solved(*graphs)))
    return rows


def main() -> None:
    wanted = sys.argv[1:] or ["panda", "quadruped"]
    problems = {"panda": panda, "quadruped": quadruped}
    with tempfile.TemporaryDirectory() as name:
        for problem in wanted:
            print(f"{problem}: IPOPT, exact Hessian")
            for what, row in problems[problem](Path(name)):
                print(
                    f"  {what:40} cost {row['cost']:.9g}  iterations {row['iterations']}  {row['s']:.2f} s  "
                    f"converged: {row['ok']}"
                )


if __name__ == "__main__":
    main()
