"""Sweeps: the same bits for any executor, failures, retries, checkpoints."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as parquet
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


_FIRST_ON_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, sys.argv[1])
sys.setswitchinterval(1e-5)
import rikigaku as rk, sweep_functions as functions
with ThreadPoolExecutor(4) as pool:
    print(len(rk.sweep(functions.swing, range(8), executor=pool).index))
"""


def test_the_first_rollouts_of_a_process_may_be_on_threads_of_the_user() -> None:
    arguments = [sys.executable, "-c", _FIRST_ON_THREADS, str(Path(__file__).parent)]
    there = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (there.returncode, there.stdout) == (0, "8\n"), there.stderr


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


def test_an_item_that_ends_its_worker_fails_alone() -> None:
    found = rk.sweep(functions.dies_at_zero, range(12), executor=2)
    assert list(found.failures) == [0]
    assert found.failures[0] == "The worker process ended while it ran item 0."
    assert list(found["value"]) == list(range(1, 12))


def test_results_in_memory_that_the_function_reuses_are_copied() -> None:
    buffer = np.zeros(2)

    def fill(item: float, random: np.random.Generator) -> np.ndarray:
        buffer[:] = item
        return buffer

    assert np.array_equal(rk.sweep(fill, [1.0, 2.0])["value"], [[1.0, 1.0], [2.0, 2.0]])


def test_a_result_of_another_shape_or_kind_is_a_failure_of_its_item() -> None:
    found = rk.sweep(functions.uneven, [2, 2, 3, 2])
    assert list(found.index) == [0, 1, 3]
    assert "the same names, shapes and kinds" in found.failures[2]
    mixed = rk.sweep(lambda item, random: item, [1.0, "one", 2])
    assert list(mixed.index) == [0, 2]
    assert list(mixed.failures) == [1]


@dataclass(frozen=True)
class _Design:
    length: float


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_Design(1.0), _Design(2.0)),
        (Path("a"), Path("b")),
        (range(3), range(4)),
        ({"a", "b"}, {"a", "c"}),
        (np.array([1, None]), np.array([2, None])),
    ],
)
def test_a_checkpoint_with_other_items_is_refused(before: object, after: object, tmp_path: Path) -> None:
    def one(item: object, random: np.random.Generator) -> float:
        return 1.0

    rk.sweep(one, [before], checkpoint=tmp_path)
    rk.sweep(one, [before], checkpoint=tmp_path)
    with pytest.raises(WrongValue, match="its digest"):
        rk.sweep(one, [after], checkpoint=tmp_path)


def test_a_checkpoint_of_another_function_is_refused(tmp_path: Path) -> None:
    def scaled(factor: float) -> Callable[[float, np.random.Generator], float]:
        return lambda item, random: factor * item

    rk.sweep(scaled(2.0), ITEMS, checkpoint=tmp_path / "closure")
    with pytest.raises(WrongValue, match="its digest"):
        rk.sweep(scaled(3.0), ITEMS, checkpoint=tmp_path / "closure")
    rk.sweep(lambda item, random: 2.0 * item, ITEMS, checkpoint=tmp_path / "code")
    with pytest.raises(WrongValue, match="its digest"):
        rk.sweep(lambda item, random: 3.0 * item, ITEMS, checkpoint=tmp_path / "code")
    with pytest.raises(WrongValue, match="that of a object is not known"):
        rk.sweep(functions.text, [object()], checkpoint=tmp_path / "object")


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
    written = np.concatenate([np.load(part)["index"] for part in folder.glob("part-*.npz")])
    assert sorted(written) == list(range(20))  # no item twice
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


def _table(item: int, random: np.random.Generator) -> dict[str, object]:
    if item == 1:
        raise ValueError("one is not possible")
    return {"item": item, "M": random.normal(size=(2, 3))}


def test_a_sweep_is_saved_as_a_table(tmp_path: Path) -> None:
    found = rk.sweep(_table, range(3))
    found.save(tmp_path / "sweep.parquet")
    table = parquet.read_table(tmp_path / "sweep.parquet")
    assert table.column("index").to_pylist() == [0, 2]
    for name, x in found.columns.items():
        assert np.array_equal(np.array(table.column(name).to_pylist()), x)
    about = json.loads(table.schema.metadata[b"rikigaku"])
    assert about == {"record": found.record, "failures": {"1": found.failures[1]}}
    assert "one is not possible" in about["failures"]["1"]
    with pytest.raises(WrongValue, match="Parquet has no complex numbers; column 'value'"):
        rk.sweep(lambda item, random: 1j * item, range(2)).save(tmp_path / "complex.parquet")


