"""Derivatives are those at the arguments of the rollout, whatever the caller writes to his arrays later."""

from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.rollout.rollout_problem import checksum


@pytest.mark.parametrize("copied", [1 << 24, 0])
def test_derivatives_are_those_at_the_arguments_of_the_rollout(
    copied: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller may write to his arrays after the rollout; large ones are compared instead of copied."""
    monkeypatch.setattr("rikigaku.rollout.batched_rollout._COPIED", copied)
    arm, rng = rk.load("planar_2r"), np.random.default_rng(2)
    q0, v0, tau = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(5, 3, 2))
    found = arm.rollout(q0, v0, tau, steps=5, dt=0.05)
    expected = found.gradient(q=np.ones((5, 3, 2)))
    for array, what in ((q0, "initial states"), (v0, "initial states"), (tau, "torques")):
        known = array.copy()
        array[:] = np.roll(array, 1, axis=0)
        if copied:
            assert np.array_equal(found.gradient(q=np.ones((5, 3, 2))).torque, expected.torque)
        else:
            with pytest.raises(WrongValue, match=f"{what} have changed since the rollout"):
                found.gradient(q=np.ones((5, 3, 2)))
        array[:] = known


class _Foreign:
    """An array of another package, which NumPy does not know."""

    def __init__(self, x: np.ndarray) -> None:
        self.x, self.shape = x, x.shape

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.x.__dlpack_device__()


@pytest.mark.parametrize("shape", [(2,), (30, 3, 2)])
@pytest.mark.parametrize("given", [lambda x: x, _Foreign])
@pytest.mark.parametrize("every", [1, 0])
def test_torques_are_those_of_the_rollout(shape: tuple[int, ...], given: Any, every: int) -> None:
    """Constant ones, steps of them, and those of another package."""
    arm, tau = rk.load("planar_2r").bind(m1=1, m2=1), np.random.default_rng(3).normal(size=shape)
    found = arm.rollout([0.3, 0.2], None, given(tau), steps=30, dt=1e-2, every=every)
    expected = found.gradient(q=np.ones(found.q.shape)).q0, found.tangent(q0=[1.0, 0.0]).q
    tau[:] = 5.0
    assert np.array_equal(found.gradient(q=np.ones(found.q.shape)).q0, expected[0])
    assert np.array_equal(found.tangent(q0=[1.0, 0.0]).q, expected[1])


def test_derivatives_after_another_rollout_into_the_same_arrays_are_refused() -> None:
    arm, out = rk.load("planar_2r"), (np.empty((5, 3, 2)), np.empty((5, 3, 2)))
    first = arm.rollout(np.zeros((3, 2)), None, np.ones((5, 3, 2)), steps=5, dt=0.05, out=out)
    first.gradient(q=np.ones((5, 3, 2)))
    second = arm.rollout(np.ones((3, 2)), None, np.ones((5, 3, 2)), steps=5, dt=0.05, out=out)
    with pytest.raises(WrongValue, match=r"recorded states.*have changed"):
        first.gradient(q=np.ones((5, 3, 2)))
    second.gradient(q=np.ones((5, 3, 2)))


@pytest.mark.parametrize("every", [0, 1, 3])
@pytest.mark.parametrize("segment", [4, 256])
def test_one_changed_number_of_the_recorded_states_is_found(
    every: int, segment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Worlds that stopped, or are not finite, are those of the same steps, too."""
    monkeypatch.setattr("rikigaku.rollout.record_check._SEGMENT", segment)
    arm, worlds = rk.load("planar_2r").bind(m1=1, m2=1), 700
    q0, tau = np.random.default_rng(4).normal(size=(worlds, 2)), np.zeros((11, worlds, 2))
    q0[5], tau[4, 5, 0] = 0.0, -1e300  # falls to negative q1_dot, which stops no world
    shape = {0: (worlds, 2), 1: (11, worlds, 2), 3: (3, worlds, 2)}[every]
    out = np.empty(shape), np.empty(shape)
    found = arm.rollout(q0, None, tau, steps=11, dt=0.05, every=every, stop="q1_dot - 1", out=out)
    assert found.stopped.any()
    assert not found.finite[5]
    known = found.gradient(q=np.ones(shape)).q0
    for x in out:
        place = (*(n // 2 for n in shape[:-1]), 0)
        before = x[place]
        x[place] = np.nextafter(before, 9.0)
        with pytest.raises(WrongValue, match=r"recorded states.*have changed"):
            found.gradient(q=np.ones(shape))
        x[place] = before
    assert np.array_equal(found.gradient(q=np.ones(shape)).q0, known, equal_nan=True)


def test_recorded_states_with_derivatives_are_read_only() -> None:
    arm = rk.load("planar_2r")
    found = arm.rollout(np.zeros((3, 2)), steps=5, dt=0.05)
    for x in (found.q, found.v):
        with pytest.raises(ValueError, match="read-only"):
            x[2, 1, 0] += 1
    assert arm.rollout(np.zeros((3, 2)), steps=5, dt=0.05, dtype=np.float32).q.flags.writeable


def test_checksums_tell_of_one_number_and_of_places() -> None:
    x = np.random.default_rng(0).normal(size=(50, 64, 7))
    swapped, changed = x.copy(), x.copy()
    swapped[[3, 40]] = x[[40, 3]]
    rows = np.random.default_rng(1).normal(size=(90, 4099, 2))  # several blocks
    assert checksum((rows,), 2) == checksum((rows,)) != checksum((rows[::-1],))
    changed[20, 5, 3] = np.nextafter(x[20, 5, 3], 9.0)
    last = x.copy()
    last[-1, -1, -1] += 1
    assert checksum((x,)) == checksum((x.copy(),))
    assert len({checksum(y) for y in ((x,), (swapped,), (changed,), (last,), (x, x))}) == 5
