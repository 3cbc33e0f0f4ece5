"""How much is worked out here and now; what takes longer goes to a child process, which can be stopped."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MOST_TERMS = 2_000_000  # of a product: a second or so, in which nothing can be stopped


class OutOfBudget(Exception):
    """The work is longer than it may be here."""


_end: ContextVar[float | None] = ContextVar("end", default=None)


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Within, `spend` raises OutOfBudget once the time is over."""
    token = _end.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(token)


def spend(terms: float = 0) -> None:
    """Say that work follows; terms: of the largest product in it."""
    end = _end.get()
    if end is not None and (terms > _MOST_TERMS or time.monotonic() > end):
        raise OutOfBudget
