"""Progress reports of long computations: one line every two seconds."""

import time
from collections.abc import Callable

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

    def report(self, line: str) -> None:
        """Pass on a line that says how far the computation is, with the elapsed time."""
        now = time.perf_counter()
        if self.progress is not None and now - self.last >= _EVERY:
            self.last = now
            self.progress(f"{line}, after {now - self.start:.0f} s")
