"""Exact numbers: one form for one value, and a clear no where there is none."""

import math
from fractions import Fraction
from typing import Any

import pytest

from rikigaku.core.errors import NotExact, WrongValue
from rikigaku.numbers.elementary_functions import sqrt
from rikigaku.numbers.exact_number import Exact, ExactConstants, NoRootLeft, Ring
from rikigaku.numbers.formula import Formula


@pytest.fixture
def ring() -> Ring:
    return Ring(
        angles=("q",), plain=("v",), quaternions=(("w", "x", "y", "z"),), constant_angles=(Formula.of("0.3"),)
    )


def test_sine_and_cosine_squared_are_one(ring: Ring) -> None:
    q = ring.variable("q")
    assert q.sin() * q.sin() + q.cos() * q.cos() == 1
    assert isinstance(q.cos() ** 4, Exact)
    assert q.cos() ** 4 - (1 - q.sin() ** 2) ** 2 == 0


def test_a_quaternion_has_unit_length(ring: Ring) -> None:
    w, x, y, z = (ring.variable(name) for name in "wxyz")
    assert w * w + x * x + y * y + z * z == 1


def test_a_constant_angle_has_its_own_sine_and_cosine(ring: Ring) -> None:
    s, c = ExactConstants(ring).sin_cos(Formula.of("0.3"))
    assert s * s + c * c == 1
    assert ExactConstants(ring).sin_cos(Formula.of("pi/2")) == (1, 0)


def test_constants_stay_fractions(ring: Ring) -> None:
    v = ring.variable("v")
    assert (v + Fraction(1, 3)) - v == Fraction(1, 3)
    assert v * 0 == 0
    assert v / 4 + v / 4 == v * Fraction(1, 2)
    assert v * 0.5 == v / 2
    assert (v * v).value({name: Fraction(3, 7) for name in ring.names}) == Fraction(9, 49)


def test_what_is_not_exact_is_refused(ring: Ring) -> None:
    q, v = ring.variable("q"), ring.variable("v")
    for operation in (
        lambda: v.sqrt(),
        lambda: v.sign(),
        lambda: v.sin(),
        lambda: (q + v).cos(),
        lambda: v + 0.1,
        lambda: v * "2",
        lambda: sqrt(Fraction(1, 2)),
        lambda: ExactConstants(ring).pi(),
    ):
        with pytest.raises(NotExact):
            operation()
    assert sqrt(Fraction(4, 9)) == Fraction(2, 3)


def test_rings_do_not_mix(ring: Ring) -> None:
    with pytest.raises(WrongValue, match="different rings"):
        ring.variable("v") + Ring(plain=("v",)).variable("v")
    with pytest.raises(WrongValue, match="not all different"):
        Ring(plain=("v", "v"))


def test_a_number_is_spelled_with_its_names(ring: Ring) -> None:
    q, v = ring.variable("q"), ring.variable("v")
    assert repr(2 * q.sin() * v - Fraction(1, 2)) == "2*sin(q)*v - 1/2"


# -- quotients, roots, signs, sums of angles ---------------------------------------------------------------
@pytest.fixture
def wide() -> Ring:
    return Ring(angles={"q": 1, "p": 1, "b": 2}, plain=("v", "m", "pi"), signs=("v",), roots=6)


POINT = {
    "sin(q)": Fraction(3, 5), "cos(q)": Fraction(4, 5), "sin(p)": Fraction(-5, 13),
    "cos(p)": Fraction(12, 13), "sin(b/2)": Fraction(8, 17), "cos(b/2)": Fraction(15, 17),
    "v": Fraction(-2), "m": Fraction(7, 3), "sign(v)": Fraction(-1),
}  # fmt: skip


def value(x: Any) -> Fraction:
    return Fraction(x.value(POINT) if hasattr(x, "value") else x)


def test_arithmetic_of_quotients_is_that_of_their_values(wide: Ring) -> None:
    q, p, v, m = (wide.variable(x) for x in ("q", "p", "v", "m"))
    numbers = [
        m, 3 + q.cos() * m, 1 / (v + 2 * m), (q.sin() - v) / (q.cos() * p.cos() + m), Fraction(2, 3),
        (q + p).cos() / (1 - q.sin()), m / (v * v), 1 / ((q.sin() - v) * m),
    ]  # fmt: skip
    for x in numbers:
        for y in numbers:
            assert value(x + y) == value(x) + value(y)
            assert value(x - y) == value(x) - value(y)
            assert value(x * y) == value(x) * value(y)
            assert value(x / y) == value(x) / value(y)
            assert (x / y) * y - x == 0
            assert x + y - y == x


