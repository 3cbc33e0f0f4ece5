"""Native code of small programs: the instructions' own bits, alone and anywhere in any batch."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from test_program import random_program, run

from rikigaku.compiler import kernel as kernels
from rikigaku.compiler import native_code
from rikigaku.compiler.kernel import Kernel, set_threads
from rikigaku.core.errors import TooLarge, WrongSize, WrongValue
from rikigaku.numbers.program import Port, Program, trace

WIDTH = native_code.host().width


def refuse(*args: object, **keywords: object) -> None:
    raise AssertionError("the builtin passed the call on")


def mixed(q: list, m: list, s: object) -> dict:
    """Three inputs and two outputs of different shapes, with every operation."""
    root = (q[0] * q[0] + s.sin() + 2.0).sqrt()
    matrix = [[m[i][j] * q[j].cos() - q[i] / root for j in range(3)] for i in range(2)]
    return {"a": matrix, "b": (q[1] < s).choose(s.sign() * root, m[1][2])}


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return Kernel("mixed", lambda: trace("mixed", [("q", (3,)), ("m", (2, 3)), ("s", ())], mixed))


def states(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 3)), rng.normal(size=(count, 2, 3)), rng.normal(size=count)


def alone(kernel: Kernel, q: np.ndarray, m: np.ndarray, s: np.ndarray) -> tuple[bytes, bytes]:
    """One state without a batch, outputs given."""
    a, b = np.full((2, 3), 7.0), np.full((), 7.0)
    kernel([np.array(q), np.array(m), np.array(s)], [a, b])
    return a.tobytes(), b.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_a_kernel_has_the_bits_of_its_instructions(seed: int) -> None:
    program = random_program(seed)
    compiled = Kernel(f"random {seed}", lambda: program)
    x = np.random.default_rng(seed).uniform(-2, 2, size=(2 * WIDTH + 3, 5))
    wanted = [run(program, row, native_code.host().fused) for row in x.tolist()]
    assert compiled.batch(x).tolist() == wanted
    one = compiled.one("random", refuse)
    assert [one(row).tolist() for row in x] == wanted


def test_a_state_has_the_same_bits_alone_and_at_any_place_of_any_batch(kernel: Kernel) -> None:
    q, m, s = states(3 * WIDTH + 1)
    wanted = [alone(kernel, *state) for state in zip(q, m, s, strict=True)]
    for size in range(1, 3 * WIDTH + 2):
        for start in (0, 3 * WIDTH + 1 - size):
            part = slice(start, start + size)
            a, b = kernel.batch(q[part], m[part], s[part])
            assert [(x.tobytes(), y.tobytes()) for x, y in zip(a, b, strict=True)] == wanted[part]


def test_strides_do_not_change_a_bit(kernel: Kernel) -> None:
    q, m, s = states(2 * WIDTH + 3)
    a, b = kernel.batch(q, m, s)
    spaced = np.zeros((len(q), 7))
    spaced[:, ::3] = q
    swapped = q.astype(">f8")
    backwards = q[::-1].copy()[::-1], q[:, ::-1].copy()[:, ::-1]
    for other in (spaced[:, ::3], np.asfortranarray(q), *backwards, swapped):
        assert np.array_equal(other, q)
        got = kernel.batch(other, np.asfortranarray(m), np.repeat(s, 2)[::2])
        assert got[0].tobytes() == a.tobytes()
        assert got[1].tobytes() == b.tobytes()
    into = np.zeros((len(q), 4, 6)), np.zeros((2, len(q)))[0]
    kernel.batch(q, m, s, out=(into[0][:, ::2, ::-2], into[1]))
    assert np.array_equal(into[0][:, ::2, ::-2], a)
    assert not into[0][:, 1::2].any()
    misaligned = np.frombuffer(b"x" + q.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(q.shape)
    assert kernel.batch(misaligned, m, s)[0].tobytes() == a.tobytes()


def test_batches_of_any_shape_broadcast(kernel: Kernel) -> None:
    q, m, s = states(6)
    a, b = kernel.batch(q.reshape(2, 3, 3), m[0], s[:3])
    assert a.shape == (2, 3, 2, 3)
    assert b.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            assert (a[i, j].tobytes(), b[i, j].tobytes()) == alone(kernel, q[3 * i + j], m[0], s[j])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_state_that_is_not_finite_is_nan_in_its_own_row_and_no_other(kernel: Kernel, bad: float) -> None:
    count = 2 * WIDTH + 1
    clean = kernel.batch(*states(count))
    for where in (0, 1, WIDTH - 1, WIDTH, count - 1):
        for which, element in ((0, (2,)), (1, (0, 1)), (2, ())):
            arrays = states(count)
            arrays[which][(where, *element)] = bad
            with np.errstate(invalid="ignore"):
                a, b = kernel.batch(*arrays)
            assert np.isnan(a[where]).all()
            assert np.isnan(b[where])
            for got, wanted in zip((a, b), clean, strict=True):
                assert np.delete(got, where, 0).tobytes() == np.delete(wanted, where, 0).tobytes()


def test_an_input_no_result_needs_still_makes_its_row_nan() -> None:
    inputs = [("x", (2,)), ("y", (3,))]
    compiled = Kernel("unused", lambda: trace("unused", inputs, lambda x, y: {"z": [x[0], 1.0]}))
    y = np.zeros((5, 3))
    y[3, 1] = np.nan
    result = compiled.batch(np.ones((5, 2)), y)
    assert np.isnan(result[3]).all()
    assert (np.delete(result, 3, 0) == 1.0).all()


def test_an_empty_batch_has_empty_results(kernel: Kernel) -> None:
    a, b = kernel.batch(*states(0))
    assert a.shape == (0, 2, 3)
    assert b.shape == (0,)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_do_not_change_a_bit(kernel: Kernel, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_NUMBERS_PER_THREAD", 50)
    monkeypatch.setattr(kernels, "_threads", threads)
    monkeypatch.setattr(kernels, "_pool", None)
    q, m, s = states(10 * WIDTH + 5)
    wanted = kernel.batch(q, m, s)
    for first, second in ((m, s), (m[:1], s[0]), (m[0], s)):
        expected = wanted if first is m else kernel.batch(q, first, second)
        out = np.empty((len(q), 2, 3)), np.empty(len(q))
        kernel([q, first, np.asarray(second)], out)
        assert out[0].tobytes() == expected[0].tobytes()
        assert out[1].tobytes() == expected[1].tobytes()


def test_threads_see_the_callers_error_state(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_NUMBERS_PER_THREAD", 50)
    monkeypatch.setattr(kernels, "_threads", 3)
    q, m, s = states(10 * WIDTH)
    q[-1, 0] = np.inf
    out = [np.empty((len(q), 2, 3)), np.empty(len(q))]
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        kernel([q, m, s], out)
    with np.errstate(invalid="ignore"):
        kernel([q, m, s], out)


def test_outputs_over_inputs_are_right_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: list, apart: list) -> dict:
        return {"y": [x[0] + x[1] * apart[0], x[1] * 2.0]}

    compiled = Kernel("shift", lambda: trace("shift", [("x", (2,)), ("apart", (1,))], f))
    apart = np.random.default_rng(1).normal(size=(1980, 1))  # one input of two stands under the output
    monkeypatch.setattr(kernels, "_NUMBERS_PER_THREAD", 50)
    monkeypatch.setattr(kernels, "_pool", None)
    for threads in (1, 4):
        monkeypatch.setattr(kernels, "_threads", threads)
        for shift in (-1, 0, 1, 5):
            buffer = np.random.default_rng(0).normal(size=(2000, 2))
            x, out = buffer[10:-10], buffer[10 + shift : 1990 + shift]
            wanted = compiled.batch(x.copy(), apart)
            compiled([x, apart], [out])
            assert np.array_equal(out, wanted)


def test_a_forked_process_has_threads_of_its_own(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_NUMBERS_PER_THREAD", 50)
    monkeypatch.setattr(kernels, "_threads", 2)
    monkeypatch.setattr(kernels, "_pool", None)
    inputs = states(10 * WIDTH)
    out = np.empty((10 * WIDTH, 2, 3)), np.empty(10 * WIDTH)
    kernel(inputs, out)
    meeting = threading.Barrier(2)  # both threads of the pool exist, and the child will have neither
    for job in [kernels._executor().submit(meeting.wait, 5) for _ in range(2)]:
        job.result()
    child = os.fork()
    if child == 0:
        again = np.empty_like(out[0]), np.empty_like(out[1])
        kernel(inputs, again)
        os._exit(0 if np.array_equal(again[0], out[0]) else 1)
    deadline = time.monotonic() + 10
    done, status = os.waitpid(child, os.WNOHANG)
    while not done and time.monotonic() < deadline:
        time.sleep(0.01)
        done, status = os.waitpid(child, os.WNOHANG)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (done, status) == (child, 0)


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
def test_only_a_whole_number_of_threads_can_work(count: object) -> None:
    with pytest.raises(WrongValue, match="number of threads is a whole number"):
        set_threads(count)  # type: ignore[arg-type]


def test_a_batch_on_two_threads_lets_python_run_on(kernel: Kernel) -> None:
    ticks: list[float] = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    ticker = threading.Thread(target=count)
    q, m, s = states(400_000)
    out = [np.empty((len(q), 2, 3)), np.empty(len(q))]
    ticker.start()
    start = time.perf_counter()
    kernel.batch(q, m, s, out=tuple(out))
    end = time.perf_counter()
    stop.set()
    ticker.join()
    assert sum(start < t < end for t in ticks) >= 2


# -- unusual programs ---------------------------------------------------------------------------------------
def test_results_may_be_inputs_and_constants() -> None:
    def f(x: list) -> dict:
        return {"y": [x[2], 4.0, -x[0], x[2]], "c": [1.0] * 20}

    compiled = Kernel("copy", lambda: trace("copy", [("x", (3,))], f))
    x = np.arange(3.0 * (WIDTH + 2)).reshape(-1, 3)
    y, c = compiled.batch(x)
    assert np.array_equal(y, np.stack([x[:, 2], np.full(len(x), 4.0), -x[:, 0], x[:, 2]], axis=1))
    assert (c == 1.0).all()


@pytest.mark.parametrize("size", [*range(1, 2 * WIDTH + 2)])
def test_arrays_of_any_length_are_read_and_written_whole(size: int) -> None:
    def f(x: list) -> dict:
        return {"y": [2.0 * element for element in x]}

    compiled = Kernel(f"copy {size}", lambda: trace("copy", [("x", (size,))], f))
    x = np.random.default_rng(size).normal(size=(WIDTH + 1, size))
    guarded = np.full((WIDTH + 1, size + 2), 5.0)
    compiled.batch(x, out=guarded[:, 1:-1])
    assert np.array_equal(guarded[:, 1:-1], 2 * x)
    assert (guarded[:, [0, -1]] == 5.0).all()


def test_arrays_of_four_axes_pass_through_the_buffer() -> None:
    def f(x: list) -> dict:
        return {"y": [[[[x[i] + j, x[i] * k] for k in range(2)] for j in range(3)] for i in range(2)]}

    compiled = Kernel("four", lambda: trace("four", [("x", (2,))], f))
    x = np.random.default_rng(0).normal(size=(WIDTH + 2, 2))
    result = compiled.batch(x)
    for i in range(2):
        for j in range(3):
            for k in range(2):
                assert np.array_equal(result[:, i, j, k], np.stack([x[:, i] + j, x[:, i] * k], axis=1))


def test_more_axes_are_refused() -> None:
    compiled = Kernel("five", lambda: trace("five", [("x", ())], lambda x: {"y": [[[[[x]]]]]}))
    with pytest.raises(WrongSize, match="5 axes"):
        _ = compiled.batch


def test_ports_without_elements_take_no_part() -> None:
    def f(x: list, e: list) -> dict:
        return {"none": [], "y": [x[0], 3.0]}

    compiled = Kernel("hollow", lambda: trace("hollow", [("x", (1,)), ("e", (0,))], f))
    out = [np.empty((4, 0)), np.empty((4, 2))]
    compiled([np.arange(4.0)[:, None], np.empty((4, 0))], out)
    assert out[1].tolist() == [[0, 3], [1, 3], [2, 3], [3, 3]]
    constant = Kernel("constant", lambda: trace("constant", [("e", (0,))], lambda e: {"y": [1.0, 2.0]}))
    result = np.empty((3, 2))
    constant([np.empty((3, 0))], [result])
    assert result.tolist() == [[1, 2]] * 3


def test_a_program_beyond_what_unrolling_can_carry_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "LARGEST_PROGRAM", 3)
    compiled = Kernel("large", lambda: trace("large", [("x", (5,))], lambda x: {"y": [a * a for a in x]}))
    with pytest.raises(TooLarge, match="large has 5 operations; the limit is 3"):
        _ = compiled.batch


def test_a_long_program_is_cut_into_blocks_and_stays_right() -> None:
    def f(x: list) -> dict:
        total = 0.0
        for i in range(3000):
            total = total + x[i % 3] * x[(i + 1) % 3] * (1.0 + i / 7)
        return {"y": total}

    compiled = Kernel("long", lambda: trace("long", [("x", (3,))], f))
    x = np.array([[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]])
    wanted = [sum(r[i % 3] * r[(i + 1) % 3] * (1 + i / 7) for i in range(3000)) for r in x.tolist()]
    assert compiled.batch(x).tolist() == pytest.approx(wanted, rel=1e-12)


def test_ports_are_known_before_code_is_made(kernel: Kernel) -> None:
    inputs, outputs = kernel.ports
    assert inputs == (Port("q", (3,)), Port("m", (2, 3)), Port("s", ()))
    assert outputs == (Port("a", (2, 3)), Port("b", ()))
    assert isinstance(kernel.program, Program)
