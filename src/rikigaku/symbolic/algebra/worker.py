"""The child process of `rikigaku.symbolic.algebra.jobs`: one task in, progress and the answer out, as JSON.

Started as `python -P -m rikigaku.symbolic.algebra.worker`. The task is
{"function": "module:name", "data": ..., "memory": bytes or null, "path": [...]} on the standard input.
Nothing is pickled.
"""

import json
import sys
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any, TextIO

_output: TextIO | None = None


def progress(text: str) -> None:
    """Tell the caller how far the work is; outside of a child process nobody listens."""
    if _output is not None:
        _send(_output, {"progress": str(text)})


def main() -> None:
    """Do one task."""
    global _output
    task = json.loads(sys.stdin.readline())
    _limit_memory(task["memory"])
    sys.path[:] = [*sys.path, *(place for place in task["path"] if place not in sys.path)]
    _output = sys.stdout
    with redirect_stdout(sys.stderr):  # what a function prints must not be taken for an answer
        try:
            module, name = task["function"].split(":")
            answer: dict[str, Any] = {"result": getattr(import_module(module), name)(task["data"])}
        except MemoryError:
            answer = {"memory": True}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
    _send(_output, answer)


def _send(output: TextIO, message: dict[str, Any]) -> None:
    output.write(json.dumps(message) + "\n")
    output.flush()


def _limit_memory(size: int | None) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    if size is not None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        size = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


if __name__ == "__main__":
    # `-m` runs this file as __main__; the functions we call import it by its name: one module, one channel.
    from rikigaku.symbolic.algebra import worker

    worker.main()
