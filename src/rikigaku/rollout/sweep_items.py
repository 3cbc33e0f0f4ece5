"""Items of a sweep in this process, in processes of its own, or in an executor of the caller."""

import traceback
from collections import deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import BrokenExecutor, Future
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.rollout.sweep_checkpoint import Columns
from rikigaku.rollout.sweep_workers import Workers, workers_of

Outcome = tuple[int, Columns | None, str]  # the item's place; its result, or its traceback

_NEW_EXECUTOR = (
    "Sweep again with a new executor (checkpoint=... keeps the results so far), or give executor=n: n "
    "processes that are replaced when they end."
)

_CRASHES = 3  # of a worker under one item, after which the item has failed


class Work(NamedTuple):
    """What a sweep computes."""

    function: Callable[..., Any]
    items: list[Any]
    seed: int


def outcomes(work: Work, waiting: list[int], executor: Any, retries: int) -> Generator[Outcome, None, None]:
    """Outcomes of the items `waiting` as they are ready."""
    if executor is None:
        return _in_this_process(work, waiting, retries)
    return _Items(work, waiting, retries, workers_of(executor, work.function)).outcomes()


def _in_this_process(work: Work, waiting: list[int], retries: int) -> Generator[Outcome, None, None]:
    for k in waiting:
        for attempt in range(retries + 1):
            outcome = _run(work.function, work.items[k], work.seed, k)
            if outcome[1] is not None or attempt == retries:
                yield outcome
                break


def _run(function: Callable[..., Any], item: Any, seed: int, k: int) -> Outcome:
    """The result of one item, or its traceback."""
    try:
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(k,)))
        return k, _row(function(item, random)), ""
    except Exception:
        return k, None, traceback.format_exc()


def _row(value: Any) -> Columns:
    """A result as arrays by name."""
    named = value if isinstance(value, Mapping) else {"value": value}
    row = {}
    for name, x in named.items():
        array = np.array(x)  # a copy: the function may return the same memory for every item
        if not isinstance(name, str) or array.dtype.kind not in "biufcU":
            raise WrongValue(
                "The function of a sweep returns numbers or arrays, or a mapping of them by name; "
                f"{name!r}: {type(x).__name__} was returned."
            )
        row[name] = array
    return row


class _Items:
    """Items that wait, and those that workers have."""

    def __init__(self, work: Work, waiting: list[int], retries: int, workers: Workers) -> None:
        self.work, self.retries, self.workers = work, retries, workers
        self.queue = deque(waiting)
        self.tries, self.crashes = dict.fromkeys(waiting, 0), dict.fromkeys(waiting, 0)
        # in flight when a worker ended: each runs alone to find its cause
        self.suspects: deque[int] = deque()
        self.flying: dict[Future[Outcome], tuple[int, bool]] = {}  # items, and whether they run alone
        self.lost: list[int] = []  # in flight when an executor of the caller broke
        self.broken = False  # whether it did: it takes no more items
        # `wait` would look at all items in flight each time
        self.done: SimpleQueue[Future[Outcome]] = SimpleQueue()

    def outcomes(self) -> Generator[Outcome, None, None]:
        """Outcomes as they are ready; an item that failed runs again as often as `retries` says."""
        try:
            while self.queue or self.suspects or self.flying:
                self._submit()
                if not self.flying:  # the executor is broken
                    break
                broken = False
                for future in self._ready():
                    k, alone = self.flying.pop(future)
                    try:
                        outcome = future.result()
                    except BrokenExecutor:
                        if not self.workers.renewable:
                            self.broken = True
                            self.lost.append(k)
                            continue
                        broken = True
                        self.crashes[k] += alone
                        if self.crashes[k] < _CRASHES:
                            self.suspects.append(k)
                            continue
                        outcome = k, None, f"The worker process ended while it ran item {k}."
                    except Exception:  # an item or result that cannot be sent to another process
                        outcome = k, None, traceback.format_exc()
                    self.tries[k] += 1
                    if outcome[1] is None and self.tries[k] <= self.retries:
                        self.queue.append(k)
                    else:
                        yield outcome
                if broken and not self.flying:
                    self.workers.renew()
            yield from self._without_result()
        finally:
            for future in self.flying:
                future.cancel()
            self.workers.close()

    def _without_result(self) -> Generator[Outcome, None, None]:
        """Failures of the items that a broken executor of the caller has left."""
        # Executors begin items in the order of their submission: the first ones lost were running.
        known, event = self.workers.at_once, "the executor is broken"
        ran = self.lost[:known]
        if ran:
            listed = f"item {' or '.join(map(str, ran))}" if known else "an item in flight"
            event += f", since a worker process ended under {listed}"
        for k in sorted((*self.lost, *self.queue)):
            begun = (
                "ran without result" if k in ran else "did not run again" if self.tries[k] else "did not run"
            )
            yield k, None, f"Item {k} {begun}: {event}. {_NEW_EXECUTOR}"

    def _submit(self) -> None:
        """Give items to the workers up to their limit; a suspect only if they have no other item."""
        if self.broken:
            return
        flying, limit = self.flying, self.workers.limit
        while (self.suspects and not flying) or (self.queue and not self.suspects and len(flying) < limit):
            source = self.suspects or self.queue
            k = source[0]
            try:
                future = self.workers.submit(_run, self.work.function, self.work.items[k], self.work.seed, k)
            except BrokenExecutor:
                if not self.workers.renewable:
                    self.broken = True
                    return
                if flying:
                    return  # the items in flight fail, then the workers are replaced
                self.workers.renew()  # a worker ended while none had an item
                continue
            flying[future] = k, source is self.suspects
            source.popleft()
            future.add_done_callback(self.done.put)

    def _ready(self) -> list[Future[Outcome]]:
        """Wait for an item; that and all others that are ready."""
        ready = [self.done.get()]
        while not self.done.empty():
            ready.append(self.done.get())
        return ready