def test_wrong_arguments_are_refused_in_words() -> None:
    with pytest.raises(WrongValue, match="a number of processes"):
        rk.sweep(functions.draw, ITEMS, executor="cluster")
    with pytest.raises(WrongValue, match="item, random"):
        rk.sweep(lambda item: item, ITEMS)
    assert "returns numbers or arrays" in rk.sweep(functions.text, [0]).failures[0]
    with pytest.raises(WrongValue, match="seed"):
        rk.sweep(functions.draw, ITEMS, seed=-1)
    with pytest.raises(
        WrongValue, match=r"Other processes cannot import .*lambda.*Define the function in a module"
    ):
        rk.sweep(lambda item, random: item, ITEMS, executor=2)
    with pytest.raises(WrongValue, match=r"'.csv'. Known: .npz, .parquet"):
        rk.sweep(functions.draw, [1]).save("sweep.csv")


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rikigaku.core.progress._EVERY", 0.0)
    lines: list[str] = []
    rk.sweep(functions.fails_at_three, range(5), progress=lines.append)
    assert lines[-1].startswith("5 of 5 items, 1 failed")


def _slow_first(item: int, random: np.random.Generator) -> np.ndarray:
    time.sleep(0.2 * (item == 0))
    return np.zeros(2 if item == 0 else 3)


def test_which_items_fail_by_their_shape_does_not_depend_on_the_workers(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            found = rk.sweep(
                _slow_first, range(5), executor=executor, checkpoint=tmp_path / str(executor is None)
            )
            assert sorted(found.failures) == [1, 2, 3, 4]
            assert list(found.index) == [0]
    again = rk.sweep(_slow_first, range(5), checkpoint=tmp_path / "False")
    assert sorted(again.failures) == [1, 2, 3, 4]


FACTOR = 1.0


def _times_factor(item: float, random: np.random.Generator) -> float:
    return _scaled(item)


def _scaled(item: float) -> float:
    return FACTOR * item


def test_a_checkpoint_compares_the_values_of_the_module_that_a_function_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rk.sweep(_times_factor, [1.0, 2.0], checkpoint=tmp_path)
    assert list(rk.sweep(_times_factor, [1.0, 2.0], checkpoint=tmp_path)["value"]) == [1.0, 2.0]
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 5.0)
    with pytest.raises(WrongValue, match="another sweep"):
        rk.sweep(_times_factor, [1.0, 2.0], checkpoint=tmp_path)


class _Gains:
    def __init__(self, gain: float) -> None:
        self.gain, self.itself = gain, self

    @cached_property
    def slow(self) -> float:
        return 2 * self.gain


ARM = rk.load("planar_2r").bind(m1=1, m2=1)
VALUES: dict[str, Any] = {}


def _reads(item: float, random: np.random.Generator) -> float:
    return item + len(VALUES)


@pytest.mark.parametrize(
    "made", [_Gains, lambda x: SimpleNamespace(gain=x), lambda x: rk.PD(ARM, [0.0, 0.0], x, 1.0)]
)
def test_a_checkpoint_compares_the_attributes_of_objects(made: Any, tmp_path: Path) -> None:
    """Also of our controllers; an attribute that is cached later changes nothing."""
    VALUES["x"] = made(1.0)
    rk.sweep(_reads, [1.0], checkpoint=tmp_path)
    getattr(VALUES["x"], "slow", None)
    rk.sweep(_reads, [1.0], checkpoint=tmp_path)
    VALUES["x"] = made(1.0)
    rk.sweep(_reads, [1.0], checkpoint=tmp_path)
    VALUES["x"] = made(100.0)
    with pytest.raises(WrongValue, match="another sweep"):
        rk.sweep(_reads, [1.0], checkpoint=tmp_path)


def test_a_function_that_encloses_itself_is_swept(tmp_path: Path) -> None:
    def faculty(n: int) -> int:
        return n * faculty(n - 1) if n > 1 else 1

    def function(item: int, random: np.random.Generator) -> int:
        return faculty(item)

    for _ in range(2):
        assert list(rk.sweep(function, [3, 4], checkpoint=tmp_path)["value"]) == [6, 24]
