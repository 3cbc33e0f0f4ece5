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
from rikigaku.core.errors import MissingValue, NotExact, UnknownName, WrongSize, WrongValue
from rikigaku.numbers.elementary_functions import sqrt
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import PAGE, latex, latex_width
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_writing import written

ARM = all_symbols("planar_2r")
STATE = {"q1": 0.3, "q2": -1.2, "q1_dot": 0.7, "q2_dot": -0.4, "q1_ddot": 1.1, "q2_ddot": 0.6}
VALUES = STATE | {name: float(x) for name, x in symbol_values(ARM).items()}


def forces() -> Any:
    return ARM.inverse_dynamics.symbolic


# -- names ------------------------------------------------------------------------------------------------
def test_coordinates_are_called_as_their_joints() -> None:
    loop = rk.load("rosam_loop")
    names = forces().context.names
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
    names = Robot("many", links).mass_matrix.symbolic.context.names
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
        rk.ModifiedDH(a="L", alpha="L_rate"),
        rk.Inertia("origin", "m", ("L", 0, 0)),
    )
    odd = rk.Link("l2", "l1", rk.Joint("2nd joint-α"), rk.ModifiedDH(), rk.Inertia("origin", 1, (1, 0, 0)))
    robot = Robot("clash", (link, odd))
    context = robot.inverse_dynamics.symbolic.context
    assert context.names["q[0]"] == "L__"  # L_ is printed like L in LaTeX
    assert context.names["v[0]"] == "L___dot"
    printed = {latex(Formula.symbol(name)) for name in (*context.names.values(), *robot.free_symbols)}
    assert len(printed) == len(context.names) + len(robot.free_symbols)
    assert context.names["q[1]"].isidentifier()
    assert len({*context.names.values(), *robot.free_symbols}) == len(context.names) + len(robot.free_symbols)
    g = robot.gravity_forces.symbolic
    values = {"L": 0.5, "L_rate": 0.3, "m": 2.0}
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
        whole = latex(x.shortest)
        assert float(from_latex(whole).subs(VALUES)) == pytest.approx(x.value(**VALUES), rel=1e-13)
        for shown in (x._repr_latex_(), x.latex()):
            lines = re.sub(r"\$|\\(?:begin|end)\{aligned\}|\\\\|& (?:\\quad )?", "", shown).split()
            assert "".join(lines) == whole.replace(" ", "")  # lines that fit the page
            assert shown.count(r"\\") >= latex_width(whole) // (PAGE + 1)
    assert forces()._repr_latex_().startswith("$$\\begin{aligned}\n\\tau_{1} &= ")
    assert ARM.jacobian.formulas("hand")._repr_latex_().startswith(r"$\begin{bmatrix}")


def test_formulas_behave_as_an_array() -> None:
    M = ARM.mass_matrix.symbolic
    assert M.shape == (2, 2)
    assert len(M) == 2
    assert [row.shape for row in M] == [(2,), (2,)]
    assert M[0, 1] == M[1, 0] == M.T[0, 1] == M[1][0]
    assert M[:, 1].shape == (2,)
    assert isinstance(M[0, 0], ExactFormula)
    assert isinstance(ARM.kinetic_energy.symbolic, ExactFormula)
    assert "M(2, 2) = Ia2 + Izz2" in repr(M)


def test_a_symbol_given_a_value_is_gone() -> None:
    M = ARM.mass_matrix.formulas(a2=0.5)
    assert "a2" not in M.names
    assert str(M[0, 1]) == "Izz2 + (msx2*cos(q2) - msy2*sin(q2))/2"


def test_options_follow_in_order_or_by_name() -> None:
    J = ARM.jacobian.formulas("hand")
    assert J is ARM.jacobian.formulas(frame="hand", axes="world")
    fixed = ARM.jacobian.fix(frame="hand").symbolic
    assert all(x == y for x, y in zip(elements(J), elements(fixed), strict=True))
    with pytest.raises(WrongValue, match="needs frame"):
        _ = ARM.jacobian.symbolic
    with pytest.raises(UnknownName, match="hand"):
        ARM.jacobian.formulas("hnd")


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


