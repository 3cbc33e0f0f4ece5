"""More drives than freedom: least forces, weights, ratios, limits."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from closed_robots import shipped

import rikigaku as rk
from rikigaku.errors import WrongValue
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
    """Least sum of weights tau^2 by trying every set of drives at their bounds."""
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


def test_inverse_dynamics_takes_the_least_forces() -> None:
    robot = driven()
    assert robot.closure().spare_drives == 2
    tau = robot.inverse_dynamics(*state(robot))
    np.testing.assert_allclose(tau, best(robot), atol=1e-10)
    found = robot.drive_forces(*state(robot))
    np.testing.assert_allclose(found.tau, tau, atol=1e-11)
    # internal forces move nothing
    q, v, a = state(robot)
    pushed = robot.forward_dynamics(q, v, tau + found.internal @ np.array([5.0, -3.0]))
    np.testing.assert_allclose(pushed, a, atol=1e-9)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-10)


def test_weights_and_ratios_are_kept() -> None:
    robot = driven()
    weights = np.array([1.0, 4.0, 2.0, 9.0])
    found = robot.drive_forces(*state(robot), weights=weights).tau
    np.testing.assert_allclose(found, best(robot, weights=weights), atol=1e-10)
    names = robot.closure().driven
    shared = robot.drive_forces(*state(robot), ratios={names[0]: 1, names[1]: 2, names[2]: -1}).tau
    np.testing.assert_allclose(shared[:3] / shared[0], [1, 2, -1], atol=1e-12)
    q, v, a = state(robot)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, shared), a, atol=1e-9)
    with pytest.raises(WrongValue, match="fewer ratios"):
        robot.drive_forces(*state(robot), ratios=dict.fromkeys(names, 1))


def test_limits_of_effort_are_kept_or_refused() -> None:
    robot = driven()
    free = robot.drive_forces(*state(robot)).tau
    bounds = 0.97 * np.abs(free).max() * np.ones(4)
    found = robot.drive_forces(*state(robot), limits=bounds).tau
    assert (np.abs(found) <= bounds).all()
    np.testing.assert_allclose(found, best(robot, bounds), atol=1e-9)
    weights = np.array([1.0, 4.0, 2.0, 9.0])
    tight = 0.97 * np.abs(robot.drive_forces(*state(robot), weights=weights).tau).max() * np.ones(4)
    both = robot.drive_forces(*state(robot), weights=weights, limits=tight).tau
    np.testing.assert_allclose(both, best(robot, tight, weights), atol=1e-9)
    own = driven(float(bounds[0]))
    np.testing.assert_allclose(own.drive_forces(*state(own), limits=True).tau, found, atol=1e-12)
    with pytest.raises(WrongValue, match="times as large"):
        robot.drive_forces(*state(robot), limits=0.01 * bounds)
    with pytest.raises(rk.errors.MissingValue, match="limit of effort"):
        robot.drive_forces(*state(robot), limits=True)


def test_springs_of_passive_joints_are_carried_by_the_drives() -> None:
    robot = shipped("five_bar")
    q, v, a = state(robot)
    spring = np.array([0.0, -3.0 * q[1], 0.0, -2.0 * q[3]])
    tau = robot.drive_forces(q, v, a, forces=spring).tau
    total = spring.copy()
    total[list(robot.closure().places.driven)] += tau
    np.testing.assert_allclose(robot.loop_dynamics(q, v, total), a, atol=1e-10)
    assert np.abs(tau - robot.inverse_dynamics(q, v, a)).max() > 0.1
