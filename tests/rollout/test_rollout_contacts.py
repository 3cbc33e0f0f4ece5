"""Rollouts with contacts and loops: those of `simulate(method="time_stepping")`, in many worlds."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue


def _ball() -> rk.Robot:
    inertia = rk.Inertia("com", 2.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    return rk.Robot("ball", (rk.Link("ball", "base", rk.Joint("fly", "free"), rk.Placement(), inertia),))


def test_worlds_with_contacts_equal_simulate() -> None:
    robot, rng = _ball(), np.random.default_rng(1)
    floor = [rk.Contact("ball", rk.Plane(), 0.5)]
    q = np.tile(robot.neutral(), (5, 1))
    q[:, 2] = rng.uniform(0.005, 0.02, 5)
    v = np.zeros((5, 6))
    v[:, :3] = rng.normal(size=(5, 3)) * [0.1, 0.1, 0]
    found = robot.rollout(q, v, steps=100, dt=1e-3, contacts=floor, every=10)
    assert found.q.shape == (10, 5, 7)
    for k in range(5):
        one = rk.simulate(
            robot, q[k], v[k], duration=0.1, contacts=floor, method="time_stepping", step=1e-3, output=0.01
        )
        np.testing.assert_allclose(found.q[-1, k], one.q[-1], atol=1e-6)  # `simulate` projects its records
    assert found.q[-1, :, 2].max() < 2e-3  # on the floor, from 5 to 20 mm
    assert found.q[-1, :, 2].min() > -1e-4
    two = robot.rollout(q, v, steps=100, dt=1e-3, contacts=floor, every=0, threads=2)
    assert np.array_equal(two.q, found.q[-1])
    assert found.status == "done"


def test_a_free_fall_by_time_steps_is_a_parabola() -> None:
    found = _ball().rollout(None, steps=20, dt=1e-3, method="time_stepping")
    np.testing.assert_allclose(found.q[:, 0, 2], -0.5 * 9.81 * found.t**2, rtol=1e-9)


def test_torques_reach_worlds_with_contacts() -> None:
    robot = _ball()
    tau = np.zeros((50, 3, 6))
    tau[:, 1, 0] = 4.0  # 2 m/s^2
    found = robot.rollout(None, None, tau, steps=50, dt=1e-3, contacts=[rk.Contact("ball", rk.Plane())])
    np.testing.assert_allclose(found.v[-1, :, 0], [0, 0.1, 0], atol=1e-9)


def test_closed_loops_are_kept_by_time_steps() -> None:
    robot = rk.load("five_bar")
    q = robot.assemble([0.9, 2.2])
    start = q[0] if np.ndim(q) == 2 else q
    found = robot.rollout(np.tile(start, (3, 1)), steps=100, dt=1e-3, method="time_stepping", every=0)
    assert np.abs(robot.loop_residual(found.q)).max() < 1e-5
    assert np.abs(found.q - start).max() > 1e-3


def test_what_contacts_do_not_take_is_refused() -> None:
    robot = _ball()
    floor = [rk.Contact("ball", rk.Plane())]
    with pytest.raises(WrongValue, match='Contacts take method="time_stepping"'):
        robot.rollout(None, steps=1, dt=1e-3, contacts=floor, method="rk4")
    arm = rk.load("planar_2r")  # its lengths and masses are symbols
    with pytest.raises(WrongValue, match="take no parameters"):
        arm.rollout(None, steps=1, dt=1e-3, method="time_stepping", parameters={"m1": [1.0, 2.0]})
