"""More actuators than freedom: least forces, weights, ratios, limits."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from closed_robots import shipped

import rikigaku as rk
from rikigaku.closure.bounded_least_squares import smallest_bound_factor
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.model.joint import Limits

Array = np.ndarray


@cache
def driven(effort: float | None = None) -> rk.Robot:
    """The five-bar with a third and a fourth motor at its elbows."""
    five = shipped("five_bar")
    links = tuple(
        replace(link, joint=replace(link.joint, actuated=True, limits=Limits(effort=effort)))
        for link in five.links
    )
    return replace(five, name="driven five-bar", links=links)


def state(robot: rk.Robot) -> tuple[Array, Array, Array]:
    q = robot.assemble([1.2, 1.8])
    return (q, *robot.complete(q, [1.0, 2.0], [3.0, -1.0]))


def best(robot: rk.Robot, bounds: Array | None = None, weights: Array | None = None) -> Array:
    """Least sum of weights tau^2 by trying every set of actuators at their bounds."""
    q, v, a = state(robot)
    A, P = robot.reduced.actuation(q), robot.reduced.jacobian(q)
    b = P.T @ robot.tree.inverse_dynamics(q, v, a)
    count = A.shape[1]
    W = np.ones(count) if weights is None else weights
    least, found = np.inf, np.zeros(count)
    for signs in product((0, 1, -1) if bounds is not None else (0,), repeat=count):
        held = np.array(signs) * (np.zeros(count) if bounds is None else bounds)
        free = np.array(signs) == 0
        root = np.sqrt(W[free])
        x = held.copy()
        x[free] = np.linalg.lstsq(A[:, free] / root, b - A @ held, rcond=None)[0] / root
        inside = bounds is None or (np.abs(x) <= bounds + 1e-12).all()
        if inside and np.abs(A @ x - b).max() < 1e-9 and W @ x**2 < least:
            least, found = W @ x**2, x
    assert np.isfinite(least)
    return found


def test_inverse_dynamics_has_the_minimum_norm_forces() -> None:
    robot = driven()
    assert robot.closure().actuation_redundancy == 2
    tau = robot.inverse_dynamics(*state(robot))
    np.testing.assert_allclose(tau, best(robot), atol=1e-10)
    found = robot.actuation_forces(*state(robot))
    np.testing.assert_allclose(found.tau, tau, atol=1e-11)
    # internal forces move nothing
    q, v, a = state(robot)
    pushed = robot.forward_dynamics(q, v, tau + found.internal @ np.array([5.0, -3.0]))
    np.testing.assert_allclose(pushed, a, atol=1e-9)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-10)


def test_weights_and_ratios_are_kept() -> None:
    robot = driven()
    weights = np.array([1.0, 4.0, 2.0, 9.0])
    found = robot.actuation_forces(*state(robot), weights=weights).tau
    np.testing.assert_allclose(found, best(robot, weights=weights), atol=1e-10)
    names = robot.closure().actuated
    shared = robot.actuation_forces(*state(robot), ratios={names[0]: 1, names[1]: 2, names[2]: -1}).tau
    np.testing.assert_allclose(shared[:3] / shared[0], [1, 2, -1], atol=1e-12)
    q, v, a = state(robot)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, shared), a, atol=1e-9)
    with pytest.raises(WrongValue, match="fewer ratios"):
        robot.actuation_forces(*state(robot), ratios=dict.fromkeys(names, 1))


def test_limits_of_effort_are_kept_or_refused() -> None:
    robot = driven()
    free = robot.actuation_forces(*state(robot)).tau
    bounds = 0.97 * np.abs(free).max() * np.ones(4)
    found = robot.actuation_forces(*state(robot), limits=bounds).tau
    assert (np.abs(found) <= bounds).all()
    np.testing.assert_allclose(found, best(robot, bounds), atol=1e-9)
    weights = np.array([1.0, 4.0, 2.0, 9.0])
    tight = 0.97 * np.abs(robot.actuation_forces(*state(robot), weights=weights).tau).max() * np.ones(4)
    both = robot.actuation_forces(*state(robot), weights=weights, limits=tight).tau
    np.testing.assert_allclose(both, best(robot, tight, weights), atol=1e-9)
    own = driven(float(bounds[0]))
    np.testing.assert_allclose(own.actuation_forces(*state(own), limits=True).tau, found, atol=1e-12)
    with pytest.raises(WrongValue, match="times as large"):
        robot.actuation_forces(*state(robot), limits=0.01 * bounds)
    with pytest.raises(rk.errors.MissingValue, match="effort limit"):
        robot.actuation_forces(*state(robot), limits=True)


def test_springs_of_passive_joints_are_carried_by_the_actuators() -> None:
    robot = shipped("five_bar")
    q, v, a = state(robot)
    spring = np.array([0.0, -3.0 * q[1], 0.0, -2.0 * q[3]])
    tau = robot.actuation_forces(q, v, a, forces=spring).tau
    total = spring.copy()
    total[list(robot.closure().structure.actuated)] += tau
    np.testing.assert_allclose(robot.loop_dynamics(q, v, total), a, atol=1e-10)
    assert np.abs(tau - robot.inverse_dynamics(q, v, a)).max() > 0.1


def test_limits_that_leave_room_are_never_refused() -> None:
    robot = driven()
    rng = np.random.default_rng(0)
    q = robot.assemble(np.array([1.2, 1.8]) + 0.4 * rng.uniform(-1, 1, (60, 2)))
    v, a = robot.complete(q, 3 * rng.normal(size=(60, 2)), 10 * rng.normal(size=(60, 2)))
    tau, A = robot.actuation_forces(q, v, a).tau, robot.reduced.actuation(q)
    for k in range(60):
        largest = np.abs(tau[k]).max() * np.ones(4)
        least = smallest_bound_factor(A[k], A[k] @ tau[k], largest)
        for part in (0.02, 0.3, 0.9):
            limits = largest * (least + part * (1 - least))
            found = robot.actuation_forces(q[k], v[k], a[k], limits=limits).tau
            assert (np.abs(found) <= limits).all()
            np.testing.assert_allclose(A[k] @ found, A[k] @ tau[k], atol=1e-8)


def test_ratios_and_limits_hold_together() -> None:
    robot = driven()
    q, v, a = state(robot)
    names = robot.closure().actuated
    ratios = {names[0]: 1, names[2]: -2}
    free = robot.actuation_forces(q, v, a, ratios=ratios).tau
    weights = np.array([1.0, 4.0, 2.0, 9.0])
    weighted = robot.actuation_forces(q, v, a, ratios=ratios, weights=weights).tau
    # the difference of two solutions is internal and keeps the ratios: no step along it makes the sum less
    assert np.abs(free - weighted).max() > 1e-2
    assert abs(free @ (free - weighted)) < 1e-9
    assert abs((weights * weighted) @ (free - weighted)) < 1e-9
    # the second of the pair binds it: its limit is reached when the first has half of it
    limits = np.array([np.inf, np.inf, 0.9 * abs(free[2]), np.inf])
    found = robot.actuation_forces(q, v, a, ratios=ratios, limits=limits).tau
    np.testing.assert_allclose(found[2], np.sign(free[2]) * limits[2], rtol=1e-12)
    np.testing.assert_allclose(found[2], -2 * found[0], rtol=1e-12)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, found), a, atol=1e-9)


@pytest.mark.filterwarnings("error")  # NaN is the answer here, no accident
def test_a_singular_state_is_nan_in_its_own_row_alone() -> None:
    folded = np.array([np.pi, 0.0, 0.0, -np.pi])
    for robot in (shipped("five_bar"), driven()):
        q, v, a = state(robot)
        for limits in (None, 1e3 * np.ones(len(robot.closure().actuated))):
            found = robot.actuation_forces(np.stack([q, folded]), np.stack([v, v]), a, limits=limits)
            np.testing.assert_allclose(found.tau[0], robot.actuation_forces(q, v, a).tau, atol=1e-10)
            assert np.isnan(found.tau[1]).all()
            assert np.isnan(found.internal[1]).all()


def test_wrong_limits_and_ratios_are_refused_by_name() -> None:
    robot = driven()
    names = robot.closure().actuated
    with pytest.raises(WrongValue, match="not all zero"):
        robot.actuation_forces(*state(robot), ratios={names[0]: 0.0})
    with pytest.raises(WrongValue, match="below zero"):
        robot.actuation_forces(*state(robot), limits=[-50.0, 1, 1, 1])
    with pytest.raises(WrongValue, match="below zero"):
        robot.actuation_forces(*state(robot), limits=[np.nan, 1, 1, 1])
    with pytest.raises(WrongSize, match="for all states"):
        robot.actuation_forces(*state(robot), limits=np.ones((2, 4)))
    with pytest.raises(WrongValue, match="limited to zero"):
        robot.actuation_forces(*state(robot), limits=[0.0, 0.0, 0.0, np.inf])
    with pytest.raises(WrongValue, match="times as large"):
        robot.actuation_forces(*state(robot), limits=[1e-3, 1e-3, 1e-3, np.inf])


def test_many_motions_at_one_configuration_share_it() -> None:
    five = rk.load("five_bar")
    q = five.assemble([0.3, 1.2])
    v, a = five.complete(q, [0.1, 0.2], [0.3, 0.4])
    both = five.actuation_forces(q, v, np.stack([a, 2 * a])).tau
    alone = [five.actuation_forces(q, v, x).tau for x in (a, 2 * a)]
    assert np.array_equal(both, alone)
