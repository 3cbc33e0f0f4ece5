"""Exact derivatives, forward and reverse, against SymPy and against differences in sixty digits."""

import random

import mpmath
import pytest
import sympy
from node_values import values

from rikigaku.core.errors import WrongValue
from rikigaku.numbers import elementary_functions
from rikigaku.numbers.expression_graph import Graph, Node, Traced
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward, partials, reverse

NAMES = "abc"
# Each derivative is a few dozen roundings of terms of its own size or somewhat larger.
CLOSE = {"rel": 1e-10, "abs": 1e-10}


def lesser(s: sympy.Expr, t: sympy.Expr, c: sympy.Expr) -> sympy.Expr:
    return sympy.Piecewise((s * c, s < t), (t * s, True))


# The same step on traced numbers and on SymPy's: of two numbers and a positive constant.
STEPS = [
    (lambda s, t, c: s + t, lambda s, t, c: s + t),
    (lambda s, t, c: s * t, lambda s, t, c: s * t),
    (lambda s, t, c: s - c * t, lambda s, t, c: s - c * t),
    (lambda s, t, c: s / (t * t + c), lambda s, t, c: s / (t * t + c)),
    (lambda s, t, c: elementary_functions.sin(s), lambda s, t, c: sympy.sin(s)),
    (lambda s, t, c: elementary_functions.cos(-s), lambda s, t, c: sympy.cos(s)),
    (lambda s, t, c: elementary_functions.sqrt(s * s + c), lambda s, t, c: sympy.sqrt(s * s + c)),
    (lambda s, t, c: elementary_functions.where(s < t, s * c, t * s), lesser),
    (lambda s, t, c: elementary_functions.sign(s) * t, lambda s, t, c: sympy.sign(s) * t),
    (lambda s, t, c: c / (s * s + 1.0), lambda s, t, c: c / (s * s + 1)),
    (lambda s, t, c: -(s**3), lambda s, t, c: -(s**3)),
]


def random_program(
    seed: int, steps: int, symbolic: bool = False
) -> tuple[list[Node], list[Traced], list[sympy.Expr], dict[str, float]]:
    """Inputs, outputs as traced numbers and as SymPy expressions, and a point away from kinks and poles."""
    rng = random.Random(seed)
    point = {name: rng.uniform(0.3, 2.0) for name in NAMES}
    graph = Graph()
    inputs = [graph.input(name) for name in NAMES]
    pairs = [(node, sympy.Symbol(name, real=True)) for node, name in zip(inputs, NAMES, strict=True)]
    while len(pairs) < len(NAMES) + steps:
        (s, S), (t, T) = rng.choice(pairs[-6:]), rng.choice(pairs)
        c = rng.randint(1, 9) / 4
        exact = sympy.Rational(int(4 * c), 4)
        traced, formula = rng.choice(STEPS)
        node = traced(s, t, c)
        if isinstance(node, Node) and abs(values([node], point)[0]) < 50:
            pairs.append((node, formula(S, T, exact) if symbolic else S))
    return inputs, [p[0] for p in pairs[-2:]], [p[1] for p in pairs[-2:]], point


@pytest.mark.parametrize("seed", range(25))
def test_forward_and_reverse_derivatives_are_those_of_sympy(seed: int) -> None:
    inputs, outputs, expressions, point = random_program(seed, 7, symbolic=True)
    symbols = [sympy.Symbol(name, real=True) for name in NAMES]
    at = {symbol: sympy.Float(point[symbol.name], 40) for symbol in symbols}
    slopes = [[expression.diff(symbol) for symbol in symbols] for expression in expressions]
    wanted = [[float(slope.subs(at).doit().evalf(30)) for slope in row] for row in slopes]
    by_forward = forward(outputs, [{node: 1.0} for node in inputs])
    by_reverse = reverse(outputs, inputs)
    for rows in (by_forward, by_reverse):
        for row, expected in zip(rows, wanted, strict=True):
            assert values(row, point) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("seed", range(25, 65))
def test_derivatives_are_limits_of_differences(seed: int) -> None:
    inputs, outputs, _, point = random_program(seed, 40)
    with mpmath.workdps(60):
        exact = {name: mpmath.mpf(value) for name, value in point.items()}
        step = mpmath.mpf(10) ** -20  # truncation 1e-40, cancellation 1e-40 of 60 digits
        for name, by_forward, by_reverse in zip(
            NAMES,
            zip(*forward(outputs, [{node: 1.0} for node in inputs]), strict=True),
            zip(*reverse(outputs, inputs), strict=True),
            strict=True,
        ):
            high = values(outputs, exact | {name: exact[name] + step}, vars(mpmath))
            low = values(outputs, exact | {name: exact[name] - step}, vars(mpmath))
            wanted = [(h - l) / (2 * step) for h, l in zip(high, low, strict=True)]
            for column in (by_forward, by_reverse):
                for got, expected in zip(values(column, exact, vars(mpmath)), wanted, strict=True):
                    assert abs(got - expected) <= mpmath.mpf(10) ** -25 * (1 + abs(expected))


def test_a_direction_mixes_the_columns() -> None:
    inputs, outputs, _, point = random_program(3, 20)
    weights = [0.5, -2.0, 3.0]
    (columns,) = (forward(outputs, [{node: 1.0} for node in inputs]),)
    mixed = forward(outputs, [dict(zip(inputs, weights, strict=True))])
    for row, (one,) in zip(columns, mixed, strict=True):
        expected = sum(w * x for w, x in zip(weights, values(row, point), strict=True))
        assert values([one], point)[0] == pytest.approx(expected, **CLOSE)


def test_what_an_output_does_not_depend_on_has_derivative_zero() -> None:
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    assert forward([x * x, 3.0, y], [{y: 1.0}]) == [[0.0], [0.0], [1.0]]
    assert reverse([x.sin(), 3.0, y], [y]) == [[0.0], [0.0], [1.0]]


def test_steps_are_flat_and_a_choice_passes_on_the_chosen_side() -> None:
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    outputs = [x.sign(), elementary_functions.where(x < y, x * x, y)]
    for rows in (forward(outputs, [{x: 1.0}, {y: 1.0}]), reverse(outputs, [x, y])):
        assert values(rows[0], {"x": 2.0, "y": 3.0}) == [0.0, 0.0]
        assert values(rows[1], {"x": 2.0, "y": 3.0}) == [4.0, 0.0]
        assert values(rows[1], {"x": 4.0, "y": 3.0}) == [0.0, 1.0]


def test_constant_factors_of_derivatives_fold() -> None:
    program = trace("slope", [("x", ())], lambda x: {"y": (x * 3.0) * (x * 0.5)})
    (x,), (y,) = program.arguments[0], program.results[0]
    ((slope,),) = forward([y], [{x: 1.0}])
    assert values([slope], {"x[0]": 2.0}) == [6.0]
    linear = trace("line", [("x", ())], lambda x: {"y": x * 3.0 + 1.0})
    assert forward(linear.results[0], [{linear.arguments[0][0]: 1.0}]) == [[3.0]]
    assert reverse(linear.results[0], linear.arguments[0]) == [[3.0]]


def test_an_unknown_operation_has_no_derivative() -> None:
    graph = Graph()
    with pytest.raises(WrongValue, match="'modulo' has no derivative"):
        partials(graph.node("modulo", (graph.input("x"),)))
