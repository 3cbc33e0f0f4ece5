"""Formulas as a textbook prints them: short, readable, and exactly the number."""

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from arms import SYMBOLIC_PUMA
from linkages import two_sliders_in_symbols
from symbolic_robots import all_symbols, elements

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.numbers.exact_number import ExactConstants
from rikigaku.numbers.formula import Formula, product
from rikigaku.numbers.formula_layout import operations, with_common_scale
from rikigaku.numbers.formula_text import latex, latex_lines, latex_width
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.formulas import textbook_form
from rikigaku.symbolic.formulas.exact_formula import ExactFormula


def same(x: ExactFormula, form: Formula, tries: int = 3) -> bool:
    """The form has the value of the number, in floats, at random values of everything."""
    rng = random.Random(1)
    for _ in range(tries):
        at = {name: rng.uniform(0.2, 1.4) for name in x.context.generators}
        wanted = x.value(symbols={}, **{name: at[name] for name in x.context.generators if name in x.names})
        if abs(float(form.evaluate(FLOATS, at)) - wanted) > 1e-9 * (1 + abs(wanted)):
            return False
    return True


def test_a_square_of_a_sum_is_a_square() -> None:
    """The coefficients of the inertias of the last links: the squares of the elements of a rotation."""
    parts = rk.load("rx90").mass_matrix.symbolic[0, 0].collect("parameters")
    assert len(str(parts["XX5"].combined())) == 162
    assert str(parts["XX5"].factored()) == "(sin(q2 + q3)*cos(q4)*cos(q5) + sin(q5)*cos(q2 + q3))**2"
    assert parts["XX5"].text("short") == "(s23*c4*c5 + s5*c23)**2"
    assert str(parts["M6"]) == "(D3*cos(q2) - RL4*sin(q2 + q3))**2"
    square = parts["XX6"].factored().formula
    assert str(square).endswith("cos(q6))**2")  # angles of even and odd degree: by tan(q/2)
    assert operations(square) == 20


def test_numbers_are_taken_out_where_they_can_be_read() -> None:
    """0.4318 and 0.0203 m are lengths of the Puma; 203/4318 is no number anyone wants."""
    puma = rk.load("puma560")
    x = puma.jacobian.formulas("hand")[0, 0].factored()
    assert str(x) == "sin(q1)*(0.4318*sin(q2 + q3) - 0.4318*cos(q2) - 0.0203*cos(q2 + q3)) + 0.15005*cos(q1)"
    stanford = rk.load("stanford").jacobian.formulas("hand")
    assert str(stanford[0, 3]) == "0.263*sin(q5)*(cos(q1)*cos(q2)*cos(q4) - sin(q1)*sin(q4))"
    M = rk.load("planar_2r").mass_matrix.symbolic
    assert str(M[0, 0]) == "l1**2*(m1 + 3*m2)/3 + l2*m2*(3*l1*cos(q2) + l2)/3"
    for law in ("mass_matrix", "gravity_forces"):
        for name in ("puma560", "stanford"):
            for y in elements(getattr(rk.load(name), law).symbolic):
                denominators = [c.denominator for c in numbers_of(y.shortest)]
                assert all(d in (1, 2, 3, 4) or 10**20 % d == 0 for d in denominators), y


def test_a_number_of_all_terms_is_written_once() -> None:
    g = rk.load("rx90").gravity_forces.symbolic[1].factored()
    assert str(g).startswith("9.81*(cos(q2)*(D3*(M3 + M4 + M5 + M6) + MX2) + cos(q2 + q3)*(")
    assert str(g).count("9.81") == 1
    assert same(g, g.formula, 1)


def numbers_of(formula: Formula) -> list[Fraction]:
    """The numbers of a formula as its text shows them."""
    from rikigaku.numbers.formula_layout import shown_terms

    found = []
    for monomial, c in shown_terms(formula):
        found.append(c)
        for (kind, inside), _ in monomial:
            found += numbers_of(inside) if kind == "sum" else []
    return found


