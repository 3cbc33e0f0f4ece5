"""Long work tells how far it is."""

import time
from collections.abc import Callable

from rikigaku.given import function_of

Progress = Callable[[str], object]

_EVERY = 2.0  # [s]


class Clock:
    """Calls `progress` with a line every two seconds, if there is one; what is quick says nothing."""

    def __init__(self, progress: Progress | None) -> None:
        if progress is not None:
            function_of("progress", "text", progress)
        self.progress, self.start = progress, time.perf_counter()
        self.last = self.start

    def tell(self, line: str) -> None:
        """How far it is."""
        now = time.perf_counter()
        if self.progress is not None and now - self.last >= _EVERY:
            self.last = now
            self.progress(f"{line}, after {now - self.start:.0f} s")
