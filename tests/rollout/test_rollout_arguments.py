"""Arguments of rollouts that do not fit are refused in words."""

from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import MissingValue, TooLarge, UnknownName, WrongSize, WrongValue

Q = np.zeros((3, 2))
ARM = rk.load("planar_2r")
SHORT: dict[str, Any] = {"steps": 4, "dt": 1e-3}


def _unaligned(shape: tuple[int, ...]) -> Any:
    """A float64 array one byte past an address that is a multiple of 8."""
    memory = np.zeros(8 * int(np.prod(shape)) + 8, np.uint8)
    first = -memory.ctypes.data % 8 + 1
    return memory[first : len(memory) - 8 + first].view(np.float64).reshape(shape)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "words"),
    [
        ((np.zeros(3),), {}, WrongSize, r"q0 .* has the shape \(2,\) or \(worlds, 2\)"),
        ((Q, np.zeros((4, 2))), {}, WrongSize, "same number of worlds.*q0 3, v0 4"),
        ((Q, None, np.zeros((4, 5, 2))), {}, WrongSize, "q0 3, torque 5"),
        ((Q, None, np.zeros((3, 3, 2))), {}, WrongSize, r"\(steps, worlds, 2\), here \(4, worlds, 2\)"),
        ((Q, None, np.zeros((4, 2))), {}, WrongSize, r"shape \(4, 2\) was given"),
        ((Q, None, np.full((4, 3, 2), np.nan)), {}, WrongValue, "finite"),
        ((Q * np.nan,), {}, WrongValue, "q0 .* is finite"),
        ((Q, None, lambda t, q, v: q), {}, WrongValue, "runs no Python"),
        ((Q, None, rk.Sampled(lambda t, q, v: q, 0.1)), {}, WrongValue, "no rk.Sampled"),
        ((Q,), {"steps": 0}, WrongValue, "steps"),
        ((Q,), {"dt": -1.0}, WrongValue, "dt is a finite number above 0"),
        ((Q,), {"method": "rk5"}, WrongValue, "method"),
        ((Q,), {"every": -1}, WrongValue, "every"),
        ((Q,), {"every": 5}, WrongValue, "every=5 records no state of 4 steps"),
        ((Q, None, rk.GravityCompensation(rk.load("panda"))), {}, WrongValue, "7 velocities, this one has 2"),
        ((Q, None, rk.PD(rk.load("panda"), np.zeros(7), 1.0, 1.0)), {}, WrongValue, "PD is that of another"),
        ((Q,), {"dtype": np.int32}, WrongValue, "np.float64 or np.float32"),
        ((Q,), {"threads": 0}, WrongValue, "threads"),
        ((Q,), {"parameters": {"mass": 1.0}}, UnknownName, "no symbol named 'mass'"),
        ((Q,), {"out": (np.zeros((4, 3, 2)),)}, WrongValue, "two arrays"),
        ((Q,), {"out": (np.zeros((4, 3, 2)), np.zeros((4, 2)))}, WrongSize, r"out for v .* \(4, 3, 2\)"),
        ((Q,), {"out": (np.zeros((4, 2, 3)).swapaxes(1, 2),) * 2}, WrongValue, "contiguous"),
        ((Q,), {"out": (np.zeros((4, 3, 2)),) * 2}, WrongValue, "shares memory"),
        ((Q,), {"out": (np.zeros((4, 3, 2)), _unaligned((4, 3, 2)))}, WrongValue, "out for v is aligned"),
        ((Q,), {"steps": 10**12}, TooLarge, "memory of this machine"),
        ((Q,), {"steps": 10**10, "every": 10**10}, TooLarge, "times of 10000000000 steps"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused(
    arguments: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        rk.load("planar_2r").rollout(*arguments, **{**SHORT, **keywords})


def test_robots_that_cannot_be_rolled_out_are_refused() -> None:
    with pytest.raises(WrongValue, match=r'has loops or gears. Give method="time_stepping"'):
        rk.load("five_bar").rollout(None, method="euler", **SHORT)
    with pytest.raises(WrongValue, match="no joint that moves"):
        rk.load("planar_2r").lock("q1").lock("q2").rollout(None, **SHORT)


def test_symbols_need_numbers_of_the_right_shape() -> None:
    inertia = rk.Inertia("com", "m", (0.4, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1))
    link = rk.Link("a", "base", rk.Joint("q1", "revolute"), rk.Placement(), inertia)
    robot = rk.Robot("weight", (link,))
    with pytest.raises(MissingValue, match=r"needs numbers for m. Give them: parameters=\{'m'"):
        robot.rollout([0.0], **SHORT)
    with pytest.raises(WrongValue, match=r"one for each world.*\(2, 2\)"):
        robot.rollout([0.0], parameters={"m": np.ones((2, 2))}, **SHORT)
    with pytest.raises(WrongSize, match="q0 3, m 2"):
        robot.rollout(np.zeros((3, 1)), parameters={"m": [1.0, 2.0]}, **SHORT)


def test_parameters_that_single_precision_does_not_hold_are_refused() -> None:
    """An infinite mass would stay at rest, without a word."""
    masses = {"m1": 1.0, "m2": [1.0, 1e39]}
    assert ARM.rollout([0.1, 0.2], parameters=masses, **SHORT).status == "done"
    with pytest.raises(WrongValue, match=r"The symbol 'm2' is 1e\+39, which single precision does not hold"):
        ARM.rollout([0.1, 0.2], parameters=masses, dtype=np.float32, **SHORT)
    arm = ARM.bind(m1=1, m2=1)
    with pytest.raises(WrongValue, match=r"parameter of the controller is 1e\+39"):
        arm.rollout(Q, None, rk.PD(arm, [0.0, 0.0], 1e39, 1.0), dtype=np.float32, **SHORT)


def test_a_quaternion_of_another_length_is_refused() -> None:
    inertia = rk.Inertia("com", 2.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    robot = rk.Robot("ball", (rk.Link("b", "base", rk.Joint("fly", "free"), rk.Placement(), inertia),))
    with pytest.raises(WrongValue, match="joint 'fly' has length 1; it is 2 in world 0"):
        robot.rollout([0, 0, 0, 2, 0, 0, 0], **SHORT)


def test_a_linear_policy_of_another_size_is_refused() -> None:
    with pytest.raises(WrongSize, match=r"gain has the shape \(2, 4\)"):
        rk.LinearPolicy(rk.load("planar_2r"), np.zeros((2, 3)))


@pytest.mark.parametrize("options", [{}, {"method": "rk4"}, {"contacts": []}, {"dtype": np.float32}])
def test_no_worlds_have_empty_results(options: dict[str, Any]) -> None:
    none = {"m1": 1.0, "m2": np.zeros(0)}
    for arguments in ({"q0": np.zeros((0, 2))}, {"torque": np.zeros((4, 0, 2))}, {"parameters": none}):
        given = {"q0": [0.1, 0.2], "parameters": {"m1": 1.0, "m2": 1.0}, **arguments}
        found = ARM.rollout(given.pop("q0"), None, steps=4, dt=1e-3, **given, **options)
        assert found.q.shape == found.v.shape == (4, 0, 2)
        assert found.status == "done"
        final = ARM.rollout(np.zeros((0, 2)), steps=4, dt=1e-3, every=0, parameters={"m1": 1, "m2": 1})
        assert final.q.shape == (0, 2)


def test_no_worlds_have_derivatives_without_elements() -> None:
    found = ARM.rollout(np.zeros((0, 2)), None, np.zeros((4, 1, 2)), steps=4, dt=1e-3)
    assert found.gradient(q=found.q).q0.shape == (0, 2)
    assert np.array_equal(found.gradient(q=found.q).torque, np.zeros((4, 1, 2)))
    assert found.tangent(q0=[1.0, 0.0]).q.shape == (4, 0, 2)
    assert found.linearization().A.shape == (4, 0, 4, 4)


def test_no_worlds_and_some_worlds_do_not_fit() -> None:
    with pytest.raises(WrongSize, match="q0 3, v0 0"):
        ARM.rollout(np.zeros((3, 2)), np.zeros((0, 2)), steps=4, dt=1e-3)


def test_torques_may_be_lists_in_lists() -> None:
    tau = np.arange(8.0).reshape(4, 1, 2)
    found = ARM.rollout([0.1, 0.2], None, tau.tolist(), steps=4, dt=1e-3)
    assert np.array_equal(found.q, ARM.rollout([0.1, 0.2], None, tau, steps=4, dt=1e-3).q)
    with pytest.raises(WrongSize, match=r"\(4, worlds, 2\).*shape \(4, 2\) was given"):
        ARM.rollout([0.1, 0.2], None, tau[:, 0].tolist(), steps=4, dt=1e-3)


def test_friction_without_contacts_is_refused() -> None:
    with pytest.raises(WrongValue, match="of which none are given"):
        ARM.rollout([0.1, 0.2], steps=4, dt=1e-3, contacts=[], friction=[0.3])


def test_worlds_without_mass_are_distinguished_from_long_steps() -> None:
    found = ARM.rollout([0.1, 0.2], steps=4, dt=1e-3, parameters={"m1": 1.0, "m2": [1.0, 0.0]})
    assert "world 1, after 0 steps" in found.status
    assert "mass matrix is singular" in found.status
    assert "dt" not in found.status
