"""The builtin for one state: what it takes, what it passes on, and that it keeps nothing."""

import gc
import sys
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

from rikigaku.compiler.kernel import Kernel
from rikigaku.numbers.program import trace


class Passed(Exception):
    """The builtin passed its call on, with these arguments."""


def refuse(*args: Any, **keywords: Any) -> None:
    raise Passed(args, keywords)


def quotient(x: list, y: list) -> dict:
    return {"z": [x[0] / y[0], x[1] * y[0], x[2] + 1.0]}


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return Kernel("quotient", lambda: trace("quotient", [("x", (3,)), ("y", (1,))], quotient))


@pytest.fixture(scope="module")
def one(kernel: Kernel) -> Any:
    return kernel.one("quotient", refuse)


X, Y, Z = np.array([1.0, 2.0, 3.0]), np.array([4.0]), [0.25, 8.0, 4.0]


def test_it_returns_a_new_array_or_the_one_it_was_given(one: Any) -> None:
    fresh = one(X, Y)
    assert fresh.tolist() == Z
    assert fresh.flags.owndata
    assert fresh.dtype == np.float64
    out = np.empty(3)
    assert one(X, Y, out=out) is out
    assert out.tolist() == Z
    assert one.__name__ == "quotient"


READ_ONLY = np.empty(3)
READ_ONLY.setflags(write=False)


@pytest.mark.parametrize(
    ("args", "keywords"),
    [
        ((), {}),
        ((X,), {}),
        ((X, Y, np.empty(3), np.empty(3)), {}),
        ((X.tolist(), Y), {}),
        ((None, Y), {}),
        ((X.astype(np.float32), Y), {}),
        ((X.astype(">f8"), Y), {}),
        ((X.astype(int), Y), {}),
        ((X[:2], Y), {}),
        ((X[None], Y), {}),
        ((np.repeat(X, 2)[::2], Y), {}),
        ((np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(float), Y), {}),
        ((X.view(np.matrix).A1.view(np.recarray), Y), {}),
        ((X, Y), {"out": np.empty(4)}),
        ((X, Y), {"out": np.empty((3, 1))}),
        ((X, Y), {"out": READ_ONLY}),
        ((X, Y), {"out": np.empty(3, np.float32)}),
        ((X, Y), {"out": None}),
        ((X, Y), {"out": [0.0, 0.0, 0.0]}),
        ((X, Y), {"out": X}),
        ((X, Y), {"into": np.empty(3)}),
        ((X, Y), {"out": np.empty(3), "more": 1}),
        ((X,), {"y": Y}),
    ],
)
def test_it_passes_on_whatever_is_not_one_plain_state(one: Any, args: tuple, keywords: dict) -> None:
    with pytest.raises(Passed) as caught:
        one(*args, **keywords)
    passed, named = caught.value.args
    assert all(a is b for a, b in zip(passed, args, strict=True))
    assert named.keys() == keywords.keys()
    assert all(named[key] is keywords[key] for key in keywords)


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_an_output_that_overlaps_an_input_is_passed_on(one: Any, shift: int) -> None:
    buffer = np.arange(12.0)
    with pytest.raises(Passed):
        one(buffer[4:7], Y, out=buffer[4 + shift : 7 + shift])
    assert one(buffer[4:7], Y, out=buffer[7:10]).tolist() == [1.0, 20.0, 7.0]
    assert one(buffer[4:7], Y, out=buffer[1:4]).tolist() == [1.0, 20.0, 7.0]


def test_a_result_that_is_not_finite_is_passed_on(one: Any) -> None:
    for y in (0.0, np.nan, np.inf):
        with pytest.raises(Passed):
            one(X, np.array([y]))


def test_what_the_fallback_returns_or_raises_comes_through(kernel: Kernel) -> None:
    seen = kernel.one("f", lambda *args, **keywords: (args, keywords))
    assert seen(1, 2, a=3) == ((1, 2), {"a": 3})
    with pytest.raises(ZeroDivisionError):
        kernel.one("f", lambda *args: 1 // 0)()


def test_a_million_calls_leave_nothing_behind(one: Any) -> None:
    x, y, out = X.copy(), Y.copy(), np.empty(3)
    counts = [sys.getrefcount(a) for a in (x, y, out)]
    loop = [None] * 1000

    def calls(times: int) -> None:
        for _ in range(times):
            for _ in loop:
                one(x, y)
                one(x, y, out=out)

    calls(1)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    calls(20)  # 60 000 under tracemalloc, which is slow
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    calls(320)
    assert grown < 5000  # bytes; one byte a call would be 60 000
    assert [sys.getrefcount(a) for a in (x, y, out)] == counts


def test_calls_that_go_wrong_leave_nothing_behind(kernel: Kernel) -> None:
    answer = object()
    f = kernel.one("f", lambda *args, **keywords: answer)
    zero, out = np.zeros(1), np.empty(3)
    kept = (X, zero, out, answer, READ_ONLY)
    cases: list[tuple[tuple, dict]] = [((X, zero), {}), ((X, zero), {"out": out}), ((X,), {})]
    cases += [((X, Y), {"out": READ_ONLY}), ((X, Y), {"other": out})]

    def calls(times: int) -> None:
        for _ in range(times):
            for args, keywords in cases:
                assert f(*args, **keywords) is answer

    calls(10)
    gc.collect()
    counts = [sys.getrefcount(a) for a in kept]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    calls(3000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 5000
    assert [sys.getrefcount(a) for a in kept] == counts


def test_many_threads_may_call_at_once(one: Any) -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(3000):
            x, y = rng.normal(size=3), rng.uniform(1, 2, size=1)
            if one(x, y).tolist() != [x[0] / y[0], x[1] * y[0], x[2] + 1.0]:
                wrong.append((x, y))

    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