def test_the_euler_jacobian_has_no_square_root_of_a_square() -> None:
    J = all_symbols("planar_2r").euler_jacobian.formulas("hand")
    assert str(J[4, 0]) == "sign(sin(q1 + q2))"
    for x in elements(J):
        assert "sqrt" not in str(x)
        assert same(x, x.shortest)


def test_a_quotient_is_factored_above_and_below() -> None:
    inverse = rk.load("planar_2r").inverse_mass_matrix.symbolic
    for x in elements(inverse):
        form = x.factored().formula
        assert same(x, form)
        assert operations(form) <= operations(x.formula)
    assert str(inverse[1, 1]).count("/") == 1


@pytest.mark.parametrize("name", ["scara", "puma560", "stanford"])
def test_every_form_of_a_law_is_shorter_and_the_same(name: str) -> None:
    robot = all_symbols(name) if name == "scara" else rk.load(name)
    for law in ("gravity_forces", "mass_matrix"):
        for x in elements(getattr(robot, law).symbolic):
            form = x.factored().formula
            assert operations(form) <= min(operations(x.formula), operations(x.combined().formula))
            assert same(x, form, 1)


# -- random formulas --------------------------------------------------------------------------------------
ARM = all_symbols("puma560")
X = ARM.gravity_forces.symbolic[1]
RING = X.context.ring


def random_sum(rng: random.Random, terms: int) -> Any:
    generators = [f"{f}(q[{k}])" for f in ("sin", "cos") for k in (1, 2, 3)] + ["a2", "m3", "d4"]
    total: Any = 0
    for _ in range(terms):
        term: Any = Fraction(rng.choice([1, -1, 2, 3]), rng.choice([1, 1, 2]))
        for name in rng.sample(generators, rng.randint(1, 3)):
            term = term * RING.variable(name)
        total = total + term
    return total


@pytest.mark.parametrize("seed", range(12))
def test_a_random_product_is_found_or_a_form_that_is_as_short(seed: int) -> None:
    rng = random.Random(seed)
    factors = [random_sum(rng, rng.randint(2, 3)) for _ in range(2)]
    power = rng.choice([1, 2])
    number = factors[0] ** power * factors[1]
    x = ExactFormula(number, X.context)
    form = x.factored().formula
    written = product([(X.context.writer(factors[0]), power), (X.context.writer(factors[1]), 1)])
    assert operations(form) <= max(operations(written), 1)
    symbols = {name: RING.variable(g) for name, g in X.context.generators.items()}
    assert form.evaluate(ExactConstants(RING), symbols) == number


