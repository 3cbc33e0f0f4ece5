"""`rk.sweep`: a function of many items, serially or on many processes, with the same bits.

Each item has a random generator of its own, seeded by the seed of the sweep and the item's place. Results do
not depend on the number of workers, their order, retries, or an interruption.
"""

import pickle
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.progress import Clock, Progress, progress_argument
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, function_of, is_whole, whole
from rikigaku.rollout.rollout_result import Integers
from rikigaku.rollout.sweep_checkpoint import Checkpoint, Columns, columns_of, sweep_record, write_columns
from rikigaku.rollout.sweep_table import write_table

_IN_FLIGHT = 64  # items that an executor has at a time, for each worker of ours; results wait for no other
_CRASHES = 3  # of a worker under one item, after which the item has failed


@dataclass(frozen=True, eq=False)
class Sweep:
    """Results of a sweep.

    columns: results by name, arrays (m, ...) in the order of the items, without the failed ones.
    index: the item of each row (m,).
    failures: traceback of each failed item, by its index.
    record: function, seed, versions and a digest of the items, from which the run can be repeated.
    """

    columns: dict[str, Array]
    index: Integers
    failures: dict[int, str]
    record: dict[str, Any]

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    @checked
    def save(self, path: str | Path) -> None:
        """Write columns, index, failures and record to a .npz or a .parquet file, atomically.

        Parquet needs PyArrow: `pip install rikigaku[parquet]`.
        """
        kinds = {".npz": write_columns, ".parquet": write_table}
        write = kinds[choice("ending of a saved sweep", Path(path).suffix, kinds)]
        write(Path(path), self.columns, self.index, self.record, self.failures)


@checked
def sweep(
    function: Callable[..., Any],
    items: Iterable[Any],
    *,
    seed: int = 0,
    executor: Any = None,
    retries: int = 0,
    checkpoint: str | Path | None = None,
    progress: bool | Progress | None = None,
) -> Sweep:
    """function(item, random) for all items; the results as columns.

    Args:
        function: of an item and a `numpy.random.Generator` of its own; returns a number, an array, or a
            mapping of these by name, of the same names and shapes for all items: an item whose result differs
            from that of the first one has failed. For other processes it is defined in a module.
        seed: of the generators, with the place of the item.
        executor: None (this process); a number of processes; a `concurrent.futures.Executor`; or a Dask
            client (`distributed.Client`).
        retries: further attempts of an item that raised an error; its generator starts anew.
        checkpoint: a directory, made if needed. Results are written there every second; after an interruption
            the same call continues. Failed items run again. Another seed, other items or another code of the
            function, of those of its module that it calls, or of values that they read there, are refused.
        progress: a function that is called with a line every two seconds; True prints them on stderr.
    Returns:
        The sweep. An item that fails does not stop the others: `failures` has its traceback.
    Raises:
        WrongValue: for an executor of another kind, a checkpoint of another sweep, or one with items that
            cannot be compared.
    """
    function_of("function", "item random", function)
    listed = list(items)
    seed, retries = whole("seed", seed, 0), whole("retries", retries, 0)
    clock = Clock(progress_argument(progress))
    record = sweep_record(function, listed, seed, checkpoint is not None)
    store = Checkpoint(None if checkpoint is None else Path(checkpoint), record)
    failures: dict[int, str] = {}
    waiting = [k for k in range(len(listed)) if k not in store.results]
    tasks = _tasks(function, listed, seed, waiting, executor, retries)
    try:
        for done, (k, result, error) in enumerate(tasks, 1):
            if result is None:
                failures[k] = error
            else:
                store.add(k, result)
            clock.report(f"{done} of {len(waiting)} items, {len(failures)} failed")
    finally:
        tasks.close()
        store.write()
    rows, unlike = store.rows()
    index = np.array(sorted(rows), dtype=np.int64)
    return Sweep(columns_of(list(rows.values())), index, dict(sorted((failures | unlike).items())), record)


Outcome = tuple[int, "Columns | None", str]


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


def _tasks(
    function: Callable[..., Any], items: list[Any], seed: int, waiting: list[int], executor: Any, retries: int
) -> Generator[Outcome, None, None]:
    """Outcomes of the items as they are ready."""
    if executor is None:
        for k in waiting:
            for attempt in range(retries + 1):
                outcome = _run(function, items[k], seed, k)
                if outcome[1] is not None or attempt == retries:
                    yield outcome
                    break
        return
    if is_whole(executor):
        count = whole("executor", executor)
        _check_sent(function)
        pool: Executor = _processes(count)
        limit = _IN_FLIGHT * count
    else:
        pool = executor.get_executor() if hasattr(executor, "get_executor") else executor
        if not hasattr(pool, "submit"):
            raise WrongValue(
                "executor is None, a number of processes, a concurrent.futures.Executor or a Dask client; "
                f"{type(executor).__name__} was given."
            )
        count, limit = 0, 16 * _IN_FLIGHT
    queue, tries, crashes = deque(waiting), dict.fromkeys(waiting, 0), dict.fromkeys(waiting, 0)
    suspects: deque[int] = deque()  # items in flight when a worker ended: each runs alone to find its cause
    flying: dict[Future[Outcome], tuple[int, bool]] = {}  # items, and whether they run alone
    done: SimpleQueue[Future[Outcome]] = SimpleQueue()  # `wait` would look at all items in flight each time
    try:
        while queue or suspects or flying:
            while (suspects and not flying) or (queue and not suspects and len(flying) < limit):
                source = suspects or queue
                k = source[0]
                try:
                    future = pool.submit(_run, function, items[k], seed, k)
                except BrokenExecutor:
                    if not count:
                        raise
                    if flying:
                        break  # the items in flight fail below, then the pool is replaced
                    pool = _replaced(pool, count)  # a worker ended while none had an item
                    continue
                flying[future] = k, source is suspects
                source.popleft()
                future.add_done_callback(done.put)
            ready = [done.get()]
            while not done.empty():
                ready.append(done.get())
            broken = False
            for future in ready:
                k, alone = flying.pop(future)
                try:
                    outcome = future.result()
                except BrokenExecutor:
                    broken = True
                    crashes[k] += alone
                    if crashes[k] < _CRASHES and count:
                        suspects.append(k)
                        continue
                    outcome = k, None, f"The worker process ended while it ran item {k}."
                except Exception:  # an item or result that cannot be sent to another process
                    outcome = k, None, traceback.format_exc()
                tries[k] += 1
                if outcome[1] is None and tries[k] <= retries:
                    queue.append(k)
                else:
                    yield outcome
            if broken and not flying and count:
                pool = _replaced(pool, count)
    finally:
        for future in flying:
            future.cancel()
        if count:
            pool.shutdown(wait=True, cancel_futures=True)


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


def _replaced(pool: Executor, count: int) -> Executor:
    pool.shutdown(wait=False, cancel_futures=True)
    return _processes(count)


def _processes(count: int) -> Executor:
    # Started anew, not forked: threads of this process would not exist in a fork.
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))