def test_a_symbol_called_like_an_input_takes_one_number() -> None:
    link = rk.Link("l1", "base", rk.Joint("j"), rk.ModifiedDH(a="a"))
    p = Robot("r", (link,)).pose.formulas("l1")[0, 3]
    assert p.value(a=3) == p.value(symbols={"a": 3}) == 3


def test_an_angle_that_is_a_product_is_refused_with_its_place() -> None:
    link = rk.Link("l1", "base", rk.Joint("j"), rk.ModifiedDH(alpha="a*b"))
    with pytest.raises(NotExact, match=r"a\*b.*links\[0\].*the angle a symbol"):
        Robot("r", (link,)).pose.formulas("l1")


def test_formulas_of_laws_of_one_robot_mix() -> None:
    M, h, g = (getattr(ARM, law).symbolic for law in ("mass_matrix", "velocity_forces", "gravity_forces"))
    tau = ARM.inverse_dynamics.formulas(friction=False)
    a = [tau.context.ring.variable(f"a[{k}]") for k in range(2)]
    for i in range(2):
        assert M[i, 0] * a[0] + M[i, 1] * a[1] + h[i] + g[i] == tau[i]
        assert (tau[i] / M[0, 0]) * M[0, 0] - tau[i] == 0
    assert not tau[0] - tau[0]


def test_formulas_mix_however_many_other_robots_were_used_between() -> None:
    arm = rk.load("planar_2r")
    M = arm.mass_matrix.symbolic
    for k in range(80):  # more than are remembered for their own sake
        exact_state(arm.bind(l1=k + 1))
    tau = arm.inverse_dynamics.formulas(friction=False)
    a = [tau.context.ring.variable(f"a[{k}]") for k in range(2)]
    rest = arm.velocity_forces.symbolic[0] + arm.gravity_forces.symbolic[0]
    assert M[0, 0] * a[0] + M[0, 1] * a[1] + rest == tau[0]


def test_a_root_of_variables_without_names_leaves_other_numbers_to_be_written() -> None:
    state = exact_state(rk.load("planar_2r"))
    sqrt(state.ring.variable("cos(q[0])") * 2 + 5)  # the ring has this root from now on
    assert str(written(state.ring.variable("l1") * 2)) == "2*l1"


def test_a_number_with_a_variable_that_has_no_name_is_not_written() -> None:
    state = exact_state(rk.load("planar_2r"))
    length = state.ring.variable("l1")
    assert str(written(length * 2)) == "2*l1"
    with pytest.raises(NotExact, match=r"v\[0\] has no name here"):
        written(length + state.v[0])


def test_sympy_is_multiplied_out_and_of_the_factored_form_what_is_shown() -> None:
    """Of equal formulas the same expression; the shown form takes a search."""
    x = rk.load("planar_3r").mass_matrix.symbolic[0, 0]
    names = {name: sympy.Symbol(name) for name in x.names}
    whole, shown = x.sympy(real=False), x.factored().sympy(real=False)
    assert whole == sympy.parse_expr(str(x.formula), local_dict=names)
    assert shown == sympy.parse_expr(str(x.factored()), local_dict=names)
    assert shown != whole
    assert sympy.count_ops(shown) < sympy.count_ops(whole)
    assert sympy.expand(sympy.expand_trig(shown - whole)).simplify() == 0
    assert (x + x.diff("q2") - x.diff("q2")).sympy(real=False) == whole


def test_arrays_of_formulas_are_compared_by_value() -> None:
    arm = rk.load("planar_2r")
    M, again = arm.mass_matrix.symbolic, replace(arm, name="twin").mass_matrix.symbolic
    assert M is not again
    assert again == M
    assert M.factored() == M
    assert hash(M) == hash(again)
    assert M == M.T
    assert arm.coriolis_matrix.symbolic != M
    assert M[0] != M
    assert M.array.tolist() != M
    assert (M == 3) is False
