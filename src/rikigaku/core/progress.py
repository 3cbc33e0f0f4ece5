"""Progress reports of long computations: one line every two seconds."""

import sys
import time
from collections.abc import Callable
from typing import Any

from rikigaku.core.validation import function_of

Progress = Callable[[str], object]


_EVERY = 2.0  # [s]


class Clock:
    """Calls `progress(line)` at most once every two seconds; without `progress` it does nothing."""

    def __init__(self, progress: Progress | None) -> None:
        if progress is not None:
            function_of("progress", "text", progress)
        self.progress, self.start = progress, time.perf_counter()
        self.last = self.start

    @property
    def due(self) -> bool:
        """Whether a line would be passed on now."""
        return self.progress is not None and time.perf_counter() - self.last >= _EVERY

    def report(self, line: str) -> None:
        """Pass on a line that says how far the computation is, with the elapsed time."""
        now = time.perf_counter()
        if self.progress is not None and now - self.last >= _EVERY:
            self.last = now
            self.progress(f"{line}, after {now - self.start:.0f} s")


def progress_argument(x: Any) -> Progress | None:
    """The argument `progress`: a function of one line, True (lines on stderr), or None or False (none).

    Raises:
        WrongValue: for anything else.
    """
    if x is None or x is False:
        return None
    return _on_stderr if x is True else x


def _on_stderr(line: str) -> None:
    print(f"rikigaku: {line}", file=sys.stderr, flush=True)
