"""Functions for jobs: children of the tests run them."""

import os
import time
from pathlib import Path

from rikigaku.symbolic.algebra.jobs import progress


def doubled(x):
    return 2 * x


def counted(data):
    """Leaves a mark each time it really runs."""
    path = Path(data["file"])
    path.write_text(path.read_text() + "x")
    return {"polynomial": "x^2 + y", "n": 10**30}


def endless(data):
    progress("the first step")
    Path(data["pid"]).write_text(str(os.getpid()))
    while True:
        time.sleep(0.01)


def stepping(n):
    for k in range(n):
        progress(f"step {k}")
    return "done"


def talkative(_):
    print('{"result": "not this"}')
    return "this"


def failing(_):
    raise ValueError("seven is not a basis")


def dying(_):
    os._exit(3)


def hungry(_):
    return len(bytearray(2_000_000_000))
