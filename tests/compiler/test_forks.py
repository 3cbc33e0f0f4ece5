"""Forks while other threads compile, import and write: no child waits for a lock of a thread it lacks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from rikigaku.compiler import compile_progress, native_code, object_cache
from rikigaku.compiler.kernel import Kernel
from rikigaku.numbers import polynomial_ring
from rikigaku.numbers.program import Program, trace

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

HANG = 60  # s after which a child that waits for ever is ended; the work takes a fraction of one
X = np.array([[1.0, 2.0]])


def scaling(factor: float) -> Program:
    return trace("scaling", [("x", (2,))], lambda x: {"y": [factor * a * a for a in x]})


def compiled(factor: float) -> list[float]:
    """The values of a program that was never compiled before."""
    object_cache._in_memory.clear()
    result: list[float] = Kernel(f"scaling\n{factor}", lambda: scaling(factor)).batch(X)[0].tolist()
    return result


def ending_of_child(work: Callable[[], object]) -> int:
    """The exit status of a forked child that does the work: 0, or minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(HANG)
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def compiles(factor: float) -> Callable[[], object]:
    def work() -> None:
        assert compiled(factor) == [factor, 4 * factor]

    return work


def during(hold: Callable[[threading.Event, threading.Event], object], work: Callable[[], object]) -> int:
    """Fork while another thread runs `hold(reached, go on)`; it goes on when the fork had time to begin."""
    reached, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=hold, args=(reached, go_on))
    thread.start()
    assert reached.wait(HANG)
    threading.Timer(0.3, go_on.set).start()
    try:
        return ending_of_child(work)
    finally:
        go_on.set()
        thread.join()


def test_a_fork_waits_for_the_compiler() -> None:
    def hold(reached: threading.Event, go_on: threading.Event) -> None:
        with native_code._lock:
            reached.set()
            go_on.wait(HANG)

    assert during(hold, compiles(3.0)) == 0
    assert compiled(4.0) == [4.0, 16.0]  # the parent's lock is free again


def test_a_fork_waits_for_llvm_in_other_packages() -> None:
    def hold(reached: threading.Event, go_on: threading.Event) -> None:
        with native_code.llvm.ffi.lib._lock:
            reached.set()
            go_on.wait(HANG)

    assert during(hold, compiles(5.0)) == 0
    assert compiled(6.0) == [6.0, 24.0]


def test_a_child_does_not_wait_for_a_program_another_thread_records() -> None:
    def hold(reached: threading.Event, go_on: threading.Event) -> None:
        def record() -> Program:
            reached.set()
            go_on.wait(HANG)
            return scaling(7.0)

        Kernel("scaling\nslowly", record).batch(X)

    assert during(hold, compiles(8.0)) == 0


def test_a_child_writes_progress_though_a_fork_met_another_line() -> None:
    def hold(reached: threading.Event, go_on: threading.Event) -> None:
        with compile_progress._writing:
            reached.set()
            go_on.wait(HANG)

    assert during(hold, lambda: compile_progress._write("")) == 0


def test_a_fork_does_not_wait_for_a_stream_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with compile_progress._writing:
            held.set()
            done.wait(HANG)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(HANG)
    assert ending_of_child(lambda: compile_progress._write("")) == 0
    done.set()
    thread.join()


def test_a_child_adds_roots_to_a_ring_that_another_thread_changed() -> None:
    ring = polynomial_ring.Ring(["q1"], ["x"], roots=4)

    def hold(reached: threading.Event, go_on: threading.Event) -> None:
        class Slow(dict[str, object]):
            def __contains__(self, key: object) -> bool:
                reached.set()
                go_on.wait(HANG)
                return super().__contains__(key)

        ring._roots = Slow()  # type: ignore[assignment]
        ring.root(2)

    def work() -> None:
        ring._roots = {}
        ring.root(3)

    assert during(hold, work) == 0


def test_a_pool_of_forked_processes_compiles_while_a_thread_does() -> None:
    ended = threading.Event()

    def loop() -> None:
        k = 0
        while not ended.is_set():
            k += 1
            compiled(100.0 + k)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        pool = multiprocessing.get_context("fork").Pool(3)
        values = pool.map_async(compiled, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
        assert values.get(HANG) == [[k, 4 * k] for k in (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)]
        pool.terminate()
        pool.join()
    finally:
        ended.set()
        thread.join()


# The first call of a law imports its recursion and llvmlite; a fork finds these imports half done.
COLD = """
import os, signal, sys, threading, time
import numpy as np, rikigaku as rk
x = np.array([0.1, 0.2])
def call(k):
    rk.load("planar_2r").bind(l1=0.5 + 0.001 * k).mass_matrix(x[None])
began = threading.Event()
def loop():
    began.set()
    for k in range(3):
        call(k)
thread = threading.Thread(target=loop, daemon=True)
thread.start()
began.wait()
endings = []
for k in range(6):
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        call(10 + k)
        os._exit(0)
    endings.append(pid)
print([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in endings])
"""


def test_children_forked_during_the_first_call_of_a_thread_make_their_own() -> None:
    environment = {**os.environ, "RIKIGAKU_CACHE": "off", "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run([sys.executable, "-c", COLD], env=environment, capture_output=True, text=True)
    assert answer.stdout.strip() == str([0] * 6), answer.stderr


def test_the_thread_that_holds_the_lock_may_fork() -> None:
    with native_code._lock:
        assert ending_of_child(compiles(9.0)) == 0
