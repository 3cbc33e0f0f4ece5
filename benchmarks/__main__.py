"""`python -m benchmarks`: runs the selected sections, prints tables, stores a JSON file."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from benchmarks import (
    batch,
    bridges,
    closed,
    contact,
    fem,
    first_call,
    formulas_form,
    hybrid,
    identification,
    inverse_kinematics,
    legged,
    memory,
    one_call,
    operations,
    rollout,
    scaling,
    simulation,
    space,
    sweep,
    symbolic,
    threads,
    web,
)
from benchmarks.errors import BenchmarkError
from benchmarks.options import Options, options_from
from benchmarks.report import busy, save

SECTIONS: dict[str, Callable[[Options], dict[str, Any]]] = {
    "operations": operations.run,
    "batch": batch.run,
    "one_call": one_call.run,
    "first_call": first_call.run,
    "scaling": scaling.run,
    "symbolic": symbolic.run,
    "formulas_form": formulas_form.run,
    "space": space.run,
    "memory": memory.run,
    "threads": threads.run,
    "closed": closed.run,
    "fem": fem.run,
    "simulation": simulation.run,
    "rollout": rollout.run,
    "sweep": sweep.run,
    "hybrid": hybrid.run,
    "legged": legged.run,
    "contact": contact.run,
    "inverse_kinematics": inverse_kinematics.run,
    "identification": identification.run,
    "web": web.run,
    "bridges": bridges.run,
}


WITH = {"hybrid": ("legged",)}  # sections whose tables belong to that of another one


def main() -> int:
    """Runs; returns the exit status."""
    options = options_from(None, tuple(SECTIONS))
    record = {}
    sections = dict.fromkeys(x for name in options.sections for x in (name, *WITH.get(name, ())))
    try:
        for name in sections:
            start = time.perf_counter()
            record[name] = SECTIONS[name](options)
            print(f"[{name}: {time.perf_counter() - start:.0f} s]\n", flush=True)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    if busy():
        print("Other programs were running: ratios are more reliable than times.")
    print(f"stored in {save(record, asdict(options)).name} under benchmarks/results")
    return 0


if __name__ == "__main__":
    sys.exit(main())
