"""RecordedLaws programs: shapes, counts by hand, and the instructions they become."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rikigaku.compiler.instructions import Instruction, instructions
from rikigaku.core.errors import WrongValue
from rikigaku.numbers.program import Program, flatten, shape_of, trace


def dot(x: list, y: list) -> dict:
    return {"s": x[0] * y[0] + x[1] * y[1] + x[2] * y[2]}


def rotation(q: object, p: list) -> dict:
    return {"p": [q.cos() * p[0] - q.sin() * p[1], q.sin() * p[0] + q.cos() * p[1]]}


def test_a_scalar_product_takes_three_products_and_two_sums() -> None:
    count = trace("dot", [("x", (3,)), ("y", (3,))], dot).operations
    assert (count.mul, count.add, count.div, count.sincos, count.total) == (3, 2, 0, 0, 5)
    assert str(count) == "3 mul, 2 add"


def test_a_rotation_takes_four_products_two_sums_and_one_pair_of_sine_and_cosine() -> None:
    count = trace("rotation", [("q", ()), ("p", (2,))], rotation).operations
    assert (count.mul, count.add, count.sincos) == (4, 2, 1)
    assert repr(count) == "4 mul, 2 add, 1 sincos"


def test_shared_and_unused_work_counts_once_and_not_at_all() -> None:
    def f(x: list) -> dict:
        _ = x[0] / x[1]
        return {"y": [x[0] * x[1], x[1] * x[0] + 1.0, -(x[0] * x[1]), 2.0]}

    count = trace("f", [("x", (2,))], f).operations
    assert (count.mul, count.add, count.div) == (1, 1, 0)


def test_every_operation_has_its_column() -> None:
    def f(x: object, y: object) -> dict:
        return {"r": [x / y, x.sqrt(), x.sign(), (x < y).choose(x, y)]}

    count = trace("f", [("x", ()), ("y", ())], f).operations
    assert str(count) == "0 mul, 0 add, 1 div, 1 sqrt, 1 sign, 1 choose"
    assert count.total == 5  # and the comparison


def test_inputs_arrive_in_their_shape_and_results_leave_row_by_row() -> None:
    def f(x: object, y: list, m: list) -> dict:
        assert len(m) == 2
        assert len(m[0]) == 3
        return {"t": [[m[j][i] for j in range(2)] for i in range(3)], "x": x, "y": tuple(y)}

    program = trace("f", [("x", ()), ("y", (4,)), ("m", (2, 3))], f)
    assert [(port.name, port.shape) for port in program.outputs] == [("t", (3, 2)), ("x", ()), ("y", (4,))]
    assert [port.size for port in program.outputs] == [6, 1, 4]
    assert [node.value for node in program.results[0]] == ["m[0]", "m[3]", "m[1]", "m[4]", "m[2]", "m[5]"]


def test_object_arrays_count_as_nested_lists() -> None:
    array = np.array([[1, 2], [3, 4]], dtype=object)
    assert shape_of(array) == (2, 2)
    assert list(flatten(array)) == [1, 2, 3, 4]
    assert shape_of([]) == (0,)


# -- instructions -------------------------------------------------------------------------------------------
STEPS = [
    lambda a, b, c: a * b + c,
    lambda a, b, c: c - a * b,
    lambda a, b, c: a * b - c,
    lambda a, b, c: -(a * b) - c * a,
    lambda a, b, c: a / (b * b + 1.25),
    lambda a, b, c: (b * b + 0.5).sqrt() * 0.1,
    lambda a, b, c: a * 0.3,
    lambda a, b, c: (a < b).choose(c, -a) - b.sign(),
]


def random_program(seed: int) -> Program:
    rng = random.Random(seed)

    def f(x: list) -> dict:
        pool = list(x)
        while len(pool) < 60:
            a, b, c = (rng.choice(pool) for _ in range(3))
            new = rng.choice(STEPS)(a, b, c)
            if not isinstance(new, float):
                pool.append(new / 3.0)
        return {"y": [*pool[-12:], pool[3] * pool[4], -pool[20]]}

    return trace("random", [("x", (5,))], f)


def run(program: Program, x: list[float], fuse: bool) -> list[float]:
    """The instructions one by one; fma with one rounding, by rational numbers."""
    known: dict[int, float] = {}
    for instruction in instructions(program, fuse):
        args = [-known[a.index] if a.negative else known[a.index] for a in instruction.args]
        known[instruction.index] = result_of(instruction, args, x)
    results = []
    for node in program.results[0]:
        sign, inner = (-1.0, node.args[0]) if node.op == "neg" else (1.0, node)
        results.append(sign * known[inner.id])
    return results


def result_of(instruction: Instruction, args: list[float], x: list[float]) -> float:
    match instruction.op:
        case "input":
            return x[instruction.value[1]]
        case "const":
            return instruction.value
        case "fma":
            return float(Fraction(args[0]) * Fraction(args[1]) + Fraction(args[2]))
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            return args[0] / args[1]
        case "sqrt":
            return math.sqrt(args[0])
        case "sign":
            return float((args[0] > 0) - (args[0] < 0))
        case "choose":  # with its comparison: a < b ? c : d
            return args[2] if args[0] < args[1] else args[3]
    raise AssertionError(instruction.op)


@pytest.mark.parametrize("seed", range(10))
def test_fused_and_plain_instructions_compute_the_same_formula(seed: int) -> None:
    program = random_program(seed)
    x = [random.Random(seed + 100).uniform(-2, 2) for _ in range(5)]
    assert run(program, x, True) == pytest.approx(run(program, x, False), rel=1e-9, abs=1e-9)


def test_a_product_that_feeds_one_sum_is_fused_and_one_that_is_shared_is_not() -> None:
    def f(x: list) -> dict:
        shared = x[0] * x[1]
        return {"y": [x[0] * x[2] + x[1], shared + x[2], shared - x[1], x[2] - x[1] * x[1]]}

    program = trace("f", [("x", (3,))], f)
    ops = [instruction.op for instruction in instructions(program)]
    assert sorted(op for op in ops if op != "input") == ["add", "fma", "fma", "mul", "sub"]
    plain = [instruction.op for instruction in instructions(program, fuse=False)]
    assert "fma" not in plain
    assert plain.count("mul") == 3


def test_a_product_that_is_also_a_result_is_kept() -> None:
    program = trace("f", [("x", (2,))], lambda x: {"y": [x[0] * x[1], x[0] * x[1] + x[0]]})
    assert sorted(i.op for i in instructions(program) if i.op != "input") == ["add", "mul"]


def test_signs_ride_on_operands() -> None:
    program = trace("f", [("x", (3,))], lambda x: {"y": [-(x[0] * x[1]) - x[2], (-x[0]) / x[1]]})
    assert all(instruction.op != "neg" for instruction in instructions(program))
    assert run(program, [1.0, 2.0, 4.0], True) == [-6.0, -0.5]


@pytest.mark.parametrize("sine", [np.sin, math.sin, lambda x: np.array([1.0, 2.0]).dot([float(x), 0.0])])
def test_functions_of_other_libraries_are_refused_with_those_to_use(sine: Callable[[Any], Any]) -> None:
    with pytest.raises(WrongValue, match=r"rikigaku\.numbers\.elementary_functions"):
        trace("sine", [("x", (1,))], lambda x: {"y": [sine(x[0])]})


def test_other_mistakes_of_a_recorded_function_stay_as_they_are() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        trace("mistake", [("x", (1,))], lambda x: {"y": [len("x") + "x"]})
