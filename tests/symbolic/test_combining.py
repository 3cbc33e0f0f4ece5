"""Sums of angles in formulas: the same number, written shorter."""

import pytest
from symbolic_robots import all_symbols, elements, symbol_values

import rikigaku as rk
from rikigaku.numbers.exact_number import ExactConstants
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.formulas.exact_formula import ExactFormula

ARM = all_symbols("planar_2r")
STATE = {"q1": 0.3, "q2": -1.2, "q1_dot": 0.7, "q2_dot": -0.4, "q1_ddot": 1.1, "q2_ddot": 0.6}
VALUES = STATE | {name: float(x) for name, x in symbol_values(ARM).items()}


# -- combined ---------------------------------------------------------------------------------------------
def same_exactly(x: ExactFormula, shown: Formula) -> bool:
    """The formula shown, computed with exact numbers by the addition theorems, is the number."""
    ring, context = x.context.ring, x.context
    symbols = {name: ring.variable(generator) for name, generator in context.generators.items()}
    return bool(shown.evaluate(ExactConstants(ring), symbols) - x.number == 0)


def test_sums_of_parallel_axes_are_combined() -> None:
    pose = ARM.pose.formulas("hand").combined()
    assert {str(x) for x in elements(pose[1:3, 3])} == {
        "-a2*sin(q1) - l2*sin(q1 + q2)",
        "a2*cos(q1) + l2*cos(q1 + q2)",
    }
    three = all_symbols("planar_3r").pose.formulas("hand").combined()
    assert "cos(q1 + q2 + q3)" in str(three)


@pytest.mark.parametrize(
    ("name", "law"), [("puma560", "gravity_forces"), ("scara", "mass_matrix"), ("ur5", "jacobian")]
)
def test_a_combined_formula_is_the_same_exactly_and_no_longer(name: str, law: str) -> None:
    robot = all_symbols(name) if name != "ur5" else rk.load(name)
    options = {"frame": robot.frame_names[-1]} if law == "jacobian" else {}
    whole = getattr(robot, law).formulas(**options)
    shorter = 0
    for x in elements(whole):
        y = x.combined()
        assert same_exactly(x, y.formula)
        assert len(y.formula.terms) <= len(x.formula.terms)
        assert y == x
        shorter += len(y.formula.terms) < len(x.formula.terms)
    assert shorter
    if name == "puma560":
        assert "cos(q2 + q3)" in str(whole[1].combined())


def test_angles_are_combined_under_square_roots_and_in_quotients() -> None:
    J = ARM.euler_jacobian.formulas("hand")
    assert str(J[4, 0].combined()) == "sqrt(sin(q1 + q2)**2)/sin(q1 + q2)"
    assert same_exactly(J[1, 0], J[1, 0].combined().formula)


def test_a_square_of_cosine_is_restored_where_it_is_shorter() -> None:
    M = all_symbols("puma560").mass_matrix.symbolic[1, 1]
    assert "Iyy5 - Iyy5*sin(q4)**2" in str(M.formula)  # multiplied out
    shown = M.combined()
    assert "Iyy5*cos(q4)**2" in str(shown)
    assert same_exactly(M, shown.formula)
