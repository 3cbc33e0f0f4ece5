"""Section: the form of formulas. Operations and characters of thirty expressions, beside SymPy's best.

SymPy starts from the same expression, multiplied out, with the same symbols, and takes the best of simplify,
trigsimp, factor and fu, which run side by side and share a limit of processor time. Both forms
are counted by SymPy's `count_ops` and printed by its printer; a number counts as one number.
SymPy's forms of the same input may be taken from an earlier run (`--earlier`).
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.formula_expressions import EXPRESSIONS
from benchmarks.fresh import fresh_result
from benchmarks.options import Options
from benchmarks.report import table

PATIENCE, LITTLE = 120.0, 10.0  # seconds of processor time of one row, in a full and in a quick run


def run(options: Options) -> dict[str, Any]:
    """Measures, prints one table, and returns everything."""
    limit = LITTLE if options.quick else PATIENCE
    earlier = json.loads(Path(options.earlier).read_text())["formulas_form"] if options.earlier else {}
    record: dict[str, Any] = {}
    rows = []
    for name in EXPRESSIONS:
        ours = fresh_result("benchmarks.formula_form_child", name, "ours", str(limit))
        theirs = known_forms(earlier.get(name), ours["input"]) or fresh_result(
            "benchmarks.formula_form_child", name, "sympy", str(limit)
        )
        record[name] = {"ours": ours, "sympy": theirs}
        rows.append(row(name, ours, theirs))
        print("  ".join(rows[-1]), flush=True)
    header = ["", "plain", "ours", "printed", "SymPy", "by", "characters", "SymPy", "s", "SymPy"]
    print(
        table(f"Operations and characters (SymPy's four calls together at most {limit:.0f} s)", header, rows)
    )
    return record


def known_forms(earlier: dict[str, Any] | None, expression: str) -> dict[str, Any] | None:
    """SymPy's forms of an earlier run, if they are forms of the same expression."""
    if earlier is None or earlier["ours"]["input"] != expression:
        return None
    return dict(earlier["sympy"])


def best(theirs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """SymPy's form with the fewest operations; the sum multiplied out where nothing was shorter."""
    done = {name: x for name, x in theirs.items() if "operations" in x}
    name = min(done, key=lambda x: (done[x]["operations"], done[x]["characters"]))
    return name, done[name]


def row(name: str, ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """One line of the table."""
    method, form = best(theirs)
    seconds = sum(x.get("seconds", x.get("stopped", 0.0)) for x in theirs.values())
    stopped = sum("stopped" in x for x in theirs.values())
    return [
        name,
        str(theirs["plain"]["operations"]),
        str(ours["operations"]) + ("" if ours["operations"] <= form["operations"] else " !"),
        str(ours.get("printed", {}).get("operations", "")),
        str(form["operations"]),
        method + f" ({stopped} stopped)" * bool(stopped),
        str(ours["characters"]),
        str(form["characters"]),
        f"{ours['seconds']:.2f}",
        f"{seconds:.1f}",
    ]
