"""Arithmetic of closed robots' formulas: quotients, and hashes that agree with equality."""

from functools import cache

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NotExact
from rikigaku.numbers import rational_function
from rikigaku.symbolic.formulas.formula_array import Formulas


@cache
def mass_matrix() -> Formulas:
    found: Formulas = rk.load("five_bar").reduced.mass_matrix.symbolic
    return found


def test_quotients_of_partial_fractions_are_formulas() -> None:
    M, five = mass_matrix(), rk.load("five_bar")
    total = M[0, 0] + M[0, 1]
    quotient = total / M[1, 1]
    q = five.closure().samples[0]
    m = five.reduced.mass_matrix(q)
    assert quotient.value(q=q) == pytest.approx((m[0, 0] + m[0, 1]) / m[1, 1], rel=1e-9)
    assert quotient * M[1, 1] == total
    assert (1 / total).value(q=q) == pytest.approx(1 / (m[0, 0] + m[0, 1]), rel=1e-9)
    np.testing.assert_allclose(m, M.value(q=q), rtol=1e-9)


def test_a_quotient_that_is_too_long_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    M = mass_matrix()
    monkeypatch.setattr(rational_function, "_MOST_TERMS", 10)
    with pytest.raises(NotExact, match=r"up to \d+ terms. Divide their values, or the results of interm"):
        (M[0, 0] + M[0, 1]) / M[1, 1]


def test_equal_formulas_have_equal_hashes() -> None:
    M = mass_matrix()
    total = M[0, 0] + M[0, 1]
    again = (total / M[1, 1]) * M[1, 1]
    assert again == total
    assert total == again
    assert len({again, total}) == 1
    one = total / total
    assert one == 1
    assert hash(one) == hash(1)
