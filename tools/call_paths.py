"""Counts the files of the package that a first call runs through: `python tools/call_paths.py`.

Each call is made in a new process with an empty cache; a file counts if one of its functions is run
(importing it, with its class definitions, is not a run).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CALLS = {
    "inverse_dynamics": (
        "robot = rk.load('panda')\nq = np.zeros(7)\nrun = lambda: robot.inverse_dynamics(q, q, q)"
    ),
    "mass_matrix.symbolic": "robot = rk.load('planar_2r')\nrun = lambda: robot.mass_matrix.symbolic",
    "closed forward_dynamics": (
        "robot = rk.load('five_bar')\nq = robot.assemble([0.3, 1.2])\n"
        "run = lambda: robot.forward_dynamics(q, 0 * q, np.zeros(2))"
    ),
    "simulate with a contact": (
        "robot = rk.load('planar_3r')\nfloor = rk.Contact('hand', rk.Plane(), friction=0.2, bilateral=True)\n"
        "q = -np.pi * np.array([1, 2, 2]) / 6\n"
        "run = lambda: rk.simulate(robot, q, duration=0.01, contacts=[floor])"
    ),
    "fem().elastic().modes": (
        "robot = rk.load('five_bar')\nq = robot.assemble([0.3, 1.2])\n"
        "run = lambda: robot.fem().elastic().modes(q)"
    ),
    "base_parameters": "robot = rk.load('puma560')\nrun = lambda: robot.base_parameters()",
}
PROGRAM = """
import inspect, sys, threading, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import numpy as np
import rikigaku as rk
root = str(Path(rk.__file__).parent)
{setup}
seen = set()
def watch(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root) and code.co_flags & inspect.CO_OPTIMIZED:
        seen.add(code.co_filename)
sys.setprofile(watch)
run()
sys.setprofile(None)
print(*sorted(str(Path(name).relative_to(root)) for name in seen), sep="\\n")
"""


def files_of(call: str, source: Path | None = None) -> list[str]:
    """The files that the call named in CALLS runs through, relative to the package."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "RIKIGAKU_CACHE": cache, "XDG_CACHE_HOME": cache}
        if source is not None:
            environment["PYTHONPATH"] = str(source)
        command = [sys.executable, "-c", PROGRAM.format(setup=CALLS[call])]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for name in CALLS:
        print(f"{len(files_of(name, where)):4d}  {name}")
