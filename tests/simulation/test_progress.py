"""Progress of a simulation: a line every two seconds with the simulated time."""

import re
import time

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core import progress


@pytest.fixture(autouse=True)
def _quick(monkeypatch) -> None:
    monkeypatch.setattr(progress, "_EVERY", 0.0)


def simulated(lines: list[str]) -> list[float]:
    """The simulated times of the lines."""
    return [float(re.match(r"simulated t = (\S+) s of 2 s", line)[1]) for line in lines]


def test_lines_say_how_far_the_simulated_time_is(pendulum) -> None:
    lines: list[str] = []
    rk.simulate(pendulum, [0.3], duration=2.0, method="rk4", step=1e-4, progress=lines.append)
    times = simulated(lines)
    assert times == sorted(times)
    assert times[0] == pytest.approx(2047e-4, abs=2e-4)  # every 2048 steps
    assert times[-1] == 2.0
    assert re.search(r"2 s of 2 s, 20000 steps, after \d+ s$", lines[-1])


def test_lines_come_within_steps_of_a_slow_function_and_count_changes_of_mode(pendulum) -> None:
    lines: list[str] = []
    friction = rk.JointFriction(pendulum.joints[0].name, 0.1)

    def torque(t, q, v):
        time.sleep(1e-6)
        return -0.1 * v

    rk.simulate(
        pendulum, [0.3], None, torque, duration=2.0, contacts=[friction], rtol=1e-6, progress=lines.append
    )
    assert len(lines) > 100
    times = simulated(lines)
    assert 0 < times[len(times) // 2] < 2
    assert any("changes of mode" in line for line in lines)


def test_true_prints_on_stderr_and_nothing_is_printed_without(pendulum, capsys) -> None:
    rk.simulate(pendulum, [0.3], duration=2.0, progress=True)
    assert capsys.readouterr().err.startswith("rikigaku: simulated t = ")
    for silent in (None, False):
        rk.simulate(pendulum, [0.3], duration=2.0, progress=silent)
    assert capsys.readouterr().err == ""


def test_progress_that_is_no_function_is_refused(pendulum) -> None:
    with pytest.raises(rk.RikigakuError, match="progress"):
        rk.simulate(pendulum, [0.3], duration=2.0, progress="yes")
    with pytest.raises(rk.RikigakuError, match="progress is a function of text"):
        rk.simulate(pendulum, [0.3], duration=2.0, progress=lambda: None)


def test_an_error_in_a_users_progress_function_comes_out(pendulum) -> None:
    def stop(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rk.simulate(pendulum, [0.3], None, lambda t, q, v: np.zeros(1), duration=2.0, progress=stop)
