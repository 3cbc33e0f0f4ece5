"""Laws as lists of intermediate variables."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from palletizers import palletizer
from symbolic_robots import all_symbols, symbol_values

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.readable_numbers import number_of

ARM = all_symbols("planar_2r")
STATE = {"q1": 0.3, "q2": -1.2, "q1_dot": 0.7, "q2_dot": -0.4, "q1_ddot": 1.1, "q2_ddot": 0.6}
VALUES = STATE | {name: float(x) for name, x in symbol_values(ARM).items()}


# -- intermediates ----------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
@pytest.mark.parametrize("law", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_intermediate_variables_lead_to_the_native_values(law: str) -> None:
    robot = rk.load("puma560")
    steps = getattr(robot, law).intermediates()
    rng = np.random.default_rng(2)
    inputs = {name: rng.uniform(-1, 1, 6) for name in ("q", "v", "a", "tau")}
    known = {
        f"q{k + 1}{end}": inputs[x][k]
        for x, end in (("q", ""), ("v", "_dot"), ("a", "_ddot"))
        for k in range(6)
    }
    known |= {f"tau_q{k + 1}": inputs["tau"][k] for k in range(6)}
    for name, formula in steps.steps:
        known[name] = formula.evaluate(FLOATS, known)
    ours = np.array([float(x.evaluate(FLOATS, known)) for x in steps.results])
    native = getattr(robot, law)(*(inputs[x] for x in getattr(robot, law).law.inputs))
    assert np.abs(ours - native.ravel()).max() <= 1e-12 * np.abs(native).max()
    assert steps.operations.total <= getattr(robot, law).operations.total
    assert steps._repr_latex_().startswith("$$\\begin{aligned}")


def test_long_formulas_are_shown_with_intermediate_variables() -> None:
    M = all_symbols("puma560").mass_matrix.symbolic
    text = repr(M)
    assert "with intermediate variables" in text
    assert "M(6, 6) = " in text
    assert text.rstrip().endswith("sincos)")
    assert M[0].terms > 0


def test_intermediates_of_sympy_are_what_cse_gives() -> None:
    steps, results = ARM.mass_matrix.symbolic.intermediates().sympy()
    expression = results[0, 0]
    for symbol, value in reversed(steps):
        expression = expression.subs(symbol, value)
    at = {symbol: VALUES[symbol.name] for symbol in expression.free_symbols}
    assert float(expression.subs(at)) == pytest.approx(
        ARM.mass_matrix.symbolic[0, 0].value(**VALUES), rel=1e-13
    )


def test_steps_do_not_take_the_name_of_a_symbol() -> None:
    link = rk.Link(
        "l1", "base", rk.Joint("t2"), rk.ModifiedDH(a="t1"), rk.Inertia("origin", "t3", ("x", "y", 0))
    )
    robot = replace(Robot("r", (link,)), gravity=(Formula.of("t4"), Formula.of(0), Formula.of(0)))
    steps = robot.gravity_forces.intermediates()
    names = {name for name, _ in steps.steps}
    assert not names & {"t1", "t2", "t3", "t4"}


def test_steps_that_are_constant_are_left_out() -> None:
    """The plate of a palletizer keeps its angle: products of sines and cosines there are 0, 1 and -1."""
    robot = palletizer()
    law = robot.reduced.velocity_forces
    steps = law.intermediates()
    assert steps.operations.mul < 250  # 320 and 7 as recorded
    assert str(steps.operations).endswith(" 4 sincos")
    th1, th2, th5, th7 = 0.3, 0.4, -0.9, 0.2
    # the linear relations of its three parallelograms; joints 1, 2, 3, 4, 5, 7, 8, 9, 10, 11
    q = [th1, th2, th7 + np.pi - th2, np.pi - th7, th5, th7, th2 - th7, -th2, th2, th7 + np.pi]
    state = {"q": q, "v": [0.3, -0.2, 0.5, 0.7]}
    masses = {x: 1 + 0.1 * k for k, x in enumerate(sorted(robot.free_symbols)) if x[0] in "mz"}
    exact = law.symbolic
    assert isinstance(exact, Formulas)
    assert steps.value(**state, **masses) == pytest.approx(exact.value(**state, **masses), rel=1e-10)


def test_short_elements_of_an_array_by_steps_are_shown_as_formulas() -> None:
    shown = repr(rk.load("rx90").mass_matrix.symbolic)
    assert "with intermediate variables" in shown
    assert "M(6, 6) = IA6 + ZZ6" in shown


@pytest.mark.parametrize(("name", "independent"), [("five_bar", [2.0, 1.2]), ("rosam_loop", [0.3, 0.9, 0.5])])
def test_steps_of_closed_robots_add_the_angles_of_parallel_axes(name: str, independent: list[float]) -> None:
    """Differences of the angles of two chains are one sine, as books print the determinant of a five-bar."""
    robot = rk.load(name)
    steps = robot.reduced.mass_matrix.intermediates()
    shown = steps.text()
    products = re.findall(r"t\d+\*t\d+ [+-] t\d+\*t\d+", shown)
    assert len(products) <= 2  # eight or more before
    angles = re.findall(r"^(t\d+) = [a-z]\w+ [+-] [a-z]\w+$", shown, re.MULTILINE)
    assert any(f"({x}" in shown for x in angles)
    symbols = {x: 0.2 + 0.05 * k for k, x in enumerate(sorted(robot.free_symbols))}
    q = robot.assemble(independent, **symbols)
    expected = robot.reduced.mass_matrix(q, **symbols)
    assert steps.value(q=q, **symbols) == pytest.approx(expected, abs=1e-13, rel=1e-12)


def test_numbers_of_steps_are_those_of_the_file() -> None:
    """Moments of inertia of rods are fractions, not the nearest floats."""
    shown = rk.load("five_bar").reduced.mass_matrix.intermediates().text()
    assert "8/375" in shown
    assert not re.search(r"\d\.\d{7}", shown)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.4 * 0.4**2 / 12, Fraction(2, 375)),
        (0.1 + 0.2, Fraction(3, 10)),
        (-1 / 3, Fraction(-1, 3)),
        (0.4318, Fraction("0.4318")),
        (0.12345678901234, Fraction("0.12345678901234")),  # a decimal of a file is kept
        (2.0**0.5, Fraction("1.4142135623730951")),
        (1e-9 / 3, Fraction("3.3333333333333337e-10")),
        (0.0, Fraction(0)),
    ],
)
def test_a_float_is_the_short_number_that_it_stands_for(value: float, number: Fraction) -> None:
    assert number_of(value) == number
