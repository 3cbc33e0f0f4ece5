"""Formulas as people read them: names, text, LaTeX, SymPy, sums combined, terms collected, intermediates."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from symbolic_robots import all_symbols, elements, symbol_values

import rikigaku as rk
from rikigaku.errors import MissingValue, NotExact, UnknownName, WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.numbers.exact import ExactConstants
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.element import ExactFormula
from rikigaku.symbolic.exact_state import exact_state
from rikigaku.symbolic.writing import written

ARM = all_symbols("planar_2r")
STATE = {"q1": 0.3, "q2": -1.2, "q1_dot": 0.7, "q2_dot": -0.4, "q1_ddot": 1.1, "q2_ddot": 0.6}
VALUES = STATE | {name: float(x) for name, x in symbol_values(ARM).items()}


def forces() -> Any:
    return ARM.inverse_dynamics.symbolic


# -- names ------------------------------------------------------------------------------------------------
def test_coordinates_are_called_as_their_joints() -> None:
    loop = rk.load("rosam_loop")
    names = forces().reading.names
    assert (names["q[0]"], names["v[0]"], names["a[1]"], names["tau[0]"]) == (
        "q1",
        "q1_dot",
        "q2_ddot",
        "tau_q1",
    )
    tau = loop.tree.inverse_dynamics.symbolic
    assert {"theta31", "d21_dot", "theta11_ddot"} <= tau.names
    assert r"\dot{\theta}_{11}" in tau[0].latex()


def test_joints_with_several_coordinates_number_them() -> None:
    types = ("universal", "planar", "spherical", "free")
    links = tuple(rk.Link(f"l{t}", "base", rk.Joint(t, t)) for t in types)
    names = Robot("many", links).mass_matrix.symbolic.reading.names
    assert {"universal_2", "planar_theta", "spherical_qw", "free_z", "free_qz"} <= set(names.values())
    assert {"universal_1_dot", "planar_y_ddot", "spherical_wx", "spherical_wx_dot", "free_vx"} <= set(
        names.values()
    )
    assert len(set(names.values())) == len(names)


def test_a_coordinate_called_like_a_symbol_is_renamed() -> None:
    link = rk.Link(
        "l1",
        "base",
        rk.Joint("L"),
        rk.ModifiedDH(a="L", alpha="L_dot"),
        rk.Inertia("origin", "m", ("L", 0, 0)),
    )
    odd = rk.Link("l2", "l1", rk.Joint("2nd joint-α"), rk.ModifiedDH(), rk.Inertia("origin", 1, (1, 0, 0)))
    robot = Robot("clash", (link, odd))
    reading = robot.inverse_dynamics.symbolic.reading
    assert reading.names["q[0]"] == "L_"
    assert reading.names["v[0]"] == "L__dot"
    assert reading.names["q[1]"].isidentifier()
    assert len({*reading.names.values(), *robot.free_symbols}) == len(reading.names) + len(robot.free_symbols)
    g = robot.gravity_forces.symbolic
    values = {"L": 0.5, "L_dot": 0.3, "m": 2.0}
    native = robot.gravity_forces([0.2, 0.1], **values)
    assert np.abs(g.value(q=[0.2, 0.1], **values) - native).max() < 1e-14


# -- text, LaTeX, SymPy -----------------------------------------------------------------------------------
def test_the_text_of_a_formula_reads_back_to_the_same_value() -> None:
    for x in elements(forces()):
        read = Formula.of(str(x)) if len(str(x)) < 1000 else x.formula
        assert float(read.evaluate(FLOATS, VALUES)) == pytest.approx(x.value(**VALUES), rel=1e-13)


def test_sympy_has_the_same_value() -> None:
    tau = forces().sympy()
    assert tau.shape == (2, 1)
    for x, y in zip(elements(forces()), tau, strict=True):
        at = {symbol: VALUES[symbol.name] for symbol in y.free_symbols}
        assert float(y.subs(at)) == pytest.approx(x.value(**VALUES), rel=1e-13)
    assert ARM.poses.symbolic.sympy().shape == ARM.poses.symbolic.shape


def from_latex(text: str) -> Any:
    """Our LaTeX back to SymPy; it is written in few ways."""
    text = re.sub(r"\\d(d?)ot\{(\w+)\}_\{(\w+)\}", lambda m: f"{m[2]}{m[3]}_d{m[1]}ot", text)
    text = re.sub(r"\\(?:mathrm|operatorname)\{(\w+)\}", r"\1", text).replace(r"\_", "_")
    text = re.sub(r"(\w)_\{(\w+)\}", r"\1\2", text)
    text = text.replace(r"\left", "").replace(r"\right", "").replace(r" \, ", "*").replace(r"\sin", "sin")
    text = text.replace(r"\cos", "cos").replace("{", "(").replace("}", ")").replace("^", "**")
    names = {name: sympy.Symbol(name) for name in VALUES}
    return sympy.parse_expr(text, local_dict=names)


def test_latex_has_the_same_value() -> None:
    for x in elements(forces()):
        y = from_latex(x.latex())
        assert float(y.subs(VALUES)) == pytest.approx(x.value(**VALUES), rel=1e-13)
        assert x._repr_latex_() == f"${x.latex()}$"
    assert forces()._repr_latex_().startswith(r"$\begin{bmatrix}")


def test_formulas_behave_as_an_array() -> None:
    M = ARM.mass_matrix.symbolic
    assert M.shape == (2, 2)
    assert len(M) == 2
    assert [row.shape for row in M] == [(2,), (2,)]
    assert M[0, 1] == M[1, 0] == M.T[0, 1] == M[1][0]
    assert M[:, 1].shape == (2,)
    assert isinstance(M[0, 0], ExactFormula)
    assert isinstance(ARM.kinetic_energy.symbolic, ExactFormula)
    assert "[1, 1] = Ia2 + Izz2" in repr(M)


def test_a_symbol_given_a_value_is_gone() -> None:
    M = ARM.mass_matrix.formulas(a2=0.5)
    assert "a2" not in M.names
    assert str(M[0, 1]) == "Izz2 + msx2*cos(q2)/2 - msy2*sin(q2)/2"


def test_options_follow_in_order_or_by_name() -> None:
    J = ARM.jacobian.formulas("hand")
    assert J is ARM.jacobian.formulas(frame="hand", axes="world")
    fixed = ARM.jacobian.fix(frame="hand").symbolic
    assert all(x == y for x, y in zip(elements(J), elements(fixed), strict=True))
    with pytest.raises(WrongValue, match="needs frame"):
        _ = ARM.jacobian.symbolic
    with pytest.raises(UnknownName, match="hand"):
        ARM.jacobian.formulas("hnd")


# -- combined ---------------------------------------------------------------------------------------------
def same_exactly(x: ExactFormula, shown: Formula) -> bool:
    """The formula shown, computed with exact numbers by the addition theorems, is the number."""
    ring, reading = x.reading.ring, x.reading
    symbols = {name: ring.variable(generator) for name, generator in reading.generators.items()}
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
    assert "Iyy5 - Iyy5*sin(q4)**2" in str(M)
    shown = M.combined()
    assert "Iyy5*cos(q4)**2" in str(shown)
    assert same_exactly(M, shown.formula)


# -- taken apart ------------------------------------------------------------------------------------------
def test_what_was_collected_adds_up_to_the_formula() -> None:
    reading = forces().reading
    for by in ("parameters", "accelerations", "velocities", ["q1_dot", "Izz2"], "a2"):
        for x in elements(forces()):
            total: Any = 0
            for factor, rest in x.collect(by).items():
                symbols = {name: reading.ring.variable(g) for name, g in reading.generators.items()}
                total = total + rest * Formula.of(factor).evaluate(ExactConstants(reading.ring), symbols)
            assert total == x


def test_collected_by_accelerations_forces_show_the_mass_matrix() -> None:
    M = ARM.mass_matrix.symbolic
    for i, x in enumerate(elements(forces())):
        parts = x.collect("accelerations")
        assert [parts[f"q{j + 1}_ddot"] for j in range(2)] == [M[i, 0], M[i, 1]]


def test_collected_by_parameters_forces_show_the_regressor() -> None:
    Y = ARM.regressor.formulas(drives=True)
    columns = list(ARM.parameters(drives=True, **{x: float(v) for x, v in symbol_values(ARM).items()}))
    parts = forces()[0].collect("parameters")
    for name, column in (("Izz2", "Izz of link2"), ("msx2", "msx of link2"), ("fv1", "viscous of q1")):
        assert parts[name] == Y[0, columns.index(column)]


def test_velocity_products_are_factors() -> None:
    parts = forces()[0].collect("velocities")
    assert str(parts["q1_dot*q2_dot"]) == "-2*a2*msx2*sin(q2) - 2*a2*msy2*cos(q2)"
    assert "q2_dot**2" in parts


def test_lagranges_equation_holds_identically() -> None:
    T, U = ARM.kinetic_energy.symbolic, ARM.potential_energy.symbolic
    tau = ARM.inverse_dynamics.formulas(friction=False)
    for k, name in enumerate(("q1", "q2")):
        p = T.diff(f"{name}_dot")
        rate: Any = 0
        for other in ("q1", "q2"):
            for variable, by in ((other, f"{other}_dot"), (f"{other}_dot", f"{other}_ddot")):
                rate = rate + p.diff(variable) * p.reading.ring.variable(p.reading.generators[by])
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
    assert J.reading.ring.radicands
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


# -- values and errors ------------------------------------------------------------------------------------
def test_values_are_fractions_where_all_is_rational_and_floats_else() -> None:
    x = ARM.mass_matrix.symbolic[0, 1]
    symbols = {name: Fraction(k + 1, 7) for k, name in enumerate(ARM.free_symbols)}
    exact = x.value(q=[0, (Fraction(3, 5), Fraction(4, 5))], **symbols)
    assert isinstance(exact, Fraction)
    inexact = x.value(q=[0, math.atan2(3, 4)], **symbols)
    assert isinstance(inexact, float)
    assert inexact == pytest.approx(float(exact), rel=1e-15)
    assert float(rk.load("planar_2r").mass_matrix.symbolic[1, 1]) > 0


def test_what_is_missing_or_wrong_is_named() -> None:
    x = ARM.mass_matrix.symbolic[0, 1]
    with pytest.raises(MissingValue, match="q2, msx2 have none"):
        x.value(a2=1, Izz2=1, msy2=0)
    with pytest.raises(WrongSize, match="q takes 2 numbers"):
        x.value(q=[0, 0, 0])
    with pytest.raises(WrongSize, match="v takes 2 numbers"):
        x.value(v=3)
    with pytest.raises(WrongValue, match="No wrench on 'hand'"):
        x.value(wrenches={"hand": [0] * 6})
    with pytest.raises(UnknownName, match="elbow"):
        x.value(elbow=1)
    with pytest.raises(WrongValue, match="do not add up to 1"):
        x.value(q=[0, (1, 1)])
    with pytest.raises(WrongValue, match="is a number"):
        x.value(a2="long")
    with pytest.raises(WrongValue, match="finite"):
        x.value(a2=math.nan)
    with pytest.raises(UnknownName, match="parameters"):
        x.collect("parameter")
    with pytest.raises(UnknownName, match="variable"):
        x.diff("q3")
    with pytest.raises(NotExact, match="numerator"):
        ARM.inverse_mass_matrix.symbolic[0, 0].collect("parameters")
    with pytest.raises(WrongValue, match="ask the whole law"):
        ARM.mass_matrix.symbolic[0].with_intermediates()


def test_a_symbol_called_like_an_input_takes_one_number() -> None:
    link = rk.Link("l1", "base", rk.Joint("j"), rk.ModifiedDH(a="a"))
    p = Robot("r", (link,)).pose.formulas("l1")[0, 3]
    assert p.value(a=3) == p.value(symbols={"a": 3}) == 3


def test_an_angle_that_is_a_product_is_refused_with_its_place() -> None:
    link = rk.Link("l1", "base", rk.Joint("j"), rk.ModifiedDH(alpha="a*b"))
    with pytest.raises(NotExact, match=r"a\*b.*links\[0\].*symbol of its own"):
        Robot("r", (link,)).pose.formulas("l1")


# -- intermediates ----------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::rikigaku.errors.UnphysicalInertiaWarning")
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
    assert str(steps.operations) == str(getattr(robot, law).operations)
    assert steps._repr_latex_().startswith(r"$\begin{aligned}")


def test_long_formulas_are_shown_with_intermediate_variables() -> None:
    M = all_symbols("puma560").mass_matrix.symbolic
    text = repr(M)
    assert "with intermediate variables" in text
    assert "M[5, 5] = " in text
    assert str(M.operations) in text
    assert M[0].terms > 0


def test_intermediates_of_sympy_are_what_cse_gives() -> None:
    steps, results = ARM.mass_matrix.symbolic.with_intermediates().sympy()
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


def test_formulas_of_laws_of_one_robot_mix() -> None:
    M, h, g = (getattr(ARM, law).symbolic for law in ("mass_matrix", "velocity_forces", "gravity_forces"))
    tau = ARM.inverse_dynamics.formulas(friction=False)
    a = [tau.reading.ring.variable(f"a[{k}]") for k in range(2)]
    for i in range(2):
        assert M[i, 0] * a[0] + M[i, 1] * a[1] + h[i] + g[i] == tau[i]
        assert (tau[i] / M[0, 0]) * M[0, 0] - tau[i] == 0
    assert not tau[0] - tau[0]


def test_formulas_mix_however_many_other_robots_were_asked_between() -> None:
    arm = rk.load("planar_2r")
    M = arm.mass_matrix.symbolic
    for k in range(80):  # more than are remembered for their own sake
        exact_state(arm.bind(l1=k + 1))
    tau = arm.inverse_dynamics.formulas(friction=False)
    a = [tau.reading.ring.variable(f"a[{k}]") for k in range(2)]
    rest = arm.velocity_forces.symbolic[0] + arm.gravity_forces.symbolic[0]
    assert M[0, 0] * a[0] + M[0, 1] * a[1] + rest == tau[0]


def test_a_number_with_a_variable_that_has_no_name_is_not_written() -> None:
    state = exact_state(rk.load("planar_2r"))
    length = state.ring.variable("l1")
    assert str(written(length * 2)) == "2*l1"
    with pytest.raises(NotExact, match=r"v\[0\] has no name here"):
        written(length + state.v[0])
