"""`rk.sweep`: a function of many items, serially or on many processes, with the same bits.

Each item has a random generator of its own, seeded by the seed of the sweep and the item's place. Results do
not depend on the number of workers, their order, retries, or an interruption.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.progress import Clock, Progress, progress_argument
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, function_of, whole
from rikigaku.rollout.rollout_result import Integers
from rikigaku.rollout.sweep_checkpoint import Checkpoint, columns_of, sweep_record, write_columns
from rikigaku.rollout.sweep_items import Work, outcomes
from rikigaku.rollout.sweep_table import write_table


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
        The sweep. An item that fails does not stop the others: `failures` has its traceback. If an executor
        of the caller breaks, items without result are failures; with a number of processes they run again.
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
    tasks = outcomes(Work(function, listed, seed), waiting, executor, retries)
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
