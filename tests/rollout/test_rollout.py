"""Rollouts against MuJoCo's steps, the adaptive integrator, single laws and physics."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mujoco_steps import mujoco_states
from random_robots import random_robot, random_state

import rikigaku as rk
from rikigaku.core.errors import BadFormula, UnknownName, WrongValue

METHODS = ("euler", "implicit", "rk4")


def _damped_panda() -> rk.Robot:
    robot = rk.load("panda")
    links = [
        replace(link, joint=replace(link.joint, viscous=rk.Formula.of(f"{k + 1}/100")))
        if link.joint.nv
        else link
        for k, link in enumerate(robot.links)
    ]
    return replace(robot, links=tuple(links))


@pytest.mark.parametrize("method", METHODS)
def test_steps_of_a_panda_equal_those_of_mujoco(method: str) -> None:
    robot, rng = _damped_panda(), np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, (2, 11, robot.nv))
    found = robot.rollout(q, v, steps=40, dt=2e-3, method=method)
    q_there, v_there = mujoco_states(robot, q, v, 40, 2e-3, method)
    # rounding of MuJoCo's mass matrix, amplified through 40 steps
    np.testing.assert_allclose(found.q, q_there, atol=1e-9)
    np.testing.assert_allclose(found.v, v_there, atol=1e-7)
    assert found.status == "done"


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("implicit", 1), ("rk4", 4)])
def test_the_error_falls_with_the_order_of_the_method(method: str, order: int) -> None:
    """A random tree on a free base with spherical joints, against the adaptive integrator."""
    rng = np.random.default_rng(5)
    robot = random_robot(5, 4, ("free", "spherical", "revolute", "prismatic"))
    q, v, _ = random_state(robot, rng)
    v = 0.3 * v
    exact = rk.simulate(robot, q, v, duration=0.2)
    errors = []
    for steps in (40, 80):
        found = robot.rollout(q, v, steps=steps, dt=0.2 / steps, method=method, every=0)
        errors.append(
            max(
                np.abs(robot.difference(exact.q[-1], found.q[0])).max(),
                np.abs(exact.v[-1] - found.v[0]).max(),
            )
        )
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def test_one_euler_step_is_forward_dynamics_then_integrate() -> None:
    rng = np.random.default_rng(2)
    robot = random_robot(2, 5, ("free", "revolute", "spherical", "helical"))
    q, v, tau = random_state(robot, rng, 9)
    found = robot.rollout(q, v, tau[None], steps=1, dt=0.01)
    after = v + 0.01 * robot.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found.v[0], after, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(found.q[0], robot.integrate(q, 0.01 * after), rtol=1e-12, atol=1e-11)


def test_euler_keeps_the_energy_of_a_pendulum_bounded_and_rk4_keeps_it() -> None:
    """The semi-implicit method is symplectic: its energy error does not grow over 60 s."""
    inertia = rk.Inertia("com", 1.0, (0, -0.5, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    arm = rk.Link("arm", "base", rk.Joint("pivot", "revolute"), rk.Placement(), inertia)
    robot = rk.Robot("pendulum", (arm,)).with_gravity((0, -9.81, 0))
    spread = {}
    for method in ("euler", "rk4"):
        found = robot.rollout([2.0], [0.0], steps=60_000, dt=1e-3, method=method, every=20)
        energy = robot.kinetic_energy(found.q, found.v) + robot.potential_energy(found.q)
        halves = np.array_split(energy[:, 0] - energy[0, 0], 2)
        spread[method] = [float(np.abs(x).max()) for x in halves]
    assert spread["euler"][1] < 1.01 * spread["euler"][0] < 0.02
    assert max(spread["rk4"]) < 1e-8


def test_quaternions_stay_normalised() -> None:
    rng = np.random.default_rng(3)
    robot = random_robot(3, 3, ("free", "spherical"))
    q, v, _ = random_state(robot, rng, 5)
    for method in METHODS:
        found = robot.rollout(q, v, steps=10, dt=0.05, method=method)
        assert found.finite.all()
        for joint in robot.joints:
            if joint.nq != joint.nv:
                x = found.q[..., robot.q_slices[joint.name]][..., -4:]
                np.testing.assert_allclose(np.linalg.norm(x, axis=-1), 1.0, atol=1e-14)


def _swinging() -> rk.Robot:
    """Two links whose masses and length are symbols."""
    first = rk.Inertia("com", "m1", ("l", 0, 0), ("m1/10", 0, 0, "m1/10", 0, "m1/10"))
    second = rk.Inertia("com", "m2", (0.3, 0, 0), (0.02, 0, 0, 0.02, 0, 0.02))
    links = (
        rk.Link("a", "base", rk.Joint("q1", "revolute", axis=(0, 1, 0)), rk.Placement(), first),
        rk.Link("b", "a", rk.Joint("q2", "revolute", axis=(0, 1, 0)), rk.Placement(("l", 0, 0)), second),
    )
    return rk.Robot("swinging", links, symbols=(rk.Symbol("m2", 2.0),))


@pytest.mark.parametrize("method", METHODS)
def test_random_parameters_equal_separate_robots(method: str) -> None:
    robot, rng = _swinging(), np.random.default_rng(4)
    values = {"m1": rng.uniform(1, 2, 6), "l": rng.uniform(0.3, 0.5, 6)}
    q = rng.uniform(-1, 1, (6, 2))
    found = robot.rollout(q, steps=60, dt=2e-3, method=method, parameters=values)
    for k in range(6):
        bound = robot.bind(m1=float(values["m1"][k]), l=float(values["l"][k]), m2=2)
        one = bound.rollout(q[k], steps=60, dt=2e-3, method=method)
        np.testing.assert_allclose(found.q[:, k], one.q[:, 0], rtol=1e-11, atol=1e-11)
    assert np.ptp(found.q[-1] - q, axis=0).min() > 1e-3  # the worlds differ


def test_controllers_and_formulas_equal_simulate() -> None:
    arm = rk.load("planar_2r")
    path = rk.trajectory.quintic([0.3, 0.4], [0.5, 0.1], 0.3)
    gain = np.array([[-30.0, 2.0, -4.0, 0.0], [1.0, -20.0, 0.0, -3.0]])
    for torque in (
        None,
        [1.0, -0.5],
        ["3*sin(7*t)", "t"],
        rk.Data([0.0, 0.1, 0.3], [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]]),
        rk.PD(arm, path, 100.0, 10.0),
        rk.ComputedTorque(arm, path, 100.0, 20.0),
        rk.LinearPolicy(arm, gain, [0.1, 0.2], [0.3, 0.2, 0.0, 0.1]),
        rk.PD(arm, path, 50.0, 10.0, gravity=False) + rk.GravityCompensation(arm) + ["t", "0"],
    ):
        exact = rk.simulate(arm, [0.3, 0.4], torque=torque, duration=0.3, start=0.02)
        found = arm.rollout([0.3, 0.4], torque=torque, steps=150, dt=2e-3, method="rk4", every=0, start=0.02)
        np.testing.assert_allclose(found.q[0], exact.q[-1], atol=2e-7)  # order 4 at 2 ms; Data has kinks


def test_a_linear_policy_is_its_formula() -> None:
    arm, rng = rk.load("planar_2r"), np.random.default_rng(6)
    K, k, x = rng.normal(size=(2, 4)), rng.normal(size=2), rng.normal(size=4)
    q, v = rng.normal(size=(2, 2))
    tau = K @ (np.concatenate([q, v]) - x) + k
    found = arm.rollout(q, v, rk.LinearPolicy(arm, K, k, x), steps=1, dt=0.1)
    np.testing.assert_allclose(found.v[0, 0], v + 0.1 * arm.forward_dynamics(q, v, tau), rtol=1e-12)


def test_torques_are_constant_in_each_step_and_broadcast() -> None:
    arm, rng = rk.load("planar_2r"), np.random.default_rng(7)
    tau = rng.normal(size=(30, 5, 2))
    q, v = np.tile([0.3, 0.4], (5, 1)), np.zeros((5, 2))
    found = arm.rollout(q, v, tau, steps=30, dt=1e-3)
    for step in range(30):
        v = v + 1e-3 * arm.forward_dynamics(q, v, tau[step])
        q = q + 1e-3 * v
        np.testing.assert_allclose(found.q[step], q, rtol=1e-12)
    for part in (tau[:1], tau[:, :1], tau[:1, :1]):
        whole = np.ascontiguousarray(np.broadcast_to(part, tau.shape))
        same = arm.rollout([0.3, 0.4], None, part, steps=30, dt=1e-3, every=0)
        full = arm.rollout([0.3, 0.4], None, whole, steps=30, dt=1e-3, every=0)
        assert np.array_equal(np.broadcast_to(same.q, full.q.shape), full.q)


@pytest.mark.parametrize("method", METHODS)
def test_a_world_that_is_not_finite_stops_alone(method: str) -> None:
    arm = rk.load("planar_2r")
    tau = np.zeros((10, 20, 2))
    tau[4, 7] = 1e300  # the square of the velocity after this step is not finite
    found = arm.rollout([0.3, 0.4], None, tau, steps=10, dt=1e-3, method=method)
    others = np.arange(20) != 7
    assert np.isfinite(found.q[:, others]).all()
    assert list(found.finite) == list(others)
    first = int(found.steps[7])
    assert first == (4 if method == "rk4" else 5)  # the second stage of rk4 has that velocity
    assert np.isnan(found.q[first:, 7]).all()
    assert np.isnan(found.v[first:, 7]).all()
    assert np.isfinite(found.q[:first, 7]).all()
    assert "world 7" in found.status
    alone = arm.rollout([0.3, 0.4], np.zeros(2), steps=10, dt=1e-3, method=method)
    assert np.array_equal(found.q[:, 3], alone.q[:, 0])


@pytest.mark.parametrize("method", METHODS)
def test_a_position_that_overflows_stops_its_world_in_that_step(method: str) -> None:
    inertia = rk.Inertia("com", 1.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    robot = rk.Robot("sledge", (rk.Link("a", "base", rk.Joint("x", "prismatic"), rk.Placement(), inertia),))
    found = robot.rollout([0.0], [[1.0], [1.7e308]], steps=1, dt=2.0, method=method)
    assert list(found.steps) == [1, 0]
    assert np.isnan(found.v[0, 1, 0])  # of the whole state, though only q is not finite


def test_records_are_those_of_every_kth_step_and_out_is_filled() -> None:
    arm = rk.load("planar_2r")
    q0 = np.random.default_rng(8).normal(size=(37, 2))
    full = arm.rollout(q0, steps=23, dt=1e-3, start=1.0)
    assert full.q.shape == (23, 37, 2)
    np.testing.assert_allclose(full.t, 1.0 + 1e-3 * np.arange(1, 24))
    some = arm.rollout(q0, steps=23, dt=1e-3, every=5)
    assert np.array_equal(some.q, full.q[4::5])
    assert np.array_equal(some.v, full.v[4::5])
    out = np.empty((37, 2)), np.empty((37, 2))
    last = arm.rollout(q0, steps=23, dt=1e-3, every=0, out=out)
    assert last.q is out[0]
    assert np.array_equal(out[0], full.q[-1])
    assert np.array_equal(out[1], full.v[-1])


def test_gravity_and_friction_of_the_robot_act() -> None:
    """A robot without gravity moves otherwise: the programs are those of the robot."""
    arm = rk.load("planar_2r")
    free = arm.with_gravity((0, 0, 0)).rollout([0.3, 0.4], steps=10, dt=1e-2)
    assert np.array_equal(free.v, np.zeros_like(free.v))
    link = arm.links[-1]
    damped = replace(
        arm, links=(*arm.links[:-1], replace(link, joint=replace(link.joint, viscous=rk.Formula.of(5))))
    )
    start = [0.3, 0.4], [0.0, 2.0]
    assert abs(damped.rollout(*start, steps=10, dt=1e-3).v[-1, 0, 1]) < abs(
        arm.rollout(*start, steps=10, dt=1e-3).v[-1, 0, 1]
    )


def test_stiff_control_is_stable_by_the_implicit_method_only() -> None:
    """Gains of a real controller at 1 ms: d dt / I is 8 at the wrist."""
    robot, home = rk.load("panda"), rk.load("panda").neutral()
    q0 = home + np.random.default_rng(9).uniform(-0.3, 0.3, (20, 7))
    control = rk.PD(robot, home, 400.0, 40.0)
    assert not robot.rollout(q0, None, control, steps=2000, dt=1e-3, every=0).finite.any()
    found = robot.rollout(q0, None, control, steps=2000, dt=1e-3, method="implicit", every=0)
    assert found.finite.all()
    exact = rk.simulate(robot, q0[0], torque=control, duration=2.0, method="radau")
    np.testing.assert_allclose(found.q[0], exact.q[-1], atol=2e-3)


def test_springs_are_implicit() -> None:
    """One joint with a spring: (I + dt c + dt^2 k) a = -k q - c v - dt k v."""
    inertia = rk.Inertia("com", 1.0, (0, 0, 0), (0.5, 0, 0, 0.5, 0, 0.5))
    joint = rk.Joint("q1", "revolute", stiffness=1e4, viscous=3.0)
    robot = rk.Robot("spring", (rk.Link("a", "base", joint, rk.Placement(), inertia),))
    dt, q, v = 0.05, 0.2, 0.1
    found = robot.rollout([q], [v], steps=50, dt=dt, method="implicit")
    a = (-1e4 * q - 3 * v - dt * 1e4 * v) / (0.5 + dt * 3 + dt * dt * 1e4)
    assert found.v[0, 0, 0] == pytest.approx(v + dt * a, rel=1e-12)
    assert abs(found.q[-1, 0, 0]) < 0.01


@pytest.mark.parametrize("method", METHODS)
def test_worlds_stop_alone_by_a_condition(method: str) -> None:
    """They keep the state in which it holds for the first time; the derivatives are those of their steps."""
    arm, condition = rk.load("planar_2r"), ["q1^2 - 1.5", "-2.2 - q2_dot"]
    given: dict[str, Any] = {
        "steps": 200,
        "dt": 1e-3,
        "method": method,
        "parameters": {"m1": 1.0, "m2": [0.5, 1.0, 2.0]},
    }
    start = np.array([1.0, 0.5])
    free, found = arm.rollout(start, **given), arm.rollout(start, stop=condition, **given)
    far, fast = free.q[..., 0] ** 2 > 1.5, free.v[..., 1] < -2.2
    holds = far | fast
    both = np.argmax(far, axis=0) < np.argmax(fast, axis=0)
    assert both.any()  # either condition is the first in some world
    assert not both.all()
    for k in range(3):
        first = int(np.argmax(holds[:, k])) + 1
        assert found.steps[k] == first < 200
        assert np.array_equal(found.q[:first, k], free.q[:first, k])
        assert (found.q[first:, k] == found.q[first - 1, k]).all()
        assert (found.v[first:, k] == found.v[first - 1, k]).all()
    assert found.status.startswith("3 worlds stopped by the condition; the first is world 0, after ")
    last = arm.rollout(start, stop=condition, every=0, **given)
    assert np.array_equal(last.q, found.q[-1])
    assert (arm.rollout(start, stop=condition[0], every=0, **given).steps[:1] > found.steps[:1]).all()

    gradient = found.gradient(q=np.ones_like(found.q)).q0[:, 0]
    ends = [
        arm.rollout(start + np.array([e, 0]), stop=condition, **given).q.sum(axis=(0, 2))
        for e in (1e-6, -1e-6)
    ]
    np.testing.assert_allclose(gradient, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
    tangent = found.tangent(q0=[1.0, 0.0])
    np.testing.assert_allclose(tangent.q.sum(axis=(0, 2)), gradient, rtol=1e-10)


def test_conditions_that_cannot_be_understood_are_refused() -> None:
    arm = rk.load("planar_2r").bind(m1=1, m2=1)
    with pytest.raises(UnknownName, match="The condition x - 1 has no variable named 'x'"):
        arm.rollout(None, steps=1, dt=1e-3, stop="x - 1")
    with pytest.raises(WrongValue, match="stop is a formula of positions and velocities"):
        arm.rollout(None, steps=1, dt=1e-3, stop=lambda q: q)  # type: ignore[arg-type]
    with pytest.raises(BadFormula):
        arm.rollout(None, steps=1, dt=1e-3, stop="q1 > 1")


@pytest.mark.parametrize("method", ["euler", "implicit", "rk4"])
def test_a_world_that_has_stopped_keeps_its_state(method: str) -> None:
    """Also where its accelerations exceed all numbers."""
    arm = rk.load("planar_2r")
    found = arm.rollout([0.1, 0.2], [1e200, 0.0], steps=3, dt=1e-3, method=method, stop="q1 - 0.05")
    assert found.finite.all()
    assert (found.v == [1e200, 0.0]).all()


def test_a_stiff_controller_stays_implicit_in_a_sum() -> None:
    arm = rk.load("planar_2r")
    arm = arm.bind(**arm.declared_values)
    stiff = rk.PD(arm, [0.4, -0.3], 5000.0, 500.0)
    nothing = rk.LinearPolicy(arm, np.zeros((2, 4)))
    options: dict[str, Any] = {"steps": 100, "dt": 0.01, "method": "implicit", "every": 0}
    alone = arm.rollout([0.1, 0.2], None, stiff, **options)
    both = arm.rollout([0.1, 0.2], None, stiff + nothing, **options)
    np.testing.assert_allclose(both.q, alone.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(alone.q, [[0.4, -0.3]], rtol=0, atol=1e-2)
