"""The native step loop: rows of any size and number; programs on arrays in the layout of registers."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from rikigaku.compiler.kernel import Kernel
from rikigaku.numbers.program import trace
from rikigaku.rollout.lanes import Lanes, filled
from rikigaku.rollout.step_loop import ProgramCall, StepLoop, Table
from rikigaku.simulation.actuation_program import kernel_of

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 17)
STEPS = 5


@cache
def _sum(size: int) -> Kernel:
    """state' = state + input, output = 2 state + input."""

    def function(state: Any, given: Any) -> dict[str, Any]:
        pairs = list(zip(state, given, strict=True))
        return {"state": [a + b for a, b in pairs], "output": [2 * a + b for a, b in pairs]}

    return kernel_of(trace(f"sums of {size}", [("state", (size,)), ("input", (size,))], function))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 11])
def test_rows_of_any_size_advance_with_the_step(size: int, count: int, dtype: Any) -> None:
    rng = np.random.default_rng(size)
    given = rng.integers(-9, 9, (STEPS, 1, count, size)).astype(dtype)  # whole numbers: sums are exact
    start = rng.integers(-9, 9, (count, size)).astype(dtype)
    results, records = (
        np.full((STEPS, 1, count, size), np.nan, dtype),
        np.full((2, count, size), np.nan, dtype),
    )
    states = filled(start), Lanes(count, size, dtype)
    inputs, outputs = Table(given), Table(results)
    even, odd = (
        [ProgramCall(_sum(size), [before, inputs], [after, outputs])]
        for before, after in (states, states[::-1])
    )
    loop = StepLoop(count, even, odd, [states[::-1]], dtype=dtype)
    loop.record(2, [records])
    loop.run(0, STEPS)
    before = start + np.concatenate([np.zeros((1, count, size)), np.cumsum(given[:, 0], axis=0)])
    assert np.array_equal(states[STEPS % 2].rows, before[-1])
    assert np.array_equal(results[:, 0], 2 * before[:-1] + given[:, 0])
    assert np.array_equal(records, before[[2, 4]])
    assert (loop.taken == -1).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("world", [0, 4, 6])
def test_a_world_that_is_not_finite_is_nan_from_that_step_on(value: float, world: int) -> None:
    count, size = 7, 3
    given = np.ones((STEPS, 1, count, size))
    given[2, 0, world, 1] = value
    states = Lanes(count, size), Lanes(count, size)
    other = Lanes(count, 1), Lanes(count, 1)  # a second state, which stays zero
    calls = [
        [ProgramCall(_sum(size), [before, Table(given)], [after, Lanes(count, size)])]
        for before, after in (states, states[::-1])
    ]
    records, seconds = np.empty((STEPS, count, size)), np.empty((STEPS, count, 1))
    loop = StepLoop(count, calls[0], calls[1], [states[::-1], other])
    loop.record(1, [records, seconds])
    loop.run(0, STEPS)
    assert np.isnan(records[2:, world]).all()
    assert np.isnan(seconds[2:, world]).all()
    others = np.arange(count) != world
    assert np.array_equal(records[:, others], np.broadcast_to(np.arange(1.0, 6)[:, None, None], (5, 6, 3)))
    assert loop.taken[world] == 2
    assert (loop.taken[others] == -1).all()


def _long(x: Any) -> dict[str, Any]:
    """More results than are stored directly, more instructions than one chunk, a quotient and a constant."""
    found = [x[i] * x[j] + x[k] for i in range(9) for j in range(9) for k in range(17)]
    return {"products": found, "few": [found[3] / x[1], 2.5, found[700]]}


def test_long_programs_have_the_bits_of_rows() -> None:
    kernel = kernel_of(trace("long", [("x", (17,))], _long))
    x = np.random.default_rng(0).normal(size=(11, 17))
    rows = np.empty((11, 9 * 9 * 17)), np.empty((11, 3))
    kernel([x], rows)
    given, found = filled(x), [Lanes(11, y.shape[1]) for y in rows]
    call = [ProgramCall(kernel, [given], found)]
    StepLoop(11, call, call).run(0, 1)
    for y, z in zip(rows, found, strict=True):
        assert z.rows.tobytes() == y.tobytes()
