"""Blocks of a batch divided among threads, which end together once one of them fails."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def each_block(
    count: int, size: int, threads: int, work: Callable[[range, Callable[[], bool]], None]
) -> None:
    """Call work(firsts, stopped) for the first elements of blocks, divided among threads.

    stopped() is true once another thread has failed, or the caller was interrupted.
    """
    firsts = range(0, count, size)
    failed: list[bool] = []

    def stopped() -> bool:
        return bool(failed)

    if threads == 1 or len(firsts) == 1:
        work(firsts, stopped)
        return
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(work, firsts[k::threads], stopped) for k in range(threads)]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            failed.append(True)
            raise
