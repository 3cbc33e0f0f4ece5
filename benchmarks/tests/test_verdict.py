"""The rule of the target, and the C loop."""

import time

import numpy as np
import pytest

from benchmarks.batch import verdict
from benchmarks.errors import CompilationFailed, RobotNotFound
from benchmarks.harness import Timing, interleaved
from benchmarks.options import options_from
from benchmarks.peers.build import shared_library
from benchmarks.peers.compiled_c import compiled_loop
from benchmarks.robots import subject


def met(robot: str, ours: float, pinocchio: float, mujoco: float | None = None, fill: float = 0) -> bool:
    given = {"ours": ours, "Pinocchio C++": pinocchio, "MuJoCo C": mujoco, "fill": fill}
    times = {name: Timing(t, t) for name, t in given.items() if t is not None}
    return bool(verdict(subject(robot), times)["met"])


def test_an_arm_must_be_fifteen_times_faster_than_pinocchio() -> None:
    assert met("ur5", 1, 15, mujoco=2)
    assert not met("ur5", 1, 14.9, mujoco=100)


def test_a_humanoid_must_be_ten_times_faster_than_pinocchio_and_eight_than_mujoco() -> None:
    assert met("talos", 1, 10, mujoco=8)
    assert not met("talos", 1, 9.9, mujoco=8)
    assert not met("talos", 1, 10, mujoco=7.9)
    assert met("talos", 1, 10)


def test_nobody_is_asked_to_be_faster_than_half_the_speed_of_filling_the_answer() -> None:
    assert met("ur5", 2, 3, fill=1)
    assert not met("ur5", 2.1, 3, fill=1)


def test_without_pinocchios_cpp_no_target_is_judged() -> None:
    times = {name: Timing(1, 1) for name in ("ours", "Pinocchio Python", "fill")}
    assert verdict(subject("ur5"), times)["met"] is None


def test_c_for_one_state_runs_over_all_rows() -> None:
    body = "out[0] = x[0] * y[0] + x[1] * y[1]; out[1] = y[2];"
    source = f"void dot(const double* x, const double* y, double* out) {{ {body} }}"
    x, y = np.random.default_rng(0).normal(size=(7, 2)), np.random.default_rng(1).normal(size=(7, 3))
    out = np.empty((7, 2))
    compiled_loop(source, "dot", [2, 3], 2)([x, y], out)
    np.testing.assert_allclose(out, np.column_stack([(x * y[:, :2]).sum(1), y[:, 2]]), rtol=1e-15, atol=1e-15)


def test_a_refused_source_says_what_the_compiler_said() -> None:
    with pytest.raises(CompilationFailed, match=r"gcc refused broken: .*error"):
        shared_library("broken", "void f( {", ".c", ["gcc"])


def test_a_missing_compiler_is_named() -> None:
    with pytest.raises(CompilationFailed, match="no 'no-such-compiler' on this machine"):
        shared_library("broken", "", ".c", ["no-such-compiler"])


def test_an_unknown_robot_is_answered_with_the_known_ones() -> None:
    with pytest.raises(RobotNotFound, match=r"No robot 'puma' to measure\. Known: ur5, panda, talos"):
        subject("puma")


def test_an_unknown_law_is_refused_before_anything_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options_from(["--laws", "mass_matrx"], ["batch"])
    assert "--laws has no mass_matrx. Known: inverse_dynamics" in capsys.readouterr().err


def test_time_in_which_the_process_did_not_run_is_not_counted() -> None:
    timing = interleaved({"asleep": lambda: time.sleep(0.05)}, 1, 3)["asleep"]
    assert timing.median < 0.02e9  # the wall clock would say 0.05 s
