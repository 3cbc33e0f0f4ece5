"""Tables of constants read at computed places: the same bits for one state, for batches and in Python."""

import warnings

import numpy as np
import pytest

from rikigaku.compiler.kernel import Kernel
from rikigaku.numbers.elementary_functions import lookup
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward

TABLE = tuple(float(x) for x in np.random.default_rng(0).normal(size=37))


def result(compiled, x, count=2):
    out = np.empty((*x.shape[:-1], count))
    compiled([x], [out])
    return out


def kernel():
    def f(x):
        return {"y": [lookup(TABLE, x[0]), x[1] * lookup(TABLE, x[1] + 3.0)]}

    return Kernel("two lookups", lambda: trace("two lookups", [("x", (2,))], f))


def test_elements_at_whole_parts_within_the_table():
    x = np.array([0.0, 0.99, 1.0, 35.999, 36.0, 37.0, 1e300, -0.5, -1e300, 12.5])
    expected = [TABLE[k] for k in (0, 0, 1, 35, 36, 36, 36, 0, 0, 12)]
    states = np.stack([x, x[::-1]], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = result(kernel(), states)
    assert found[:, 0].tolist() == expected
    assert [result(kernel(), state)[0] for state in states] == expected
    assert lookup(TABLE, x).tolist() == expected
    assert [lookup(TABLE, float(a)) for a in x] == expected
    with np.errstate(invalid="ignore"):
        assert found[:, 1].tolist() == (x[::-1] * lookup(TABLE, x[::-1] + 3.0)).tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_place_that_is_not_a_number_reads_no_other_memory(bad):
    state = np.array([[bad, 1.0], [2.0, 1.0]])
    with np.errstate(invalid="ignore"):
        found = result(kernel(), state)
    assert found[0, 0] in (TABLE[0], TABLE[-1]) or np.isnan(found[0, 0])
    assert found[1].tolist() == [TABLE[2], TABLE[4]]


def test_a_table_is_constant_between_its_places():
    program = trace("one", [("x", (1,))], lambda x: {"y": [x[0] * lookup(TABLE, x[0])]})
    ((slope,),) = forward(program.results[0], [{program.arguments[0][0]: 1.0}])
    assert slope.op == "lookup"


def test_other_tables_are_other_code():
    for shift in (0.0, 1.0):
        table = tuple(x + shift for x in TABLE)
        program = trace("t", [("x", (1,))], lambda x, table=table: {"y": [lookup(table, x[0])]})
        compiled = Kernel(f"table {shift}", lambda program=program: program)
        assert result(compiled, np.array([5.0]), 1)[0] == TABLE[5] + shift
