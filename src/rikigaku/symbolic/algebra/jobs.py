"""Long algebra in a child process: time limit, memory limit, progress, cancel, and the answer kept on disk.

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
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from rikigaku import disk
from rikigaku.errors import JobCancelled, JobFailed, TimeLimit, TooLarge, WrongValue
from rikigaku.symbolic.algebra.worker import Outgrown as Outgrown  # for the functions that run as jobs
from rikigaku.symbolic.algebra.worker import Progress as Progress
from rikigaku.symbolic.algebra.worker import progress as progress

_MAGIC = b"rikigaku algebra 1\n"
_LARGEST_TOTAL = 200_000_000  # bytes of answers kept
DEFAULT_MEMORY = 4_000_000_000  # bytes of address space
_TICK = 0.05  # s between two looks at the clock and at `cancel`
_ADVICE = "Give more time (time_limit=...), fewer symbols (robot.bind(...)), or use the numeric method."


@dataclass(frozen=True)
class Work:
    """What a caller says about long work.

    time_limit: seconds in the child process; none, and only what is quick is done at all.
    progress: called with each line told on the way; cancel: set it from another thread to stop the work.
    """

    time_limit: float = 20.0
    progress: Progress | None = None
    cancel: threading.Event | None = None

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
            f"time_limit is a number of seconds, 0 (only what is quick) or more; {seconds!r} was given."
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
) -> Any:
    """function(data), worked out in a child process; an answer found earlier is read from disk.

    Args:
        function: importable by its name, JSON data in and out; it may call `jobs.progress("...")`.
        what: what is being done, for error texts.
        time_limit: seconds; memory_limit: bytes of address space of the child (not on Windows).
        progress: called with each line the function tells, in the calling thread.
        cancel: set it from another thread to stop the child.
        keep: False neither reads nor writes the disk.
    Raises:
        TimeLimit, TooLarge (memory, or the function raised Outgrown), JobCancelled, JobFailed: what was
            tried, and what else to do.
    """
    checked_limit(time_limit)
    what = what or _importable(function)
    if keep and (known := kept(function, data)) is not None:
        return known
    task = {
        "function": _importable(function),
        "data": data,
        "memory": memory_limit,
        "seconds": time_limit,
        "parent": os.getpid(),
        "path": sys.path,
    }
    answer = _answer(task, what, time_limit, progress, cancel, advice)
    if "memory" in answer:
        size = f"more than {memory_limit:,} bytes of memory" if memory_limit else "more memory than there is"
        raise TooLarge(f"{what} needs {size}. {advice}")
    if "size" in answer:
        raise TooLarge(f"{what} was stopped: {answer['size']}. {advice}")
    if "result" not in answer:
        raise JobFailed(f"{what} failed in its child process: {answer['error']}")
    if keep:
        body = json.dumps(answer["result"]).encode()
        disk.write(_file(function, data), _MAGIC, body, _LARGEST_TOTAL)
    return answer["result"]


def kept(function: Callable[[Any], Any], data: Any) -> Any:
    """The answer of a job run earlier, read from disk; None where there is none."""
    content = disk.read(_file(function, data), _MAGIC)
    return None if content is None else json.loads(content)


def _answer(
    task: dict[str, Any],
    what: str,
    time_limit: float,
    progress: Progress | None,
    cancel: threading.Event | None,
    advice: str,
) -> dict[str, Any]:
    if cancel is not None and cancel.is_set():
        raise JobCancelled(f"{what} was cancelled before it began.")
    child = subprocess.Popen(
        # -P: a file in the current directory must not stand in for a module.
        [sys.executable, "-P", "-m", "rikigaku.symbolic.algebra.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=_environment(),
        start_new_session=True,  # Ctrl-C is ours to handle; the child is killed below
    )
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    complaints: list[str] = []
    threads = [
        threading.Thread(target=_forward, args=(child.stdout, lines), daemon=True),
        threading.Thread(target=lambda: complaints.append(child.stderr.read()[-2000:]), daemon=True),  # type: ignore[union-attr]
    ]
    end = time.monotonic() + time_limit
    told = ""
    try:
        for thread in threads:
            thread.start()
        assert child.stdin is not None
        try:
            child.stdin.write(json.dumps(task) + "\n")
            child.stdin.close()
        except BrokenPipeError:
            pass  # it died at once; its last words follow
        while True:
            left = end - time.monotonic()
            if left <= 0:
                last = f" It had come to: {told}." if told else ""
                raise TimeLimit(f"{what} took longer than {time_limit:g} s and was stopped.{last} {advice}")
            if cancel is not None and cancel.is_set():
                raise JobCancelled(f"{what} was cancelled.")
            try:
                line = lines.get(timeout=min(_TICK, left))
            except queue.Empty:
                continue
            if line is None:
                break
            message: dict[str, Any] = json.loads(line)
            if "progress" not in message:
                return message
            told = message["progress"]
            if progress is not None:
                progress(told)
    finally:  # also on Ctrl-C, and where the callback raises
        _kill(child)
        child.wait()
        for thread in threads:
            thread.join()
        for pipe in (child.stdin, child.stdout, child.stderr):
            pipe.close()  # type: ignore[union-attr]
    said = "".join(complaints).strip()
    if _is_memory(said):
        return {"memory": True}
    return {"error": f"it ended with code {child.returncode} and no answer. {said}".strip()}


def _kill(child: subprocess.Popen[str]) -> None:
    """The child and the programs it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        child.kill()


def _forward(stream: Any, lines: "queue.SimpleQueue[str | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _is_memory(text: str) -> bool:
    """C libraries say in their own words that memory ran out, and abort."""
    return any(
        word in text.lower() for word in ("memoryerror", "cannot allocate", "out of memory", "bad_alloc")
    )


def _importable(function: Callable[[Any], Any]) -> str:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    if module in (None, "__main__") or "<" in name or "." in name:
        raise WrongValue(
            f"{function!r} cannot run in a child process: put it at the top level of a module that can be "
            "imported."
        )
    return f"{module}:{name}"


def _file(function: Callable[[Any], Any], data: Any) -> str:
    """Where the answer is kept: the name holds all it depends on."""
    try:
        content = json.dumps([_importable(function), data, disk.source_fingerprint()], sort_keys=True)
    except (TypeError, ValueError) as error:
        raise WrongValue(f"A job takes JSON data (numbers, texts, lists, dictionaries): {error}.") from None
    return f"algebra-{hashlib.sha256(content.encode()).hexdigest()}.rka"


def _environment() -> dict[str, str]:
    """Ours, with the package to be found where we found it."""
    home = str(Path(__file__).resolve().parents[3])
    places = [home, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)), "PYTHONUTF8": "1"}
