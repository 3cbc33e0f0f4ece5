"""Laws of closed robots as formulas: the values are those of the compiled laws at closed states."""

from dataclasses import replace

import numpy as np
import pytest
from linkages import four_bar

import rikigaku as rk
from rikigaku.core.errors import MissingValue, NoFormula, WrongSize
from rikigaku.numbers.polynomial_algebra import without_common_factor
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.pivot_free_solve import plain_factors

START = {
    "rosam_loop": [0.4, 0.7, -0.3],
    "four_bar": [0.5],
    "five_bar": [0.3, 1.2],
    "three_rrr": [0.2, 0.3, 0.1],
    "stewart": [1.01, 0.99, 1.02, 1.0, 0.98, 1.0],
}


def numeric(robot, rng):
    """Without symbols: those that have no value of their own get one."""
    own = robot.declared_values
    return robot.bind(**{name: own.get(name, rng.uniform(0.5, 1.5)) for name in robot.free_symbols})


def rubbing(robot, coulomb="0"):
    """With friction in every joint, driven or not."""
    links = [
        replace(x, joint=replace(x.joint, viscous=rk.Formula.of("0.3"), coulomb=rk.Formula.of(coulomb)))
        for x in robot.links
    ]
    return replace(robot, links=tuple(links))


def state(robot, name, rng):
    """q, then v and a of the independent coordinates, then of all."""
    q = robot.assemble(START[name])
    own = rng.normal(size=(2, len(robot.closure().independent)))
    return q, own, robot.complete(q, *own)


def same(law, *state):
    """The formulas of the law have its values at the state."""
    found, expected = law.symbolic, law(*state)
    value = np.array(found.value(**dict(zip(law.law.inputs, state, strict=True))), dtype=float)
    assert value.shape == expected.shape
    assert np.abs(value - expected).max() < 1e-11 * max(1, np.abs(expected).max())
    return found


@pytest.mark.parametrize("name", ["rosam_loop", "four_bar", "five_bar"])
def test_formulas_of_small_closed_robots_are_exact_and_have_the_values_of_the_laws(name: str) -> None:
    rng = np.random.default_rng(1)
    robot = numeric(rubbing(rk.load(name)), rng)
    q, (v, _), (v_all, a_all) = state(robot, name, rng)
    assert isinstance(same(robot.reduced.mass_matrix, q), Formulas)
    assert isinstance(same(robot.reduced.velocity_forces, q, v), Formulas)
    assert isinstance(same(robot.reduced.gravity_forces, q), Formulas)
    assert isinstance(same(robot.reduced.jacobian, q), Formulas)
    assert isinstance(same(robot.inverse_dynamics, q, v_all, a_all), Formulas)
    tau = robot.inverse_dynamics(q, v_all, a_all)
    assert isinstance(same(robot.loop_forces, q, v_all, a_all, tau), Formulas)
    assert isinstance(same(robot.forward_dynamics, q, v_all, tau), Intermediates)


@pytest.mark.parametrize("name", ["three_rrr", "stewart"])
def test_long_laws_of_parallel_robots_are_steps_with_the_values_of_the_laws(name: str) -> None:
    rng = np.random.default_rng(2)
    robot = numeric(rubbing(rk.load(name)), rng)
    q, (v, a), (v_all, a_all) = state(robot, name, rng)
    if name == "three_rrr":
        assert isinstance(same(robot.reduced.velocity_forces, q, v), Intermediates)
        assert isinstance(same(robot.inverse_dynamics, q, v_all, a_all), Intermediates)
    forces = same(robot.reduced.inverse_dynamics, q, v, a)
    assert isinstance(forces, Intermediates)
    assert forces.operations.mul < 3000
    assert str(forces).endswith(f"({forces.operations})")


def test_the_formula_of_a_closed_robot_keeps_its_symbols() -> None:
    tau = rk.load("rosam_loop").inverse_dynamics.symbolic
    assert {"L", "m22", "theta31_ddot"} <= tau.names
    assert str(tau[1].collect("parameters")["m21"]) == "d21_ddot - d21*theta11_dot**2"


def test_coulomb_friction_of_joints_that_follow_stands_in_the_steps() -> None:
    rng = np.random.default_rng(3)
    robot = numeric(rubbing(rk.load("four_bar"), coulomb="0.7"), rng)
    q, (v, a), (v_all, a_all) = state(robot, "four_bar", rng)
    steps = same(robot.reduced.inverse_dynamics, q, v, a)
    assert isinstance(steps, Intermediates)
    assert "sign(" in str(steps)
    plain = same(robot.reduced.inverse_dynamics.fix(friction=False), q, v, a)
    assert isinstance(plain, Formulas)
    assert isinstance(same(robot.inverse_dynamics, q, v_all, a_all), Formulas)


