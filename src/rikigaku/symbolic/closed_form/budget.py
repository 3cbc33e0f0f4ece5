"""How much is worked out here and now; what takes longer goes to a child process, which can be stopped."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rikigaku.errors import JobCancelled
from rikigaku.symbolic.algebra.worker import Progress, listening

_MOST_TERMS = 2_000_000  # of a product: a second or so, in which nothing can be stopped


class OutOfBudget(Exception):
    """The work is longer than it may be here."""


_end: ContextVar[float | None] = ContextVar("end", default=None)
_cancel: ContextVar[threading.Event | None] = ContextVar("cancel", default=None)


@contextmanager
def budget(
    seconds: float, progress: Progress | None = None, cancel: threading.Event | None = None
) -> Iterator[None]:
    """Within, `spend` raises OutOfBudget once the time is over, and JobCancelled once `cancel` is set."""
    tokens = _end.set(time.monotonic() + seconds), _cancel.set(cancel)
    try:
        with listening(progress):
            yield
    finally:
        _end.reset(tokens[0])
        _cancel.reset(tokens[1])


def spend(terms: float = 0) -> None:
    """Say that work follows; terms: of the largest product in it."""
    cancel, end = _cancel.get(), _end.get()
    if cancel is not None and cancel.is_set():
        raise JobCancelled("The work was cancelled.")
    if end is not None and (terms > _MOST_TERMS or time.monotonic() > end):
        raise OutOfBudget
