"""Inputs of programs in single precision: float32 is read where it is, and too large numbers are refused."""

import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.rollout.rollout_arguments import check_quaternions

PANDA, ARM = rk.load("panda"), rk.load("planar_2r")
COUNT = 20_000


class _Foreign:
    """An array of another package, as those of JAX and PyTorch."""

    def __init__(self, x: Array) -> None:
        self.x, self.shape = x, x.shape

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.x.__dlpack_device__()


def _peak(function: Callable[[], object]) -> int:
    """Largest memory that a second call has taken, in bytes."""
    function()
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [np.asarray, _Foreign])
def test_inputs_of_float32_are_not_copied(kind: Any) -> None:
    q = np.random.default_rng(1).normal(size=(COUNT, 7)).astype(np.float32)
    pose = np.empty((COUNT, 4, 4), np.float32)
    law = PANDA.pose.fix(frame="hand")
    assert _peak(lambda: law.float32(kind(q), out=pose)) < q.nbytes / 4
    assert np.array_equal(pose, law.float32(q))
    wrench = np.random.default_rng(2).normal(size=(COUNT, 6)).astype(np.float32)
    tau, zero = np.empty((COUNT, 7), np.float32), np.zeros(7, np.float32)

    def loaded() -> None:
        PANDA.inverse_dynamics.float32(kind(q), zero, zero, wrenches={"hand": kind(wrench)}, out=tau)

    assert _peak(loaded) < q.nbytes / 4
    mass = np.full(COUNT, 1.5, np.float32)
    M = np.empty((COUNT, 2, 2), np.float32)
    pair = q[:, :2].copy()
    assert _peak(lambda: ARM.mass_matrix.float32(kind(pair), m1=kind(mass), m2=1.0, out=M)) < mass.nbytes / 2


def _final(kind: Any, dtype: Any) -> Array:
    tau = np.random.default_rng(3).normal(size=(100, 400, 7)).astype(dtype)
    out = (np.empty((400, 7), dtype), np.empty((400, 7), dtype))

    def run() -> None:
        PANDA.rollout(None, None, kind(tau), steps=100, dt=1e-3, every=0, dtype=dtype, out=out, threads=1)

    peak = _peak(run)
    # float64: torques of less than 16 MB are copied once, for derivatives; blocks are below a megabyte
    assert peak < 1e6 + (tau.nbytes if dtype is np.float64 else 0)
    assert tau.nbytes > 1e6
    return out[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_torques_of_a_rollout_are_read_where_they_are(dtype: Any) -> None:
    ours, foreign = (_final(kind, dtype) for kind in (np.asarray, _Foreign))
    assert np.array_equal(ours, foreign)


@pytest.mark.parametrize("kind", [np.asarray, _Foreign])
def test_symbols_of_a_rollout_are_read_where_they_are(kind: Any) -> None:
    """Beside the results: steps, causes and residuals, 24 bytes a world."""
    mass = np.random.default_rng(4).uniform(1, 2, 100_000).astype(np.float32)
    options: dict[str, Any] = {"steps": 1, "dt": 0.1, "every": 0, "dtype": np.float32}
    out = (np.empty((len(mass), 2), np.float32), np.empty((len(mass), 2), np.float32))

    def run() -> None:
        values = {"m1": kind(mass), "m2": kind(mass)}
        ARM.rollout(None, parameters=values, out=out, threads=1, **options)

    assert _peak(run) < 24 * len(mass) + mass.nbytes
    known = [ARM.bind(m1=float(m), m2=float(m)).rollout(None, **options).v for m in mass[:2]]
    np.testing.assert_allclose(out[1][:2], np.concatenate(known), rtol=1e-5)


def test_symbols_that_are_not_finite_are_refused_in_words() -> None:
    for dtype in (np.float32, np.float64):
        with pytest.raises(WrongValue, match=r"'m1' takes a finite number .*; NaN or infinity was given"):
            ARM.rollout(None, steps=1, dt=0.1, parameters={"m1": np.nan, "m2": 1.0}, dtype=dtype)


def test_quaternions_are_checked_by_parts() -> None:
    robot = ARM.bind(m1=1, m2=1).on_free_base()
    q = np.tile(robot.neutral(), (100_000, 1))
    assert _peak(lambda: check_quaternions(robot, q)) < 4e6  # 2.4 MB: 65 536 worlds
    q[70_000] *= 2
    with pytest.raises(WrongValue, match="it is 2 in world 70000 of q0"):
        check_quaternions(robot, q)


HUGE: dict[str, Callable[[], object]] = {
    "q of mass_matrix": lambda: PANDA.mass_matrix.float32(np.full((3, 7), 1e39)),
    "gravity of gravity_forces": lambda: PANDA.gravity_forces.float32(np.zeros(7), gravity=[0, 0, 1e39]),
    "m1 of mass_matrix": lambda: ARM.mass_matrix.float32([0, 0], m1=1e39, m2=1),
    "q0 of robot": lambda: _short(np.full(7, 1e39)),
    "A torque": lambda: _short(None, None, np.full((5, 1, 7), 1e39)),
    "torque is 1e": lambda: _short(None, None, [1e39] * 7),
    "time of the last step": lambda: _short(None, start=1e39),
}


def _short(*arguments: Any, **options: Any) -> rk.Rollout:
    return PANDA.rollout(*arguments, steps=5, dt=1e-3, dtype=np.float32, **options)


@pytest.mark.parametrize("name", HUGE)
def test_numbers_that_single_precision_does_not_hold_are_refused(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(WrongValue, match=rf"{name}.*single precision does not hold \(at most 3.4e"):
            HUGE[name]()


def test_a_step_that_is_zero_in_single_precision_is_refused() -> None:
    with pytest.raises(WrongValue, match="dt = 1e-46 s is zero or has few digits in single precision"):
        PANDA.rollout(None, steps=5, dt=1e-46, dtype=np.float32)
