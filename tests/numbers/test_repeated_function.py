"""Loops inside a program: the same numbers as without them, for one state and for batches."""

import warnings
from collections.abc import Sequence

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.compiler import kernel
from rikigaku.numbers import repeated_function
from rikigaku.numbers.expression_graph import Graph
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.program import Program, trace
from rikigaku.numbers.program_evaluation import unrolled
from rikigaku.numbers.repeated_function import repeated


def weighted(shared: Sequence[Number], item: Sequence[Number]) -> list[Number]:
    """A function with a sign, a constant and an input that is also a result."""
    return [shared[0] * item[0] - item[1], -(item[1] * shared[1]), 2.0, item[0]]


def test_plain_numbers_are_simply_computed() -> None:
    assert repeated(weighted, [3.0, 5.0], [[1.0, 2.0], [4.0, 6.0]]) == [
        [1.0, -10.0, 2.0, 1.0],
        [6.0, -30.0, 2.0, 4.0],
    ]


def test_a_short_repetition_is_unrolled() -> None:
    graph = Graph()
    x = [graph.input(f"x{k}") for k in range(4)]
    repeated(weighted, x[:2], [x[2:], [1.0, x[3]]])
    assert not any(node.op == "call" for node in graph.nodes)


def test_a_loop_counts_every_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    def program() -> Program:
        return trace("p", [("x", (4,))], lambda x: {"y": repeated(weighted, x[:2], [x[2:], [x[3], x[2]]])})

    unrolled = program().operations
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)
    looped = program()
    assert sum(node.op == "call" for node in looped.nodes) == 2
    assert (looped.operations.mul, looped.operations.add) == (unrolled.mul, unrolled.add)


def turned_about(shared: Sequence[Number], item: Sequence[Number]) -> list[Number]:
    """In every order in which results reuse the item's slots, some overwrite numbers read later."""
    return [*item, *reversed(item), shared[0] * item[0] + item[-1]]


def test_an_iteration_reads_its_numbers_before_its_results_take_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)
    size = 40  # of an item: enough results for them to wait for the end

    def run(x: Sequence[Number]) -> dict[str, list[Number]]:
        items = [[x[k] * x[(k + turn) % size] + k for k in range(size)] for turn in range(1, 5)]
        for item in items:  # what others need too keeps its place
            item[0] = items[0][0]
        return {
            "z": items[1][1],
            "y": [y for results in repeated(turned_about, x[:1], items) for y in results],
        }

    program = trace("turned about", [("x", (size,))], run)
    assert sum(node.op == "call" for node in program.nodes) == 4
    compiled = kernel.Kernel("turned about", lambda: program)
    x = np.random.default_rng(2).uniform(-1, 1, (9, size))
    items = [x * np.roll(x, -turn, axis=1) + np.arange(size) for turn in range(1, 5)]
    for item in items:
        item[:, 0] = items[0][:, 0]
    expected = [[*item.T, *item.T[::-1], x[:, 0] * item[:, 0] + item[:, -1]] for item in items]
    z, y = compiled.batch(x)
    np.testing.assert_allclose(z, items[1][:, 1], rtol=1e-15)
    np.testing.assert_allclose(y, np.concatenate(expected).T, rtol=1e-15)


def test_a_quotient_that_is_not_finite_makes_its_state_nan_though_results_take_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)

    def run(x: Sequence[Number]) -> dict[str, list[Number]]:
        items = [[2.0 / (x[0] - k), x[1] * k] for k in range(1, 120)]
        return {"y": [y for results in repeated(weighted, x[:2], items) for y in results]}

    compiled = kernel.Kernel("quotients", lambda: trace("quotients", [("x", (2,))], run))
    x = np.random.default_rng(3).uniform(0.1, 0.9, (9, 2))
    x[4, 0] = 7.0
    with np.errstate(all="ignore"):
        y = compiled.batch(x)
    np.testing.assert_array_equal(np.isnan(y), np.repeat(np.arange(9)[:, None] == 4, y.shape[1], axis=1))


def test_iterations_with_other_structural_zeros_are_distinct_though_their_values_are_equal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)
    monkeypatch.setattr(repeated_function, "_MOST_EXTRA", 0.0)  # a loop body for each pattern
    items = [[1.0, 0.0], [0.0, 1.0]]
    program = trace(
        "units",
        [("x", (4,))],
        lambda x: {"y": [row[:2] for row in repeated(weighted, x[:2], [x[2:], *items])]},
    )
    assert sum(node.op == "call" for node in program.nodes) == 3
    x = np.array([[3.0, 5.0, 7.0, 11.0]])
    found = kernel.Kernel("units", lambda: unrolled(program)).batch(x)[0]
    expected = [weighted(x[0], item)[:2] for item in (x[0, 2:], *items)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["puma560", "panda", "space_arm_6"])
def test_derivatives_with_a_loop_equal_those_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", "off")  # the cache knows nothing of the threshold
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 10**9)
    robot = _loaded(name)
    rng = np.random.default_rng(1)
    q = robot.integrate(robot.neutral(), rng.uniform(-1, 1, (9, robot.nv)))
    v, tau = rng.uniform(-1, 1, (2, 9, robot.nv))
    expected = robot.forward_dynamics.derivative(q, v, tau)
    monkeypatch.setattr(repeated_function, "WORTH_A_LOOP", 0)
    kernel._loaded.clear()  # nor does the process
    again = _loaded(name)
    batch = again.forward_dynamics.derivative(q, v, tau)
    alone = again.forward_dynamics.derivative(q[5], v[5], tau[5])
    packed = again.forward_dynamics.derivative(q, v, tau, packed=True)
    for how, x, whole in zip(again.forward_dynamics.packing(), packed, batch, strict=True):
        np.testing.assert_array_equal(how.unpack(x), whole)
    for with_loop, without, one in zip(batch, expected, alone, strict=True):
        # Other products are fused, so the last bit may differ; one state and a batch may not.
        np.testing.assert_allclose(with_loop, without, rtol=0, atol=1e-13 * np.abs(without).max())
        np.testing.assert_array_equal(one, with_loop[5])


def _loaded(name: str) -> rk.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rk.load(name)
