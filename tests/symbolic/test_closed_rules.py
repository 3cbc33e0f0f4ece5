"""Formulas of closed robots replaced, differentiated and combined: they hold at closed loops only."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NotExact, WrongValue


@cache
def loop() -> Any:
    return rk.load("rosam_loop")


def closed_state(robot: Any) -> tuple[Any, Any, dict[str, float]]:
    """q and v closed for the robot, and values of its symbols."""
    rng = np.random.default_rng(5)
    values = {name: rng.uniform(0.5, 1.5) for name in robot.free_symbols}
    bound = robot.bind(**values)
    return bound.assemble([0.4, 0.7, -0.3]), rng.normal(size=3), values


def test_a_replaced_length_holds_where_the_loops_with_it_are_closed() -> None:
    half = loop().bind(L="1/2")
    q, v, values = closed_state(half)
    h = loop().reduced.velocity_forces.symbolic
    expected = half.bind(**values).reduced.velocity_forces(q, v)
    replaced = h.subs("L", "1/2")
    assert np.abs(replaced.value(q=q, v=v, **values) - expected).max() < 1e-10
    assert h[0].subs("L", "1/2").value(q=q, v=v, **values) == pytest.approx(expected[0], abs=1e-10)
    doubled = h[0] + h[0].subs("L", "1/2") - h[0]  # in any order, with what was not replaced
    assert doubled.value(q=q, v=v, L=0.5, **values) == pytest.approx(expected[0], abs=1e-10)
    quotient = replaced[0].numerator / replaced[0].denominator
    assert quotient.value(q=q, v=v, **values) == pytest.approx(expected[0], abs=1e-10)


def test_a_replaced_inertia_leaves_the_loops_as_they_are() -> None:
    M = loop().reduced.mass_matrix.symbolic
    assert M[0, 0].subs("Izz11", 3).context is M.context
    assert M[0, 0].subs("Izz11", 3) == M[0, 0] - M[0, 0].diff("Izz11") * (
        M[0, 0].context.ring.variable("Izz11") - 3
    )


@pytest.mark.parametrize("name", ["d21", "theta11", "L"])
def test_partial_derivatives_by_what_the_loops_hold_are_refused(name: str) -> None:
    M = loop().reduced.mass_matrix.symbolic
    for x in (M, M[0, 0], M[0, 0].subs("L", "1/2")):
        with pytest.raises(NotExact, match=rf"{name}.*does not change alone.*derivative\(q\).q @ v"):
            x.diff(name)
    with pytest.raises(NotExact, match="does not change alone"):
        M[0, 0].subs("L", "2*Izz11").diff("Izz11")


def test_partial_derivatives_by_velocities_and_inertias_exist() -> None:
    q, v, values = closed_state(loop())
    h = loop().reduced.velocity_forces.symbolic
    step = 1e-5 * np.array([1, 0, 0])
    slope = (h.value(q=q, v=v + step, **values) - h.value(q=q, v=v - step, **values)) / 2e-5
    assert np.abs(h.diff("theta11_dot").value(q=q, v=v, **values) - slope).max() < 1e-7
    assert loop().reduced.mass_matrix.symbolic[0, 0].diff("Izz11") == 1


def test_closed_formulas_combine_only_with_the_same_loops() -> None:
    M = loop().reduced.mass_matrix.symbolic
    other = loop().bind(L=2).reduced.mass_matrix.symbolic
    for combine in (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x / y):
        with pytest.raises(WrongValue, match="their geometry differs"):
            combine(M[0, 0], other[0, 0])
    lighter = loop().bind(m11=2).reduced.mass_matrix.symbolic  # the same loops
    q, _, values = closed_state(loop())
    total = M[0, 0] + lighter[0, 0]
    at = dict(values, m11=2.0)
    assert total.value(q=q, **at) == pytest.approx(2 * M[0, 0].value(q=q, **at), rel=1e-12)
    assert (M[0, 0] - M[0, 0]) + other[0, 0] == other[0, 0]  # a number has no loops


def test_closed_with_tree_stays_closed() -> None:
    M, tree = loop().reduced.mass_matrix.symbolic, loop().tree.mass_matrix.symbolic
    for x in (M[0, 0] + tree[0, 0], tree[0, 0] + M[0, 0], tree[0, 0] * M[1, 1]):
        assert x.context.closed
        with pytest.raises(NotExact, match="does not change alone"):
            x.diff("d21")
    q, _, values = closed_state(loop())
    expected = M[0, 0].value(q=q, **values) + tree[0, 0].value(q=q, **values)
    assert (tree[0, 0] + M[0, 0]).value(q=q, **values) == pytest.approx(expected, rel=1e-11)
    assert not tree[0, 0].context.closed
