"""The section on the form of formulas: both sides are counted in the same way, and are the same formula."""

import pytest
import sympy

from benchmarks.formula_expressions import EXPRESSIONS
from benchmarks.formula_form_child import counted, of_formula, of_sympy
from benchmarks.formulas_form import best, known_forms, row
from rikigaku.numbers.formula import Formula, product
from rikigaku.numbers.formula_layout import operations
from rikigaku.symbolic.formulas.sympy_conversion import sympy_formula

SHORT = ["SCARA M11", "SCARA J11", "Puma g2", "Stanford J11", "RX-90 M11, M6", "five-bar loop y"]


@pytest.mark.parametrize("name", SHORT)
def test_our_form_is_the_expression_and_has_no_more_operations_than_trigsimps(name: str) -> None:
    plain, short = EXPRESSIONS[name]()
    form = short()
    values = {x: sympy.Rational(k + 2, 7) for k, x in enumerate(sympy_formula(plain).free_symbols)}
    ours, expanded = (float(sympy_formula(x).subs(values)) for x in (form, plain))
    assert ours == pytest.approx(expanded, rel=1e-12)
    own = counted(of_formula(form))
    assert own["operations"] <= counted(of_sympy(sympy.trigsimp(sympy_formula(plain))))["operations"]
    assert own["operations"] == operations(form)


def test_a_number_counts_as_one_number_on_both_sides() -> None:
    a, b = sympy.symbols("a b", real=True)
    half = product([(Formula.of("a + b"), 1)], Formula.of("5/2").rational)
    assert counted(of_formula(half))["operations"] == 2
    assert counted(of_sympy(sympy.Mul(sympy.Rational(5, 2), a + b, evaluate=False)))["operations"] == 2
    assert (
        counted(of_sympy(a / 3 - sympy.sqrt(b)))["operations"]
        == counted(of_sympy(2 * a - sympy.sqrt(b)))["operations"]
    )


def test_an_earlier_run_serves_only_the_same_input() -> None:
    earlier = {"ours": {"input": "a + b"}, "sympy": {"fu": {"operations": 1}}}
    assert known_forms(earlier, "a + b") == {"fu": {"operations": 1}}
    assert known_forms(earlier, "a - b") is None
    assert known_forms(None, "a") is None


def test_there_are_thirty_expressions() -> None:
    assert len(EXPRESSIONS) == 30


def test_a_row_marks_more_operations_than_the_peers() -> None:
    theirs = {
        "plain": {"operations": 9, "characters": 20, "seconds": 0.0},
        "simplify": {"operations": 5, "characters": 12, "seconds": 1.0},
        "fu": {"stopped": 10.0},
    }
    assert best(theirs)[0] == "simplify"
    own = {"operations": 6, "characters": 14, "seconds": 0.1}
    assert row("x", own, theirs) == [
        "x",
        "9",
        "6 !",
        "",
        "5",
        "simplify (1 stopped)",
        "14",
        "12",
        "0.10",
        "11.0",
    ]
