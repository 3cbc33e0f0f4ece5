"""Native code is released with the last object that can call it, and not before."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.compiler import native_code, object_cache
from rikigaku.compiler.kernel import Kernel
from rikigaku.integrators import native_library as native_library_module
from rikigaku.integrators.native_library import native_library
from rikigaku.numbers.program import Program, trace

X = np.array([0.1, 0.2])


def live() -> int:
    """Engines whose code is loaded, after a collection of garbage."""
    gc.collect()
    with native_code._lock:
        native_code._dispose_unused()
    return len(native_code._engines)


def doubling() -> Program:
    return trace("doubling", [("x", (2,))], lambda x: {"y": [2.0 * a for a in x]})


def test_the_code_of_robots_no_longer_used_is_released() -> None:
    arm = rk.load("planar_2r")
    live()
    before = set(native_code._engines)
    for k in range(20):
        robot = arm.bind(l1=0.5 + 0.01 * k)
        robot.mass_matrix(X)
        robot.mass_matrix(X[None])
    made = set(native_code._engines) - before
    assert made
    del robot
    live()
    assert not made & set(native_code._engines)


@pytest.mark.parametrize("contacts", [(), (rk.Contact("hand", rk.Plane(), friction=0.2),)])
def test_the_code_of_motions_is_released_with_the_robot(contacts: tuple[rk.Contact, ...]) -> None:
    def moved(length: float) -> None:
        robot = rk.load("planar_2r").bind(l1=length)
        drive = ["0.1*cos(t)", "0.2*t"]
        motion = rk.simulate(robot, [0.1, 0.2], duration=0.05, torque=drive, contacts=contacts)
        assert motion.done

    moved(0.41)  # loads the integrator, which all robots share
    live()
    before = set(native_code._engines)
    moved(0.42)
    made = set(native_code._engines) - before
    assert made
    live()
    assert not made & set(native_code._engines)


def test_memory_does_not_grow_with_the_number_of_robots_made() -> None:
    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    if not Path("/proc/self/statm").exists():
        pytest.skip("this system does not say how much memory a process uses")
    arm = rk.load("planar_2r")

    def make(first: int, last: int) -> None:
        for k in range(first, last):
            robot = arm.bind(l1=0.5 + 1e-4 * k)
            robot.mass_matrix(X)
            robot.inverse_dynamics(X[None], X, X)

    make(0, 30)  # caches of a fixed size fill up
    before = resident()
    make(30, 130)
    assert resident() - before < 100 * 2 * 30_000  # kept, the code of a law takes 75 kB


@pytest.mark.parametrize("kind", ["one", "batch", "function"])
def test_whatever_can_call_the_code_keeps_it(kind: str) -> None:
    before = live()
    kernel = Kernel("doubling", doubling)
    held = kernel.one("doubling", lambda *x, **out: None) if kind == "one" else getattr(kernel, kind)
    del kernel
    assert live() == before + 1
    if kind != "function":
        assert held(X).tolist() == [0.2, 0.4]
    del held
    assert live() == before


def test_equal_robots_share_code_that_is_in_use() -> None:
    first, before = Kernel("doubling", doubling), live()
    ufunc = first.batch
    again = Kernel("doubling", doubling)
    assert again.batch(X).tolist() == ufunc(X).tolist()
    assert live() == before + 1


def test_finalizers_of_a_garbage_cycle_can_still_call_the_code() -> None:
    found: list[float] = []

    class Holder:
        def __init__(self, k: int) -> None:
            self.itself = self
            self.law = rk.load("planar_2r").bind(l1=0.5 + 0.01 * k).mass_matrix
            self.law(X)

        def __del__(self) -> None:
            found.append(self.law(X)[0, 0])
            found.append(self.law(X[None])[0, 0, 0])

    before = live()
    for k in range(10):
        Holder(k)
    live()  # the finalizers load code for batches, which the next collection releases
    assert live() == before
    assert len(found) == 20
    assert all(np.isfinite(found))


def test_code_released_while_the_compiler_works_is_disposed_later() -> None:
    before = live()
    kernel = Kernel("doubling", doubling)
    ufunc = kernel.batch
    with native_code._lock:  # another thread drops the last reference: it must not wait for the compiler
        held = [ufunc, kernel]
        del ufunc, kernel
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
        assert len(native_code._unused) == 1
    assert live() == before
    assert not native_code._unused


def test_object_code_kept_in_memory_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_cache, "_in_memory", {})
    monkeypatch.setattr(object_cache, "_LARGEST_IN_MEMORY", 250)
    for k in range(5):
        object_cache.write_code(f"k{k}", object_cache.Entry({}, b"x" * 100))
    assert list(object_cache._in_memory) == ["k3", "k4"]


def test_threads_that_load_the_same_code_at_once_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two copies one would be released while its address is in use."""
    together, read = threading.Barrier(2, timeout=60), object_cache.read_code
    native_library("doubling", lambda: "define double @twice(double %x) { ret double %x }")
    Kernel("doubling", doubling).loop  # noqa: B018  (compiled; released again)
    monkeypatch.setattr(native_library_module, "_loaded", {})

    def both_read(key: str) -> object_cache.Entry | None:
        found = read(key)
        together.wait()
        return found

    monkeypatch.setattr(object_cache, "read_code", both_read)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: native_library("doubling", str), range(2))
        codes = list(pool.map(lambda _: Kernel("doubling", doubling)._code("batch"), range(2)))
    assert first is second
    assert codes[0] is codes[1]