def test_common_factors_cancel_even_where_sines_hide_them(wide: Ring) -> None:
    q, p, m = (wide.variable(x) for x in ("q", "p", "m"))
    a, b = m + q.cos() + p.sin(), m * q.cos() - p.cos()
    assert a * b / a == b  # a b in normal form shows no factor a
    assert isinstance(a * b / a, Exact)
    assert 1 / a + (b - 1) / a == b / a
    one = q.cos() ** 2 / (1 - q.sin() ** 2)
    assert one == 1
    assert repr(1 / (1 - q.sin() ** 2)) == "(1)/(cos(q))^2"


def test_dividing_by_zero_is_an_error(wide: Ring) -> None:
    q = wide.variable("q")
    with pytest.raises(ZeroDivisionError):
        q / (q.sin() ** 2 + q.cos() ** 2 - 1)


def test_a_square_root_squared_is_its_radicand(wide: Ring) -> None:
    q, m = wide.variable("q"), wide.variable("m")
    r = (m * m + 4 * q.cos()).sqrt()
    assert r * r == m * m + 4 * q.cos()
    assert r**3 / r - r * r == 0
    assert (1 / (r + 1)) * (r + 1) == 1
    assert (8 * m).sqrt() == 2 * (2 * m).sqrt()
    assert wide.root(Fraction(1, 2)) * wide.root(8) == 2
    assert wide.root(6) == wide.root(2) * wide.root(3)
    assert wide.root(Fraction(9, 4)) == Fraction(3, 2)
    with pytest.raises(NotExact, match="not real"):
        wide.root(-1)


def test_a_ring_without_a_generator_left_says_so(ring: Ring) -> None:
    with pytest.raises(NoRootLeft):
        ring.root(2)


def test_a_sign_is_its_own_cube(wide: Ring) -> None:
    v = wide.variable("v")
    s = v.sign()
    assert s * s * s == s
    assert s * s * v == v
    assert (-3 * v).sign() == -s
    with pytest.raises(NotExact, match="sign"):
        (v + 1).sign()


def test_sines_of_sums_follow_the_addition_theorems(wide: Ring) -> None:
    q, p, b, pi = (wide.variable(x) for x in ("q", "p", "b", "pi"))
    assert (q + p).sin() == q.sin() * p.cos() + q.cos() * p.sin()
    assert (2 * q - p).cos() == (q.cos() ** 2 - q.sin() ** 2) * p.cos() + 2 * q.sin() * q.cos() * p.sin()
    assert (b / 2).sin() ** 2 * 2 == 1 - b.cos()
    assert (q + pi / 2).cos() == -q.sin()
    assert (q + pi / 4).sin() == (q.sin() + q.cos()) * wide.root(2) / 2
    for bad in (b / 4, q * p, q / 2, 1 / q):
        with pytest.raises(NotExact, match="sums of angles"):
            bad.sin()


@pytest.mark.parametrize("k", range(24))
def test_multiples_of_fifteen_degrees_are_square_roots(k: int) -> None:
    ring = Ring(plain=("v",), roots=2)
    s, c = ring.constant_sin_cos(Formula.of(f"{k}*pi/12"))
    at = {"root[0]": math.sqrt(ring.radicands[0]) if ring.radicands else 0}
    at["root[1]"] = math.sqrt(ring.radicands[1]) if len(ring.radicands) > 1 else 0
    for x, function in ((s, math.sin), (c, math.cos)):
        number = x.value(at) if hasattr(x, "value") else float(x)
        assert number == pytest.approx(function(k * math.pi / 12), abs=1e-15)
    assert s * s + c * c == 1


def test_a_constant_angle_and_its_multiples_share_generators() -> None:
    ring = Ring(constant_angles=[Formula.of(x) for x in ("0.6", "-0.3", "0.3 + pi/2", "pi/4")], plain=("v",))
    assert ring.constant_angles == (Formula.of("0.3"),)
    s, c = ring.constant_sin_cos(Formula.of("0.3"))
    assert ring.constant_sin_cos(Formula.of("-0.3")) == (-s, c)
    assert ring.constant_sin_cos(Formula.of("0.6")) == (2 * s * c, c * c - s * s)
    assert ring.constant_sin_cos(Formula.of("0.3 + pi/2")) == (c, -s)
    with pytest.raises(NotExact, match="not among"):
        ring.constant_sin_cos(Formula.of("0.7"))


def test_many_constant_angles_become_rational_points_of_the_circle() -> None:
    angles = [Formula.of(f"0.{k}7") for k in range(1, 8)]
    ring = Ring(constant_angles=angles, plain=("v",))
    assert ring.rounded == tuple(angles)
    for angle in angles:
        s, c = ring.constant_sin_cos(angle)
        assert s * s + c * c == 1
        assert float(s) == pytest.approx(math.sin(float(angle)), abs=2e-16)
