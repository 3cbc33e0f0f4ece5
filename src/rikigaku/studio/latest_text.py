"""Texts that follow each other quickly, passed on at most ten times a second: the newest of them."""

import asyncio
from collections.abc import Callable

_PAUSE = 0.1  # s between two texts; a page draws itself for each of them


class LatestText:
    """Calls `show` with the first text at once, later with the newest of each pause."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self.show = show
        self._newest: str | None = None
        self._pause: asyncio.TimerHandle | None = None

    def __call__(self, text: str) -> None:
        if self._pause is not None:
            self._newest = text
            return
        self.show(text)
        self._pause = asyncio.get_running_loop().call_later(_PAUSE, self._after_pause)

    def _after_pause(self) -> None:
        self._pause = None
        newest, self._newest = self._newest, None
        if newest is not None:
            self(newest)

    def end(self) -> None:
        """Nothing is shown any more."""
        if self._pause is not None:
            self._pause.cancel()
