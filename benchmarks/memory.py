"""Section: memory of a million states, beside that of the arrays themselves."""

from typing import Any

from benchmarks.fresh import fresh_result
from benchmarks.options import Options
from benchmarks.report import table

WAYS = ("answer made by the call", "out given", "one acceleration for all")
SLACK = 2e6  # bytes: stacks of the threads, and the allocator's rounding


def run(options: Options) -> dict[str, Any]:
    """Measures, prints a table, and returns everything."""
    record, rows = {}, []
    for way in WAYS:
        x = fresh_result("benchmarks.memory_child", way)
        met = "yes" if x["peak"] <= x["new"] + SLACK else "NO"
        sizes = [f"{x[key] / 1e6:.1f}" for key in ("inputs", "new", "peak", "after")]
        rows.append([way, *sizes, met])
        record[way] = x
    header = ("ur5, inverse dynamics", "inputs", "new arrays", "growth, peak", "growth, after", "no more")
    print(table("A million states, resident memory in MB", header, rows))
    return record
