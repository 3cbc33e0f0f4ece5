"""atan2 on every kind of number, its derivatives, and compiled."""

import math

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.laws.law import Law
from rikigaku.numbers.arctangent import elementary_atan2, without_atan2
from rikigaku.numbers.dual_numbers import Dual
from rikigaku.numbers.elementary_functions import atan2
from rikigaku.numbers.expression_graph import Graph
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward
from rikigaku.numbers.program_evaluation import evaluated

POINTS = [(0.3, 0.4), (-0.3, 0.4), (0.3, -0.4), (-0.3, -0.4), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)]
FUNCTIONS = {"const": float, "atan2": math.atan2}


@pytest.mark.parametrize(("y", "x"), POINTS)
def test_the_angle_of_a_point_in_every_quadrant(y: float, x: float) -> None:
    assert atan2(y, x) == math.atan2(y, x)
    program = trace("angle", [("y", ()), ("x", ())], lambda y, x: {"q": atan2(y, x)})
    assert evaluated(program, [[y], [x]], FUNCTIONS) == [[math.atan2(y, x)]]
    if x:
        assert atan2(Dual(y, 1.0), x).rate == pytest.approx(x / (x * x + y * y))
    if y:
        assert atan2(y, Dual(x, 1.0)).rate == pytest.approx(-y / (x * x + y * y))


def test_a_constant_and_a_traced_number() -> None:
    x = Graph().input("x")
    assert atan2(1.0, x).op == atan2(x, 1.0).op == "atan2"


def test_the_derivative_of_a_traced_angle_is_that_of_differences() -> None:
    graph = Graph()
    y, x = graph.input("y"), graph.input("x")
    ((by_y, by_x),) = forward([atan2(y, x)], [{y: 1.0}, {x: 1.0}])
    program = trace(
        "d", [("y", ()), ("x", ())], lambda y, x: {"q": forward([atan2(y, x)], [{y: 1.0}, {x: 1.0}])[0]}
    )
    (found,) = evaluated(program, [[0.3], [-0.4]], FUNCTIONS)
    step = 1e-6
    assert found[0] == pytest.approx(
        (math.atan2(0.3 + step, -0.4) - math.atan2(0.3 - step, -0.4)) / (2 * step)
    )
    assert found[1] == pytest.approx(
        (math.atan2(0.3, -0.4 + step) - math.atan2(0.3, -0.4 - step)) / (2 * step)
    )
    assert by_y.op == "div"
    assert by_x.op == "neg"


def test_a_law_with_atan2_is_compiled_for_one_state_and_for_batches() -> None:
    def angles(mechanism: object, q: list, v: list) -> list:
        return [atan2(y, x) for y, x in zip(q, v, strict=True)]

    law = rk.load("planar_2r").law(Law("angles", angles, ("q", "v"), ("x",), "angles of points"))
    q, v = np.random.default_rng(0).normal(size=(2, 37, 2))
    found = law(q, v)
    np.testing.assert_allclose(found, np.arctan2(q, v), rtol=4.5e-16)
    for k in range(37):
        assert np.array_equal(law(q[k], v[k]), found[k])


def test_atan2_of_elementary_operations_is_that_of_the_library() -> None:
    rng = np.random.default_rng(1)
    points = [*POINTS, *(rng.normal(size=2) * 10.0 ** rng.integers(-8, 8) for _ in range(3000)), (0.0, 0.0)]
    for y, x in points:
        wanted = math.atan2(y, x)
        assert abs(float(elementary_atan2(float(y), float(x))) - wanted) <= 4.5e-16 * abs(wanted)


def test_a_program_without_atan2_has_the_same_values() -> None:
    program = trace("angle", [("y", ()), ("x", ())], lambda y, x: {"q": atan2(y, x) * 2.0 + x})
    other = without_atan2(program)
    assert "atan2" not in other.operations.counts
    assert without_atan2(other) is other
    functions = {
        **FUNCTIONS,
        "sqrt": math.sqrt,
        "less": lambda a, b: a < b,
        "choose": lambda c, a, b: a if c else b,
    }
    for y, x in POINTS:
        (found,), (wanted,) = (evaluated(p, [[y], [x]], functions)[0] for p in (other, program))
        assert found == pytest.approx(wanted, rel=1e-14)
