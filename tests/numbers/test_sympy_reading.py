"""SymPy expressions become formulas by walking their trees; what a formula does not have is refused."""

import random

import pytest
import sympy

import rikigaku as rk
from rikigaku.core.errors import RikigakuError, WrongValue
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.sympy_reading import symbol_name

L, theta, m = sympy.symbols("L theta m")
PI = sympy.pi


def random_expression(rng: random.Random, depth: int) -> sympy.Expr:
    if depth == 0:
        return rng.choice([L, theta, m, PI, sympy.Rational(rng.randint(-9, 9), 7), sympy.Float("0.1")])
    a, b = (random_expression(rng, depth - 1) for _ in range(2))
    return rng.choice([
        lambda: a + b, lambda: a * b, lambda: a - b, lambda: a / (b**2 + 1), lambda: sympy.sin(a),
        lambda: sympy.cos(a + b), lambda: sympy.sqrt(a**2 + b**2 + 1) ** 3, lambda: a**2,
        lambda: sympy.sign(a),
    ])()  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_random_expressions_keep_their_value(seed: int) -> None:
    expression = random_expression(random.Random(seed), 3)
    at = {"L": 0.7, "theta": 1.1, "m": 2.3}
    expected = float(expression.subs({L: 0.7, theta: 1.1, m: 2.3}).evalf(30))
    formula = Formula.of(expression).substitute({name: Formula.of(x) for name, x in at.items()})
    assert float(formula) == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_numbers_and_names_are_exact() -> None:
    assert Formula.of(2 * L + PI / 2) == Formula.of("2*L + pi/2")
    assert Formula.of(sympy.Rational(1, 3)) == Formula.of("1/3")
    assert Formula.of(sympy.Float("0.1")) == Formula.of("0.1")
    assert Formula.of(sympy.tan(theta)) == Formula.of("sin(theta)/cos(theta)")
    assert Formula.of(sympy.Symbol("L", real=True)) == Formula.of(L) == Formula.of("L")
    row = rk.ModifiedDH(alpha=-PI / 2, a=L, d=sympy.Float(0.4))
    assert row == rk.ModifiedDH(alpha="-pi/2", a="L", d=0.4)


@pytest.mark.parametrize(
    "expression",
    [
        sympy.exp(L), sympy.Dummy("L"), sympy.I, sympy.oo, sympy.nan, sympy.zoo, sympy.Function("f")(L), L**L,
        L ** sympy.Rational(1, 3), sympy.Symbol("a b"), sympy.Symbol("q"), sympy.Symbol("__import__('os')"),
        sympy.Matrix([1]), sympy.Eq(L, 1), sympy.true, sympy.Integer(3) ** 100_000, L ** (10**9), sympy.E,
        sympy.Abs(L), sympy.Float("1e5000"), sympy.Derivative(sympy.Function("f")(L), L),
        sympy.Add(*(L**k for k in range(2000))),
    ],
)  # fmt: skip
def test_what_a_formula_does_not_have_is_refused(expression: object) -> None:
    with pytest.raises(RikigakuError):
        Formula.of(expression)


def test_the_refused_part_is_named() -> None:
    with pytest.raises(
        WrongValue, match=r"exp\(L\) \(exp\) in L \+ exp\(L\) cannot stand in a formula. Known: num"
    ):
        Formula.of(L + sympy.exp(L))


def test_deep_trees_are_refused() -> None:
    x: sympy.Expr = L
    for _ in range(60):
        x = sympy.sin(x)
    with pytest.raises(WrongValue, match="50 levels"):
        Formula.of(x)


def test_names_of_symbols() -> None:
    given = ("x", L, Formula.symbol("L"), 2 * L, 3, None, sympy.Dummy("L"))
    assert [symbol_name(x) for x in given] == ["x", "L", "L", "", "", "", ""]
