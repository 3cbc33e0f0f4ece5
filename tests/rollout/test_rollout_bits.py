"""The same bits for any division of the batch, any number of threads, and other processes."""

import hashlib
import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest
from random_robots import random_robot, random_state

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.rollout import step_loop
from rikigaku.rollout.lanes import filled

WORLDS = 700  # more than a block, and no multiple of vector registers


def _start(robot: rk.Robot) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(11)
    q, v, _ = random_state(robot, rng, WORLDS)
    return q, v, rng.normal(size=(25, WORLDS, robot.nv))


@pytest.mark.parametrize("method", ["euler", "implicit", "rk4"])
def test_threads_and_splits_give_the_same_bits(method: str) -> None:
    robot = random_robot(9, 4, ("free", "revolute", "spherical"))
    q, v, tau = _start(robot)
    options: dict[str, Any] = {"steps": 25, "dt": 1e-3, "method": method, "every": 4}
    whole = robot.rollout(q, v, tau, threads=1, **options)
    for threads in (2, 3):
        other = robot.rollout(q, v, tau, threads=threads, **options)
        assert np.array_equal(other.q, whole.q)
        assert np.array_equal(other.v, whole.v)
    for bounds in ((0, 1), (1, 8), (8, 25), (25, 600), (600, WORLDS)):
        part = slice(*bounds)
        other = robot.rollout(q[part], v[part], tau[:, part], threads=1, **options)
        assert np.array_equal(other.q, whole.q[:, part])
        assert np.array_equal(other.v, whole.v[:, part])


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_splits_give_the_same_bits_of_derivatives(method: str) -> None:
    """Also where all worlds of a call fit one vector register."""
    robot = random_robot(9, 3, ("free", "revolute", "spherical"))
    rng, worlds = np.random.default_rng(12), 21
    q, v, _ = random_state(robot, rng, worlds)
    tau, cost = rng.normal(size=(6, worlds, robot.nv)), rng.normal(size=(6, worlds, robot.nq))
    toward = rng.normal(size=(worlds, robot.nv))
    options: dict[str, Any] = {"steps": 6, "dt": 1e-3, "method": method}

    def derivatives(part: slice) -> list[Any]:
        motion = robot.rollout(q[part], v[part], tau[:, part], **options)
        gradient, tangent = motion.gradient(q=cost[:, part]), motion.tangent(q0=toward[part])
        by_world = [gradient.torque, tangent.q, tangent.v, *motion.linearization()]
        return [gradient.q0, gradient.v0, *(np.swapaxes(x, 0, 1) for x in by_world)]

    whole = derivatives(slice(0, worlds))
    for bounds in ((0, 1), (1, 3), (3, 6), (6, 10), (10, worlds)):
        part = slice(*bounds)
        for found, expected in zip(derivatives(part), whole, strict=True):
            assert np.array_equal(found, expected[part])


def test_rows_of_lanes_are_a_copy() -> None:
    for worlds in (1, 3, 40):
        lanes = filled(np.arange(5.0 * worlds).reshape(worlds, 5))
        rows = lanes.rows
        lanes.values[:] = -1
        assert np.array_equal(rows, np.arange(5.0 * worlds).reshape(worlds, 5))


def test_parameters_of_single_worlds_give_the_same_bits() -> None:
    inertia = rk.Inertia("com", "m", (0.4, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1))
    link = rk.Link(
        "a", "base", rk.Joint("q1", "revolute", axis=(0, 1, 0), viscous="c"), rk.Placement(), inertia
    )
    robot, m = rk.Robot("weight", (link,)), np.linspace(1, 3, 33)
    whole = robot.rollout([0.2], steps=20, dt=1e-2, parameters={"m": m, "c": 0.3})
    for k in (0, 7, 32):
        one = robot.rollout([0.2], steps=20, dt=1e-2, parameters={"m": float(m[k]), "c": 0.3})
        assert np.array_equal(one.q[:, 0], whole.q[:, k])


_CHILD = """
import hashlib, numpy as np, rikigaku as rk
arm = rk.load("planar_2r")
q = np.random.default_rng(0).normal(size=(100, 2))
print(hashlib.sha256(arm.rollout(q, steps=50, dt=1e-3, method="rk4").q.tobytes()).hexdigest())
"""


