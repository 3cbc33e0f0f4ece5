"""Solutions returned by other processes (joblib, Dask), and short texts of solutions and events."""

import multiprocessing
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.space.floating_motion import floating_motion


def moved(kind: str):
    """A solution of each kind, as a worker process returns it."""
    warnings.simplefilter("ignore")
    if kind == "closed":
        five = rk.load("five_bar")
        return rk.simulate(five, five.assemble([0.3, 1.2]), torque=[0.1, 0.0], duration=0.1)
    if kind == "space":
        robot = rk.load("space_planar_2r")
        return floating_motion(robot, robot.neutral(), 0.1 * np.ones(robot.nv), 0.1)
    arm, q = rk.load("planar_3r"), -np.pi / 6 * np.array([1, 2, 2])
    floor = rk.Contact("hand", rk.Plane(), 0.2, bilateral=True)
    if kind == "stepped":
        return rk.simulate(arm, q, duration=0.1, contacts=[floor], method="time_stepping", step=0.01)
    pushed = {"wrenches": {"hand": ["0", "t", "0", "0", "0", "0"]}, "torque_limits": 5.0}
    return rk.simulate(arm, q, torque=rk.PD(arm, q, 20.0, 2.0), duration=0.1, contacts=[floor], **pushed)


@pytest.fixture(scope="module")
def worker():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("kind", ["contact", "closed", "stepped", "space"])
def test_another_process_returns_a_solution(kind, worker) -> None:
    there, here = worker.submit(moved, kind).result(), moved(kind)
    for name in ("t", "q", "v"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert there.robot == here.robot
    if kind in ("contact", "closed", "stepped"):
        assert there.forces.keys() == here.forces.keys()
        for name, x in here.forces.items():
            np.testing.assert_array_equal(there.forces[name], x)
        assert there.energy_audit() == here.energy_audit()
        np.testing.assert_array_equal(there.residual, here.residual)
        np.testing.assert_allclose(there.at(0.05).q, here.at(0.05).q, atol=1e-9)
        assert len(pickle.dumps(there)) < 2_000_000


def test_a_solution_prints_on_one_line() -> None:
    arm = rk.load("planar_3r")
    run = rk.simulate(arm, [0.3, 0.2, 0.1], duration=1.0, events={"a quarter": lambda t, q, v: t - 0.25})
    steps = run.statistics["steps"]
    assert repr(run) == f"<Solution of robot 'planar_3r': 0 to 1 s, {steps} steps, 1 event, status: done>"
    short = rk.simulate(arm, [0.3, 0.2, 0.1], duration=1.0, most_steps=3)
    assert "3 steps, 0 events, status: the limit of 3 steps was reached at t = " in repr(short)
    assert len(repr(moved("space"))) < 200
    assert repr(run.events[0]) == "<Event t = 0.25 s: a quarter>"


def test_an_event_names_what_changed_and_not_all_contacts() -> None:
    joint = rk.Joint("fly", "free")
    inertia = rk.Inertia("com", 3, (0, 0, 0), (0.02, 0, 0, 0.03, 0, 0.04))
    frames = tuple(
        rk.Frame(f"c{i}", "box", rk.Placement((0.1 * i, 0.05 * (-1) ** i, -0.1))) for i in range(4)
    )
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), inertia),), frames)
    contacts = [rk.Contact(f"c{i}", rk.Plane(), 0.3) for i in range(4)]
    run = rk.simulate(box, [0, 0, 0.25, np.cos(0.1), 0, np.sin(0.1), 0], duration=0.2, contacts=contacts)
    first = run.events[0]
    assert first.mode == "c0 free, c1 free, c2 free, c3 free"
    assert repr(first) == f"<Event t = {first.t:.9g} s: c3 lands (before: c3 free)>"
