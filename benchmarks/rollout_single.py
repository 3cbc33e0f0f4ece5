"""Laws and rollouts in float32 beside float64: nanoseconds a state or step, one core."""

from typing import Any

import numpy as np

import rikigaku as rk
from benchmarks.harness import interleaved
from benchmarks.report import table
from benchmarks.robots import SUBJECTS

STATES = 16_384  # a call is long beside its overhead in Python
LAWS = {
    "pose": ("q",), "jacobian": ("q",), "mass_matrix": ("q",), "gravity_forces": ("q",),
    "velocity_forces": ("q", "v"),
    "kinetic_energy": ("q", "v"), "inverse_dynamics": ("q", "v", "a"), "forward_dynamics": ("q", "v", "a"),
}  # fmt: skip
ROLLOUTS = {"euler": 30, "implicit": 30, "rk4": 15}
ROBOTS = ("panda", "talos")


def run(rounds: int) -> dict[str, Any]:
    """Prints and returns the times, their ratio, and the largest error over the largest result."""
    record: dict[str, Any] = {}
    rk.set_threads(1)
    for name in ROBOTS:
        subject = SUBJECTS[name]
        robot: Any = rk.load(subject.path, free_base=subject.floating)
        states = _states(robot)
        rows = []
        for law, arguments in LAWS.items():
            bound = getattr(robot, law)
            bound = bound.fix(frame=subject.frame) if law in ("pose", "jacobian") else bound
            row = _law(bound, [states[x] for x in arguments], rounds)
            record[f"{name} {law}"] = row
            rows.append([law, *_cells(row)])
        for method, steps in ROLLOUTS.items():
            row = _rollout(robot, method, steps, states, rounds)
            record[f"{name} rollout {method}"] = row
            rows.append([f"rollout, {method}", *_cells(row)])
        title = f"{name}: ns a state or step, {STATES} states, one core"
        print(table(title, ("", "float64", "float32", "ratio", "error"), rows))
    return record


def _cells(row: dict[str, float]) -> list[str]:
    return [f"{row['float64']:.1f}", f"{row['float32']:.1f}", f"{row['ratio']:.2f}", f"{row['error']:.0e}"]


def _states(robot: Any) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    q = np.tile(robot.neutral(), (STATES, 1))
    q[:, -min(robot.nv, robot.nq) + (6 if robot.nq != robot.nv else 0) :] += rng.uniform(
        -0.5, 0.5, (STATES, 1)
    )
    v, a = rng.uniform(-0.5, 0.5, (2, STATES, robot.nv))
    return {name: x.astype(np.float32).astype(float) for name, x in (("q", q), ("v", v), ("a", a))}


def _row(runs: dict[str, Any], count: int, results: list[Any], rounds: int) -> dict[str, float]:
    found = interleaved(runs, count, 20 * rounds)  # calls take 0.2 to 200 ms
    times = {name: x.best for name, x in found.items()}
    exact, single = (np.concatenate([np.ravel(x) for x in part]) for part in results)
    error = float(np.abs(exact - single).max() / np.abs(exact).max())
    return {**times, "ratio": times["float64"] / times["float32"], "error": error}


def _law(law: Any, inputs: list[Any], rounds: int) -> dict[str, float]:
    single = [x.astype(np.float32) for x in inputs]
    results = [x if isinstance(x, tuple) else (x,) for x in (law(*inputs), law.float32(*single))]
    outs = [tuple(np.empty_like(x) for x in part) for part in results]
    given = [out[0] if len(out) == 1 else out for out in outs]
    runs = {
        "float64": lambda: law(*inputs, out=given[0]),
        "float32": lambda: law.float32(*single, out=given[1]),
    }
    return _row(runs, STATES, results, rounds)


def _rollout(robot: Any, method: str, steps: int, states: dict[str, Any], rounds: int) -> dict[str, float]:
    q, v = states["q"], states["v"]

    def call(dtype: Any) -> Any:
        return robot.rollout(q, v, steps=steps, dt=1e-3, method=method, every=0, threads=1, dtype=dtype)

    results = [(call(np.float64).q,), (call(np.float32).q,)]
    runs = {"float64": lambda: call(np.float64), "float32": lambda: call(np.float32)}
    return _row(runs, STATES * steps, results, rounds)
