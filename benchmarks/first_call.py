"""Section: waiting times of a user: import, and the first call of a law, cold and from the disk cache."""

import tempfile
from dataclasses import dataclass
from typing import Any

from benchmarks.fresh import fresh_result
from benchmarks.options import Options
from benchmarks.report import figure, table
from benchmarks.robots import SUBJECTS

IMPORT_LIMIT = 0.3  # seconds
CACHED_LIMIT = 0.020
ARM_LIMITS = {"inverse_dynamics": 0.3, "jacobian": 0.3, "mass_matrix": 0.3}
DERIVATIVE_LIMIT = 1.5
HUMANOID_LIMITS = {"inverse_dynamics": 3.0}
ANY_LAW_LIMIT = 30.0
ROBOTS = ("panda", "talos")
COLD = ("one", "(wall)", "batch", "(wall)")
CACHED = ("cached one", "(wall)", "batch", "(wall)")
HEADER = ("law", *COLD, "limit", *CACHED, "limit", "met")


@dataclass(frozen=True)
class FirstCall:
    """Best wall and processor time of a first call [s], cold and from the cache."""

    cold: tuple[float, float]
    cached: tuple[float, float]


def cold_limit(law: str, floating: bool) -> float | None:
    """The longest a cold first call may take [s]; None where there is no limit."""
    if floating:
        return HUMANOID_LIMITS.get(law, ANY_LAW_LIMIT)
    return DERIVATIVE_LIMIT if law.endswith("_derivative") else ARM_LIMITS.get(law)


def measured(robot: str, law: str, shape: str, times: int) -> tuple[FirstCall, list[dict[str, Any]]]:
    """The best of some first calls, each in a fresh process with an empty cache, then with a filled one."""
    cold, cached, answers = [], [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory(prefix="rikigaku-cache-") as folder:
            cache = {"RIKIGAKU_CACHE": folder}
            child = ("benchmarks.first_call_child", robot, law, shape)
            answers.append(fresh_result(*child, environment=cache))
            cold.append(answers[-1]["first"])
            cached.append(fresh_result(*child, "loaded", environment=cache)["first"])
    (w, c), (cw, cc) = (tuple(map(min, zip(*x, strict=True))) for x in (cold, cached))
    return FirstCall((w, c), (cw, cc)), answers


def run(options: Options) -> dict[str, Any]:
    """Measures, prints one table a robot, and returns everything."""
    record: dict[str, Any] = {}
    imports: list[tuple[float, float]] = []
    sympy = False
    for name in (name for name in ROBOTS if name in options.robots):
        floating, rows, kept = SUBJECTS[name].floating, [], {}
        times = 1 if floating or options.quick else 2
        for law in options.laws:
            calls: dict[str, FirstCall] = {}
            for shape in ("one", "batch"):
                calls[shape], answers = measured(name, law, shape, times)
                imports += [tuple(answer["import"]) for answer in answers]
                sympy = sympy or any(answer["sympy"] for answer in answers)
            limit = cold_limit(law, floating)
            rows.append(_row(law, calls, limit, floating))
            kept[law] = {shape: {"cold": x.cold, "cached": x.cached} for shape, x in calls.items()}
        print(
            table(
                f"{name}: first call in a fresh process, processor time (wall): s; from the cache: ms",
                HEADER,
                rows,
            )
        )
        record[name] = kept
    if imports:
        wall, processor = map(min, zip(*imports, strict=True))
        # NumPy's import starts threads, so processor time is not the waiting time here.
        met = "yes" if wall < IMPORT_LIMIT and not sympy else "NO"
        waited = f"{processor:.3f} s ({wall:.3f} s wall), limit {IMPORT_LIMIT} s"
        print(f"import rikigaku, with NumPy: {waited}; SymPy loaded: {sympy}; met: {met}\n")
        record["import"] = {"processor": processor, "wall": wall, "sympy": sympy}
    return record


def _row(law: str, calls: dict[str, FirstCall], limit: float | None, floating: bool) -> list[str]:
    """Judged by processor time: one thread works, so it is the waiting time on an idle machine."""
    cells = [figure(x, 2) for call in calls.values() for x in call.cold[::-1]]
    cached = [figure(1e3 * x, 1) for call in calls.values() for x in call.cached[::-1]]
    cold_met = limit is None or all(x.cold[1] < limit for x in calls.values())
    cached_met = floating or all(x.cached[1] < CACHED_LIMIT for x in calls.values())
    verdict = "yes" if cold_met and cached_met else f"NO ({'cached' if cold_met else 'cold'})"
    return [law, *cells, figure(limit, 1), *cached, "-" if floating else f"{CACHED_LIMIT * 1e3:.0f}", verdict]
