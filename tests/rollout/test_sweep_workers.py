"""Workers of sweeps: items in flight on large clusters, a worker that ends between items."""

from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
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
