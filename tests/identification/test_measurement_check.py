"""Bad data are named before anything is fitted: each with its channel and what to do."""

import gzip

import numpy as np
import pandas as pd
import pytest
from simulated_experiments import coloured, motion, robot, torques

import rikigaku as rk
from rikigaku.core.errors import BadMeasurements


def recording():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv, 10.0, 200.0)
    q[:, 1] += 1.0  # within the limits of the joint
    rng = np.random.default_rng(0)
    return {"t": t, "q": q, "tau": torques(arm, q, v, a) + coloured(rng, q.shape, 0.05), "v": v}


def problems(data, **options):
    with pytest.raises(BadMeasurements) as caught:
        rk.identify(robot("puma560"), data, consistent=False, **options)
    assert caught.value.problems
    return str(caught.value)


def test_good_data_are_accepted():
    rk.identify(robot("puma560"), recording(), consistent=False)


def test_a_constant_channel_is_named():
    data = recording()
    data["tau"][:, 2] = 1.5
    assert "tau of 'q3' is constant (1.5): check the sensor" in problems(data)
    data = recording()
    data["q"][:, 4] = 0.5
    assert "q of 'q5' is constant (0.5): lock the joint (robot.lock(q5=...))" in problems(data)


def test_nan_is_named_with_its_row():
    data = recording()
    data["q"][17, 3] = np.nan
    assert "q of 'q4' is NaN or infinite in 1 rows, first in row 17" in problems(data)


def test_times_out_of_order_are_named():
    data = recording()
    data["t"][[40, 41]] = data["t"][[41, 40]]
    assert "times do not increase: t = 0.205 s in row 40, 0.2 s in row 41" in problems(data)


def test_degrees_are_recognised():
    data = recording()
    data["q"] = np.degrees(data["q"])
    assert "it is probably in degrees" in problems(data)
    data = recording()
    data["v"] = np.degrees(data["v"])
    assert "wrong units (degrees against radians)" in problems(data)


def test_wrong_signs_are_recognised():
    for joint in range(6):
        data = recording()
        data["tau"][:, joint] *= -1
        text = problems(data)
        assert f"tau of 'q{joint + 1}' has the wrong sign" in text
    data = recording()
    data["tau"] *= -1
    assert "all torques have the wrong sign" in problems(data)
    data = recording()
    data["v"][:, 1] *= -1
    assert "v of 'q2' has the wrong sign" in problems(data)


@pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 2), (3, 5), (4, 5)])
def test_swapped_joints_are_recognised(i, j):
    data = recording()
    data["tau"][:, [i, j]] = data["tau"][:, [j, i]]
    text = problems(data)
    assert "torques of joints are swapped" in text
    assert f"'q{i + 1}' is that of 'q{j + 1}'" in text
    data = recording()
    data["v"][:, [i, j]] = data["v"][:, [j, i]]
    assert "channels are swapped" in problems(data)


def test_short_recordings_are_refused():
    data = {key: x[:50] for key, x in recording().items()}
    assert "50 samples are too short; 64 are the least" in problems(data)
    data = {key: x[:150] for key, x in recording().items()}
    assert "too short for a filter of 2 Hz" in problems(data, cutoff=2.0)
    data = {key: x[:500] for key, x in recording().items()}
    assert "too short. Record longer" in problems(data, cutoff=4.0)


def test_wrong_shapes_and_options_are_named():
    arm, data = robot("puma560"), recording()
    with pytest.raises(rk.errors.WrongSize, match="has 6 measured positions"):
        rk.identify(arm, {key: x if key == "t" else x[:, :5] for key, x in data.items()})
    with pytest.raises(rk.errors.WrongSize, match="a row for each of 2000 times"):
        rk.Experiment(data["t"], data["q"], data["tau"][:-1])
    with pytest.raises(rk.errors.UnknownName, match="moving link"):
        rk.identify(arm, rk.Experiment(data["t"], data["q"], data["tau"], load="hand"))
    with pytest.raises(rk.errors.WrongValue, match="several coordinates"):
        rk.identify(rk.load("space_planar_2r"), data)
    with pytest.raises(rk.errors.UnknownName, match="joint"):
        rk.identify(arm, data, motors=[rk.Motor("m", {"q9": 1})])
    with pytest.raises(rk.errors.WrongValue, match="moves with no joint"):
        rk.Motor("m", {})
    carried = rk.Experiment(data["t"], data["q"], data["tau"], load="link6")
    with pytest.raises(rk.errors.WrongValue, match="validation"):
        rk.identify(arm, data, carried)


def test_files_hold_the_same_data(tmp_path):
    data = recording()
    np.savez(tmp_path / "run.npz", **data)
    header = ["t", *(f"{x}{k}" for x in ("q", "v", "tau") for k in range(1, 7))]
    table = np.column_stack([data["t"], data["q"], data["v"], data["tau"]])
    lines = [",".join(header), *(",".join(map(repr, map(float, row))) for row in table)]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    (tmp_path / "bare.csv.gz").write_bytes(gzip.compress("\n".join(lines[1:]).encode()))
    columns = {"t": 0, "q": range(1, 7), "v": range(7, 13), "tau": range(13, 19)}
    for found in (
        rk.read_experiment(tmp_path / "run.npz"),
        rk.read_experiment(tmp_path / "run.csv"),
        rk.read_experiment(tmp_path / "bare.csv.gz", columns),
    ):
        assert all(np.array_equal(getattr(found, key), x) for key, x in data.items())
    found = rk.read_experiment(pd.DataFrame(table, columns=header))
    assert all(np.array_equal(getattr(found, key), x) for key, x in data.items())
    with pytest.raises(rk.errors.WrongValue, match="pandas DataFrame"):
        rk.read_experiment(5)
    with pytest.raises(rk.errors.UnknownName, match="column"):
        rk.read_experiment(tmp_path / "run.csv", {"t": "time", "q": ["q1"], "tau": ["tau1"]})
    with pytest.raises(rk.errors.WrongValue, match="has no header"):
        rk.read_experiment(tmp_path / "bare.csv.gz")
    (tmp_path / "bad.csv").write_text("t,q1,tau1\n0,1,2\n1,x,3\n")
    with pytest.raises(BadMeasurements, match="data row 1, column q1: 'x' is no number"):
        rk.read_experiment(tmp_path / "bad.csv")
    with pytest.raises(rk.errors.NoFile):
        rk.read_experiment(tmp_path / "none.csv")
