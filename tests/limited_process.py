"""A function run in a child process with limits of processor time and memory.

A regression that hangs or exhausts memory then fails its test instead of the machine.
"""

import os
import pickle
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PROCESSOR_SECONDS = 10
MEGABYTES = 500


@dataclass(frozen=True)
class Outcome:
    """What a call in the child did: returned, raised, or was stopped by a limit.

    kind: "value", "error", "time" (of the processor), "memory", or "died".
    """

    kind: str
    value: Any = None
    error: str = ""  # its class and message

    def require_error(self, name: str) -> str:
        """The message of the error, which must be of that class."""
        assert self.kind == "error", f"{self.kind}: {self.value!r} {self.error}"
        assert self.error.startswith(f"{name}: "), self.error[:500]
        return self.error.removeprefix(f"{name}: ")


def limited(
    function: Callable[..., Any], *args: Any, seconds: int = PROCESSOR_SECONDS, megabytes: int = MEGABYTES
) -> Outcome:
    """Call the function in a fork of this process; the result must be picklable.

    seconds: of processor time. megabytes: of memory beyond what this process has.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _in_child(write, function, args, seconds, megabytes)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return Outcome("time" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "died")
    return pickle.loads(answer) if answer else Outcome("died")


def _in_child(write: int, function: Callable[..., Any], args: Any, seconds: int, megabytes: int) -> None:
    try:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        most = size + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            outcome = Outcome("value", function(*args))
        except MemoryError:
            outcome = Outcome("memory")
        except BaseException as error:
            outcome = Outcome("error", error=f"{type(error).__name__}: {error}")
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(outcome, pipe)
    finally:
        os._exit(0)
