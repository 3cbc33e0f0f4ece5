"""How much algebra is worked out here and now; what takes longer goes to a process that can be stopped.

Products of exact numbers `spend`; within a `budget` they end the work once it is used up.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from rikigaku.errors import JobCancelled

_MOST_TERMS = 2_000_000  # of a product: a second or so, in which nothing can be stopped


class OutOfBudget(Exception):
    """The work is longer than it may be here."""


@dataclass(frozen=True)
class _Budget:
    end: float  # of the thread's own clock: other programs do not use it up
    cancel: threading.Event | None


_given: ContextVar[_Budget | None] = ContextVar("given", default=None)


@contextmanager
def budget(seconds: float, cancel: threading.Event | None = None) -> Iterator[None]:
    """Within, `spend` raises OutOfBudget once the time is over, and JobCancelled once `cancel` is set."""
    token = _given.set(_Budget(time.thread_time() + seconds, cancel))
    try:
        yield
    finally:
        _given.reset(token)


def spend(terms: float = 0) -> None:
    """Say that work follows; terms: of the largest product in it."""
    given = _given.get()
    if given is None:
        return
    if given.cancel is not None and given.cancel.is_set():
        raise JobCancelled("The work was cancelled.")
    if terms > _MOST_TERMS or time.thread_time() > given.end:
        raise OutOfBudget