def test_a_wrong_form_cannot_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that is false gives a form that is not the number: it is not shown."""
    parts = rk.load("rx90").mass_matrix.symbolic[0, 0].collect("parameters")
    x = ExactFormula(parts["XX5"].number, parts["XX5"].context)
    false = lambda p: p._replace(polynomial=p.polynomial.context().gen(0) + 0 * p.polynomial)  # noqa: E731
    for rule in ("with_sums", "shortest_squares", "doubled"):
        monkeypatch.setattr(textbook_form, rule, false)
    form = textbook_form.TextbookForms(x.context.writer)(x.number)
    assert same(x, form)


# -- styles -----------------------------------------------------------------------------------------------
def test_gravity_is_a_symbol_on_request() -> None:
    arm = rk.load("planar_2r")
    g = arm.gravity_forces.formulas(gravity="g")
    assert "g" in g.names
    assert str(g[1]) == "-g*l2*m2*sin(q1 + q2)/2"
    assert g[1].value(q=[0.3, 0.4], g=9.81) == pytest.approx(arm.gravity_forces([0.3, 0.4])[1])
    with pytest.raises(WrongValue, match="it has a symbol 'm1' already"):
        arm.gravity_forces.formulas(gravity="m1")
    with pytest.raises(WrongValue, match=r"its gravity is \(0, 0, 0\)"):
        rk.load("rosam_loop").tree.gravity_forces.formulas(gravity="g")


def test_the_short_style_has_the_numbers_of_the_joints() -> None:
    J = rk.load("scara").jacobian.formulas("hand")
    assert J[0, 0].text("short") == "-l1*s1 - l2*s12"
    assert J[0, 0].latex("short") == r"-l_{1} \, s_{1} - l_{2} \, s_{12}"
    assert "s_{12}" in J.latex("short")
    five = rk.load("five_bar").tree.jacobian.formulas("left_forearm")
    assert "s_{1}" in five.latex("short")  # joints without numbers are counted
    with pytest.raises(UnknownName, match="no style named 'shrt'"):
        J.text("shrt")


def test_long_sums_and_wide_matrices_are_broken_into_lines() -> None:
    M = all_symbols("scara").mass_matrix.symbolic
    shown = M._repr_latex_()
    assert shown.startswith("$$\\begin{aligned}")
    assert "M_{1,1} &= " in shown
    lines = shown.removeprefix("$$").split("\\\\\n")
    assert max(map(latex_width, lines)) < 140


def test_long_brackets_are_broken_between_their_terms() -> None:
    inside = Formula.of("+".join(f"a{k}*cos(q{k})" for k in range(30)))
    x = product([(Formula.of("x"), 1), (inside, 1)])
    lines = latex_lines(x)
    assert len(lines) > 2
    assert max(map(latex_width, lines)) <= 92
    assert lines[0].startswith(r"x \, \bigl(")
    assert lines[-1].endswith(r"\bigr)")
    together = " ".join(lines).replace(r"\bigl(", "(").replace(r"\bigr)", ")")
    assert together == latex(x)


def test_a_number_whose_inverse_is_a_decimal_is_a_divisor() -> None:
    x = Formula.of("x/0.4318")
    assert str(x) == "x/0.4318"
    assert Formula.of(str(x)) == x
    assert str(Formula.of("4*x/15")) == "4*x/15"
    assert str(Formula.of("2*x/5 + 3*y/10 + z/3")) == "0.4*x + 0.3*y + z/3"
    assert str(Formula.of("3*pi/10 + pi/20")) == "7*pi/20"


def test_formulas_of_which_only_the_ratio_matters_have_readable_numbers() -> None:
    y, x = Formula.of("203*a/2159 - 2*b"), Formula.of("203*b/2159 + 2*a")
    assert [str(f) for f in with_common_scale(y, x)] == ["0.0203*a - 0.4318*b", "0.4318*a + 0.0203*b"]
    y, x = Formula.of("2500*a*b/2159 - c"), Formula.of("c*b + 2500*a/2159")
    assert [str(f) for f in with_common_scale(y, x)] == ["a*b - 0.8636*c", "a + 0.8636*b*c"]
    assert with_common_scale(Formula.of("0"), Formula.of("a")) == (Formula.of("0"), Formula.of("a"))


def test_a_symmetric_matrix_is_shown_once() -> None:
    M = all_symbols("scara").mass_matrix.symbolic
    assert "M(1, 2) = M(2, 1) = " in str(M)
    assert "\nM(2, 1)" not in str(M)
    assert "M_{1,2} = M_{2,1} &= " in M._repr_latex_()
    steps = rk.load("rx90").mass_matrix.intermediates()
    assert "M(1, 2) = M(2, 1) = " in repr(steps)
    J = rk.load("planar_2r").jacobian.formulas("hand")
    assert "J(2, 1) = " in str(J)


def test_the_jacobian_of_a_six_joint_arm_is_shown_as_formulas() -> None:
    """136 terms multiplied out; in short form each element takes a line or less."""
    J = SYMBOLIC_PUMA.jacobian.formulas("hand")
    assert J.terms > 120
    shown = J.text("short")
    assert "intermediate" not in shown
    assert "J(3, 4) = -d6*s23*s4*s5" in shown
    assert "aligned" in J._repr_latex_()
    assert "with intermediate variables" in str(rk.load("rx90").mass_matrix.symbolic)


def test_steps_are_shown_without_digits_of_rounding() -> None:
    steps = rk.load("planar_2r").forward_dynamics.intermediates()
    assert "0.0833" not in repr(steps)
    assert "0.333" not in repr(steps)
    assert r"\frac{l_{1}^{2} \, m_{1}}{3}" in steps.latex()  # the moment about the joint, 1/12 + 1/4


def test_names_with_two_indices_have_both_below() -> None:
    assert latex(Formula.symbol("t2_13")) == "t_{2,13}"
    assert latex(Formula.symbol("t1_x")) == "t_{1,x}"


def test_steps_show_no_multiples_of_pi_in_digits() -> None:
    """theta7 is offset by a right angle: the sine of the sum is the cosine."""
    steps = rk.load("sr400").reduced.gravity_forces.intermediates()
    assert "1.57" not in repr(steps)
    assert "cos(theta7)" in repr(steps)
    assert r"\cos(\theta_{7})" in steps.latex()


def test_no_number_before_brackets_cancels_a_fraction_inside() -> None:
    of, half = Formula.of, Fraction(1, 2)
    inside = product([(of("y"), 1), (of("6*a + b"), 1)], half) + of("3*c/2")
    assert str(product([(of("x"), 1), (inside, 1)], 4)) == "2*x*(3*c + y*(6*a + b))"
    inside = product([(of("12*a + h"), 1)], half) + product(
        [(of("y"), 1), (of("16*b + 4*d"), 1)], Fraction(5, 8)
    )
    assert str(of("z") + product([(inside, 1)], 4)) == "z + 2*(12*a + h + 5*y*(4*b + d))"
    square = product([(of("a + 4*b"), 2), (of("u/8 + 5*w/8"), 1)])
    assert str(square) == "(a + 4*b)**2*(u + 5*w)/8"
    assert latex(square) == r"\frac{1}{8} \, (a + 4 \, b)^{2} \, (u + 5 \, w)"


def same_on_loops(x: ExactFormula, form: Formula, q: list[float]) -> bool:
    """The form has the value of the number at a closed configuration."""
    robot = x.context.robot
    rng = random.Random(3)
    values = {
        name: float(robot.declared_values.get(name, rng.uniform(0.5, 1.5))) for name in robot.free_symbols
    }
    at = values | dict(zip((joint.name for joint in robot.joints), q, strict=True))
    return float(form.evaluate(FLOATS, at)) == pytest.approx(float(x.value(q=q, **values)), rel=1e-11)


@pytest.mark.parametrize(
    ("rod", "length", "most"), [("L", 0.5, (11, 11, 11, 8, 9)), ("L2", 0.6, (31, 37, 31, 11, 12))]
)
def test_formulas_of_closed_robots_are_shown_by_coefficients(rod: str, length: float, most: Any) -> None:
    """M1 + m1 - mx1/L + (zz1 + zz2)/(4 L^2 sin(th1)^2), as one derives it by hand."""
    robot = two_sliders_in_symbols(rod)
    th1 = 1.1
    th2 = math.pi - math.asin(0.5 * math.sin(th1) / length)
    closed = [0.1, th1, 0.1 + 0.5 * math.cos(th1) - length * math.cos(th2), th2]
    M, g = robot.reduced.mass_matrix.symbolic, robot.reduced.gravity_forces.symbolic
    for x, n in zip((M[0, 0], M[0, 1], M[1, 1], g[0], g[1]), most, strict=True):
        assert x.shown_operations <= n
        assert same_on_loops(x, x.shortest, closed)
    if rod == "L":
        assert str(M[0, 0]) == "(zz1 + zz2)/(4*L**2*sin(th1)**2) - mx1/L + M1 + m1"


def test_fractions_of_closed_robots_are_shortened_one_by_one() -> None:
    """SymPy's trigsimp of the stored form has 74 operations; over one denominator it has 120."""
    robot = rk.load("five_bar")
    x = robot.reduced.mass_matrix.symbolic[0, 0]
    short = x.factored()
    assert short.shown_operations <= 30
    assert same_on_loops(x, short.formula, list(map(float, robot.assemble([0.3, 1.2]))))
