"""The child process of `rikigaku.symbolic.algebra.jobs`: one task in, progress and the answer out, as JSON.

Started as `python -P -m rikigaku.symbolic.algebra.worker`. The task is
{"function": "module:name", "data": ..., "memory": bytes or null, "seconds": ..., "parent": its number,
"path": [...]} on the standard input. Nothing is pickled.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from importlib import import_module
from math import ceil, isfinite
from typing import Any, TextIO

Progress = Callable[[str], object]

_output: TextIO | None = None
_listener: ContextVar[Progress | None] = ContextVar("listener", default=None)
_LOOK = 0.5  # s between two looks at whether the caller still lives
_GRACE = 5  # s of processor time beyond the caller's limit: it stops us at the limit, if it can


class Outgrown(Exception):
    """The work has outgrown a limit of its own; the text says what outgrew what."""


def progress(text: str) -> None:
    """Tell the caller how far the work is, out of the child process or to who is `listening` here."""
    if _output is not None:
        _send(_output, {"progress": str(text)})
    elif (listener := _listener.get()) is not None:
        listener(str(text))


@contextmanager
def listening(listener: Progress | None) -> Iterator[None]:
    """Within, what work in this process tells goes to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def main() -> None:
    """Do one task."""
    global _output
    task = json.loads(sys.stdin.readline())
    _limit(task["memory"], task["seconds"])
    threading.Thread(target=_end_with, args=(task["parent"],), daemon=True).start()
    sys.path[:] = [*sys.path, *(place for place in task["path"] if place not in sys.path)]
    _output = sys.stdout
    with redirect_stdout(sys.stderr):  # what a function prints must not be taken for an answer
        try:
            module, name = task["function"].split(":")
            answer: dict[str, Any] = {"result": getattr(import_module(module), name)(task["data"])}
        except MemoryError:
            answer = {"memory": True}
        except Outgrown as error:
            answer = {"size": str(error)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
    _send(_output, answer)


def _send(output: TextIO, message: dict[str, Any]) -> None:
    output.write(json.dumps(message) + "\n")
    output.flush()


def _limit(memory: int | None, seconds: float) -> None:
    """Bounds on memory and processor time; the second ends work in a library that lets no thread run."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    limits = {resource.RLIMIT_CORE: 0}
    if memory is not None:
        limits[resource.RLIMIT_AS] = memory
    if isfinite(seconds):
        limits[resource.RLIMIT_CPU] = ceil(seconds) + _GRACE
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _end_with(parent: int) -> None:
    """End this process, and the programs it started, soon after its caller has gone."""
    if not hasattr(os, "killpg"):
        return  # Windows tells nobody that a parent is gone
    while os.getppid() == parent:
        time.sleep(_LOOK)
    if os.getpgid(0) == os.getpid():  # our own group, as the caller has made it
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    # `-m` runs this file as __main__; the functions we call import it by its name: one module, one channel.
    from rikigaku.symbolic.algebra import worker

    worker.main()
