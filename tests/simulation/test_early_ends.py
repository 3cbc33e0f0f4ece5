"""Motions that end early: the status says why, and all that was reached is finite and kept."""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import TooLarge, WrongValue
from rikigaku.simulation import Guard

METHODS: dict[str, dict[str, Any]] = {
    "dop853": {"method": "dop853"},
    "radau": {"method": "radau"},
    "rk4": {"method": "rk4", "step": 0.1},
    "euler": {"method": "euler", "step": 0.1},
}


@pytest.fixture(scope="module")
def arm() -> rk.Robot:
    robot = rk.load("planar_2r")
    return robot.bind(**robot.declared_values)


def all_finite(solution: rk.Solution) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, about the numbers this looks for
        arrays = (solution.t, solution.q, solution.v, solution.work, solution.dissipated, solution.records)
        return all(np.isfinite(x).all() for x in (*arrays, *solution.forces.values()))


# -- before the first output time ---------------------------------------------------------------------------
def stop_at(time: float) -> Guard:
    return Guard("stop", lambda mechanism, now, flow: now.t - time, rising=True, ends_mode=True)


@pytest.mark.parametrize("output", [[0.5, 1.0], [1.0], [0.05001]])
def test_a_motion_that_a_guard_ends_before_the_first_output_has_its_start_and_end(
    arm: rk.Robot, output: list[float]
) -> None:
    motion = rk.simulate(arm, [0.1, 0.2], duration=1.0, events=[stop_at(0.05)], output=output)
    assert motion.status == "stopped at the event 'stop', t = 0.05 s"
    assert motion.t == pytest.approx([0.0, 0.05], abs=1e-12)
    assert (motion.q[0] == [0.1, 0.2]).all()
    assert (motion.q[1] == motion.at(motion.t[1]).q).all()
    assert all_finite(motion)
    assert [event.name for event in motion.events] == ["stop"]


def test_a_motion_that_ends_between_outputs_has_those_it_reached(arm: rk.Robot) -> None:
    guard = stop_at(-2.75)
    motion = rk.simulate(arm, None, duration=1.0, start=-3.0, events=[guard], output=[-2.9, -2.75, -2.5])
    assert motion.t.tolist() == [-2.9, -2.75]


def test_a_limit_of_steps_before_the_first_output_loses_nothing(arm: rk.Robot, tmp_path: Path) -> None:
    motion = rk.simulate(arm, [0.1, 0.2], duration=1.0, most_steps=2, output=[0.9, 1.0])
    assert motion.status.startswith("the limit of 2 steps")
    assert motion.t[0] == 0.0
    assert 0 < motion.t[1] < 0.9
    motion.save(tmp_path / "x.npz")
    assert (rk.load_solution(tmp_path / "x.npz", arm).q == motion.q).all()


def test_a_contact_that_ends_the_motion_before_the_first_output_loses_nothing() -> None:
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), rk.Inertia("com", 1.0)),))
    motion = rk.simulate(
        box, [0.1], duration=1.0, contacts=rk.joint_stops(box), most_changes=1, output=[0.5, 1.0]
    )
    assert "limit of 1 changes" in motion.status
    assert motion.t == pytest.approx([0.0, np.sqrt(0.2 / 9.81)], abs=1e-9)


# -- numbers that are not finite ----------------------------------------------------------------------------
def from_half(value: float) -> Callable[..., list[float]]:
    return lambda t, q, v: [value if t >= 0.5 else 1.0, 0.0]


