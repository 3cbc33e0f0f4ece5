"""Forms that a class expects: squares, numbers and angles taken together, fractions apart, names in order."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_layout import operations
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.factored_fraction import factored_fraction


def _inertia(n: int) -> rk.Inertia:
    return rk.Inertia("origin", f"m{n}", (f"mx{n}", 0, 0), (0, 0, 0, 0, 0, f"zz{n}"))


def _link(n: int, parent: str, joint: str, **geometry: str) -> rk.Link:
    return rk.Link(f"link{n}", parent, rk.Joint(joint), rk.ModifiedDH(**geometry), _inertia(n))


def _values(formula: ExactFormula, written: Formula) -> tuple[float, float]:
    """The form's value, and that of the formula multiplied out."""
    rng = np.random.default_rng(1)
    at = {name: float(x) for name, x in zip(sorted(formula.names), rng.uniform(0.3, 1.4, 99), strict=False)}
    return float(written.evaluate(FLOATS, at)), float(formula.formula.evaluate(FLOATS, at))


def _slider_crank() -> rk.Robot:
    D = rk.ModifiedDH
    links = (
        rk.Link("crank", "base", rk.Joint("phi"), D(), _inertia(1)),
        rk.Link("rod", "crank", rk.Joint("psi", actuated=False), D(a="r")),
        rk.Link(
            "block",
            "base",
            rk.Joint("x", "prismatic", axis=(1, 0, 0), actuated=False),
            D(),
            rk.Inertia("origin", "m3"),
        ),
    )
    pin = rk.Loop("pin", "revolute", rk.LoopEnd("rod", D(a="l")), rk.LoopEnd("block", D()))
    return rk.Robot("slider_crank", links, gravity=(0, -9.81, 0), loops=(pin,), independent=("phi",))


def test_both_arms_of_a_torso_are_squares() -> None:
    torso = rk.Robot(
        "torso",
        (
            _link(1, "base", "waist"),
            _link(2, "link1", "l1", alpha="pi/2", a="w"),
            _link(3, "link2", "l2", a="u"),
            _link(4, "link1", "r1", alpha="pi/2", a="-w"),
            _link(5, "link4", "r2", a="u"),
        ),
    )
    x = torso.mass_matrix.symbolic[0, 0]
    assert "m3*(u*cos(l1) + w)**2 + m5*(u*cos(r1) - w)**2" in str(x)
    assert x.shown_operations <= 42
    assert _values(x, x.shortest)[0] == pytest.approx(_values(x, x.shortest)[1], rel=1e-12)


def test_powers_are_written_side_by_side() -> None:
    arm = rk.Robot(
        "arm", (_link(1, "base", "q1"), _link(2, "link1", "q2", a="a1"), _link(10, "link2", "q3", a="a2"))
    )
    M = arm.mass_matrix.symbolic
    assert str(M[1, 1]) == "2*a2*mx10*cos(q3) + a2**2*m10 + zz2 + zz10"  # not a2*(a2*m10 + 2*mx10*cos(q3))


def test_names_are_in_the_order_of_their_numbers() -> None:
    assert str(Formula.of("m10 + m2 + m1") * Formula.of("L12*L3")) == "L3*L12*(m1 + m2 + m10)"
    parts = rk.Robot("arm", (_link(2, "base", "q1"), _link(10, "link2", "q2", a="L"))).mass_matrix.symbolic
    assert list(parts.collect("parameters")) == ["m10", "mx10", "zz2", "zz10"]


def test_a_number_is_taken_out_of_brackets_in_brackets() -> None:
    arm = rk.Robot(
        "arm",
        (
            _link(1, "base", "q1", alpha="pi/2"),
            _link(2, "link1", "q2", a="L"),
            _link(3, "link1", "q3", a="L"),
        ),
    )
    (g, *_) = arm.gravity_forces.symbolic
    assert str(g).count("9.81") == 1
    x = Formula.of("cos(q1)*(9.81*L*(m2 + m3) + 9.81*mx1)")
    assert str(x) == "9.81*cos(q1)*(L*(m2 + m3) + mx1)"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("L3**2 - L3**2*(b**2 + e**2)/b**2", "-L3**2*e**2/b**2"),
        ("e**2 + p**2 - 2*e*p", "(e - p)**2"),
        ("2*c*e + c**2", "c*(c + 2*e)"),
        ("a/(a + b) + b/(a + b)", "1"),
    ],
)
def test_coefficients_of_base_parameters_are_factored_and_cancelled(given: str, expected: str) -> None:
    found = factored_fraction(Formula.of(given))
    assert str(found) == str(Formula.of(expected))
    at = {"L3": 0.7, "b": 0.4, "e": 0.3, "p": 1.1, "c": 0.9, "a": 0.2}
    assert float(found.evaluate(FLOATS, at)) == pytest.approx(float(Formula.of(given).evaluate(FLOATS, at)))


def test_reduced_laws_have_angles_combined_below_the_line_and_gravity_beside_it() -> None:
    robot = _slider_crank()
    laws = robot.reduced
    M = laws.mass_matrix.symbolic[0, 0]
    tau = laws.inverse_dynamics.symbolic[0]
    for x in (M, tau):
        for form in (x.shortest, x.combined().formula):
            assert "sin(phi)*sin(psi)" not in str(form)
            assert "cos(phi + psi)" in str(form)
        assert operations(x.combined().formula) < operations(x.formula)
    assert tau.shown_operations < 80
    assert "9.81*mx1*cos(phi) + phi_ddot*" in str(tau)  # over no denominator
    values = {str(x): 0.4 + 0.1 * k for k, x in enumerate(robot.free_symbols)} | {"r": 0.3, "l": 0.9}
    bound = robot.bind(**values)
    q = bound.assemble([0.7])
    at = {**values, **dict(zip(("phi", "psi", "x"), q, strict=True)), "phi_dot": 1.3, "phi_ddot": -0.8}
    expected = bound.reduced.inverse_dynamics(q, [1.3], [-0.8])[0]
    for form in (tau.shortest, tau.combined().formula):
        assert float(form.evaluate(FLOATS, at)) == pytest.approx(expected, rel=1e-9)


def test_long_forces_are_sums_over_accelerations_and_velocities() -> None:
    tau = rk.load("puma560").inverse_dynamics.formulas()[2]
    shown = tau.shortest
    assert tau.terms > 150
    assert operations(shown) < operations(tau.formula) / 3
    assert "sin(q2)*sin(q3)" not in str(shown)
    given, expected = _values(tau, shown)
    assert given == pytest.approx(expected, rel=1e-9)
