"""Sweeps on a Dask cluster of two worker processes on this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sweep_functions as functions
from distributed import Client, LocalCluster

import rikigaku as rk


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_cluster_gives_the_bits_of_this_process(client: Any) -> None:
    items = [0.1 * k for k in range(6)]
    here = rk.sweep(functions.swing, items, seed=1)["value"]
    assert np.array_equal(rk.sweep(functions.swing, items, seed=1, executor=client)["value"], here)


def test_failures_and_dead_workers_of_a_cluster_lose_nothing(client: Any, tmp_path: Path) -> None:
    found = rk.sweep(functions.fails_at_three, range(5), executor=client)
    assert list(found.failures) == [3]
    items = [(str(tmp_path), k) for k in range(6)]
    survived = rk.sweep(functions.dies_once, items, executor=client)
    assert (tmp_path / "died").exists()
    assert not survived.failures
    assert np.array_equal(survived["value"], rk.sweep(functions.dies_once, items)["value"])
