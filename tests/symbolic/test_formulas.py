"""Formulas are right: at rational points they are the law run on fractions, digit for digit."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from random_robots import random_robot
from symbolic_robots import (
    all_symbols,
    elements,
    generators_at,
    mixed_trees,
    on_fractions,
    options_of,
    pairs,
    rational_state,
    symbol_values,
)

import rikigaku as rk
from rikigaku.core.errors import NotExact
from rikigaku.laws.catalogue import laws_of
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.intermediates import Intermediates

LAWS = laws_of("tree")

TREES = {tree.name: tree for tree in mixed_trees()}
ARMS = {name: all_symbols(name) for name in ("puma560", "stanford", "rx90")}
ROBOTS = ARMS | TREES
# Solving with a mass matrix of symbols: formulas people can read exist for a few joints.
SOLVING = ("inverse_mass_matrix", "forward_dynamics")
# A root of a polynomial is irrational at a rational point.
IRRATIONAL = ("euler_jacobian",)
CASES = [
    (robot, law)
    for robot in ROBOTS
    for law in LAWS
    if law not in IRRATIONAL
    and not (law in SOLVING and (robot in ARMS or ROBOTS[robot].nv > 3))
    and not (law == "integrate" and ROBOTS[robot].nq > ROBOTS[robot].nv)
]


@cache
def formulas(robot: Robot, law: str) -> Any:
    options = options_of(robot, law)
    if law == "regressor":
        options["joint_parameters"] = True
    return getattr(robot, law).formulas(**options)


def _value(x: Any, at: Any) -> Fraction:
    return x.number.value(at) if hasattr(x.number, "value") else x.number


@pytest.mark.parametrize(("name", "law"), CASES)
def test_a_formula_at_a_rational_point_is_the_law_on_fractions(name: str, law: str) -> None:
    robot = ROBOTS[name]
    state, symbols = rational_state(robot), symbol_values(robot)
    at = generators_at(robot, state, symbols)
    options = {"joint_parameters": True} if law == "regressor" else {}
    ours = [_value(x, at) for x in elements(formulas(robot, law))]
    assert ours == on_fractions(robot, law, state, symbols, **options)


def test_every_joint_type_is_among_the_robots() -> None:
    found = {joint.type for robot in ROBOTS.values() for joint in robot.joints}
    assert found == {"revolute", "prismatic", "helical", "universal", "spherical", "planar", "free"}


@pytest.mark.parametrize("name", ["planar_2r", "planar_3r", "scara"])
@pytest.mark.parametrize("law", SOLVING)
def test_formulas_that_divide_are_the_law_on_fractions(name: str, law: str) -> None:
    robot = rk.load(name)
    state, symbols = rational_state(robot), symbol_values(robot)
    at = generators_at(robot, state, symbols)
    ours = [_value(x, at) for x in elements(formulas(robot, law))]
    assert ours == on_fractions(robot, law, state, symbols)


def test_the_inverse_of_a_symbolic_mass_matrix_is_its_inverse_identically() -> None:
    robot = all_symbols("planar_2r")
    M, inverse = robot.mass_matrix.symbolic, robot.inverse_mass_matrix.symbolic
    for i in range(2):
        for j in range(2):
            assert M[i, 0] * inverse[0, j] + M[i, 1] * inverse[1, j] == int(i == j)


REAL = ("puma560", "panda", "ur5", "scara")


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(
    "law", ["mass_matrix", "gravity_forces", "jacobian", "euler_jacobian", "inverse_dynamics"]
)
def test_formulas_of_real_robots_have_the_values_of_the_native_law(name: str, law: str) -> None:
    robot = rk.load(name)
    if name == "panda":  # forces and Euler angles of seven joints fill pages
        law = {"inverse_dynamics": "velocity", "euler_jacobian": "potential_energy"}.get(law, law)
    rng = np.random.default_rng(3)
    state = {x: rng.uniform(-2, 2, robot.nv) for x in LAWS[law].inputs}
    options = options_of(robot, law)
    native = getattr(robot, law)(*state.values(), **options)
    ours = getattr(robot, law).formulas(**options).value(**state)
    assert np.abs(ours - native).max() <= 1e-12 * max(1, np.abs(native).max())


@pytest.mark.parametrize("seed", [2, 9])
def test_slanted_axes_have_square_roots_and_native_values(seed: int) -> None:
    robot = random_robot(seed, 2, ("revolute", "prismatic"), drives=True)
    state = {name: np.random.default_rng(seed).uniform(-1, 1, robot.nv) for name in ("q", "v", "a")}
    formula = robot.inverse_dynamics.symbolic
    native = robot.inverse_dynamics(*state.values())
    assert np.abs(formula.value(**state) - native).max() <= 1e-12 * max(1, np.abs(native).max())


def test_angles_of_symbols_are_expanded_by_the_addition_theorems() -> None:
    links = (
        rk.Link(
            "l1", "base", rk.Joint("q1"), rk.ModifiedDH(alpha="alpha + 0.1", theta="2*beta + pi/3", a="L")
        ),
        rk.Link("l2", "l1", rk.Joint("q2"), rk.ModifiedDH(alpha="beta/2 - pi/4", a="L*sqrt(2)", d="pi*L")),
    )
    robot = rk.Robot("turned", links, (rk.Frame("hand", "l2", rk.Placement(("sin(alpha)*L", 0, 0))),))
    values = {"alpha": 0.7, "beta": -0.4, "L": 0.3}
    q = [0.2, -1.1]
    pose = robot.pose.formulas("hand")
    assert np.abs(pose.value(q=q, **values) - robot.pose(q, "hand", **values)).max() < 1e-14
    R = [[pose[i, j] for j in range(3)] for i in range(3)]
    for i in range(3):
        for j in range(3):
            assert sum(R[i][k] * R[j][k] for k in range(3)) == int(i == j)


def test_many_slanted_angles_are_rounded_to_rational_rotations() -> None:
    robot = random_robot(4, 3, ("revolute",))
    q = np.array([0.3, -0.2, 0.9])
    pose = robot.pose.formulas("tip")
    assert pose.context.ring.rounded or pose.context.ring.constant_angles
    assert np.abs(pose.value(q=q) - robot.pose(q, "tip")).max() < 1e-14
    R = [[pose[i, j] for j in range(3)] for i in range(3)]
    assert sum(R[0][k] * R[1][k] for k in range(3)) == 0


def test_the_exact_coriolis_matrix_is_christoffels() -> None:
    robot = all_symbols("stanford")
    M, C, n = robot.mass_matrix.symbolic, robot.coriolis_matrix.symbolic, robot.nv
    names = [C.context.names[f"q[{k}]"] for k in range(n)]
    partial = [M.diff(name) for name in names]
    v = [ExactFormula(C.context.ring.variable(f"v[{k}]"), C.context) for k in range(n)]
    for i in range(n):
        for j in range(n):
            christoffel = sum(
                (partial[k][i, j] + partial[j][i, k] - partial[i][j, k]) * v[k] for k in range(n)
            )
            assert 2 * C[i, j] == christoffel


def test_hand_position_velocity_and_acceleration_are_rates_of_each_other() -> None:
    robot = all_symbols("stanford")
    frame = robot.frame_names[-1]
    p = robot.pose.formulas(frame)[:3, 3]
    V = robot.velocity.formulas(frame)
    names = [V.context.names[f"q[{k}]"] for k in range(robot.nq)]
    A = robot.acceleration.formulas(frame)
    v, a = ([ExactFormula(A.context.ring.variable(f"{x}[{k}]"), A.context) for k in range(6)] for x in "va")
    for i in range(3):
        assert V[i] == sum(p[i].diff(name) * v[k] for k, name in enumerate(names))
    for i in range(6):
        rate = sum(V[i].diff(name) * v[k] for k, name in enumerate(names))
        assert A[i] == rate + sum(V[i].diff(f"{name}_dot") * a[k] for k, name in enumerate(names))


def test_coulomb_friction_is_a_sign() -> None:
    robot = all_symbols("planar_2r")
    tau = robot.inverse_dynamics.symbolic[0]
    assert "fc1*sign(q1_dot)" in str(tau)
    parts = tau.collect("parameters")
    assert str(parts["fc1"]) == "sign(q1_dot)"
    at = dict.fromkeys(robot.free_symbols, Fraction(0)) | {"fc1": Fraction(3)}
    for v in (-2, 0, 2):
        assert tau.value(q=[0.1, 0.2], v=[v, 1], a=[0, 0], symbols=at) == 3 * np.sign(v)


def test_gravity_and_wrenches_can_be_variables() -> None:
    robot = rk.load("planar_2r")
    tau = robot.inverse_dynamics.formulas(gravity=True, wrenches={"hand": True}, friction=False)
    g, w = [0.1, 0.2, -1.6], [1, 2, 3, 4, 5, 6]
    q, v, a = [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]
    native = robot.inverse_dynamics(q, v, a, gravity=g, wrenches={"hand": w}, friction=False)
    ours = tau.value(q=q, v=v, a=a, gravity=g, wrenches={"hand": w})
    assert np.abs(ours - native).max() < 1e-13
    assert {"gravity_z", "hand_fy"} <= tau.names


def test_a_formula_beyond_reading_comes_by_steps_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = all_symbols("stanford")
    monkeypatch.setattr("rikigaku.numbers.exact_number.LARGEST", 20_000)
    steps = robot.inverse_mass_matrix.symbolic
    assert isinstance(steps, Intermediates)
    assert "terms" in steps.reason
    assert steps.reason in str(steps)
    assert steps.operations == robot.inverse_mass_matrix.intermediates().operations
    assert not robot.inverse_mass_matrix.intermediates().reason


def test_a_step_on_the_manifold_of_rotations_is_no_exact_formula() -> None:
    ball = rk.Robot("ball", (rk.Link("l1", "base", rk.Joint("j1", "spherical")),))
    with pytest.raises(NotExact, match="sine"):
        ball.integrate.formulas()


def test_exact_values_come_from_rational_states() -> None:
    robot = all_symbols("planar_2r")
    state, symbols = rational_state(robot), symbol_values(robot)
    M = robot.mass_matrix.symbolic.value(q=pairs(state["q"]), **symbols)
    assert all(isinstance(x, Fraction) for x in M.flat)
    assert list(M.flat) == on_fractions(robot, "mass_matrix", state, symbols)
