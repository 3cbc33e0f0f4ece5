"""Derivatives of rollouts against differences, a closed form, and each other (tangent and adjoint)."""

import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest
from random_robots import random_robot, random_state

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.rollout.adjoint_step import AdjointStep
from rikigaku.simulation.simulate import actuated_coordinates

METHODS = ("euler", "implicit", "rk4")
STEPS, DT, WORLDS = 9, 1e-2, 5


@cache
def _tree() -> rk.Robot:
    """A free base with a spherical and a prismatic joint: q has quaternions."""
    return random_robot(3, 3, ("free", "spherical", "prismatic"))


def _arguments(robot: rk.Robot, seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    q, v, _ = random_state(robot, rng, WORLDS)
    return q, 0.3 * v, rng.normal(size=(STEPS, WORLDS, len(actuated_coordinates(robot))))


@pytest.mark.parametrize("every", [1, 2, 0])
@pytest.mark.parametrize("method", METHODS)
def test_derivatives_equal_differences(method: str, every: int) -> None:
    robot, rng = _tree(), np.random.default_rng(1)
    q, v, tau = _arguments(robot, 2)
    motion = robot.rollout(q, v, tau, steps=STEPS, dt=DT, method=method, every=every)
    dq, dv, du = rng.normal(size=v.shape), rng.normal(size=v.shape), rng.normal(size=tau.shape)

    def moved(s: float) -> rk.Rollout:
        start = robot.integrate(q, s * dq), v + s * dv, tau + s * du
        return robot.rollout(*start, steps=STEPS, dt=DT, method=method, every=every)

    ahead, behind, h = moved(1e-6), moved(-1e-6), 2e-6
    along = motion.tangent(dq, dv, du)
    np.testing.assert_allclose(along.v, (ahead.v - behind.v) / h, rtol=0, atol=2e-7)
    np.testing.assert_allclose(along.q, robot.difference(behind.q, ahead.q) / h, rtol=0, atol=2e-7)

    cost_q, cost_v = rng.normal(size=motion.q.shape), rng.normal(size=motion.v.shape)
    found = motion.gradient(cost_q, cost_v)
    change = np.sum(found.q0 * dq) + np.sum(found.v0 * dv) + np.sum(found.torque * du)
    expected = np.sum(cost_q * (ahead.q - behind.q)) / h + np.sum(cost_v * (ahead.v - behind.v)) / h
    assert change == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_adjoint_and_tangent_are_transposed(method: str) -> None:
    """<cost, J x> = <J^T cost, x> to rounding; the cost acts on velocities, which need no chart."""
    robot, rng = _tree(), np.random.default_rng(3)
    q, v, tau = _arguments(robot, 4)
    motion = robot.rollout(q, v, tau, steps=STEPS, dt=DT, method=method)
    dq, dv, du = rng.normal(size=v.shape), rng.normal(size=v.shape), rng.normal(size=tau.shape)
    cost = rng.normal(size=motion.v.shape)
    along, found = motion.tangent(dq, dv, du), motion.gradient(v=cost)
    left = np.sum(cost * along.v)
    right = np.sum(found.q0 * dq) + np.sum(found.v0 * dv) + np.sum(found.torque * du)
    assert left == pytest.approx(right, rel=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_linearized_steps_compose_to_the_tangent(method: str) -> None:
    robot, rng = _tree(), np.random.default_rng(5)
    q, v, tau = _arguments(robot, 6)
    motion = robot.rollout(q, v, tau, steps=STEPS, dt=DT, method=method)
    dq, dv, du = rng.normal(size=v.shape), rng.normal(size=v.shape), rng.normal(size=tau.shape)
    along, steps = motion.tangent(dq, dv, du), motion.linearization()
    x = np.concatenate([dq, dv], axis=-1)
    for k in range(STEPS):
        x = np.einsum("wij,wj->wi", steps.A[k], x) + np.einsum("wij,wj->wi", steps.B[k], du[k])
    np.testing.assert_allclose(x, np.concatenate([along.q[-1], along.v[-1]], axis=-1), rtol=0, atol=1e-11)


def _oscillator() -> rk.Robot:
    """A mass m on a spring of 3 N/m with a damper of 0.5 N s/m, without gravity."""
    inertia = rk.Inertia("com", "m", (0, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1))
    joint = rk.Joint("x", "prismatic", stiffness=3, viscous=0.5)
    link = rk.Link("mass", "base", joint, rk.Placement(), inertia)
    return rk.Robot("oscillator", (link,), symbols=(rk.Symbol("m", 2.0),)).with_gravity((0, 0, 0))


def test_derivatives_of_an_oscillator_are_powers_of_its_step_matrix() -> None:
    robot, m, k, d, h = _oscillator(), 2.0, 3.0, 0.5, 0.05
    motion = robot.rollout([0.7], [0.2], np.ones((20, 1, 1)), steps=20, dt=h)
    one = np.array([[1 - h * h * k / m, h * (1 - h * d / m)], [-h * k / m, 1 - h * d / m]])
    force = np.array([h * h / m, h / m])
    power = np.linalg.matrix_power(one, 20)
    found = motion.gradient(q=[[[0.0]]] * 19 + [[[1.0]]])
    assert [found.q0[0, 0], found.v0[0, 0]] == pytest.approx(power[0], rel=1e-12)
    by_force = [(np.linalg.matrix_power(one, 19 - j) @ force)[0] for j in range(20)]
    np.testing.assert_allclose(found.torque[:, 0, 0], by_force, rtol=1e-12)
    linear = motion.linearization()
    np.testing.assert_allclose(linear.A[7, 0], one, rtol=0, atol=1e-14)
    np.testing.assert_allclose(linear.B[7, 0, :, 0], force, rtol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_by_symbols_and_gains_equal_differences(method: str) -> None:
    arm, rng, h = rk.load("planar_2r"), np.random.default_rng(7), 1e-6
    q, masses = rng.uniform(-1, 1, (4, 2)), rng.uniform(1, 2, 4)
    gain, cost = rng.normal(size=(2, 4)), rng.normal(size=(4, 2))

    def final(s: float, K: np.ndarray) -> rk.Rollout:
        return arm.rollout(
            q, None, rk.LinearPolicy(arm, K), steps=30, dt=0.01, method=method, every=0,
            parameters={"m1": 1.0, "m2": masses + s},
        )  # fmt: skip

    found = final(0.0, gain).gradient(q=cost)
    by_mass = np.sum(cost * (final(h, gain).q - final(-h, gain).q), axis=1) / (2 * h)
    np.testing.assert_allclose(found.parameters["m2"], by_mass, rtol=1e-5, atol=1e-9)
    unit = np.zeros((2, 4))
    unit[1, 2] = h
    by_gain = np.sum(cost * (final(0, gain + unit).q - final(0, gain - unit).q)) / (2 * h)
    assert found.controller[6] == pytest.approx(by_gain, rel=1e-5)
    along = final(0.0, gain).tangent(parameters={"m2": 1.0})
    np.testing.assert_allclose(np.sum(cost * along.q, axis=1), found.parameters["m2"], rtol=1e-10, atol=1e-13)


def test_shared_torques_have_the_sum_of_the_gradients() -> None:
    """One row of torques for all steps and worlds."""
    arm, rng = rk.load("planar_2r"), np.random.default_rng(8)
    q, cost = rng.uniform(-1, 1, (40, 2)), rng.normal(size=(12, 40, 2))
    tau = rng.normal(size=2)
    values = {"m1": 1.0, "m2": 2.0}
    whole = arm.rollout(q, None, np.tile(tau, (12, 40, 1)), steps=12, dt=0.01, parameters=values)
    each = whole.gradient(v=cost).torque
    for shape in ((1, 1, 2), (12, 1, 2), (1, 40, 2)):
        shared = arm.rollout(q, None, np.broadcast_to(tau, shape), steps=12, dt=0.01, parameters=values)
        axes = tuple(k for k in range(2) if shape[k] == 1)
        expected = each.sum(axis=axes, keepdims=True)
        np.testing.assert_allclose(shared.gradient(v=cost).torque, expected, rtol=1e-12, atol=1e-14)


def test_gradients_have_the_same_bits_for_any_number_of_threads() -> None:
    arm, rng = rk.load("planar_2r"), np.random.default_rng(9)
    q, cost = rng.uniform(-1, 1, (1500, 2)), rng.normal(size=(1500, 2))
    values = {"m1": 1.0, "m2": 2.0}
    found = [
        arm.rollout(
            q, None, np.ones((1, 1, 2)), steps=20, dt=0.01, parameters=values, every=0, threads=threads
        ).gradient(q=cost)
        for threads in (1, 2)
    ]
    assert found[0].q0.tobytes() == found[1].q0.tobytes()
    assert found[0].torque.tobytes() == found[1].torque.tobytes()


def test_a_world_that_is_not_finite_has_a_gradient_of_nan_alone() -> None:
    arm = rk.load("planar_2r")
    tau = np.zeros((10, 3, 2))
    tau[4, 1] = 1e300
    motion = arm.rollout([1.0, 0.5], None, tau, steps=10, dt=1e-3, parameters={"m1": 1.0, "m2": 2.0})
    found = motion.gradient(q=np.ones(motion.q.shape))
    assert np.isnan(found.q0[1]).all()
    assert np.isfinite(found.q0[[0, 2]]).all()


def test_arguments_that_do_not_fit_are_named() -> None:
    arm = rk.load("planar_2r")
    motion = arm.rollout(np.zeros((3, 2)), steps=4, dt=1e-3, every=2, parameters={"m1": 1.0, "m2": 2.0})
    with pytest.raises(WrongSize, match=r"has the shape of q of the rollout, \(2, 3, 2\)"):
        motion.gradient(q=np.ones((3, 3)))
    with pytest.raises(WrongValue, match="every=1"):
        motion.linearization()
    with pytest.raises(WrongValue, match="are no table"):
        motion.tangent(torque=np.ones((4, 3, 2)))
    with pytest.raises(UnknownName, match="m9"):
        motion.tangent(parameters={"m9": 1.0})
    five = rk.load("five_bar")
    closed = five.rollout(five.assemble([0.3, 1.2]), steps=2, dt=1e-3, method="time_stepping")
    with pytest.raises(WrongValue, match="no derivatives"):
        closed.gradient(q=np.ones(closed.q.shape))


def test_the_memory_of_a_gradient_grows_with_the_square_root_of_the_steps_between_records() -> None:
    arm, steps = rk.load("planar_2r").bind(m1=1, m2=1), 20_000
    options: dict[str, Any] = {"steps": steps, "dt": 1e-5}
    rng = np.random.default_rng(8)
    q0, tau, cost = rng.normal(size=(4, 2)), rng.normal(size=(1, 4, 2)), rng.normal(size=(4, 2))
    expected = arm.rollout(q0, None, tau, **options).gradient(
        q=np.concatenate([np.zeros((steps - 1, 4, 2)), cost[None]])
    )
    for every in (0, steps, 9_999):  # the last: steps after the last record
        found = arm.rollout(q0, None, tau, every=every, **options)
        weights = cost if every == 0 else np.concatenate([0 * found.q[:-1], cost[None]])
        tracemalloc.start()
        gradient = found.gradient(q=weights)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 500_000  # all states: 2.5 MB
        if every != 9_999:
            np.testing.assert_allclose(gradient.q0, expected.q0, rtol=1e-12)
            np.testing.assert_allclose(gradient.torque, expected.torque, rtol=1e-10)
        else:
            whole = arm.rollout(q0, None, tau, steps=19_998, dt=1e-5, every=0).gradient(q=cost)
            np.testing.assert_allclose(gradient.q0, whole.q0, rtol=1e-12)


@pytest.mark.parametrize("every", [1, 2, 10, 100, 300, 600, 0])
def test_a_gradient_has_few_segments_for_every_number_of_records(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each segment takes a millisecond in Python, as long as thousands of steps."""
    arm, made = rk.load("planar_2r").bind(m1=1, m2=1), []

    def counted(*arguments: Any) -> AdjointStep:
        made.append(arguments)
        return AdjointStep(*arguments)

    monkeypatch.setattr("rikigaku.rollout.rollout_gradient.AdjointStep", counted)
    cost, tau = np.array([[0.7, -0.2]]), np.random.default_rng(6).normal(size=(600, 1, 2))
    expected = arm.rollout([0.4, -0.3], None, tau, steps=600, dt=1e-3, every=0).gradient(q=cost)
    made.clear()
    found = arm.rollout([0.4, -0.3], None, tau, steps=600, dt=1e-3, every=every)
    weights = np.concatenate([0 * found.q[:-1], cost[None]]) if every else cost
    gradient = found.gradient(q=weights)
    assert len(made) <= 4
    assert np.array_equal(gradient.q0, expected.q0)
    assert np.array_equal(gradient.torque, expected.torque)


def test_a_world_that_is_not_finite_is_left_out_of_sums() -> None:
    arm = rk.load("planar_2r")
    q0, v0 = np.array([[0.1, 0.2], [0.3, 0.1], [0.2, 0.4]]), np.zeros((3, 2))
    v0[1] = 1e200
    control = rk.PD(arm, [0.0, 0.0], 5.0, 1.0)
    found = arm.rollout(q0, v0, control, steps=20, dt=1e-2)
    others = arm.rollout(q0[::2], v0[::2], control, steps=20, dt=1e-2)
    gradient, expected = (x.gradient(q=np.ones((1, 1, 2))) for x in (found, others))
    assert list(gradient.left_out) == [1]
    np.testing.assert_allclose(gradient.controller, expected.controller, rtol=1e-12)
    assert np.abs(expected.controller).max() > 0
    tau = np.full((20, 1, 2), 0.1)
    shared = [
        arm.rollout(q0[k], v0[k], tau, steps=20, dt=1e-2).gradient(q=np.ones((1, 1, 2))).torque
        for k in (slice(None), slice(None, None, 2))
    ]
    np.testing.assert_allclose(shared[0], shared[1], rtol=1e-12)


def test_the_gradient_passes_the_ends_of_segments() -> None:
    """600 steps, three segments: against central differences of a function of the last state."""
    arm, q0 = rk.load("planar_2r"), np.array([0.4, -0.3])

    def last(q: np.ndarray) -> float:
        return float(arm.rollout(q, steps=600, dt=1e-3, every=0).q.sum())

    found = arm.rollout(q0, steps=600, dt=1e-3)
    cost = np.zeros((600, 1, 2))
    cost[-1] = 1.0
    h = 1e-5
    expected = [(last(q0 + h * e) - last(q0 - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(found.gradient(q=cost).q0[0], expected, rtol=1e-7)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_derivatives_of_a_world_that_is_not_finite_are_nan_from_there_on(method: str) -> None:
    arm = rk.load("planar_2r")
    tau = np.full((8, 3, 2), 0.1)
    tau[4, 1] = 1e300
    found = arm.rollout([0.3, 0.2], None, tau, steps=8, dt=1e-2, method=method)
    lost = np.isnan(found.v).any(axis=2)
    assert lost[:, 1].any()
    assert not lost[:, [0, 2]].any()
    tangent, steps = found.tangent(q0=[1.0, 0.5]), found.linearization()
    for x in (tangent.q, tangent.v, *steps):
        assert np.isnan(x[lost]).all()
        assert np.isfinite(x[:, [0, 2]]).all()
        assert np.array_equal(x[:, 0], x[:, 2])
