"""Budgets of exact algebra: time in this process, and work, which is counted and the same on every machine.

Products of exact numbers call `spend`, which ends the work once the budget of the context is used up: longer
algebra moves to a child process that can be stopped. Searches for short formulas are limited by their work,
so that a formula prints the same in every process; work is counted in terms of polynomials. A result that is
kept for later use is kept with the work it took (`charged`): a search that meets it spends that work again,
and does not depend on what was computed before.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

from rikigaku.core.errors import JobCancelled

_MOST_TERMS = 2_000_000  # of a product: a second or so, in which nothing can be stopped
_TERMS_A_SECOND = 2_000_000


class OutOfBudget(Exception):
    """The work has used up its time budget in this process."""


class OutOfWork(Exception):
    """A search has done the work it may do."""


@dataclass(frozen=True)
class _Budget:
    end: float  # on the thread's own clock, which other programs do not advance
    deadline: float  # on the clock of the user, who waits
    cancel: threading.Event | None
    most_terms: float
    most_work: float = inf  # of this thread's count


class _Count(threading.local):
    work: float = 0.0  # done in this thread


_current: ContextVar[_Budget | None] = ContextVar("budget", default=None)
_count = _Count()
Result = TypeVar("Result")


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


@contextmanager
def work_limit(work: float) -> Iterator[None]:
    """Inside, `count_work` raises OutOfWork once more than this work is done; limits of time stay."""
    most = _count.work + work
    current = _current.get() or _Budget(inf, inf, None, inf)
    token = _current.set(replace(current, most_work=min(most, current.most_work)))
    try:
        yield
    finally:
        _current.reset(token)


def count_work(terms: float) -> None:
    """Count the work of a step: the terms of its polynomial, as often as it is run through."""
    _count.work += terms
    if work_left() < 0:
        raise OutOfWork
    spend()


def work_done() -> float:
    """The work counted in this thread so far."""
    return _count.work


def recount_work(before: float, work: float) -> None:
    """Count this work since `before`, where a child process did it, and not what was tried here."""
    _count.work = before + work


def work_left() -> float:
    """The work that may still be done; negative once a limit was exceeded."""
    current = _current.get()
    return inf if current is None else current.most_work - _count.work


def charged(
    known: dict[Hashable, tuple[Result, float]], key: Hashable, compute: Callable[[], Result]
) -> Result:
    """The result of `compute()`, kept under the key with its work unless the limit stopped it.

    A known result is used where the work it took is left, and counts as much.
    """
    kept = known.get(key)
    if kept is not None and kept[1] <= work_left():
        _count.work += kept[1]
        return kept[0]
    before = _count.work
    found = compute()
    if work_left() >= 0:
        known[key] = found, _count.work - before
    return found
