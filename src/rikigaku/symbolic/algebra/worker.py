"""The child process of `symbolic.algebra.child_process`: tasks in, progress and the replies out, as JSON.

Started as `python -P -m rikigaku.symbolic.algebra.worker`. A task is
{"function": "module:name", "data": ..., "memory": bytes or null, "seconds": ..., "parent": its number,
"path": [...]}, a line of the standard input; the process ends with its input. Nothing is pickled. SIGINT ends
a task with the reply {"cancelled": true}, and the process takes the next one.

C libraries write to file descriptor 1 (FLINT: why it gives up). So the reply goes through a copy of it, and
descriptor 1 is the error output from then on.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from math import ceil, isfinite
from typing import Any, TextIO

from rikigaku.core.progress import Progress

_output: TextIO | None = None
_listener: ContextVar[Progress | None] = ContextVar("listener", default=None)
_LOOK = 0.5  # s between two checks that the caller is alive
_GRACE = 5  # s of processor time beyond the limit at which the caller ends this process


class SizeLimitExceeded(Exception):
    """The work has exceeded a size limit of its own, which the text states."""


def progress(text: str) -> None:
    """Report progress to the caller, from the child process or within `progress_to` in this one."""
    if _output is not None:
        _send(_output, {"progress": str(text)})
    elif (listener := _listener.get()) is not None and listener is not progress:
        listener(str(text))


@contextmanager
def progress_to(listener: Progress | None) -> Iterator[None]:
    """Inside, progress of work in this process is reported to the listener."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def main() -> None:
    """Do the tasks of the standard input, one after the other."""
    global _output
    _output = _reserved_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watched = False
    for line in sys.stdin:
        task = json.loads(line)
        if not watched:
            threading.Thread(target=_end_with, args=(task["parent"],), daemon=True).start()
            watched = True
        _send(_output, _reply(task))


def _reply(task: dict[str, Any]) -> dict[str, Any]:
    _limit(task["memory"], task["seconds"])
    sys.path[:] = [*sys.path, *(place for place in task["path"] if place not in sys.path)]
    try:
        module, name = task["function"].split(":")
        function = getattr(import_module(module), name)
        with _interruptible():
            return {"result": function(task["data"])}
    except KeyboardInterrupt:
        return {"cancelled": True}
    except (MemoryError, SyntaxError):  # what Python's parser says where memory ends while a module is read
        return {"memory": True}
    except SizeLimitExceeded as error:
        return {"size": str(error)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


@contextmanager
def _interruptible() -> Iterator[None]:
    """Inside, SIGINT raises KeyboardInterrupt; outside, where it would come too late, it does nothing."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _reserved_output() -> TextIO:
    """A copy of the standard output for the reply alone; all other output goes to the error output."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def _send(output: TextIO, message: dict[str, Any]) -> None:
    output.write(json.dumps(message) + "\n")
    output.flush()


def _limit(memory: int | None, seconds: float) -> None:
    """Limit memory and processor time; the latter ends work in a library that blocks all threads."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    limits = {resource.RLIMIT_CORE: 0}
    if memory is not None:
        limits[resource.RLIMIT_AS] = memory
    if isfinite(seconds):
        limits[resource.RLIMIT_CPU] = int(time.process_time()) + ceil(seconds) + _GRACE
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _end_with(parent: int) -> None:
    """End this process, and the programs it started, soon after its caller has gone."""
    if not hasattr(os, "killpg"):
        return  # on Windows the end of a parent is not visible
    while os.getppid() == parent:
        time.sleep(_LOOK)
    if os.getpgid(0) == os.getpid():  # our own group, as the caller has made it
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    # `-m` runs this file as __main__; the functions we call import it by its name: one module, one channel.
    from rikigaku.symbolic.algebra import worker

    worker.main()
