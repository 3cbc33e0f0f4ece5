"""Time budget of exact algebra in this process; longer work moves to a child process that can be stopped.

Products of exact numbers call `spend`, which ends the work once the budget of the context is used up.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf

from rikigaku.core.errors import JobCancelled

_MOST_TERMS = 2_000_000  # of a product: a second or so, in which nothing can be stopped
_TERMS_A_SECOND = 2_000_000


class OutOfBudget(Exception):
    """The work has used up its time budget in this process."""


@dataclass(frozen=True)
class _Budget:
    end: float  # on the thread's own clock, which other programs do not advance
    deadline: float  # on the clock of the user, who waits
    cancel: threading.Event | None
    most_terms: float


_current: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budget(
    seconds: float,
    cancel: threading.Event | None = None,
    wait: float = inf,
    most_terms: float = _MOST_TERMS,
) -> Iterator[None]:
    """Inside, `spend` raises OutOfBudget once the time is over, and JobCancelled once `cancel` is set.

    seconds: processor time of this thread; wait: seconds on the clock, however busy the machine is.
    most_terms: of a product, which cannot be stopped.
    """
    limits = _Budget(time.thread_time() + seconds, time.monotonic() + wait, cancel, most_terms)
    token = _current.set(limits)
    try:
        yield
    finally:
        _current.reset(token)


def spend(terms: float = 0) -> None:
    """Check the budget before a piece of work; terms: of its largest product."""
    current = _current.get()
    if current is None:
        return
    if current.cancel is not None and current.cancel.is_set():
        raise JobCancelled("The work was cancelled.")
    left = current.deadline - time.monotonic()
    most = min(current.most_terms, left * _TERMS_A_SECOND)
    if left <= 0 or terms > most or time.thread_time() > current.end:
        raise OutOfBudget
