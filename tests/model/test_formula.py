"""Formulas are exact, canonical enough to compare, and read nothing but formulas."""

import math
import operator
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import rikigaku as rk
from rikigaku.core.errors import BadFormula, BadModel, MissingValue, WrongValue
from rikigaku.core.input_limits import FORMULA_CHARACTERS, FORMULA_DEPTH
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.formula_parser import parse
from rikigaku.numbers.number_kind import FLOATS

F = Formula.of

NAMES = ("a", "b", "m11", "theta")
mp = mpmath.mp.clone()
mp.dps = 50


class Digits50:
    """Constants as mpmath numbers of 50 digits."""

    def rational(self, value):
        return mp.mpf(value.numerator) / value.denominator

    def pi(self):
        return +mp.pi

    def sin_cos(self, angle):
        return mp.sin(angle.evaluate(self, {})), mp.cos(angle.evaluate(self, {}))

    def sqrt(self, value):
        return mp.sqrt(value.evaluate(self, {}))


def quotient(a, b):
    assume(abs(b) > 1e-6)  # else a divisor that is zero only by rounding decides
    return a / b


class Pair(NamedTuple):
    """A formula, and the same built by mpmath alone: a function of the symbols' values."""

    formula: Formula
    value: Callable


def combined(on_formulas, on_values=None):
    def pair(*parts):
        return Pair(
            on_formulas(*(part.formula for part in parts)),
            lambda given: (on_values or on_formulas)(*(part.value(given) for part in parts)),
        )

    return lambda parts: pair(*parts)


fractions = st.one_of(st.fractions(-9, 9, max_denominator=50), st.decimals(-100, 100, places=4).map(Fraction))
leaf_pairs = st.one_of(
    st.sampled_from([Pair(F(name), lambda given, name=name: given[name]) for name in NAMES]),
    fractions.map(lambda x: Pair(F(x), lambda given: Digits50().rational(x))),
    st.just(Pair(PI, lambda given: +mp.pi)),
)
pairs = st.recursive(
    leaf_pairs,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(combined(operator.add)),
        st.tuples(inner, inner).map(combined(operator.sub)),
        st.tuples(inner, inner).map(combined(operator.mul)),
        st.tuples(inner).map(combined(lambda a: a**3)),
        st.tuples(inner, inner).map(combined(lambda a, b: a / b if b else a, quotient)),
        st.tuples(inner).map(combined(Formula.sin, mp.sin)),
        st.tuples(inner).map(combined(Formula.cos, mp.cos)),
        st.tuples(inner).map(combined(lambda a: (a * a + 1).sqrt(), lambda a: mp.sqrt(a * a + 1))),
    ),
    max_leaves=8,
)
trees = pairs.map(lambda pair: pair.formula)


@given(trees)
def test_the_text_of_a_formula_reads_back_to_an_equal_formula(formula):
    again = parse(str(formula)) if len(str(formula)) <= FORMULA_CHARACTERS else formula
    assert again == formula
    assert hash(again) == hash(formula)


@given(trees)
def test_a_pickled_formula_is_the_same_formula(formula):
    assert pickle.loads(pickle.dumps(formula)) == formula


@given(trees, trees, trees)
def test_order_and_grouping_of_sums_and_products_do_not_matter(a, b, c):
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert a - a == ZERO
    assert a + 0 == a * 1 == a
    assert 0 - (0 - a) == a
    assert a * 0 == ZERO


@given(pairs, st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_folding_collecting_and_replacing_keep_the_value_to_30_digits(pair, tenths):
    values = {name: Fraction(k, 10) for name, k in zip(NAMES, tenths, strict=True)}
    expected = pair.value({name: Digits50().rational(x) for name, x in values.items()})
    assume(abs(expected) < 1e15)
    bound = pair.formula.substitute({name: F(x) for name, x in values.items()})
    assert abs(bound.evaluate(Digits50(), {}) - expected) <= 1e-30 * max(1, abs(expected))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2*L + L", "3*L"),
        ("a*(2*a + 2*b)", "2*(b + a)*a"),
        ("(a + b)^2/(a + b)", "a + b"),
        ("1/(a - b) + 1/(b - a)", "0"),
        ("30*deg", "pi/6"),
        ("sin(pi/2) + cos(3*pi)", "0"),
        ("sin(-x)", "-sin(x)"),
        ("cos(-x)", "cos(x)"),
        ("sqrt(4/9)", "2/3"),
        ("sqrt(x)**2", "x"),
        ("1/sqrt(2)", "sqrt(2)/2"),
        ("-a**2", "-(a^2)"),
        ("2^3^2", "512"),
        ("2**-1", "0.5"),
        ("a/b/c", "a/(b*c)"),
        ("1e-3", "0.001"),
        (".5 + 5.", "5.5"),
        ("a - b - c", "a - (b + c)"),
    ],
)
def test_different_ways_of_writing_are_one_formula(text, same):
    assert F(text) == F(same)


