"""Section: formulas. M, C, g and base parameters with all parameters symbolic, beside SymPy and SymPyBotics.

Every task runs in a fresh process, imports done, and is stopped at a limit. What is made differs: ours are
exact formulas, multiplied out; KanesMethod gives nested expressions of M and the forcing vector; SymPyBotics
code with intermediate variables, and base parameters for numeric lengths only.
"""

from typing import Any

from benchmarks.fresh import fresh_result
from benchmarks.options import Options
from benchmarks.report import table
from benchmarks.symbolic_robots import ARMS

LIMITS = {("ours", "puma560"): 1.0, ("ours_base", "puma560"): 2.0, ("ours_base", "panda"): 5.0}  # seconds
ROWS = (
    ("M, C, g", "planar 2R", "ours", ("kane", "sympybotics")),
    ("M, C, g", "planar 3R", "ours", ("kane", "sympybotics")),
    ("M, C, g", "puma560", "ours", ("kane", "sympybotics")),
    ("base parameters", "puma560", "ours_base", ("sympybotics_base",)),
    ("base parameters", "panda", "ours_base", ("sympybotics_base",)),
)
PATIENCE, LITTLE = 120.0, 20.0  # time limits of a peer [s], in a full and in a quick run


def run(options: Options) -> dict[str, Any]:
    """Measures, prints one table, and returns everything."""
    patience = LITTLE if options.quick else PATIENCE
    record: dict[str, Any] = {}
    rows = []
    for what, robot, task, peers in ROWS:
        own = min(
            (done(task, robot, PATIENCE) for _ in range(1 if options.quick else 3)), key=lambda x: x["wall"]
        )
        found = {peer: done(peer, robot, patience) for peer in peers}
        record[f"{what}, {robot}"] = {task: own, **found}
        limit = LIMITS.get((task, robot))
        cells = [f"{what}, {robot}", f"{own['wall']:.3f}", _asked(limit), _met(own, robot, limit)]
        for name in ("kane", "sympybotics"):
            peer = found.get(name) or found.get(f"{name}_base")
            cells += [_time(peer, patience), _ratio(own, peer, patience)]
        rows.append(cells)
    header = ["s", "ours", "limit", "met", "KanesMethod", "ratio", "SymPyBotics", "ratio"]
    print(table("Formulas with every length, inertia and gravity as a symbol (wall time)", header, rows))
    return record


def done(task: str, robot: str, patience: float) -> dict[str, Any]:
    """The result of the child process; {"stopped": seconds} if it took too long."""
    answer = fresh_result("benchmarks.symbolic_child", task, robot, patience=patience)
    return {"stopped": patience} if answer is None else dict(answer)


def _met(own: dict[str, Any], robot: str, limit: float | None) -> str:
    """Judged by processor time, and by the count of base parameters where it is known."""
    if own.get("count", ARMS[robot].base) != ARMS[robot].base:
        return f"NO ({own['count']} base parameters)"
    return "-" if limit is None else "yes" if own["processor"] < limit else "NO"


def _asked(limit: float | None) -> str:
    return "-" if limit is None else f"{limit:.0f}"


def _time(peer: dict[str, Any] | None, patience: float) -> str:
    if peer is None:
        return "-"
    if "missing" in peer:
        return "not installed"
    return f"> {patience:.0f}" if "stopped" in peer else f"{peer['wall']:.2f}"


def _ratio(own: dict[str, Any], peer: dict[str, Any] | None, patience: float) -> str:
    if peer is None or "missing" in peer:
        return "-"
    more = "> " if "stopped" in peer else ""
    return f"{more}{peer.get('wall', patience) / own['wall']:.0f}"
