"""Long algebra in a child process: time limit, memory limit, progress, cancel, results cached on disk.

A job is a function of one argument, JSON data in and JSON data out, that can be imported by its name. It runs
in a fresh interpreter (no fork: threads of the caller are safe; no `__main__` guard needed in scripts), and
that interpreter is gone when the call returns, however it returns; where the caller is killed, it ends.
"""

import contextlib
import hashlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from rikigaku.core import disk_cache
from rikigaku.core.errors import JobCancelled, JobFailed, TimeLimit, TooLarge, WrongValue
from rikigaku.core.progress import Progress
from rikigaku.symbolic.algebra.worker import (
    SizeLimitExceeded as SizeLimitExceeded,  # for the functions that run as jobs
)
from rikigaku.symbolic.algebra.worker import progress as progress

_MAGIC = b"rikigaku algebra 1\n"
_LARGEST_TOTAL = 200_000_000  # bytes of cached results
DEFAULT_MEMORY = 4_000_000_000  # bytes of address space
_TICK = 0.05  # s between two checks of the clock and of `cancel`
_ADVICE = "Give more time (time_limit=...), fewer symbols (robot.bind(...)), or use the numeric method."


@dataclass(frozen=True)
class JobOptions:
    """Options of long work.

    time_limit: seconds of the whole wait, which begins when this object is made.
    progress: called with each progress message; cancel: set it from another thread to stop the work.
    """

    time_limit: float = 20.0
    progress: Progress | None = None
    cancel: threading.Event | None = None
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        checked_limit(self.time_limit)
        if not (self.progress is None or callable(self.progress)):
            raise WrongValue(f"progress is a function of a text (print); {self.progress!r} was given.")
        if not (self.cancel is None or hasattr(self.cancel, "is_set")):
            raise WrongValue(f"cancel is a threading.Event; {self.cancel!r} was given.")


def checked_limit(seconds: Any) -> None:
    """Raise WrongValue unless this is a time."""
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not float(seconds) >= 0:
        raise WrongValue(
            f"time_limit is a number of seconds, 0 (quick computations only) or more; {seconds!r} was given."
        )


def run(
    function: Callable[[Any], Any],
    data: Any,
    *,
    what: str = "",
    time_limit: float = 60.0,
    memory_limit: int | None = DEFAULT_MEMORY,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    keep: bool = True,
    advice: str = _ADVICE,
    began: float | None = None,
) -> Any:
    """function(data), computed in a child process; a cached result is read from disk.

    Args:
        function: importable by its name, JSON data in and out; it may call `child_process.progress("...")`.
        what: what is being done, for error texts.
        time_limit: seconds, the start of the child included.
        memory_limit: bytes of address space of the child (not on Windows).
        progress: called with each progress message of the function, in the calling thread.
        cancel: set it from another thread to stop the child.
        keep: False neither reads nor writes the disk.
        began: time.monotonic() from which the limit counts; by default now.
    Raises:
        TimeLimit, JobCancelled, JobFailed: what was tried, and what else to do. TooLarge: the same, for
            memory, or where the function raised SizeLimitExceeded.
    """
    checked_limit(time_limit)
    began = time.monotonic() if began is None else began
    what = what or _importable(function)
    if keep and (known := cached_result(function, data)) is not None:
        return known
    task = {
        "function": _importable(function),
        "data": data,
        "memory": memory_limit,
        "seconds": time_limit,
        "parent": os.getpid(),
        "path": sys.path,
    }
    reply = _reply(task, what, began, progress, cancel, advice)
    if "memory" in reply:
        size = f"more than {memory_limit:,} bytes of memory" if memory_limit else "more memory than there is"
        raise TooLarge(f"{what} needs {size}. {advice}")
    if "size" in reply:
        raise TooLarge(f"{what} was stopped: {reply['size']}. {advice}")
    if "result" not in reply:
        raise JobFailed(f"{what} failed in its child process: {reply['error']}")
    if keep:
        keep_result(function, data, reply["result"])
    return reply["result"]


def cached_result(function: Callable[..., Any], data: Any) -> Any:
    """The result of a job run earlier, read from disk; None if it is not cached."""
    content = disk_cache.read(_file(function, data), _MAGIC)
    return None if content is None else json.loads(content)


def keep_result(function: Callable[..., Any], data: Any, result: Any) -> None:
    """Keep a result, JSON data, on disk."""
    disk_cache.write(_file(function, data), _MAGIC, json.dumps(result).encode(), _LARGEST_TOTAL)