@pytest.mark.parametrize("x", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10), np.float64(0.1), np.float32(0.1)])
def test_a_tenth_is_a_tenth_in_every_type(x):
    assert F(x) == Fraction(1, 10)
    assert F(x).rational == Fraction(1, 10)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_it_prints_as_and_comes_back_unchanged(x):
    assert F(x).rational == Fraction(repr(x))
    assert float(F(x)) == x


@pytest.mark.parametrize(
    "x", [math.nan, math.inf, -math.inf, Decimal("nan"), Decimal("1e9999"), np.float32("inf")]
)
def test_what_is_no_finite_number_is_refused(x):
    with pytest.raises(WrongValue, match="is not a number"):
        F(x)


@pytest.mark.parametrize("x", [None, True, [1], {}, 1j, b"1", np.zeros(2)])
def test_what_is_no_number_or_text_is_refused(x):
    with pytest.raises(WrongValue, match="Give a number"):
        F(x)


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 0, "it ends"),
        ("2*", 2, "it ends"),
        ("2L", 1, "operator is missing"),
        ("a b", 2, "operator is missing"),
        ("(a", 2, "')' is missing"),
        ("a)", 1, "closes nothing"),
        ("a + * b", 4, "should stand where"),
        ("sin x", 4, "needs its argument"),
        ("exec(1)", 0, "not a function"),
        ("__import__('os')", 0, "not a function"),
        ("a.b", 1, "no meaning"),
        ("a[0]", 1, "no meaning"),
        ("π", 0, "no meaning"),
        ("٣", 0, "no meaning"),
        ("1/(a - a)", 2, "divides by zero"),
        ("0^-1", 2, "divides by zero"),
        ("a^0.5", 2, "whole numbers"),
        ("a^b", 2, "whole numbers"),
        ("sqrt(-1)", 0, "negative"),
        ("9^9^9", 2, "beyond"),
        ("1e999", 0, "exponent"),
        ("1e99999999999", 0, "exponent"),
        ("q", 0, "reserved"),
        ("lambda", 0, "reserved"),
        ("2*nan", 2, "no finite number"),
        ("-Inf", 1, "no finite number"),
        ("1 = 1", 2, "no meaning"),
        ("a\x00", 1, "no meaning"),
    ],
)
def test_a_bad_formula_is_refused_with_the_place_marked(text, position, reason):
    with pytest.raises(BadFormula, match="Not a formula") as caught:
        F(text)
    assert caught.value.position == position
    first, *_, caret = str(caught.value).splitlines()
    assert reason in first
    assert caret.index("^") == 4 + position


@pytest.mark.parametrize(
    "text", ["(" * 60 + "1" + ")" * 60, "-" * 60 + "1", "1^" * 60 + "1", "sin(" * 60 + "x" + ")" * 60]
)
def test_deep_nesting_is_refused(text):
    with pytest.raises(BadFormula, match=f"more than {FORMULA_DEPTH} levels"):
        F(text)
    assert F("(" * FORMULA_DEPTH + "1" + ")" * FORMULA_DEPTH) == ONE


def test_long_texts_are_refused():
    with pytest.raises(BadFormula, match="1001"):
        F("1" * (FORMULA_CHARACTERS + 1))
    assert float(F("1 + " * 249 + "1")) == 250


@example("\x1f")
@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_a_bad_formula(text):
    try:
        position = len(F(text).terms) * 0
    except BadFormula as error:
        position = error.position
    assert 0 <= position <= len(text)


