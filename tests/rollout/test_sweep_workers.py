"""Workers of sweeps: items in flight on large clusters, a worker that ends between items."""

from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest
import sweep_functions as functions

import rikigaku as rk

ITEMS = [0.1 * k for k in range(12)]


class _OnceBroken:
    """An executor whose worker has ended before it has an item: the first submission fails."""

    def __init__(self) -> None:
        self.broken = False

    def submit(self, *args: object) -> object:
        if not self.broken:
            self.broken = True
            raise BrokenExecutor
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(*args)  # type: ignore[arg-type]

    def shutdown(self, **_: object) -> None:
        pass


def test_a_worker_that_ends_between_items_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = _OnceBroken()
    monkeypatch.setattr("rikigaku.rollout.sweep_workers.processes", lambda count: pool)
    found = rk.sweep(functions.draw, ITEMS, executor=1)
    assert pool.broken
    assert np.array_equal(found["noise"], rk.sweep(functions.draw, ITEMS)["noise"])


class _Cluster:
    """A client of a cluster of so many threads, whose items end when as many are in flight as it expects."""

    def __init__(self, threads: int, expected: int) -> None:
        self._threads, self.expected, self.most = threads, expected, 0
        self.flying: list[tuple[Future[Any], tuple[Any, ...]]] = []
        self.alarm = Timer(5.0, self.land)  # ends the test if fewer come
        self.alarm.start()

    def nthreads(self) -> dict[str, int]:
        return {"one": self._threads // 2, "two": self._threads - self._threads // 2}

    def get_executor(self) -> "_Cluster":
        return self

    def submit(self, *call: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.flying.append((future, call))
        self.most = max(self.most, len(self.flying))
        if len(self.flying) == self.expected:
            self.land()
        return future

    def land(self) -> None:
        landed, self.flying, self.expected = self.flying, [], 1
        for future, (function, *arguments) in landed:
            future.set_result(function(*arguments))


def test_a_large_cluster_gets_four_items_for_each_thread() -> None:
    cluster = _Cluster(500, 2000)
    found = rk.sweep(functions.draw, range(2300), executor=cluster)
    cluster.alarm.cancel()
    assert cluster.most == 2000
    assert len(found["item"]) == 2300


def test_a_small_cluster_gets_1024_items() -> None:
    cluster = _Cluster(2, 1024)
    rk.sweep(functions.draw, range(1100), executor=cluster)
    cluster.alarm.cancel()
    assert cluster.most == 1024


def test_a_broken_executor_of_the_caller_keeps_the_results(tmp_path: Path) -> None:
    """Item 2 ends the only process: items 0 and 1 have results, the others did not run."""
    items = [(str(tmp_path), k) for k in range(1200)]  # more than are in flight
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = rk.sweep(functions.dies_once, items, executor=pool, retries=2, checkpoint=tmp_path / "c")
        later = rk.sweep(functions.dies_once, items[:3], executor=pool)
    assert list(found.index) == [0, 1]
    assert list(found.failures) == list(range(2, 1200))
    assert found.failures[2].startswith("Item 2 ran without result: the executor is broken, since a worker")
    for k in (3, 500, 1199):
        assert found.failures[k].startswith(f"Item {k} did not run: ")
        assert "ended under item 2. Sweep again with a new executor" in found.failures[k]
    assert later.failures[0].startswith("Item 0 did not run: the executor is broken. Sweep again")
    expected = rk.sweep(functions.dies_once, items)["value"]
    again = rk.sweep(functions.dies_once, items, executor=1, checkpoint=tmp_path / "c")
    assert np.array_equal(again["value"], expected)
