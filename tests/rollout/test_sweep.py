"""Sweeps: the same bits for any executor, failures, retries, checkpoints."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sweep_functions as functions

import rikigaku as rk
from rikigaku.core.errors import WrongValue

ITEMS = [0.1 * k for k in range(12)]


def test_results_are_columns_in_the_order_of_the_items() -> None:
    found = rk.sweep(functions.draw, ITEMS, seed=3)
    assert found["noise"].shape == (12, 3)
    assert np.array_equal(found["item"], ITEMS)
    assert not found.failures
    expected = [
        x + np.random.default_rng(np.random.SeedSequence(3, spawn_key=(k,))).normal(size=3)
        for k, x in enumerate(ITEMS)
    ]
    assert np.array_equal(found["noise"], expected)
    assert not np.array_equal(rk.sweep(functions.draw, ITEMS, seed=4)["noise"], found["noise"])


def test_processes_threads_and_this_process_give_the_same_bits() -> None:
    here = rk.sweep(functions.swing, ITEMS[:4], seed=1)["value"]
    assert here.shape == (4, 20, 2)
    assert np.array_equal(rk.sweep(functions.swing, ITEMS[:4], seed=1, executor=2)["value"], here)
    with ThreadPoolExecutor(3) as pool:
        assert np.array_equal(rk.sweep(functions.swing, ITEMS[:4], seed=1, executor=pool)["value"], here)


def test_a_failed_item_has_its_traceback_and_the_others_go_on() -> None:
    for executor in (None, 1):
        found = rk.sweep(functions.fails_at_three, range(6), executor=executor)
        assert list(found.index) == [0, 1, 2, 4, 5]
        assert list(found.failures) == [3]
        assert "three is not possible" in found.failures[3]
        assert "sweep_functions.py" in found.failures[3]
        assert len(found["value"]) == 5


def test_retries_run_a_failed_item_again_with_the_same_seed(tmp_path: Path) -> None:
    items = [(str(tmp_path), k) for k in range(4)]
    once = rk.sweep(functions.fails_once, items[:2])
    assert sorted(once.failures) == [0, 1]
    with ThreadPoolExecutor(1) as pool:
        found = rk.sweep(functions.fails_once, items, retries=1, executor=pool)
    assert not found.failures
    expected = rk.sweep(functions.fails_at_three, [0, 1, 2, 2])["value"]
    assert np.array_equal(found["value"], expected)


def test_a_worker_that_dies_loses_nothing(tmp_path: Path) -> None:
    items = [(str(tmp_path), k) for k in range(6)]
    found = rk.sweep(functions.dies_once, items, executor=1)
    assert (tmp_path / "died").exists()
    assert not found.failures
    assert np.array_equal(found["value"], rk.sweep(functions.dies_once, items)["value"])


_KILLED = """
import sys
sys.path.insert(0, sys.argv[1])
import rikigaku as rk, sweep_functions as functions
items = [(sys.argv[2], k, 0.15) for k in range(20)]
rk.sweep(functions.counted, items, checkpoint=sys.argv[3], seed=5)
"""


def test_a_sweep_that_was_killed_continues_at_its_checkpoint(tmp_path: Path) -> None:
    log, folder = tmp_path / "log", tmp_path / "checkpoint"
    arguments = [sys.executable, "-c", _KILLED, str(Path(__file__).parent), str(log), str(folder)]
    process = subprocess.Popen(arguments)
    deadline = time.monotonic() + 60
    while not list(folder.glob("part-*.npz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = [int(line) for line in log.read_text().split()]
    assert len(before) < 20
    items = [(str(log), k, 0.15) for k in range(20)]
    found = rk.sweep(functions.counted, items, checkpoint=folder, seed=5)
    runs = np.bincount([int(line) for line in log.read_text().split()])
    assert list(found.index) == list(range(20))
    assert runs.max() <= 2
    assert (runs == 1).sum() >= 12  # those in the checkpoint and those after the kill ran once
    assert (runs[: len(before)] == 1).sum() >= 5  # kept by the checkpoint
    fast = [(str(log), k, 0.0) for k in range(20)]
    assert np.array_equal(found["value"], rk.sweep(functions.counted, fast, seed=5)["value"])


def test_a_finished_checkpoint_runs_nothing_again(tmp_path: Path) -> None:
    items = [(str(tmp_path / "log"), k, 0.0) for k in range(5)]
    first = rk.sweep(functions.counted, items, checkpoint=tmp_path / "c")
    again = rk.sweep(functions.counted, items, checkpoint=tmp_path / "c")
    assert np.array_equal(first["value"], again["value"])
    assert len((tmp_path / "log").read_text().split()) == 5


def test_a_checkpoint_of_another_sweep_is_refused(tmp_path: Path) -> None:
    rk.sweep(functions.draw, ITEMS, checkpoint=tmp_path)
    with pytest.raises(WrongValue, match="another sweep: its seed is 0, here it is 1"):
        rk.sweep(functions.draw, ITEMS, checkpoint=tmp_path, seed=1)
    with pytest.raises(WrongValue, match="its digest"):
        rk.sweep(functions.draw, ITEMS[::-1], checkpoint=tmp_path)
    with pytest.raises(WrongValue, match="its digest"):
        rk.sweep(partial(functions.draw), [1.0, *ITEMS[1:]], checkpoint=tmp_path)
    next(tmp_path.glob("part-*.npz")).write_bytes(b"no archive")
    with pytest.raises(WrongValue, match="is damaged"):
        rk.sweep(functions.draw, ITEMS, checkpoint=tmp_path)
    (tmp_path / "sweep.json").write_text("[]")
    with pytest.raises(WrongValue, match="no record of a sweep"):
        rk.sweep(functions.draw, ITEMS, checkpoint=tmp_path)


def test_a_saved_sweep_has_columns_and_record(tmp_path: Path) -> None:
    found = rk.sweep(functions.fails_at_three, range(5), seed=2)
    found.save(tmp_path / "sweep.npz")
    with np.load(tmp_path / "sweep.npz", allow_pickle=False) as data:
        assert np.array_equal(data["value"], found["value"])
        assert list(data["index"]) == [0, 1, 2, 4]
        record = json.loads(str(data["record"]))
        assert "three" in json.loads(str(data["failures"]))["3"]
    assert record["seed"] == 2
    assert record["function"] == "sweep_functions.fails_at_three"
    assert record["rikigaku"] == rk.__version__


def test_wrong_arguments_are_refused_in_words() -> None:
    with pytest.raises(WrongValue, match="a number of processes"):
        rk.sweep(functions.draw, ITEMS, executor="cluster")
    with pytest.raises(WrongValue, match="item, random"):
        rk.sweep(lambda item: item, ITEMS)
    with pytest.raises(WrongValue, match="the same names and shapes"):
        rk.sweep(functions.uneven, [1, 2])
    assert "returns numbers or arrays" in rk.sweep(functions.text, [0]).failures[0]
    with pytest.raises(WrongValue, match="seed"):
        rk.sweep(functions.draw, ITEMS, seed=-1)


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rikigaku.core.progress._EVERY", 0.0)
    lines: list[str] = []
    rk.sweep(functions.fails_at_three, range(5), progress=lines.append)
    assert lines[-1].startswith("5 of 5 items, 1 failed")