@pytest.mark.parametrize("name", ["", "2a", "a b", "ä", "pi", "q", "deg", "sin", "for", "a-b", "a\n"])
def test_a_symbol_needs_a_name_that_means_nothing_else(name):
    with pytest.raises(WrongValue, match="cannot name a symbol"):
        Formula.symbol(name)


def test_a_value_that_is_missing_is_named():
    with pytest.raises(MissingValue, match="give L, m"):
        float(F("L*m + 1"))
    with pytest.raises(MissingValue, match="'m'"):
        F("L*m").evaluate(FLOATS, {"L": 1.0})


def test_constants_and_symbols_have_their_values():
    assert float(F("2*pi/3")) == pytest.approx(2 * math.pi / 3, rel=1e-15)
    assert float(F("sin(0.3)*sqrt(2)/3^2")) == pytest.approx(math.sin(0.3) * math.sqrt(2) / 9, rel=1e-15)
    found = F("L^2*cos(t)/(1 + m) - L").evaluate(FLOATS, {"L": 2.0, "t": np.array([0.0, 0.3]), "m": 3.0})
    np.testing.assert_allclose(found, 4 * np.cos([0, 0.3]) / 4 - 2, rtol=1e-15)


def test_a_constant_beyond_floats_says_so():
    with pytest.raises(WrongValue, match="no finite value"):
        float(F("1e300") ** 2)
    with pytest.raises(WrongValue, match="no finite value"):
        float(1 / (F("sqrt(2)") * F("sqrt(3)") - F("sqrt(6)")) * F("1e308") * 1000)


def test_all_symbols_are_replaced_at_once():
    assert F("a + 2*b").substitute({"a": F("b"), "b": F("a")}) == F("b + 2*a")
    assert F("sin(a)/(a + b)").substitute({"a": ZERO}) == ZERO
    assert F("cos(a*pi)").substitute({"a": F("1/2")}) == ZERO
    with pytest.raises(WrongValue, match="divides by zero"):
        F("1/a").substitute({"a": ZERO})


def test_symbols_are_found_inside_functions():
    assert F("sin(a)/sqrt(b + c^2) + pi").symbols == {"a", "b", "c"}
    assert F("sin(1) + pi").is_number
    assert not F("sin(a)").is_number


def test_a_formula_cannot_be_changed():
    with pytest.raises(AttributeError, match="frozen"):
        F("a").terms = ()  # type: ignore[misc]


def test_arithmetic_takes_numbers_on_either_side():
    a = F("a")
    assert 2 * a - 1 == F("2*a - 1")
    assert 1 / a == F("1/a")
    assert 1 - a == F("1 - a")
    assert np.float64(0.5) * a == F("a/2")
    assert a * Fraction(1, 3) == F("a/3")
    assert a**2 == F("a*a")
    with pytest.raises(TypeError):
        a + "b"
    with pytest.raises(WrongValue, match="whole numbers"):
        a**0.5


def test_zero_is_false_and_whole_numbers_equal_ints():
    assert not F("a - a")
    assert F("3") == 3
    assert len({F("3"), 3, Fraction(3)}) == 1


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("m11*L^2/2", r"$\frac{L^{2} \, m_{11}}{2}$"),
        ("sin(theta_1)", r"$\sin(\theta_{1})$"),
        ("-sqrt(x) + 1e-20", r"$1 \cdot 10^{-20} - \sqrt{x}$"),
        ("msx2", r"$\mathrm{msx}_{2}$"),
        ("a_b_c", r"$a_{\mathrm{b\_c}}$"),
        ("0", "$0$"),
    ],
)
def test_formulas_are_shown_in_notebooks(text, latex):
    assert F(text)._repr_latex_() == latex


@pytest.mark.parametrize(
    "text", ["pi^999", "pi^999*1e-400", "pi^999/pi^999*(pi^999 + 1)/1e-300", "(pi + 1)^2000"]
)
def test_powers_of_pi_beyond_the_largest_float_have_no_value(text):
    with pytest.raises(WrongValue, match="has no finite value"):
        float(F(text))
    with pytest.raises(BadModel, match="has no finite value"):
        rk.load("planar_2r").with_gravity([0, 0, text])


def test_a_decimal_comma_is_refused_by_naming_the_point():
    with pytest.raises(BadFormula, match=r"Write decimals with a point: 0\.5"):
        parse("2*L + 0,5")
