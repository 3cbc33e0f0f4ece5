"""Section: sweeps. Overhead of an item by executor, 100 000 rollouts, the same bits, a worker that is killed.

Wall-clock times: other processes work. The division of the work is by processor time: on free cores a sweep
takes as long as its busiest worker. The Dask cluster has two worker processes on this machine.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import rikigaku as rk
from benchmarks.errors import Disagreement
from benchmarks.options import Options
from benchmarks.report import table

ITEMS = 2000  # of nothing
ROLLOUTS, ITEM_WORLDS = 100_000, 500


def nothing(item: int, random: np.random.Generator) -> float:
    """A number: what is left is the overhead."""
    return float(item)


@cache
def _panda() -> rk.Robot:
    return rk.load("panda")


def motions(item: int, random: np.random.Generator) -> Any:
    """Final configurations of rollouts of a Panda from random states, 100 steps of 1 ms."""
    panda = _panda()
    q0 = random.uniform(-0.5, 0.5, (ITEM_WORLDS, 7))
    return panda.rollout(q0, steps=100, dt=1e-3, every=0, threads=1).q


def timed(item: int, random: np.random.Generator) -> dict[str, float]:
    """The process that computed the motions, and the processor time it took [s]."""
    begin = time.process_time()
    motions(item, random)
    return {"process": os.getpid(), "seconds": time.process_time() - begin}


def drawn(item: tuple[str, int], random: np.random.Generator) -> float:
    """What `killed_once` returns."""
    return float(random.random())


def killed_once(item: tuple[str, int], random: np.random.Generator) -> float:
    """Ends its process at item 20, once; a file in the folder notes that."""
    folder, k = Path(item[0]), item[1]
    value = drawn(item, random)
    if k == 20 and not (folder / "died").exists():
        (folder / "died").touch()
        os._exit(9)
    time.sleep(0.002)
    return value


def run(options: Options) -> dict[str, Any]:
    """Prints and returns the tables; raises Disagreement if bits differ."""
    count = ITEMS // 5 if options.quick else ITEMS
    rollouts = ROLLOUTS // 10 if options.quick else ROLLOUTS
    record: dict[str, Any] = {}
    rows, reference = [], None
    numbers = rk.sweep(drawn, [("", k) for k in range(60)])["value"]
    shares = []
    for name, executor in _executors():
        with executor as used:
            rk.sweep(motions, range(8), executor=used)  # workers have loaded the program
            shares.append([name, *_shares(used, rollouts)])
            first, whole = (_seconds(nothing, n, used) for n in (8, count))
            overhead = (whole - first) / (count - 8)
            begin = time.perf_counter()
            found = rk.sweep(motions, range(rollouts // ITEM_WORLDS), seed=1, executor=used)["value"]
            seconds = time.perf_counter() - begin
            with tempfile.TemporaryDirectory() as folder:
                died = None
                if used is not None:
                    items = [(folder, k) for k in range(60)]
                    swept = rk.sweep(killed_once, items, executor=used)
                    unique = list(swept.index) == list(range(60)) and not swept.failures
                    died = unique and np.array_equal(swept["value"], numbers)
                    if not died:
                        raise Disagreement(
                            "sweep with a killed worker", name, "this process", float("nan"), 0.0
                        )
        reference = found if reference is None else reference
        if found.tobytes() != reference.tobytes():
            raise Disagreement("sweep", name, "this process", float("nan"), 0.0)
        record[name] = {"start": first, "overhead": overhead, "seconds": seconds, "survives a kill": died}
        kill = "-" if died is None else "all items once"
        rows.append([name, f"{first:.2f}", f"{1e6 * overhead:.0f}", f"{seconds:.2f}", "same bits", kill])
    header = (
        "executor",
        "8 items [s]",
        "overhead an item [us]",
        f"{rollouts} rollouts [s]",
        "results",
        "a worker killed",
    )
    title = f"Sweeps by the wall clock: {count} empty items; {rollouts} rollouts of a Panda, 100 steps each"
    print(table(title, header, rows))
    header = ("executor", "processes", "all [s]", "busiest worker [s]", "speed-up on free cores")
    print(table(f"Processor time of {rollouts} rollouts", header, shares))
    return record


def _shares(executor: Any, rollouts: int) -> list[str]:
    """Processes, their processor time, that of the busiest, and the speed-up that leaves."""
    found = rk.sweep(timed, range(rollouts // ITEM_WORLDS), executor=executor)
    processes, seconds = found["process"], found["seconds"]
    busiest = max(seconds[processes == p].sum() for p in np.unique(processes))
    total = seconds.sum()
    return [str(len(np.unique(processes))), f"{total:.2f}", f"{busiest:.2f}", f"{total / busiest:.2f}"]


def _seconds(function: Any, count: int, executor: Any) -> float:
    begin = time.perf_counter()
    rk.sweep(function, range(count), executor=executor)
    return time.perf_counter() - begin


def _executors() -> Iterator[tuple[str, Any]]:
    @contextmanager
    def plain(executor: Any) -> Iterator[Any]:
        yield executor

    @contextmanager
    def cluster() -> Iterator[Any]:
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as own,
            Client(own) as client,
        ):
            yield client

    yield "this process", plain(None)
    yield "1 process", plain(1)
    yield "2 processes", plain(2)
    yield "Dask, 2 workers", cluster()
