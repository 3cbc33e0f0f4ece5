"""Dispatch of long algebra: in this process within a short budget, else in a child process, cached on disk.

The duration of algebra is not known beforehand. The work starts in this process; when its budget is used up,
it is started again in a child process that can be stopped. Results of child processes are cached on disk.
"""

import time
from collections.abc import Callable
from math import inf
from typing import Any, TypeVar

from rikigaku.numbers.algebra_budget import OutOfBudget, budget
from rikigaku.symbolic.algebra import child_process
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.algebra.worker import progress_to

Found = TypeVar("Found")

# Budget in this process [s]: about the time it takes to start a child process.
IN_PROCESS_BUDGET = 1.5


def in_process_or_child(
    compute: Callable[[], Found],
    job: Callable[[Any], Any],
    data: Any,
    restored: Callable[[Any], Found],
    *,
    what: str,
    work: JobOptions,
    advice: str,
) -> Found:
    """The result of `compute()`, or `restored(result)` of the same job in a child process.

    Args:
        job, data, what, advice: as for `child_process.run`. restored: converts the job's result.
        work: its time limit counts the whole wait; with 0 a result is only read from disk.
    Raises:
        TimeLimit, TooLarge, JobCancelled, JobFailed: as `child_process.run`.
    """
    result = child_process.cached_result(job, data)
    if result is None:
        try:
            with budget(IN_PROCESS_BUDGET, work.cancel, _left(work)), progress_to(work.progress):
                return compute()
        except OutOfBudget:
            pass
        result = child_process.run(job, data, what=what, advice=advice, **vars(work))
    return restored(result)


def in_process(compute: Callable[[], Found], *, what: str, work: JobOptions, advice: str) -> Found:
    """The result of `compute()` within the time limit, where a child process cannot do the work."""
    try:
        with budget(inf, work.cancel, _left(work), inf), progress_to(work.progress):
            return compute()
    except OutOfBudget:
        raise child_process.too_long(what, work.time_limit, "", advice) from None


def _left(work: JobOptions) -> float:
    """Seconds that remain of the wait; OutOfBudget if there are none."""
    left = work.began + work.time_limit - time.monotonic()
    if left <= 0:
        raise OutOfBudget
    return left
