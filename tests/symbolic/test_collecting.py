"""Formulas taken apart by factors, and derived: what comes out adds up."""

from typing import Any

import numpy as np
import pytest
from symbolic_robots import all_symbols, elements, symbol_values

import rikigaku as rk
from rikigaku.core.errors import NotExact
from rikigaku.numbers.exact_number import ExactConstants
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

ARM = all_symbols("planar_2r")
STATE = {"q1": 0.3, "q2": -1.2, "q1_dot": 0.7, "q2_dot": -0.4, "q1_ddot": 1.1, "q2_ddot": 0.6}
VALUES = STATE | {name: float(x) for name, x in symbol_values(ARM).items()}


def forces() -> Any:
    return ARM.inverse_dynamics.symbolic


# -- taken apart ------------------------------------------------------------------------------------------
def test_what_was_collected_adds_up_to_the_formula() -> None:
    context = forces().context
    for by in ("parameters", "accelerations", "velocities", ["q1_dot", "Izz2"], "a2"):
        for x in elements(forces()):
            total: Any = 0
            for factor, rest in x.collect(by).items():
                symbols = {name: context.ring.variable(g) for name, g in context.generators.items()}
                total = total + rest * Formula.of(factor).evaluate(ExactConstants(context.ring), symbols)
            assert total == x


def test_collected_by_accelerations_forces_show_the_mass_matrix() -> None:
    M = ARM.mass_matrix.symbolic
    for i, x in enumerate(elements(forces())):
        parts = x.collect("accelerations")
        assert [parts[f"q{j + 1}_ddot"] for j in range(2)] == [M[i, 0], M[i, 1]]


def test_collected_by_parameters_forces_show_the_regressor() -> None:
    Y = ARM.regressor.formulas(joint_parameters=True)
    columns = list(
        ARM.parameters(joint_parameters=True, **{x: float(v) for x, v in symbol_values(ARM).items()})
    )
    parts = forces()[0].collect("parameters")
    for name, column in (("Izz2", "Izz of link2"), ("msx2", "msx of link2"), ("fv1", "viscous of q1")):
        assert parts[name] == Y[0, columns.index(column)]


def test_velocity_products_are_factors() -> None:
    parts = forces()[0].collect("velocities")
    assert str(parts["q1_dot*q2_dot"]) == "-2*a2*(msx2*sin(q2) + msy2*cos(q2))"
    assert "q2_dot**2" in parts


def test_lagranges_equation_holds_identically() -> None:
    T, U = ARM.kinetic_energy.symbolic, ARM.potential_energy.symbolic
    tau = ARM.inverse_dynamics.formulas(friction=False)
    for k, name in enumerate(("q1", "q2")):
        p = T.diff(f"{name}_dot")
        rate: Any = 0
        for other in ("q1", "q2"):
            for variable, by in ((other, f"{other}_dot"), (f"{other}_dot", f"{other}_ddot")):
                rate = rate + p.diff(variable) * p.context.ring.variable(p.context.generators[by])
        assert rate - T.diff(name) + U.diff(name) == tau[k]


def test_derivatives_by_symbols_and_of_quotients_are_differences() -> None:
    x = ARM.inverse_mass_matrix.symbolic[0, 1]
    for name in ("q2", "a2", "msx2"):

        def at(h: float, name: str = name) -> float:
            return float(x.value(**VALUES | {name: VALUES[name] + h}))

        slope = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3
        assert x.diff(name).value(**VALUES) == pytest.approx(slope, rel=1e-7)


def test_derivatives_of_square_roots_are_differences() -> None:
    robot = all_symbols("stanford")
    J = robot.euler_jacobian.formulas(robot.frame_names[-1])
    assert J.context.ring.radicands
    q = [0.3, 0.7, 0.4, -0.5, 0.6, 0.2]

    def at(h: float) -> Any:
        return J[3:].value(q=[q[0], q[1] + h, *q[2:]])

    slope = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3
    assert np.abs(slope).max() > 0.1
    assert np.abs(J[3:].diff("q2").value(q=q) - slope).max() < 1e-8 * np.abs(slope).max()


def test_a_quaternion_element_does_not_vary_alone() -> None:
    ball = Robot("ball", (rk.Link("l1", "base", rk.Joint("j", "spherical")),))
    with pytest.raises(NotExact, match="quaternion"):
        ball.pose.formulas("l1")[0, 0].diff("j_qw")
