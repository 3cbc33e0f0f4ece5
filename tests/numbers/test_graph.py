"""The traced number: folding, sharing and signs keep the value to the last bit; misuse is refused."""

import math
import random

import numpy as np
import pytest
from node_values import values

from rikigaku.core.errors import WrongValue
from rikigaku.numbers import elementary_functions as functions
from rikigaku.numbers.expression_graph import OPERATIONS, Graph, Node, reachable

# Factors whose products and reciprocals are exact.
BITWISE_EXACT = (0.0, 0.5, 1.0, 2.0, 4.0, -0.25, -1.0, -2.0)
TABLE = (0.5, -1.25, 2.0, 3.5)


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def x(graph: Graph) -> Node:
    return graph.input("x")


@pytest.fixture
def y(graph: Graph) -> Node:
    return graph.input("y")


def random_pairs(seed: int, steps: int = 60) -> tuple[list[tuple[object, float]], dict[str, float]]:
    """Traced numbers beside floats that went through the very same operations."""
    rng = random.Random(seed)
    inputs = {name: rng.uniform(-3, 3) for name in "abcd"}
    graph = Graph()
    pairs: list[tuple[object, float]] = [(graph.input(name), value) for name, value in inputs.items()]
    while len(pairs) < steps:
        (s, f), (t, g) = rng.choice(pairs), rng.choice(pairs)
        constant, factor = rng.uniform(-2, 2), rng.choice(BITWISE_EXACT)
        match rng.randrange(13):
            case 0:
                pair = (s + t, f + g)
            case 1:
                pair = (s - t, f - g)
            case 2:
                pair = (s * t, f * g)
            case 3 if g != 0 and not (isinstance(t, float) and abs(t) not in BITWISE_EXACT):
                pair = (s / t, f / g)
            case 4:
                pair = (-s, -f)
            case 5:
                pair = (s + constant, f + constant)
            case 6:
                pair = (constant - s, constant - f)
            case 7:
                pair = (factor * s, factor * f)
            case 8:
                pair = (functions.sin(s), math.sin(f))
            case 9:
                pair = (functions.cos(s), math.cos(f))
            case 10 if factor != 0:
                pair = (s / factor, f / factor)
            case 11:
                pair = (functions.where(s < t, s, t), f if f < g else g)
            case 12:
                pair = (functions.lookup(TABLE, s), TABLE[min(max(int(max(min(f, 9), -9)), 0), 3)])
            case _:
                continue
        if math.isfinite(pair[1]) and abs(pair[1]) < 1e60:
            pairs.append(pair)
    return pairs, inputs


@pytest.mark.parametrize("seed", range(60))
def test_a_traced_program_has_the_value_of_the_same_float_operations_to_the_last_bit(seed: int) -> None:
    pairs, inputs = random_pairs(seed)
    assert values([traced for traced, _ in pairs], inputs) == [value for _, value in pairs]


def test_a_random_program_uses_every_operation_a_law_may_use() -> None:
    seen = {node.op for seed in range(60) for node in reachable(x for x, _ in random_pairs(seed)[0])}
    assert seen >= set(OPERATIONS) - {"sqrt", "sign", "atan2"}


@pytest.mark.parametrize("seed", range(5))
def test_every_argument_stands_before_its_use(seed: int) -> None:
    nodes = list(reachable(traced for traced, _ in random_pairs(seed)[0]))
    place = {node: i for i, node in enumerate(nodes)}
    assert all(place[arg] < place[node] for node in nodes for arg in node.args)
    assert len(place) == len(nodes)


# -- folding ------------------------------------------------------------------------------------------------
def test_zeros_and_ones_fold_away(x: Node) -> None:
    assert x + 0.0 is x
    assert 0.0 + x is x
    assert x - 0.0 is x
    assert x * 1.0 is x
    assert x / 1.0 is x
    assert x**1 is x
    assert +x is x
    assert x * 0.0 == 0.0 == 0.0 * x
    assert 0.0 / x == 0.0
    assert x - x == 0.0
    assert x**0 == 1.0
    assert isinstance(x * 0.0, float)


def test_two_signs_cancel(x: Node, y: Node) -> None:
    minus = -x
    assert -minus is x
    assert (-x) * (-y) is x * y
    assert (-x) / (-y) is x / y
    assert -(x - y) is y - x
    assert (-x).cos() is x.cos()
    assert (-x).sin() is -(x.sin())
    assert x - (-y) is x + y
    assert (-x) + y is y - x
    assert (-x) - y is -(x + y)
    assert 1.0 - x is (-x) + 1.0
    assert x * -2.0 is -(x * 2.0)
    assert -3.0 / x is -(3.0 / x)


def test_constant_factors_merge(x: Node) -> None:
    assert (x * 2.0) * 4.0 is x * 8.0
    assert (x * 2.0) / 4.0 is x * 0.5
    assert (x * 4.0) * 0.25 is x


