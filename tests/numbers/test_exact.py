"""Exact numbers: one form for one value, and a clear no where there is none."""

from fractions import Fraction

import pytest

from rikigaku.errors import NotExact, WrongValue
from rikigaku.numbers.exact import Exact, ExactConstants, Ring
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.functions import sqrt


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
