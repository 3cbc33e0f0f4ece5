"""A line where compiling takes more than two seconds, with the estimated progress.

It goes to stderr; in a notebook to a text in the cell that is emptied when the code is there.

Programs that are compiled one after the other (the terms, outputs and guards of a simulation) count together:
a simulation is not silent for ten seconds because each of its programs takes one.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from rikigaku.core.forking import free_at_fork

PATIENCE = 2.0  # seconds without a line
INTERVAL = 2.0  # seconds between updates
PAUSE = 1.0  # seconds without compiling, in which a next program may be traced

# Operations of a program that LLVM compiles in a second; each compilation corrects it.
_rate = 8000.0


class _Series:
    """Compilations less than a PAUSE apart: since when, until when, and whether a line reported them.

    cell: the execution count of the notebook's cell that holds their text; display: the text's identifier.
    """

    began = ended = float("-inf")
    reported = False
    cell = -1
    display = ""

    def waited(self, now: float) -> float:
        """Seconds since the first of them; begins anew after a pause."""
        if now - self.ended > PAUSE:
            self.began, self.reported = now, False
        return now - self.began


_series = _Series()

# Held while a line is written: a fork in that moment would leave the child a stream that is locked for ever.
# It does not wait longer where the stream itself waits.
_writing = threading.RLock()
free_at_fork(_writing, patience=1.0)


@contextmanager
def compile_progress(name: str, operations: int, kind: str) -> Iterator[None]:
    """Report the compilation inside the block if it takes long: once, and on a terminal with progress.

    Args:
        name: the law. operations: of its program. kind: that of the code (`llvm_module.text`).
    """
    global _rate
    began, finished = time.monotonic(), threading.Event()
    patience = max(PATIENCE - _series.waited(began), 0.0)
    watcher = threading.Thread(target=_report, args=(name, operations, kind, finished, patience), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()
        _series.ended = time.monotonic()
    if operations > 2000:  # start-up costs distort the rate of small programs
        _rate = operations / (time.monotonic() - began)


def _report(name: str, operations: int, kind: str, finished: threading.Event, patience: float) -> None:
    if finished.wait(patience) or sys.stderr is None:
        return
    expected = max(operations / _rate, PATIENCE)
    what = {"one": "one state", "function": "simulation"}.get(kind, "batches")
    several = "several programs, now " if patience < PATIENCE else ""
    line = f"rikigaku: compiling {several}{name} for {what}, {operations} operations"
    terminal, elapsed, first = sys.stderr.isatty(), patience, not _series.reported
    _series.reported = True
    shell = _notebook()
    if shell is None and not terminal:
        if first:
            _write(f"{line}, about {expected:.0f} s; the cache keeps the code ...\n")
        return
    while True:
        # The share approaches 1 without reaching it where the estimate was too short.
        share = min(elapsed / expected, 1.0 - 0.1 * expected / max(elapsed, expected))
        text = f"{line}: {100 * share:.0f} % ..."
        if shell is None:
            _write(f"\r\033[K{text}")
        else:
            _show(shell, text)
        if finished.wait(INTERVAL):
            break
        elapsed += INTERVAL
    if shell is None:
        _write(f"\r\033[K{line}: done\n" if first else "\r\033[K")
    else:
        _show(shell, "")


def _notebook() -> Any:
    """The shell of the notebook that runs this process, or None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None


def _show(shell: Any, text: str) -> None:
    """Show a text in the notebook's cell in place of the last one."""
    known = _series.cell == shell.execution_count
    if not known:
        _series.cell, _series.display = shell.execution_count, uuid4().hex
    shown = {"display_id": _series.display}
    with _writing, suppress(OSError, ValueError):
        shell.display_pub.publish({"text/plain": text}, transient=shown, update=known)


def _write(text: str) -> None:
    with _writing, suppress(OSError, ValueError):  # a closed or full stream is no reason to stop
        print(text, end="", file=sys.stderr, flush=True)
