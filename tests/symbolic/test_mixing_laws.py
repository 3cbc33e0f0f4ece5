"""Formulas of one robot from laws with different square roots: they compare, add up and have values."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NoValue, WrongValue
from rikigaku.numbers.exact_number import Ring
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")

Q = [0.1, 0.2, -0.3, 0.4, 0.5, 0.6]


@cache
def puma(law: str) -> Any:
    return getattr(rk.load("puma560"), law).formulas("hand")


def test_the_same_formula_of_two_laws_is_equal() -> None:
    J, E = puma("jacobian"), puma("euler_jacobian")
    assert J.context.ring is not E.context.ring
    for i, k in np.ndindex(3, 6):  # both have the velocity of the hand's origin in their first rows
        assert J[i, k] == E[i, k]
        assert E[i, k] == J[i, k]
        assert hash(J[i, k]) == hash(E[i, k])
        assert not E[i, k] - J[i, k]
    assert J[0, 0] != E[1, 0]
    assert J[0, 0] != E[0, 0] + 1


def test_formulas_of_laws_with_different_square_roots_combine() -> None:
    J, E = puma("jacobian"), puma("euler_jacobian")
    rooted = [x for x in E.array.flat if "sqrt" in str(x)]
    assert rooted
    x, y = J[0, 0], rooted[0]
    a, b = x.value(q=Q), y.value(q=Q)
    for result, expected in (
        (x + y, a + b),
        (x - y, a - b),
        (y - x, b - a),
        (x * y, a * b),
        (x / y, a / b),
        (y / x, b / a),
    ):
        assert result.value(q=Q) == pytest.approx(expected, rel=1e-12)
    summed = J[:1].each(lambda z: z + y)
    np.testing.assert_allclose(summed.value(q=Q)[0], J.value(q=Q)[0] + b, rtol=1e-12)


def test_formulas_of_robots_whose_joints_are_called_differently_do_not_mix() -> None:
    def arm(name: str) -> Any:
        body = rk.Inertia("com", 2, (0.5, 0, 0), (0, 0, 0, 1, 0, 1))
        link = rk.Link("link", "base", rk.Joint(name, "revolute"), inertia=body)
        return Robot("arm", (link,)).kinetic_energy.symbolic

    assert arm("a") == arm("a")
    assert arm("a") != arm("b")
    assert arm("a") - arm("a") == arm("b") - arm("b")
    with pytest.raises(WrongValue, match="called differently"):
        arm("a") + arm("b")


def test_a_formula_at_a_singular_state_has_no_value_and_says_why() -> None:
    inverse = rk.load("planar_2r").inverse_mass_matrix.symbolic
    for zero in (0, 0.0, Fraction(0)):
        with pytest.raises(NoValue, match=r"divides by .*m1.* zero here"):
            inverse.value(q=[0.1, 0.2], l1=1, l2=1, m1=zero, m2=zero)


def test_relations_between_constant_angles_are_not_all_seen() -> None:
    # stated in docs/formulas.md; here so that the page is mended when they are
    fifths = [Formula.of("pi/5"), Formula.of("2*pi/5")]
    ring = Ring(plain=("m",), constant_angles=fifths, roots=4)
    difference = ring.constant_sin_cos(fifths[0])[1] - ring.constant_sin_cos(fifths[1])[1]
    assert difference != Fraction(1, 2)
    assert ring.root(2) * ring.root(ring.variable("m")) != ring.root(ring.variable("m") * 2)
    assert ring.root(2) * ring.root(3) == ring.root(6)
    sines = Ring(plain=("m",), constant_angles=[Formula.of(x) for x in ("0.3", "0.5", "0.8")])
    (s, c), (t, d) = (sines.constant_sin_cos(Formula.of(x)) for x in ("0.3", "0.5"))
    assert s * d + c * t != sines.constant_sin_cos(Formula.of("0.8"))[0]
