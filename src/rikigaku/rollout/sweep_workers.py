"""Workers of a sweep: processes of this machine, or an executor of the caller."""

import pickle
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Protocol

from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import is_whole, whole

_IN_FLIGHT = 64  # items for each process of this machine: results wait for no other
_LEAST_IN_FLIGHT = 1024  # items for an executor of the caller
_FOR_EACH_THREAD = 4  # of a cluster: one runs, the others are there when it ends
_COUNTED = 5.0  # seconds after which the threads of a cluster are counted again: it may grow


class Workers(Protocol):
    """Workers of items. renewable: whether they are replaced after one has ended."""

    renewable: bool

    @property
    def limit(self) -> int:
        """Items that they have at a time."""
        ...

    @property
    def at_once(self) -> int | None:
        """Items that run at a time; None if that is not known."""
        ...

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]: ...

    def renew(self) -> None: ...

    def close(self) -> None: ...


def workers_of(executor: Any, function: Callable[..., Any]) -> Workers:
    """The workers that the argument `executor` names.

    Raises:
        WrongValue: if it is of another kind, or the function cannot be sent to processes.
    """
    if is_whole(executor):
        _check_sent(function)
        return OwnProcesses(whole("executor", executor))
    pool = executor.get_executor() if hasattr(executor, "get_executor") else executor
    if not hasattr(pool, "submit"):
        raise WrongValue(
            "executor is None, a number of processes, a concurrent.futures.Executor or a Dask client; "
            f"{type(executor).__name__} was given."
        )
    return GivenExecutor(pool, getattr(executor, "nthreads", None))


def processes(count: int) -> Executor:
    """A pool of processes."""
    # Started anew, not forked: threads of this process would not exist in a fork.
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


class OwnProcesses:
    """Processes of this machine, started anew after one has ended."""

    renewable = True

    def __init__(self, count: int) -> None:
        self.count, self.limit, self.at_once = count, _IN_FLIGHT * count, count
        self._start()

    def _start(self) -> None:
        self._pool = processes(self.count)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._pool.submit(function, *arguments)

    def renew(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._start()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class GivenExecutor:
    """An executor of the caller, who closes it. threads: number of threads of each worker, by its name."""

    renewable = False

    def __init__(self, pool: Executor, threads: Callable[[], dict[Any, int]] | None) -> None:
        self.pool, self._threads = pool, threads
        self._limit, self._time = 0, 0.0
        self.at_once: int | None = getattr(pool, "_max_workers", None)  # of the standard library's pools

    @property
    def limit(self) -> int:
        """Four items for each thread of a cluster, and at least 1024."""
        if not self._limit or (self._threads is not None and time.monotonic() > self._time + _COUNTED):
            self._time = time.monotonic()
            count = 0 if self._threads is None else sum(self._threads().values())
            self._limit = max(_LEAST_IN_FLIGHT, _FOR_EACH_THREAD * count)
        return self._limit

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self.pool.submit(function, *arguments)

    def renew(self) -> None:
        """The caller replaces workers that have ended."""

    def close(self) -> None:
        """The caller closes it."""


def _check_sent(function: Callable[..., Any]) -> None:
    """Raise WrongValue for a function that cannot be sent to another process."""
    try:
        pickle.dumps(function)
    except Exception as error:  # PicklingError, AttributeError, TypeError, or of an object's own
        name = getattr(function, "__qualname__", type(function).__name__)
        raise WrongValue(
            f"Other processes cannot import {name}: {error}. Define the function in a module, or use "
            "functools.partial of one; executor=None runs any function."
        ) from error
