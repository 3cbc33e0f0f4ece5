"""Derivatives of forward dynamics with loops, by structure: those term by term, and slopes of the law."""

import numpy as np
import pytest
from closed_motions import agree, motion
from closed_robots import random_closed, shipped
from test_closure_plan import bennett

import rikigaku as rk
from rikigaku.laws.closed.closed_forward_derivatives import loop_dynamics_derivatives
from rikigaku.laws.closed.closed_forward_dynamics import loop_dynamics
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS

Array = np.ndarray


def off_the_loops(robot: rk.Robot) -> tuple[Array, Array, Array]:
    """A state that does not quite close, with velocities that open it: derivatives are of the formula."""
    rng = np.random.default_rng(0)
    q = robot.integrate(robot.closure().samples[0], 0.05 * rng.normal(size=robot.nv))
    return q, *rng.normal(size=(2, robot.nv))


@pytest.mark.parametrize(("name", "law"), [("five_bar", "forward_dynamics"), ("bennett", "loop_dynamics")])
def test_derivatives_by_structure_are_those_term_by_term(name: str, law: str) -> None:
    robot = bennett() if name == "bennett" else shipped(name)
    bound = getattr(robot, law)
    q, v, tau = off_the_loops(robot)
    tau = tau[: len(robot.closure().actuated)] if law == "forward_dynamics" else tau
    found = bound.derivative(q, v, tau, gravity=[1.0, 2.0, -3.0])
    # external wrenches are not known to the structure: they lead to the other way
    none = {robot.links[-1].name: np.zeros(6)}
    terms = bound.derivative(q, v, tau, gravity=[1.0, 2.0, -3.0], wrenches=none)
    assert found._fields == terms._fields == ("q", "v", "tau")
    for ours, theirs in zip(found, terms, strict=True):
        assert ours.shape == theirs.shape
        assert agree(ours, theirs, 1e-10)


@pytest.mark.parametrize(("seed", "joint"), [(1, "universal"), (4, "revolute"), (5, "spherical")])
def test_derivatives_of_random_closed_robots_are_the_slopes_of_the_law(seed: int, joint: str) -> None:
    robot = random_closed(seed, joint, 5)[0]
    plan, mechanism = robot.closure().structure, instantiate(robot, FLOATS, {})
    q, v, tau = off_the_loops(robot)

    def law(q: Array, v: Array, tau: Array) -> Array:
        return np.array(loop_dynamics(mechanism, list(q), list(v), list(tau), plan), dtype=float)

    found = loop_dynamics_derivatives(mechanism, list(q), list(v), list(tau), plan)
    steps = 1e-6 * np.eye(robot.nv)
    by_q = [(law(robot.integrate(q, e), v, tau) - law(robot.integrate(q, -e), v, tau)) / 2e-6 for e in steps]
    by_v = [(law(q, v + e, tau) - law(q, v - e, tau)) / 2e-6 for e in steps]
    by_tau = [(law(q, v, tau + 1e6 * e) - law(q, v, tau - 1e6 * e)) / 2 for e in steps]
    for ours, slopes in zip(found, (by_q, by_v, by_tau), strict=True):
        assert agree(np.array(ours, dtype=float), np.transpose(slopes), 1e-6)


def test_derivatives_of_a_stewart_platform_are_the_slopes_of_its_law() -> None:
    robot = shipped("stewart")
    q, v, _ = (x[0] for x in motion(robot))
    tau = np.random.default_rng(1).normal(size=6)
    law = robot.forward_dynamics
    found = [x[0] for x in law.derivative(np.stack([q, q]), np.stack([v, -v]), tau)]
    steps = 1e-6 * np.eye(robot.nv)
    moved, moved_back = robot.integrate(q, steps), robot.integrate(q, -steps)
    slopes = (
        (law(moved, v, tau) - law(moved_back, v, tau)) / 2e-6,
        (law(q, v + steps, tau) - law(q, v - steps, tau)) / 2e-6,
        (law(q, v, tau + np.eye(6)) - law(q, v, tau - np.eye(6))) / 2,
    )
    for ours, theirs in zip(found, slopes, strict=True):
        assert agree(ours, theirs.T, 1e-7)
    assert law.program(derivative=True).operations.total < 70_000  # term by term 103 000, and no loops
