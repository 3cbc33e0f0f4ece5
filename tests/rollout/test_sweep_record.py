"""The record of a sweep, from which it can be repeated."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sweep_functions as functions

import rikigaku as rk
from rikigaku.core.errors import WrongValue


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


def test_the_record_repeats_a_sweep_of_a_robot(tmp_path: Path) -> None:
    """Robot, items and seed are in the file; another robot is another sweep."""
    arm = rk.load("planar_2r").bind(m1=1.5, m2=2)
    items = [1.0, 2.5, 0.1]
    found = rk.sweep(partial(functions.weight, arm), items, seed=7, checkpoint=tmp_path / "c")
    found.save(tmp_path / "sweep.npz")
    with np.load(tmp_path / "sweep.npz", allow_pickle=False) as data:
        record = json.loads(str(data["record"]))
    given = record["arguments"]
    (tmp_path / "robot.toml").write_text(record["robots"][given["function"][0][0]["robot"]])
    robot = rk.load(tmp_path / "robot.toml")
    repeated = partial(functions.weight, robot)
    again = rk.sweep(repeated, given["items"], seed=record["seed"], checkpoint=tmp_path / "again")
    assert np.array_equal(again["value"], found["value"])
    assert again.record == found.record
    heavier = rk.load("planar_2r").bind(m1=1.5, m2=3)
    with pytest.raises(WrongValue, match="its digest"):
        rk.sweep(partial(functions.weight, heavier), items, seed=7, checkpoint=tmp_path / "c")
    assert rk.sweep(lambda item, random: 1.0, [object()]).record["arguments"] is None


def test_robots_that_the_function_reads_are_in_the_record() -> None:
    arm = rk.load("planar_2r")
    found = rk.sweep(lambda q, random: float(arm.bind(m1=1, m2=1).gravity_forces([q, 0.0])[0]), [0.1, 0.2])
    assert list(found.record["robots"]) == [arm.digest]
    assert not rk.sweep(lambda q, random: 2 * q, [0.1]).record["robots"]
