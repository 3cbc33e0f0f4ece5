"""Functions for jobs: children of the tests run them."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from rikigaku.symbolic.algebra import worker
from rikigaku.symbolic.algebra.child_process import SizeLimitExceeded, progress


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


def endless_with_a_program(data):
    """Waits for a program that it started, as with Singular."""
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    Path(data["program"]).write_text(str(program.pid))
    Path(data["pid"]).write_text(str(os.getpid()))
    program.wait()


def seconds_of_processor_time(_):
    return resource.getrlimit(resource.RLIMIT_CPU)[0]


def stepping(n):
    for k in range(n):
        progress(f"step {k}")
    return "done"


def talkative(_):
    print('{"result": "not this"}')
    return "this"


def talkative_library(_):
    """Writes past Python, as C libraries do."""
    os.write(1, b'{"result": "not this"}\n')
    return "this"


def aborting_library(_):
    os.write(1, b"FLINT exception (General error):\n    Unable to allocate memory (271545120).\n")
    os.abort()


def cut_off(_):
    worker._output.write('{"result": [1, 2')
    worker._output.flush()
    os._exit(3)


def failing(_):
    raise ValueError("seven is not a basis")


def dying(_):
    os._exit(3)


def hungry(_):
    return len(bytearray(2_000_000_000))


def refused(_):
    raise MemoryError


def outgrowing(_):
    raise SizeLimitExceeded("the basis had more than 7 polynomials")