def _reply(
    task: dict[str, Any],
    what: str,
    began: float,
    progress: Progress | None,
    cancel: threading.Event | None,
    advice: str,
) -> dict[str, Any]:
    if cancel is not None and cancel.is_set():
        raise JobCancelled(f"{what} was cancelled before it began.")
    end = began + task["seconds"]
    if end <= time.monotonic():
        raise too_long(what, task["seconds"], "", advice)
    child = subprocess.Popen(
        # -P: a file in the current directory must not shadow a module.
        [sys.executable, "-P", "-m", "rikigaku.symbolic.algebra.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=child_environment(),
        start_new_session=True,  # Ctrl-C reaches this process only; the child is killed below
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    stdin, stdout, stderr = child.stdin, child.stdout, child.stderr
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    complaints: list[str] = []
    threads = [
        threading.Thread(target=_send, args=(stdin, task), daemon=True),
        threading.Thread(target=_forward, args=(stdout, lines), daemon=True),
        threading.Thread(target=lambda: complaints.append(stderr.read()[-2000:]), daemon=True),
    ]
    latest = ""
    try:
        for thread in threads:
            thread.start()
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise too_long(what, task["seconds"], latest, advice)
            if cancel is not None and cancel.is_set():
                raise JobCancelled(f"{what} was cancelled.")
            try:
                line = lines.get(timeout=min(_TICK, left))
            except queue.Empty:
                continue
            if line is None:
                break
            try:
                message: dict[str, Any] = json.loads(line)
            except json.JSONDecodeError:  # the child was ended while it wrote
                break
            if "progress" not in message:
                return message
            latest = message["progress"]
            if progress is not None:
                progress(latest)
    finally:  # also on Ctrl-C, and where the callback raises
        _kill(child)
        child.wait()
        for thread in threads:
            thread.join()
        for pipe in (stdin, stdout, stderr):
            with contextlib.suppress(BrokenPipeError):  # what the child did not read
                pipe.close()
    said = "".join(complaints).strip()
    if _is_memory(said):
        return {"memory": True}
    return {"error": f"it ended with code {child.returncode} and no reply. {said}".strip()}


def too_long(what: str, seconds: float, latest: str, advice: str) -> TimeLimit:
    """The error of work that was stopped at its time limit; latest: its last progress message."""
    if seconds == 0:
        return TimeLimit(f"{what} takes time, and time_limit is 0. {advice}")
    last = f" It had come to: {latest}." if latest else ""
    return TimeLimit(f"{what} took longer than {seconds:g} s and was stopped.{last} {advice}")


def _kill(child: subprocess.Popen[str]) -> None:
    """The child and the programs it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        child.kill()


def _send(stream: Any, task: dict[str, Any]) -> None:
    """Send the task, in a thread: a pipe takes a long one only when the child has started to read."""
    with contextlib.suppress(BrokenPipeError):  # it ended at once; its error output follows
        stream.write(json.dumps(task) + "\n")
        stream.close()


def _forward(stream: Any, lines: "queue.SimpleQueue[str | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _is_memory(text: str) -> bool:
    """Whether error output says that memory ran out: C libraries abort with different texts."""
    words = (
        "memoryerror",
        "cannot allocate",
        "unable to allocate",
        "out of memory",
        "bad_alloc",
        "new thread",
    )
    return any(word in text.lower() for word in words)


def _importable(function: Callable[..., Any]) -> str:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    if module in (None, "__main__") or "<" in name or "." in name:
        raise WrongValue(
            f"{function!r} cannot run in a child process: put it at the top level of a module that can be "
            "imported."
        )
    return f"{module}:{name}"


def _file(function: Callable[..., Any], data: Any) -> str:
    """File of the cached result; its name is a hash of all that the result depends on."""
    try:
        content = json.dumps([_importable(function), data, disk_cache.source_fingerprint()], sort_keys=True)
    except (TypeError, ValueError) as error:
        raise WrongValue(f"A job takes JSON data (numbers, texts, lists, dictionaries): {error}.") from None
    return f"algebra-{hashlib.sha256(content.encode()).hexdigest()}.rka"


def child_environment() -> dict[str, str]:
    """This process's environment, with this package on the Python path."""
    home = str(Path(__file__).resolve().parents[3])
    places = [home, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)), "PYTHONUTF8": "1"}
