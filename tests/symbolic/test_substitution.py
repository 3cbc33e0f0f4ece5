"""Variables of formulas replaced by numbers and formulas."""

import pytest
import sympy
from symbolic_robots import all_symbols, elements

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongValue

ARM = all_symbols("planar_2r")


def test_a_symbol_takes_a_number_or_a_formula() -> None:
    M = ARM.mass_matrix.symbolic
    assert str(M[1, 1].subs("Izz2", 3)) == "Ia2 + 3"
    assert str(M[1, 1].subs({"Izz2": "2*Ia2"})) == "3*Ia2"
    assert M.subs("a2", 0.5)[0, 1] == M[0, 1].subs("a2", "1/2")
    assert M.subs("a2", 0)[0, 1] == M[1, 1] - M[1, 1].subs("Izz2", 0)
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(sorted(ARM.free_symbols))}
    for x in elements(M):
        changed = x.subs("a2", "2*msx2")
        at = {**values, "a2": 2 * values["msx2"], "q1": 0.2, "q2": 0.7}
        assert changed.value(**{n: at[n] for n in at if n != "a2"}) == pytest.approx(x.value(**at))


def test_an_angle_takes_what_its_sine_is_exact_for() -> None:
    J = rk.load("scara").jacobian.formulas("hand")
    assert str(J[0, 0].subs("q1", 0)) == "-l2*sin(q2)"
    assert str(J[0, 0].subs({"q1": "pi/2", "q2": 0})) == "-l1 - l2"
    assert J[0, 0].subs("q2", "-q1") == J[0, 0].subs({"q2": "-1*q1"})


def test_a_quotient_and_symbols_of_sympy() -> None:
    inverse = rk.load("planar_2r").inverse_mass_matrix.symbolic
    x = inverse[1, 1].subs(sympy.Symbol("m1", real=True), 2)
    assert "m1" not in x.names
    at = {"q1": 0.3, "q2": 0.5, "l1": 0.4, "l2": 0.7, "m2": 1.5}
    assert x.value(**at) == pytest.approx(inverse[1, 1].value(m1=2, **at))


def test_symbols_of_sympy_are_declared_real_by_default() -> None:
    x = ARM.mass_matrix.symbolic[1, 1]
    assert all(symbol.is_real for symbol in x.sympy().free_symbols)
    assert x.sympy().subs("Izz2", 3) == x.sympy()  # SymPy's text is a symbol without assumptions
    assert x.sympy(real=False).subs("Izz2", 3) == sympy.Symbol("Ia2") + 3
    assert ARM.mass_matrix.symbolic.sympy(real=False).subs("Izz2", 3)[1, 1] == sympy.Symbol("Ia2") + 3
    assert x.subs("Izz2", 3).sympy() == sympy.Symbol("Ia2", real=True) + 3


def test_names_that_are_no_variables_are_refused() -> None:
    x = ARM.mass_matrix.symbolic[1, 1]
    with pytest.raises(UnknownName, match="Did you mean 'Izz2'"):
        x.subs("Izz22", 3)
    with pytest.raises(UnknownName, match="zz9"):
        x.subs("Izz2", "zz9")
    with pytest.raises(WrongValue, match=r"subs\('L', 0.5\)"):
        x.subs("Izz2")
    with pytest.raises(WrongValue, match="names of variables"):
        x.subs(3, 4)