def test_a_difference_and_its_opposite_are_one_subtraction(graph: Graph, x: Node, y: Node) -> None:
    first, second = x - y, y - x
    assert (second.op, second.args) == ("neg", (first,))
    assert sum(node.op == "sub" for node in graph.nodes) == 1


# -- sharing ------------------------------------------------------------------------------------------------
def test_equal_operations_are_one_node(graph: Graph, x: Node, y: Node) -> None:
    assert x + y is y + x
    assert x * y is y * x
    assert x.sin() is x.sin()
    assert graph.input("x") is x
    assert graph.constant(0.1) is graph.constant(0.1)
    before = len(graph.nodes)
    total = (x + y) * x
    grown = len(graph.nodes)
    assert (y + x) * x is total
    assert len(graph.nodes) == grown > before


def test_the_two_zeros_are_two_constants(graph: Graph) -> None:
    assert graph.constant(0.0) is not graph.constant(-0.0)
    assert math.copysign(1.0, graph.constant(-0.0).value) == -1.0


def test_not_a_number_is_one_constant(graph: Graph) -> None:
    assert graph.constant(math.nan) is graph.constant(math.nan)


def test_an_input_and_a_constant_of_the_same_text_are_two_nodes(graph: Graph) -> None:
    assert graph.input((1.0).hex()) is not graph.constant(1.0)


# -- powers, choice -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("exponent", [-3, -1, 0, 1, 2, 5, 2.0, np.int64(3)])
def test_whole_powers_are_products(x: Node, exponent: float) -> None:
    assert values([x**exponent], {"x": 1.5})[0] == pytest.approx(1.5 ** float(exponent), rel=1e-15)


@pytest.mark.parametrize("exponent", [0.5, math.nan, math.inf, "2", None])
def test_other_powers_are_refused(x: Node, exponent: object) -> None:
    with pytest.raises(WrongValue, match="whole exponents"):
        x**exponent  # type: ignore[operator]


def test_a_choice_between_equal_numbers_is_no_choice(x: Node, y: Node) -> None:
    assert (x < y).choose(x, x) is x
    assert (x < y).choose(2.0, 2.0) == 2.0


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)])
def test_a_choice_takes_the_side_its_condition_says(x: Node, y: Node, a: float, b: float) -> None:
    where = functions.where
    chosen = [where(x < y, 10.0, y), where(x > y, 10.0, y), where(x > 1.5, x, 0.0)]
    wanted = [10.0 if a < b else b, 10.0 if a > b else b, a if a > 1.5 else 0.0]
    assert values(chosen, {"x": a, "y": b}) == wanted


def test_where_on_arrays_chooses_element_by_element() -> None:
    condition = np.array([True, False, True])
    assert functions.where(condition, np.array([1.0, 2, 3]), np.array([4.0, 5, 6])).tolist() == [
        1,
        5,
        3,
    ]
    assert functions.where(np.float64(1) < 2, 1.0, 2.0) == 1.0
    assert functions.where(False, 1.0, 2.0) == 2.0


def test_functions_ask_numpy_where_a_number_has_no_method() -> None:
    assert functions.sqrt(4.0) == 2.0
    assert functions.sign(np.array([-3.0, 0.0, 2.0])).tolist() == [-1, 0, 1]
    assert functions.cos(0.0) == 1.0
    assert functions.is_zero(0)
    assert not functions.is_zero(Graph().input("x"))


# -- misuse -------------------------------------------------------------------------------------------------
def test_a_traced_number_has_no_truth_value(x: Node) -> None:
    with pytest.raises(WrongValue, match="use `where`"):
        bool(x > 0.0)


def test_a_traced_number_is_no_float(x: Node) -> None:
    with pytest.raises(WrongValue, match="no value while a program"):
        float(x)
    with pytest.raises(WrongValue):
        math.sin(x)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", ["1.5", b"2", None, 1j, [1.0], {}, np.ones(2)], ids=repr)
def test_a_traced_number_meets_only_numbers(x: Node, other: object) -> None:
    for operation in (
        lambda: x + other,
        lambda: other - x,
        lambda: x * other,
        lambda: x / other,
        lambda: other / x,
        lambda: x < other,
    ):
        with pytest.raises(WrongValue, match="not a number"):
            operation()


def test_division_by_the_constant_zero_is_refused(x: Node) -> None:
    for zero in (0, 0.0, -0.0):
        with pytest.raises(WrongValue, match="divided by the constant zero"):
            x / zero


def test_numpy_scalars_are_numbers(x: Node) -> None:
    assert x + np.float64(2) is x + 2.0
    assert np.float64(2) * x is x * 2.0
    assert np.int64(3) * x is x * 3.0


def test_a_node_shows_its_operation(x: Node, y: Node) -> None:
    assert repr(x) == "<#0 input x>"
    assert repr(x * y) == "<#2 mul #0, #1>"
