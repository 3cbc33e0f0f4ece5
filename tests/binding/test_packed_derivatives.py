"""Derivatives without constants and repetitions: the same numbers, each once, and the way back."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongSize, WrongValue


@pytest.fixture(scope="module")
def robot() -> rk.Robot:
    """Two limbs on a free base."""
    limb = rk.load("planar_2r")
    pair = limb.join(limb, at="base", prefix="other_").on_free_base()
    return pair.attach("base", rk.Inertia("com", 5, tensor=("0.3", 0, 0, "0.4", 0, "0.5")))


def states(robot: rk.Robot, count: int) -> list[np.ndarray]:
    given = [robot.random_state(seed) for seed in range(count)]
    return [np.array([getattr(x, name) for x in given]) for name in ("q", "v", "a")]


@pytest.mark.parametrize("law", ["inverse_dynamics", "forward_dynamics"])
def test_packed_derivatives_unpack_to_the_whole_ones(robot: rk.Robot, law: str) -> None:
    bound = getattr(robot.bind(**robot.declared_values), law)
    x = states(robot, 6)
    packed, packing = bound.derivative(*x, packed=True), bound.packing()
    for whole, numbers, how in zip(bound.derivative(*x), packed, packing, strict=True):
        assert numbers.shape == (6, how.size)
        np.testing.assert_array_equal(how.unpack(numbers), whole)
        np.testing.assert_array_equal(whole[:, *how.places], numbers[:, : how.count])
        assert not numbers[:, how.count :].any()
        assert how.size - how.count < 8
    assert (packed._fields, packing._fields) == (bound.derivative(*x)._fields,) * 2


def test_symmetric_derivatives_are_packed_to_a_half_and_what_is_zero_to_nothing(robot: rk.Robot) -> None:
    q = robot.random_state(0).q
    for how, whole in (
        (robot.forward_dynamics.packing().tau, robot.inverse_mass_matrix(q)),
        (robot.inverse_dynamics.packing().a, robot.mass_matrix(q)),
    ):
        changing = np.array(how.sources).reshape(whole.shape) >= 0
        assert how.size <= np.count_nonzero(np.triu(changing)) < whole.size / 2  # equal numbers count once
        assert not whole[~changing].any()


def test_packed_derivatives_take_out_and_one_state(robot: rk.Robot) -> None:
    q, v, a = states(robot, 1)
    expected = robot.forward_dynamics.derivative(q, v, a, packed=True, wrt="tau").tau
    out = np.empty_like(expected)
    assert robot.forward_dynamics.derivative(q, v, a, packed=True, wrt="tau", out=out).tau is out
    np.testing.assert_array_equal(out, expected)
    alone = robot.forward_dynamics.derivative(q[0], v[0], a[0], packed=True, wrt="tau").tau
    np.testing.assert_array_equal(alone, expected[0])


def test_packed_derivatives_by_parameters_leave_out_what_a_link_does_not_depend_on() -> None:
    arm = rk.load("planar_2r")
    q, v, a = states(arm, 3)
    law = arm.inverse_dynamics
    packed, how = law.derivative(q, v, a, wrt="parameters", packed=True), law.packing(wrt="parameters")
    whole = law.derivative(q, v, a, wrt="parameters").parameters
    np.testing.assert_array_equal(how.parameters.unpack(packed.parameters), whole)
    assert how.parameters.size < np.count_nonzero(whole[0]) + 1 < whole[0].size


def test_a_state_that_is_not_finite_unpacks_to_nan_alone(robot: rk.Robot) -> None:
    q, v, a = states(robot, 5)
    v[3, 2] = np.nan
    law = robot.bind(**robot.declared_values).inverse_dynamics  # packed ones keep the program with symbols
    whole = law.packing(wrt="a").a.unpack(law.derivative(q, v, a, packed=True, wrt="a").a)
    np.testing.assert_array_equal(np.isnan(whole).all(axis=(1, 2)), np.arange(5) == 3)
    np.testing.assert_array_equal(whole, law.derivative(q, v, a, wrt="a").a)


def test_mistakes_about_packing_are_reported(robot: rk.Robot) -> None:
    with pytest.raises(WrongValue, match="True or False, not 'yes'"):
        robot.forward_dynamics.derivative(*states(robot, 1), packed="yes")
    with pytest.raises(WrongSize, match=r"has 34 numbers.*\(6, 54\) was given"):
        robot.forward_dynamics.packing().tau.unpack(np.zeros((6, 54)))