TORQUES: dict[str, tuple[Any, float]] = {  # and the last time at which the rates are finite
    "a pole": (["0", "1/(t-0.5)"], 0.5),
    "a root": (["sqrt(0.5-t)", "0"], 0.5),
    "not a number": (from_half(np.nan), 0.5),
    "infinite": (from_half(np.inf), 0.5),
    "a sample": (rk.Sampled(from_half(np.nan), 0.25), 0.5),
    "at the very end": (lambda t, q, v: [np.nan if t >= 1.0 else 1.0, 0.0], 1.0),
    "growing without bound": (lambda t, q, v: v * abs(v) * 1e3 + 1.0, 1.0),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("torque", TORQUES)
def test_forces_that_are_not_finite_end_the_motion_at_the_last_good_time(
    arm: rk.Robot, torque: str, method: str, tmp_path: Path
) -> None:
    forces, last = TORQUES[torque]
    motion = rk.simulate(arm, [0.1, 0.2], None, forces, duration=1.0, **METHODS[method])
    assert motion.status.startswith("the motion cannot go on at t = 0.") or "t = 1 s" in motion.status
    assert motion.t[-1] <= last
    if torque != "growing without bound":
        assert motion.t[-1] >= last - 0.1001  # a fixed step before it
    assert all_finite(motion)
    assert all(np.isfinite(x).all() for x in motion.at(np.linspace(0.0, motion.t[-1], 7)))
    motion.save(tmp_path / "x.npz")
    assert all_finite(rk.load_solution(tmp_path / "x.npz", arm))


@pytest.mark.parametrize("method", METHODS)
def test_a_pole_one_step_away_leaves_the_start(arm: rk.Robot, method: str) -> None:
    motion = rk.simulate(arm, [0.1, 0.2], None, ["0", "1/(t-0.1)"], duration=0.1, **METHODS[method])
    assert not motion.done
    assert all_finite(motion)
    assert (motion.q[0] == [0.1, 0.2]).all()
    if method in ("rk4", "euler"):
        assert motion.t.tolist() == [0.0]
        assert motion.tau.tolist() == [[0.0, -10.0]]
        expected = arm.forward_dynamics(motion.q, motion.v, motion.tau)
        assert np.abs(motion.a - expected).max() < 1e-9 * np.abs(expected).max()
        assert motion.statistics["steps"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_forces_that_are_never_finite_leave_the_start(arm: rk.Robot, method: str, tmp_path: Path) -> None:
    motion = rk.simulate(
        arm, [0.1, 0.2], None, lambda t, q, v: [np.nan, 0.0], duration=1.0, output=[0.5], **METHODS[method]
    )
    assert motion.status.startswith("the motion cannot go on at t = 0 s")
    assert (motion.t.tolist(), motion.q.tolist()) == ([0.0], [[0.1, 0.2]])
    motion.animate(tmp_path / "x.gif")  # one picture
    assert (tmp_path / "x.gif").stat().st_size > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["four_bar", "space_planar_2r"])
def test_constrained_robots_end_at_the_last_good_time(name: str, method: str) -> None:
    robot = rk.load(name)
    robot = robot.bind(**robot.declared_values)
    q = robot.assemble([0.3]) if robot.loops else None
    count = 1 if robot.loops else robot.nv
    for worst in (np.nan, 1e300):
        motion = rk.simulate(
            robot, q, None, lambda t, q, v, x=worst: [x if t >= 0.25 else 0.0] * count, duration=0.5,
            **METHODS[method],
        )  # fmt: skip
        assert not motion.done
        assert motion.t[-1] <= (0.2501 if np.isnan(worst) else 0.3001)  # Euler's next step ends there
        assert all_finite(motion)


@pytest.mark.parametrize("tolerances", [{"rtol": 1e10}, {"rtol": 1.0}, {"atol": 1e300}])
def test_tolerances_that_see_no_error_are_refused(arm: rk.Robot, tolerances: dict[str, float]) -> None:
    with pytest.raises(WrongValue, match="rtol is at least 1e-14 and below 1, atol from 0 to 1000"):
        rk.simulate(arm, [0.1, 0.2], duration=1.0, **tolerances)


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_the_loosest_tolerances_give_no_numbers_that_are_not_finite(arm: rk.Robot, method: str) -> None:
    motion = rk.simulate(
        arm, [0.1, 0.2], [1e3, 1e3], duration=100.0, rtol=0.99, atol=1e3, method=method, most_steps=10_000
    )
    assert all_finite(motion)


def test_time_stepping_names_forces_that_are_not_finite() -> None:
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), rk.Inertia("com", 1.0)),))
    with pytest.raises(WrongValue, match=r"The torque is not finite at t = 0\.1"):
        rk.simulate(
            box, [0.1], None, lambda t, q, v: [np.nan if t > 0.1 else 0.0],
            duration=0.3, step=0.01, contacts=rk.joint_stops(box), method="time_stepping",
        )  # fmt: skip


# -- the size of the output ---------------------------------------------------------------------------------
@pytest.mark.parametrize("output", [1e-9, 1e-300])
def test_an_output_beyond_memory_is_refused_before_it_is_allocated(arm: rk.Robot, output: float) -> None:
    with pytest.raises(TooLarge, match=r"times of 7 numbers, .* GB; at most 2 GB.*spacing of 2\.8e-08 s or"):
        rk.simulate(arm, [0.1, 0.2], duration=1.0, output=output)


DENSE = """
import resource, rikigaku as rk
robot = rk.load("planar_2r")
robot = robot.bind(**robot.declared_values)
rk.simulate(robot, [0.1, 0.2], duration=0.01)
resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, 3 * 10**9))
print(len(rk.simulate(robot, [0.1, 0.2], duration=1.0, output=2e-7).t))
"""


def test_an_output_within_the_limit_takes_memory_of_its_own_size() -> None:
    """Five million times of 7 numbers are 280 MB; all steps they belong to would be 2 GB."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run([sys.executable, "-c", DENSE], env=environment, capture_output=True, text=True)
    assert child.stdout == "5000001\n", child.stderr


# -- motions that are not worth following ------------------------------------------------------------------
def test_a_motion_that_diverges_ends_long_before_its_limit_of_steps(arm: rk.Robot) -> None:
    """Torques that grow with the velocities: it took a million steps, and memory for all of them."""
    motion = rk.simulate(
        arm, [0.1, 0.2], torque=lambda t, q, v: 30 * v, duration=50.0, most_steps=100_000, contacts=[]
    )
    assert motion.status.startswith("more than 100000 steps for a simulated second")
    assert "diverges" in motion.status
    assert motion.statistics["steps"] < 12_000
    assert all_finite(motion)


def test_recorded_steps_have_a_limit_of_memory(arm: rk.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rikigaku.simulation.step_limits.LARGEST_RECORD", 20_000)
    motion = rk.simulate(arm, [0.1, 0.2], [9.0, 1.0], duration=50.0)
    assert motion.status.startswith("the recorded steps take")
    assert 0 < motion.t[-1] < 50
    assert all_finite(motion)


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
@pytest.mark.parametrize("bilateral", [True, False])
@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("step", [0.001, 0.01, 0.03, 0.1])
def test_coarse_steps_on_a_floor_end_with_a_status(method: str, step: float, bilateral: bool) -> None:
    """Damping of 212 /s makes steps above 0.01 s unstable: velocities overflow, and nothing is raised."""
    links = rk.load("planar_3r")
    motion = rk.simulate(
        links,
        [-np.pi / 6, -np.pi / 3, -np.pi / 3],
        torque=["3*sin(2*pi*t)"] * 3,
        duration=2.0,
        contacts=[rk.Contact("hand", rk.Plane(), friction=0.2, bilateral=bilateral)],
        method=method,
        step=step,
    )
    assert motion.done or "diverges" in motion.status or "cannot go on" in motion.status
    assert motion.done or step > 0.01
    assert np.isfinite(motion.q).all()
