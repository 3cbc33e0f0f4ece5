"""Closed robots with massless rods: the mass matrix of the tree is singular, the reduced one is not."""

from collections.abc import Sequence

import numpy as np
import pytest

import rikigaku as rk

Array = np.ndarray


def _link(name: str, parent: str, joint: str, heavy: bool, **geometry: str | float) -> rk.Link:
    n = name[1:]
    inertia = rk.Inertia("origin", f"m{n}", (f"mx{n}", 0, 0), (0, 0, 0, 0, 0, f"zz{n}")) if heavy else None
    actuated = joint in ("q1", "q2", "q7")
    parts = (rk.Joint(joint, actuated=actuated, viscous=0.2), rk.ModifiedDH(**geometry))
    return rk.Link(name, parent, *parts, inertia or rk.Inertia("origin", 0))


def _pin(name: str, one: str, a: str, other: str, b: str) -> rk.Loop:
    ends = (rk.LoopEnd(one, rk.ModifiedDH(a=a)), rk.LoopEnd(other, rk.ModifiedDH(a=b)))
    return rk.Loop(name, "revolute", *ends)


def palletizer() -> rk.Robot:
    """A column, a parallelogram that moves the upper arm, and one that holds the plate on the elbow level."""
    links = (
        _link("l1", "base", "q1", True),
        _link("l2", "l1", "q2", True, alpha="pi/2", a="e"),
        _link("l3", "l2", "q3", True, a="L2"),
        _link("l7", "l1", "q7", True, alpha="pi/2", a="e"),
        _link("l8", "l7", "q8", False, a="b"),
        _link("l9", "l1", "q9", False, alpha="pi/2", a="e - p"),
        _link("l10", "l2", "q10", True, a="L2"),
    )
    loops = (_pin("upper", "l8", "L2", "l3", "-b"), _pin("level", "l9", "L2", "l10", "-p"))
    return rk.Robot("palletizer", links, loops=loops)


def parallelogram() -> rk.Robot:
    links = (
        _link("l1", "base", "q1", True),
        _link("l2", "l1", "p2", False, a="r"),
        _link("l3", "base", "p3", True, a="w"),
    )
    loops = (_pin("pin", "l2", "w", "l3", "r"),)
    return rk.Robot("parallelogram", links, gravity=(0, -9.81, 0), loops=loops, independent=("q1",))


def five_bar() -> rk.Robot:
    links = (
        _link("l1", "base", "q1", True),
        _link("l2", "l1", "p2", True, a="r"),
        _link("l3", "base", "q2", True, a="w"),
        _link("l4", "l3", "p4", False, a="r"),
    )
    loops = (_pin("pin", "l2", "s", "l4", "s"),)
    return rk.Robot("five_bar", links, gravity=(0, -9.81, 0), loops=loops)


VALUES = {"L2": 0.8, "b": 0.3, "p": 0.25, "e": 0.4, "r": 0.5, "w": 0.6, "s": 0.9}
CASES = {"palletizer": [0.3, 1.1, 3.5], "parallelogram": [1.1], "five_bar": [2.1, 0.9]}
ROBOTS = {"palletizer": palletizer, "parallelogram": parallelogram, "five_bar": five_bar}


def _values(robot: rk.Robot) -> dict[str, float]:
    names = sorted(map(str, robot.free_symbols))
    return {x: VALUES.get(x, 0.4 + 0.1 * k) for k, x in enumerate(names)}


def _state(robot: rk.Robot, independent: Sequence[float]) -> tuple[Array, Array, Array, Array]:
    """q, v of all joints, v of the independent ones, forces along these."""
    rng = np.random.default_rng(3)
    q = robot.assemble(independent)
    own = rng.normal(size=len(independent))
    v, _ = robot.complete(q, own, np.zeros_like(own))
    return q, v, own, rng.normal(size=len(independent))


def _independent(robot: rk.Robot) -> list[int]:
    names = [joint.name for joint in robot.joints]
    return [names.index(x) for x in robot.closure().independent]