def test_more_actuators_than_freedom_share_as_the_compiled_law_does() -> None:
    four = rk.load("four_bar")
    links = tuple(replace(x, joint=replace(x.joint, actuated=True)) for x in four.links)
    robot = replace(four, links=links)
    rng = np.random.default_rng(4)
    q, _, (v, a) = state(robot, "four_bar", rng)
    assert robot.inverse_dynamics(q, v, a).shape == (3,)
    assert isinstance(same(robot.inverse_dynamics, q, v, a), Intermediates)


def test_gravity_and_wrenches_may_be_variables_of_the_steps() -> None:
    five = rk.load("five_bar")
    rng = np.random.default_rng(5)
    q, _, (v, a) = state(five, "five_bar", rng)
    g, w = rng.normal(size=3), rng.normal(size=6)
    steps = five.inverse_dynamics.formulas(gravity=True, wrenches={"hand": True})
    found = steps.value(q=q, v=v, a=a, gravity=g, wrenches={"hand": w})
    assert np.allclose(found, five.inverse_dynamics(q, v, a, gravity=g, wrenches={"hand": w}), atol=1e-12)


def test_velocities_of_reduced_laws_are_those_of_the_independent_coordinates() -> None:
    h = rk.load("five_bar").reduced.velocity_forces.symbolic
    assert {"left_motor_dot", "right_motor_dot"} <= h.names
    assert not {"left_elbow_dot", "right_elbow_dot"} & h.names
    with pytest.raises(WrongSize, match=r"v takes 2 numbers \(left_motor_dot, right_motor_dot\); 4"):
        h.value(q=np.zeros(4), v=np.zeros(4))
    with pytest.raises(MissingValue, match="left_motor_dot"):
        h.value(q=[0.3, 0.1, 1.2, 0.2])


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 3), (5, 5), (7, 4), (6, 6)])
def test_plain_factors_solve_as_linear_algebra_does(rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    A = rng.normal(size=(rows, columns))
    if rows == 6:  # two blocks that hang on each other one way
        A[:2, 2:] = 0
    b, c = rng.normal(size=rows), rng.normal(size=columns)
    entries = [[0 if x == 0 else x for x in row] for row in A.tolist()]
    factors = plain_factors(entries, columns)
    inverse = np.linalg.pinv(A)
    assert np.allclose(factors.solve(list(b)), inverse @ b)
    assert np.allclose(factors.solve_transposed(list(c)), inverse.T @ c)
    rest = np.array(factors.complement(), dtype=float).reshape(rows - columns, rows)
    assert np.allclose(rest @ A, 0)
    assert np.linalg.matrix_rank(rest) == rows - columns


def test_what_compares_numbers_has_no_formula() -> None:
    robot = rk.load("five_bar")
    law = replace(robot.inverse_dynamics.law, name="another")
    with pytest.raises(NoFormula, match="another of robot 'five_bar' is a program"):
        type(robot.inverse_dynamics).__mro__[1](robot, law).formulas()


def test_common_factors_are_cancelled_and_sums_of_angles_combined_in_quotients() -> None:
    bars = four_bar("c", "l", "c", "l")
    both = bars.loop_constraints(linear=False)  # the parallelogram and its crossed form
    coupler = both.combined(both.jacobian[0][0])
    assert str(coupler) == "sin(rocker_angle)/sin(coupler_angle + crank_angle - rocker_angle)"
    q = bars.bind(c=0.3, l=1).assemble([0.7])
    for mode in bars.bind(c=0.3, l=1).assemble([0.7], all=True):
        value = both.value(both.jacobian, mode, c=0.3, l=1)[0, 0]
        assert np.isclose(value, bars.reduced.jacobian(mode, c=0.3, l=1)[1, 0])
    assert all("c**2" not in str(relation) for relation in both.explicit)
    found = both.configurations({"crank_angle": 0.7}, c=0.3, l=1)
    assert len(found) == 2
    assert [str(x) for x in bars.reduced.jacobian.symbolic[:, 0]] == ["1", "-1", "1"]
    assert min(np.abs(x - q).max() for x in found) < 1e-9


def test_coefficients_of_one_equation_lose_what_they_share() -> None:
    ring = exact_state(four_bar("c", "l", "c", "l")).ring
    c, x, s = (ring.variable(name) for name in ("c", "l", "sin(q[0])"))
    assert without_common_factor(c * x * s, c * c, c * s - c) == [x * s, c, s - 1]
    assert without_common_factor(c * x, 0, c) == [x, 0, 1]
    assert without_common_factor(c * x, 2, c) == [c * x, 2, c]  # the number 2 has no length in it
