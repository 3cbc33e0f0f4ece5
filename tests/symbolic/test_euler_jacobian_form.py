"""The Euler-angle Jacobian of an arm all in symbols: roots and fractions cancelled; steps."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from test_latex_rendering import rendered

import rikigaku as rk
from rikigaku.numbers.formula import Formula, product
from rikigaku.numbers.formula_layout import operations
from rikigaku.numbers.formula_text import latex
from rikigaku.numbers.latex_names import aligned
from rikigaku.symbolic.formulas.collected_steps import retraced
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.web.mathml import mathml

LENGTHS = {"a2": 0.4, "a3": 0.1, "d3": 0.2, "d4": 0.5, "d6": 0.15}


@cache
def jacobian() -> Formulas:
    rows = [("0", "0", "0"), ("-pi/2", "0", "0"), ("0", "a2", "d3"), ("-pi/2", "a3", "d4")]
    rows += [("pi/2", "0", "0"), ("-pi/2", "0", "0")]
    links = tuple(
        rk.Link(
            f"l{k}", f"l{k - 1}" if k > 1 else "base", rk.Joint(f"q{k}"), rk.ModifiedDH(alpha=alpha, a=a, d=d)
        )
        for k, (alpha, a, d) in enumerate(rows, start=1)
    )
    arm = rk.Robot("6R", links, frames=(rk.Frame("hand", "l6", rk.ModifiedDH(d="d6")),))
    found: Formulas = arm.euler_jacobian.formulas("hand")
    return found


def test_roots_and_fractions_are_cancelled() -> None:
    """cos(theta) is sqrt(1 - r31**2) with the short form of r31; sqrt(y)/y is 1/sqrt(y)."""
    r31 = "s23*(s4*s6 - c4*c5*c6) - s5*c23*c6"
    J = jacobian()
    assert J[4, 3].text("short") == f"-s23*(s4*c5*c6 + s6*c4)/sqrt(1 - ({r31})**2)"
    assert J[4, 4].text("short") == f"c6*(c23*c5 - s23*s5*c4)/sqrt(1 - ({r31})**2)"
    assert J[5, 1].factored().text("short") == f"(s4*c5*c6 + s6*c4)/(({r31})**2 - 1)"
    q = [0.3, -0.4, 0.5, 0.6, 0.7, -0.8]
    names = {f"q{k + 1}": x for k, x in enumerate(q)}
    for place in ((4, 3), (4, 4), (5, 1)):
        formula = J[place].factored().formula
        value = float(formula.substitute({x: Formula.of(y) for x, y in {**names, **LENGTHS}.items()}))
        assert value == pytest.approx(J[place].value(q=q, **LENGTHS), rel=1e-12)


def test_elements_that_hold_long_roots_stay_steps() -> None:
    J = jacobian()
    steps = J._shown_steps
    assert max(operations(x) for _, x in steps.steps) <= 12
    assert steps.operations.total <= 1.02 * J.intermediates().operations.total
    q = [0.3, -0.4, 0.5, 0.6, 0.7, -0.8]
    assert np.allclose(steps.value(q=q, **LENGTHS), J.value(q=q, **LENGTHS), rtol=1e-12)


def test_long_latex_has_intermediate_variables_and_katex_takes_it() -> None:
    source = jacobian().latex()
    assert "with intermediate variables" in source
    assert len(source) < 10_000
    long = aligned([r"x &= " + r" \, ".join(["a_{1}"] * 50) for _ in range(30)])
    found = [{"name": "steps", "latex": source}, {"name": "long", "latex": long}]
    assert rendered(found) == []
    assert mathml(long).count("<mspace") == 30 * 49


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a*sqrt(x)/x", r"\frac{a}{\sqrt{x}}"),
        ("sqrt(1 - x**2)/(x**2 - 1)", r"-\frac{1}{\sqrt{1 - x^{2}}}"),
        ("sqrt(sin(x)**2)/sin(x)", r"\frac{\sqrt{\sin^{2}(x)}}{\sin(x)}"),
    ],
)
def test_a_root_over_its_radicand_is_shown_below_the_line(text: str, shown: str) -> None:
    formula = Formula.of(text)
    assert latex(formula) == shown
    assert Formula.of(str(formula)) == formula


def test_numbers_of_steps_are_those_that_are_read() -> None:
    """0.263*(x + y/0.263) is computed as 0.263*x + y."""
    form = product([(Formula.of("x + y*z/0.263"), 1), (Formula.of("w"), 1)], Fraction("0.263"))
    steps = retraced("y", (2,), (), [form, form + Formula.of("1")], None)
    assert "3.8" not in str(steps)
