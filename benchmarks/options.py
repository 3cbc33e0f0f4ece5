"""Options of the command line: what to measure."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.laws import LAWS
from benchmarks.robots import SUBJECTS


@dataclass(frozen=True)
class Options:
    """Names of robots, laws, sections; states in a batch; rounds; whether Pinocchio is built natively;
    whether it is a quick run; the folder of measured data; a stored run whose SymPy forms are used again."""

    robots: tuple[str, ...]
    laws: tuple[str, ...]
    sections: tuple[str, ...]
    states: int
    rounds: int
    native: bool
    quick: bool = False
    data: str = ""
    earlier: str = ""


def options_from(arguments: Sequence[str] | None, sections: Sequence[str]) -> Options:
    """The options of a command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Our laws beside the peers'.")
    for name, known in (("robots", SUBJECTS), ("laws", LAWS), ("sections", sections)):
        text = f"comma-separated, of: {', '.join(known)} (default: all)"
        parser.add_argument(f"--{name}", default=",".join(known), help=text)
    parser.add_argument("--quick", action="store_true", help="2000 states and 3 rounds: a look, not a result")
    parser.add_argument(
        "--native", action="store_true", help="also build Pinocchio for this CPU (minutes, once)"
    )
    parser.add_argument("--data", default="../shared/data", help="folder of measured data (tx40, ur10e)")
    parser.add_argument(
        "--earlier",
        default="",
        help="stored run; section formulas_form takes SymPy's forms of the same input from it",
    )
    given = parser.parse_args(arguments)
    chosen = {}
    for name, known in (("robots", SUBJECTS), ("laws", LAWS), ("sections", sections)):
        chosen[name] = tuple(getattr(given, name).split(","))
        unknown = [word for word in chosen[name] if word not in known]
        if unknown:
            parser.error(f"--{name} has no {', '.join(unknown)}. Known: {', '.join(known)}.")
    count, rounds = (2000, 3) if given.quick else (10_000, 40)
    names = (chosen["robots"], chosen["laws"], chosen["sections"])
    return Options(*names, count, rounds, given.native, given.quick, given.data, given.earlier)
