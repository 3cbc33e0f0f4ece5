"""The native integrator beside SciPy's, on robots with everything a tree may have."""

import numpy as np
import pytest
from random_robots import random_robot
from scipy.integrate import DOP853, solve_ivp

import rikigaku as rk
from rikigaku.integrators import native_integrator as integrator
from rikigaku.integrators.butcher_tableaus import DOP853 as TABLE

Q = np.array([0.1, 0.2, -0.3, 0.4, 0.5, 0.6])


def field(robot: rk.Robot, torque=None):
    """dy/dt of y = (q, v) from the robot's own law, for SciPy; v is dq/dt."""
    n, none = robot.nv, np.zeros(robot.nv)

    def rates(t, y):
        q, v = y[:n].copy(), y[n:].copy()
        tau = none if torque is None else torque(t, q, v)
        return np.concatenate([v, robot.forward_dynamics(q, v, tau)])

    return rates


def scipy_motion(robot, q, v, duration, torque=None, method="DOP853", rtol=1e-13):
    y0 = np.concatenate([q, v])
    options = {"rtol": rtol, "atol": 1e-13, "dense_output": True}
    return solve_ivp(field(robot, torque), (0, duration), y0, method=method, **options)


def test_a_puma_falls_as_scipys_dop853_and_radau_say(puma) -> None:
    ours = rk.simulate(puma, Q, np.zeros(6), duration=1.0, rtol=1e-12, atol=1e-13)
    t = np.linspace(0, 1, 57)
    theirs = scipy_motion(puma, Q, np.zeros(6), 1.0)
    state = ours.at(t)
    assert np.abs(state.q - theirs.sol(t)[:6].T).max() < 1e-10  # both interpolants have order 7
    assert np.abs(ours.q[-1] - theirs.y[:6, -1]).max() < 1e-11
    stiff = scipy_motion(puma, Q, np.zeros(6), 1.0, method="Radau", rtol=1e-7)
    assert np.abs(ours.q[-1] - stiff.y[:6, -1]).max() < 1e-5  # Radau's own error at 1e-7


def test_steps_are_those_of_scipys_dop853(pendulum) -> None:
    # Same tableau, estimate and control; work and heat, which stay zero here, dilute the mean of the error
    # over the state: as if the tolerance were larger by sqrt(4/2).
    ours = rk.simulate(pendulum, [1.0], [0.0], duration=3.0, rtol=1e-9, atol=1e-9)
    factor = np.sqrt(4 / 2)
    theirs = DOP853(field(pendulum), 0, np.array([1.0, 0.0]), 3.0, rtol=1e-9 * factor, atol=1e-9 * factor)
    times = [0.0]
    while theirs.status == "running":
        theirs.step()
        times.append(theirs.t)
    assert len(ours.t) == len(times)
    assert np.abs(ours.t - times).max() < 0.01  # the first step is found with another norm


@pytest.mark.parametrize("seed", [1, 2])
def test_trees_of_every_joint_keep_their_energy(seed) -> None:
    robot = random_robot(seed, links=5)
    state = robot.random_state(seed)
    motion = rk.simulate(robot, state.q, 0.3 * state.v, duration=0.5, rtol=1e-12, atol=1e-13)
    assert motion.done
    assert motion.energy_audit().error < 1e-9 * max(1.0, np.abs(motion.energy).max())


def test_quaternions_are_unit_after_each_step_however_coarse() -> None:
    robot = random_robot(5, links=2, base="free")
    state = robot.random_state(5)
    motion = rk.simulate(robot, state.q, 5 * state.v, duration=1.0, rtol=1e-4, atol=1e-4)
    length = np.linalg.norm(motion.q[:-1, 3:7], axis=1)  # the last is the end of a step, not the start of one
    assert np.abs(length[1:] - 1).max() < 1e-15


def test_positions_of_a_free_tree_are_its_velocities_composed_on_the_manifold() -> None:
    robot = random_robot(5, links=2, base="free")
    state = robot.random_state(5)
    motion = rk.simulate(robot, state.q, state.v, duration=0.2, rtol=1e-12, atol=1e-13)
    t = np.linspace(0, 0.2, 5001)
    v = motion.at((t[1:] + t[:-1]) / 2).v  # exponential midpoint rule: order 2 on the group
    q = state.q
    for x in v * np.diff(t)[:, None]:
        q = robot.integrate(q, x)
    assert np.abs(q - motion.q[-1]).max() < 1e-8


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_fixed_steps_converge_at_the_order_of_the_method(pendulum, method, order) -> None:
    exact = rk.simulate(pendulum, [1.0], [0.5], duration=1.0, rtol=1e-13, atol=1e-14).q[-1]
    errors = []
    for step in (0.02, 0.01):
        motion = rk.simulate(pendulum, [1.0], [0.5], duration=1.0, method=method, step=step)
        assert np.allclose(np.diff(motion.t), step, rtol=1e-9)
        errors.append(float(np.abs(motion.q[-1] - exact).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_the_order_eight_table_satisfies_the_conditions_of_quadrature() -> None:
    weights = np.array([TABLE.weights.get(k, 0.0) for k in range(12)])
    nodes = np.array(TABLE.nodes)
    for k in range(8):
        assert weights @ nodes**k == pytest.approx(1 / (k + 1), abs=1e-14)
    for node, row in zip(TABLE.nodes, TABLE.stages, strict=True):
        assert sum(row.values()) == pytest.approx(node, abs=1e-14)
    for error in TABLE.errors:  # estimates vanish for constant slopes
        assert sum(error.values()) == pytest.approx(0.0, abs=1e-13)


def test_methods_are_the_ones_the_documentation_names() -> None:
    assert integrator.METHODS == ("dop853", "rk4", "euler", "radau")


def test_halving_the_motion_changes_nothing(puma) -> None:
    whole = rk.simulate(puma, Q, np.zeros(6), duration=1.0, rtol=1e-12, atol=1e-13)
    first = rk.simulate(puma, Q, np.zeros(6), duration=0.37, rtol=1e-12, atol=1e-13)
    second = rk.simulate(puma, first.q[-1], first.v[-1], start=0.37, duration=0.63, rtol=1e-12, atol=1e-13)
    assert np.abs(second.q[-1] - whole.q[-1]).max() < 1e-11
    assert second.t[-1] == 1.0