def test_another_process_gives_the_same_bits() -> None:
    q = np.random.default_rng(0).normal(size=(100, 2))
    here = rk.load("planar_2r").rollout(q, steps=50, dt=1e-3, method="rk4", threads=2).q
    there = subprocess.run([sys.executable, "-c", _CHILD], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == hashlib.sha256(here.tobytes()).hexdigest()


def test_a_call_in_parts_continues_with_the_same_bits() -> None:
    """A long rollout equals two short ones; its native calls are divided as well."""
    arm = rk.load("planar_2r")
    q = np.random.default_rng(1).normal(size=(512, 2))
    whole = arm.rollout(q, steps=901, dt=1e-3, every=0)
    first = arm.rollout(q, steps=450, dt=1e-3, every=0)
    second = arm.rollout(first.q, first.v, steps=451, dt=1e-3, every=0)
    assert np.array_equal(second.q, whole.q)
    assert np.array_equal(second.v, whole.v)


@pytest.mark.parametrize("method", ["euler", "implicit", "rk4"])
def test_single_precision_follows_double_precision(method: str) -> None:
    robot = rk.load("panda")
    q = np.random.default_rng(6).uniform(-1, 1, (301, robot.nq))
    tau = np.ones((1, 1, robot.nv))
    exact = robot.rollout(q, None, tau, steps=50, dt=1e-3, method=method)
    found = robot.rollout(q, None, tau, steps=50, dt=1e-3, method=method, dtype=np.float32)
    assert found.q.dtype == found.v.dtype == np.float32
    assert found.status == "done"
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=3e-6)
    np.testing.assert_allclose(found.v, exact.v, rtol=0, atol=3e-5 * np.abs(exact.v).max())
    parts = [robot.rollout(x, None, tau, steps=50, dt=1e-3, method=method, dtype="float32", threads=2).q
             for x in (q[:100], q[100:])]  # fmt: skip
    assert np.concatenate(parts, axis=1).tobytes() == found.q.tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arguments_of_the_precision_of_the_rollout_are_not_copied(dtype: Any) -> None:
    """Peak of memory beyond the arrays of the caller, whose torques have 5.6 MB or half of it."""
    robot, worlds, steps = rk.load("panda"), 5000, 20
    monitored: dict[str, Any] = {"steps": steps, "dt": 1e-3, "every": 0, "dtype": dtype, "threads": 1}
    q0, tau = np.zeros((worlds, 7), dtype), np.zeros((steps, worlds, 7), dtype)
    out = np.empty((worlds, 7), dtype), np.empty((worlds, 7), dtype)
    robot.rollout(q0[:600], None, tau[:, :600], **monitored)
    tracemalloc.start()
    found = robot.rollout(q0, None, tau, out=out, **monitored)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    copies = q0.nbytes + tau.nbytes if dtype == np.float64 else 0  # small inputs, for derivatives
    assert peak < copies + 1_000_000
    assert kept < copies + 200_000
    assert found.status == "done"


def test_single_precision_notes_worlds_that_are_not_finite() -> None:
    robot = rk.load("panda")
    tau = np.zeros((6, 3, robot.nv))
    tau[2, 1] = 1e37
    found = robot.rollout(None, None, tau, steps=6, dt=1e-3, dtype=np.float32)
    assert found.steps.tolist() == [6, 2, 6]
    with pytest.raises(WrongValue, match="float64"):
        found.gradient(q=np.ones(found.q.shape))
    with pytest.raises(WrongValue, match="float16"):
        robot.rollout(None, steps=1, dt=1e-3, dtype=np.float16)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("worlds", [1, 5, 700])
def test_records_past_the_caches_have_the_same_bits(
    dtype: Any, worlds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = rk.load("planar_3r")
    q = np.random.default_rng(2).normal(size=(worlds, 3))
    plain = arm.rollout(q, steps=7, dt=1e-3, dtype=dtype)
    monkeypatch.setattr(step_loop, "CACHED_BYTES", 0)
    size = 7 * worlds * 3
    for offset in (0, 1, 3):  # rows that begin anywhere in a line of the cache
        memory = np.zeros((2, size + 8), dtype)
        out = tuple(x[offset : offset + size].reshape(7, worlds, 3) for x in memory)
        streamed = arm.rollout(q, steps=7, dt=1e-3, dtype=dtype, out=(out[0], out[1]))
        assert np.array_equal(streamed.q, plain.q)
        assert np.array_equal(streamed.v, plain.v)
        assert not memory[:, :offset].any()
        assert not memory[:, offset + size :].any()


def test_one_world_is_written_to_the_callers_arrays() -> None:
    arm, q, v = rk.load("planar_2r"), np.full((30, 2), -7.0), np.full((30, 2), -7.0)
    own = arm.rollout([0.3, 0.2], steps=30, dt=1e-3)
    arm.rollout([0.3, 0.2], steps=30, dt=1e-3, out=(q[:, None], v[:, None]))  # an axis of stride 0
    assert np.array_equal(q, own.q[:, 0])
    assert np.array_equal(v, own.v[:, 0])
