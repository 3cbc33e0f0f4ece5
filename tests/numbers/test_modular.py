"""Numbers modulo a prime obey what the numbers they stand for obey."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rikigaku.core.errors import NotExact
from rikigaku.numbers.elementary_functions import cos, sin, sqrt
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.modular_constants import ModularConstants, common_denominator, order_for
from rikigaku.numbers.modular_number import Field, Modular


def field(samples: int = 4, order: int = 24, denominator: int = 10) -> Field:
    return Field(np.random.default_rng(7), samples, order, denominator)


def is_zero(x: object) -> bool:
    return x == 0 if isinstance(x, int) else x < 0  # type: ignore[operator]


def value(f: Field, text: str, **symbols: Modular) -> Modular:
    return Formula.of(text).evaluate(ModularConstants(f), symbols)


def test_sums_products_and_quotients_are_those_of_rational_numbers() -> None:
    f = field()
    x, y = (f.number(np.array([[f.constant(Fraction(*n))]])) for n in ((3, 7), (-5, 11)))
    for result, exact in [
        (x + y, Fraction(3, 7) - Fraction(5, 11)),
        (x - y, Fraction(3, 7) + Fraction(5, 11)),
        (x * y, Fraction(-15, 77)),
        (x / y, Fraction(-33, 35)),
        (2 / x, Fraction(14, 3)),
        (1 - x, Fraction(4, 7)),
        (x / 3, Fraction(1, 7)),
    ]:
        assert int(result.plain[0, 0]) == f.constant(exact)


def test_a_vanishing_divisor_is_reported() -> None:
    f = field()
    with pytest.raises(ZeroDivisionError):
        f.number(f.random(2, 2)) / f.number(np.zeros((1, 1), dtype=np.int64))


def test_sines_and_cosines_of_sums_follow_the_addition_theorem() -> None:
    f = field()
    x, y = (f.angle(name, f.random(4, 3)) for name in "xy")
    assert is_zero(sin(x) * sin(x) + cos(x) * cos(x) - 1)
    assert is_zero(sin(x + y) - (sin(x) * cos(y) + cos(x) * sin(y)))
    assert is_zero(cos(x - y) - (cos(x) * cos(y) + sin(x) * sin(y)))
    assert is_zero(sin(-x) + sin(x))
    assert not is_zero(sin(x) - sin(y))


def test_constant_angles_know_their_multiples() -> None:
    """0.6 rad is twice 0.3 rad, and nothing else is known of either."""
    f = field()
    assert is_zero(value(f, "sin(0.6) - 2*sin(0.3)*cos(0.3)"))
    assert not is_zero(value(f, "sin(0.5) - 2*sin(0.3)*cos(0.3)"))
    b = f.angle("b", f.random(4, 1))
    assert is_zero(value(f, "sin(b + 0.3) - sin(b)*cos(0.3) - cos(b)*sin(0.3)", b=b))


@pytest.mark.parametrize(
    "identity",
    [
        "2*cos(pi/3) - 1",
        "cos(pi/4) - sin(pi/4)",
        "sqrt(2)*cos(pi/4) - 1",
        "sqrt(3) - 2*cos(pi/6)",
        "sqrt(6) - sqrt(2)*sqrt(3)",
        "sqrt(8) - 2*sqrt(2)",
        "4*cos(pi/12) - sqrt(2) - sqrt(6)",
        "sqrt(4/9) - 2/3",
    ],
)
def test_roots_and_angles_of_a_circle_divided_agree(identity: str) -> None:
    """In every conjugate, for each sample draws its own."""
    f = field(samples=16)
    assert is_zero(value(f, identity))


def test_conjugates_differ() -> None:
    roots = value(field(samples=32), "sqrt(2)")
    assert len(set(roots.plain.ravel().tolist())) == 2


def test_the_fifth_part_of_a_circle_needs_an_order_of_its_own() -> None:
    fifth = Formula.of("2*pi/5")
    f = field(order=order_for([fifth]))
    assert f.order % 5 == 0
    assert is_zero(value(f, "4*cos(2*pi/5)*cos(2*pi/5) + 2*cos(2*pi/5) - 1"))


def test_every_number_of_the_field_has_a_square_root() -> None:
    f = field()
    x = f.number(f.random(4, 25))
    root = sqrt(x)
    assert is_zero(root * root - x)
    assert root.beyond is not None  # half of them lie beyond the field
    assert is_zero(root * (1 / root) - 1)
    with pytest.raises(NotExact):
        sqrt(root + 1)


def test_the_sine_of_a_product_is_refused() -> None:
    f = field()
    x, y = (f.angle(name, f.random(4, 1)) for name in "xy")
    with pytest.raises(NotExact, match="sums of angles"):
        sin(x * y)


def test_pi_is_one_number_wherever_it_stands() -> None:
    f = field()
    assert is_zero(value(f, "pi*pi - pi*pi/2 - pi*pi/2"))


@pytest.mark.parametrize(("denominator", "index"), [(1, 1), (7, 1), (10**17, 8), (720 * 10**20, 24)])
def test_angles_are_drawn_from_as_large_a_subgroup_as_their_parts_allow(denominator: int, index: int) -> None:
    for seed in range(20):
        f = Field(np.random.default_rng(seed), denominator=denominator)
        assert math.gcd(denominator, f.prime - 1) == index


def test_denominators_are_those_of_constants_and_symbols_wherever_they_stand() -> None:
    texts = ["pi/7", "0.3", "a/6 + b", "L*sin(a/4)"]
    assert common_denominator([Formula.of(text) for text in texts]) == 60


def test_roots_of_unity_of_a_large_order_are_drawn_at_once_and_too_large_ones_refused() -> None:
    fine = Formula.of("0.1234*pi")
    f = field(order=order_for([fine]))
    assert (f.prime - 1) % f.order == 0
    assert is_zero(value(f, "sin(0.1234*pi) - cos(0.3766*pi)"))
    with pytest.raises(NotExact, match="123456789"):
        order_for([Formula.of("0.123456789*pi")])