def _kkt(robot: rk.Robot, q: Array, v: Array, tau: Array) -> Array:
    """Accelerations of all joints from M a = tau - h - g - d v + J^T f and J a = J a0, least squares."""
    tree, n = robot.tree, len(v)
    M, J = tree.mass_matrix(q), robot.loop_jacobian(q)
    assert np.linalg.svd(M, compute_uv=False)[-1] < 1e-12
    own = v[_independent(robot)]
    _, a0 = robot.complete(q, own, np.zeros_like(own))
    force = tau - tree.velocity_forces(q, v) - tree.gravity_forces(q) - 0.2 * v
    K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(K, np.concatenate([force, J @ a0]), rcond=1e-12)[0][:n]


@pytest.mark.parametrize("name", CASES)
def test_forward_dynamics_with_massless_rods_solves_the_equations_of_motion(name: str) -> None:
    symbolic = ROBOTS[name]()
    values = _values(symbolic)
    robot = symbolic.bind(**values)
    q, v, own, tau = _state(robot, CASES[name])
    places = _independent(robot)
    forces = np.zeros(len(v))
    forces[places] = tau
    expected = _kkt(robot, q, v, forces)
    assert robot.reduced.forward_dynamics(q, own, tau) == pytest.approx(expected[places], rel=1e-9)
    assert robot.loop_dynamics(q, v, forces) == pytest.approx(expected, rel=1e-9)
    assert robot.forward_dynamics(q, v, tau) == pytest.approx(expected, rel=1e-9)
    assert robot.reduced.forward_dynamics.status(q, own, tau) == "ok"
    force = robot.reduced.inverse_dynamics(q, own, expected[places])
    assert force == pytest.approx(tau, rel=1e-8)
    formulas = symbolic.reduced.forward_dynamics.symbolic
    found = formulas.value(q=q, v=own, tau=tau, **values)
    assert np.array(found, dtype=float) == pytest.approx(expected[places], rel=1e-9)


def test_linear_relations_leave_the_small_mass_matrix_in_forward_dynamics() -> None:
    robot = palletizer()
    steps = robot.reduced.forward_dynamics.intermediates()
    assert steps.operations.div == 3  # 1/M(1, 1), and the determinant of a 2 x 2 matrix below two results
    found = parallelogram().reduced.forward_dynamics.symbolic
    assert found[0].denominator == parallelogram().reduced.mass_matrix.symbolic[0, 0]


def test_derivatives_with_massless_rods_are_those_of_difference_quotients() -> None:
    robot = five_bar()
    robot = robot.bind(**_values(robot))
    q, v, _, tau = _state(robot, CASES["five_bar"])
    found, h = robot.forward_dynamics.derivative(q, v, tau), 1e-6
    for k in range(4):
        step = h * np.eye(4)[k]
        up, down = robot.forward_dynamics(q, v + step, tau), robot.forward_dynamics(q, v - step, tau)
        assert found.v[:, k] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-6)
        up, down = robot.forward_dynamics(q + step, v, tau), robot.forward_dynamics(q - step, v, tau)
        assert found.q[:, k] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-5)
    M = robot.reduced.mass_matrix(q)
    places = _independent(robot)
    assert found.tau[places] @ M == pytest.approx(np.eye(2), abs=1e-10)


def test_energy_of_a_robot_with_massless_rods_is_kept() -> None:
    robot = parallelogram()
    links = [rk.Link(x.name, x.parent, rk.Joint(x.joint.name), x.geometry, x.inertia) for x in robot.links]
    robot = rk.Robot("p", tuple(links), gravity=robot.gravity, loops=robot.loops, independent=("q1",)).bind(
        **_values(robot)
    )
    q = robot.assemble([0.7])
    run = rk.simulate(robot, q, robot.complete(q, [1.5], [0.0])[0], duration=0.5)
    states = [(run.q[k], run.v[k]) for k in (0, len(run.q) // 2, -1)]
    energies = [robot.tree.kinetic_energy(q, v) + robot.tree.potential_energy(q) for q, v in states]
    assert energies == pytest.approx([energies[0]] * 3, rel=1e-7)
    assert abs(run.q[-1][0] - run.q[0][0]) > 0.1
