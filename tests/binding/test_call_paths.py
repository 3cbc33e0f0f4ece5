"""Arrays in and out of a law: the same bits every way in, shapes, types, memory."""

import resource
import sys
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from bound_cases import ROWS, arm, given, subject

import rikigaku as rk
from rikigaku.compiler import kernel as kernels
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.laws.catalogue import laws_of

LAWS = laws_of("tree")


@pytest.mark.parametrize("law", LAWS)
def test_one_state_has_the_same_bits_by_every_call(law: str) -> None:
    inputs, options = given(subject(law), law, ROWS)
    call = getattr(subject(law), law)
    batch = call(*inputs, **options)
    shortest = call.fix(**options)
    for i in (0, 7, 8, ROWS - 1):
        row = [x[i] for x in inputs]
        wanted = batch[i].tobytes()
        assert shortest(*row).tobytes() == wanted
        assert shortest(*row).tobytes() == wanted  # the second call is native
        assert call(*row, **options).tobytes() == wanted
        assert call(*(x.tolist() for x in row), **options).tobytes() == wanted
        assert call(**dict(zip(LAWS[law].inputs, row, strict=True)), **options).tobytes() == wanted
        out = np.full_like(batch[i], 7.0)
        assert shortest(*row, out=out) is out
        assert out.tobytes() == wanted
        with pytest.raises(WrongSize, match="out= are keywords"):
            shortest(*row, np.empty_like(batch[i]))  # an array too many is a mistake, never a place to write


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_row_that_is_not_finite_stays_in_its_row(law: str, bad: float) -> None:
    inputs, options = given(subject(law), law, ROWS)
    call = getattr(subject(law), law)
    clean = call(*inputs, **options)
    for which in range(len(inputs)):
        broken = [x.copy() for x in inputs]
        broken[which][5, 1] = bad
        with np.errstate(all="ignore"):
            result = call(*broken, **options)
            alone = call(*(x[5] for x in broken), **options)
        assert np.isnan(result[5]).all()
        assert np.isnan(alone).all()
        assert np.delete(result, 5, 0).tobytes() == np.delete(clean, 5, 0).tobytes()
        words = call.status(*broken, **options)
        assert words[5] == f"{LAWS[law].inputs[which]}[1] is not finite"
        assert set(np.delete(words, 5)) == {"ok"}


def test_inputs_of_other_types_count_as_their_numbers() -> None:
    law, q = arm().inverse_dynamics, np.array([[1, -2], [3, 0], [0, 1]])
    wanted = law(q.astype(float), q.astype(float), q.astype(float))
    for kind in (np.int8, np.int64, np.float32, np.float16, ">f8", object):
        assert law(q.astype(kind), q.tolist(), tuple(map(tuple, q))).tobytes() == wanted.tobytes()
    assert law([True, False], [0, 0], [0, 0]).shape == (2,)


def test_batches_broadcast_and_may_be_empty() -> None:
    law = arm().inverse_dynamics
    q, v = np.ones((4, 1, 2)), np.ones((3, 2))
    assert law(q, v, [0.0, 1.0]).shape == (4, 3, 2)
    assert law(np.empty((0, 2)), v[0], v[0]).shape == (0, 2)
    assert law(np.empty((3, 0, 2)), v[0], v[0]).shape == (3, 0, 2)
    assert arm().mass_matrix(np.empty((0, 2))).shape == (0, 2, 2)


def test_an_output_may_be_an_input() -> None:
    inputs, _ = given(arm(), "inverse_dynamics", ROWS)
    wanted = arm().inverse_dynamics(*inputs)
    for k in range(3):
        arrays = [x.copy() for x in inputs]
        assert arm().inverse_dynamics(*arrays, out=arrays[k]) is arrays[k]
        assert np.array_equal(arrays[k], wanted)
        row = [x[3].copy() for x in inputs]
        assert np.array_equal(arm().inverse_dynamics(*row, out=row[k]), wanted[3])


def test_outputs_that_do_not_fit_are_refused() -> None:
    (q, v, a), _ = given(arm(), "inverse_dynamics", 4)
    locked = np.empty((4, 2))
    locked.setflags(write=False)
    for out in (
        np.empty(2),
        np.empty((4, 3)),
        np.empty((4, 2), np.float32),
        np.empty((4, 2), int),
        [[0.0, 0.0]] * 4,
    ):
        with pytest.raises(WrongSize, match=r"out of inverse_dynamics must be float64 of shape \(4, 2\)"):
            arm().inverse_dynamics(q, v, a, out=out)
    with pytest.raises(WrongValue, match="read-only"):
        arm().inverse_dynamics(q, v, a, out=locked)
    with pytest.raises(WrongSize, match="takes 1 arrays; 2 were given"):
        arm().inverse_dynamics(q, v, a, out=(np.empty((4, 2)), np.empty((4, 2))))


def test_a_large_batch_costs_its_arrays_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 300_000
    q = np.zeros((rows, 2))
    law = arm().inverse_dynamics
    law(q[:100], q[:100], q[:100])
    for threads in (1, 2):
        monkeypatch.setattr(kernels, "_threads", threads)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tracemalloc.start()
        result = law(q, q, q)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        assert result.nbytes <= peak < result.nbytes + 200_000
        assert grown < result.nbytes + 20_000_000  # pages the allocator and threads take at once


def test_many_threads_may_make_the_first_call_together() -> None:
    robot = rk.load("planar_3r").bind(**dict.fromkeys(rk.load("planar_3r").free_symbols, 0.7))
    q = np.random.default_rng(0).normal(size=(64, 3))
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda x: robot.inverse_dynamics(x, x, x), q))
    assert np.array_equal(rows, robot.inverse_dynamics(q, q, q))


def test_calls_do_not_warn_or_leak() -> None:
    q = np.array([0.1, 0.2])
    law = arm().inverse_dynamics
    law(q, q, q)
    count = sys.getrefcount(q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(1000):
            law(q, q, q)
            law([0.1, 0.2], q, q)
            arm().forward_dynamics(q, q, q)
    assert sys.getrefcount(q) == count
