"""Rings of exact numbers: rational angles near the true ones, and one value in two rings."""

import math
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
import sympy

from rikigaku.core.errors import NotExact
from rikigaku.numbers.constant_angles import rational_sin_cos
from rikigaku.numbers.exact_number import Ring
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.ring_transfer import moved


def _off(angle: str) -> float:
    """How far the rational point of the circle is from that of the angle, by SymPy's 60 digits."""
    s, c = (sympy.Rational(x.numerator, x.denominator) for x in rational_sin_cos(Formula.of(angle)))
    assert s * s + c * c == 1
    exact = sympy.pi * sympy.Rational(angle.removesuffix("*pi")) if "pi" in angle else sympy.Rational(angle)
    apart = sympy.sqrt((s - sympy.sin(exact)) ** 2 + (c - sympy.cos(exact)) ** 2)
    return float(sympy.N(apart, 60))


def test_a_rounded_angle_is_nearer_than_a_float_can_tell() -> None:
    rng = random.Random(5)
    drawn = [f"{rng.uniform(-3.2, 3.2):.{rng.randint(2, 15)}f}" for _ in range(25)]
    assert max(_off(angle) for angle in [*drawn, "0.123456789*pi", "3.141592653", "1/1000000007"]) < 1.5e-17


@pytest.mark.parametrize(
    "tangent", [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(5)]
)
@pytest.mark.parametrize("beside", [1e-8, 3e-10, -1e-10, 1e-11])
def test_a_rounded_angle_beside_a_simple_tangent_is_not_taken_for_it(
    tangent: Fraction, beside: float
) -> None:
    assert _off(f"{2 * math.atan(tangent) + beside:.16f}") < 1.5e-17


def test_a_rational_tangent_stays_short() -> None:
    s, c = rational_sin_cos(Formula.of("0.7301"))
    assert (s / (1 + c)).denominator < 10**10


def _rings() -> tuple[Ring, Ring, Ring]:
    common = {"angles": ("q", "p"), "constant_angles": (Formula.of("0.3"),), "signs": ("v",)}
    return (
        Ring(plain=("v", "m"), **common),
        Ring(plain=("v", "m"), roots=3, **common),
        Ring(plain=("x", "m", "v"), roots=5, **common),
    )


def test_a_number_is_the_same_in_every_ring_that_holds_it() -> None:
    small, middle, large = _rings()
    values = []
    for ring in (small, middle, large):
        q, p, m, v = (ring.variable(name) for name in "qpmv")
        s, _ = ring.constant_sin_cos(Formula.of("0.6"))
        values.append((q + p).sin() * m * s - v.sign() * 3 + p)
    assert values[0] == values[1] == values[2] == values[0]
    assert len(set(values)) == 1
    assert values[0] + 1 != values[1]
    assert values[0] != -values[2]


def test_square_roots_found_in_another_order_are_the_same() -> None:
    _, middle, large = _rings()

    def number(ring: Ring, order: list[int]) -> object:
        for prime in order:
            ring.root(prime)
        inner = (ring.variable("m") + 2 + ring.root(3)).sqrt()
        return inner * ring.root(2) + ring.root(3) * ring.variable("m")

    x, y = number(middle, [2, 3]), number(large, [7, 3, 2])
    assert x == y
    assert hash(x) == hash(y)
    assert x != y + 1
    assert moved(moved(x, large), middle) == x


def test_quotients_compare_with_polynomials_from_both_sides_and_across_rings() -> None:
    small, middle, _ = _rings()
    m, q = small.variable("m"), small.variable("q")
    ratio = q.sin() / (m + 1)
    n, p = middle.variable("m"), middle.variable("q")
    assert ratio == p.sin() / (n + 1)
    assert ratio != p.sin() / (n + 2)
    assert ratio != m
    assert m != ratio
    assert m.__eq__(ratio) is NotImplemented
    assert hash(ratio) == hash(p.sin() / (n + 1))


def test_what_a_ring_does_not_know_is_equal_to_none_of_its_numbers() -> None:
    small, _, large = _rings()
    assert large.variable("x") != small.variable("m")
    assert large.variable("x") + large.root(2) != small.variable("m")
    with pytest.raises(NotExact):
        moved(large.variable("x"), small)
    with pytest.raises(NotExact, match="no generator left"):
        moved(large.root(2), small)


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Threads that take turns a thousand times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("eager_threads")
def test_threads_find_one_generator_for_one_root() -> None:
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    for _ in range(60):
        ring = Ring(plain=("m",), roots=len(primes))
        with ThreadPoolExecutor(8) as pool:
            roots = list(pool.map(ring.root, primes * 5))
        assert len(ring.radicands) == len(primes)
        for prime, root in zip(primes * 5, roots, strict=True):
            assert root * root == prime
