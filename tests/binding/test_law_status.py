"""States without a result, and the words for them."""

from typing import Any

import numpy as np
import pytest
from bound_cases import arm, given, pendulum

import rikigaku as rk
from rikigaku.core.errors import NoValue, WrongValue
from rikigaku.model.joint import Joint
from rikigaku.numbers.elementary_functions import sqrt


def test_a_singular_state_warns_and_says_why() -> None:
    robot, q = rk.load("planar_2r"), np.zeros((3, 2))
    masses = np.array([1.0, 0.0, 2.0])
    with (
        np.errstate(divide="ignore"),
        pytest.warns(RuntimeWarning, match="invalid value encountered in forward_dynamics"),
    ):
        result = robot.forward_dynamics(q, q, q + 1, m2=masses)
    assert np.isnan(result[1]).all()
    assert np.isfinite(result[[0, 2]]).all()
    words = robot.forward_dynamics.status(q, q, q + 1, m2=masses)
    assert "mass matrix is singular" in words[1]
    assert words[[0, 2]].tolist() == ["ok", "ok"]
    with np.errstate(divide="ignore", invalid="raise"), pytest.raises(FloatingPointError):
        robot.forward_dynamics(q, q, q, m2=masses)


def find_singular(robot: rk.Robot) -> tuple[str, np.ndarray]:
    """A frame and a state at which its zyx Euler angles have no rates, exactly."""
    for frame in robot.frame_names[1:]:
        for turn in (0.0, np.pi / 2, -np.pi / 2):
            q = np.array([0.0, turn, 0.0, 0.0, 0.0, 0.0])
            with np.errstate(all="ignore"):
                if not np.isfinite(robot.euler_jacobian(q[None], frame)).all():
                    return frame, q
    raise AssertionError("no singular orientation found")


def test_one_singular_state_alone_warns_too() -> None:
    robot = rk.load("ur5")
    frame, q = find_singular(robot)
    law = robot.euler_jacobian.fix(frame=frame)
    for _ in range(2):
        with pytest.warns(RuntimeWarning):
            result = law(q)
        assert np.isnan(result).any()
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        law(q)
    assert law.status(q) == "the Euler angles are singular at this orientation"
    assert law.status(np.full(6, 0.1)) == "ok"


def test_a_law_without_a_value_at_any_state_says_so() -> None:
    massless = rk.Robot("massless", (rk.Link("l", "base", Joint("j")),))
    assert massless.inverse_dynamics([0.1], [0.2], [0.3]).tolist() == [0.0]
    for law in ("forward_dynamics", "inverse_mass_matrix", "center_of_mass"):
        inputs, _ = given(massless, law)
        with pytest.raises(WrongValue, match=rf"{law} of robot 'massless' has no value at any state"):
            getattr(massless, law)(*inputs)


def test_status_covers_symbols_and_batches_of_them() -> None:
    robot = pendulum()
    words = robot.forward_dynamics.status([0.0], [0.0], [1.0], m=np.array([1.0, 0.0, np.nan]))
    assert words[0] == "ok"
    assert "singular" in words[1]
    assert words[2] == "m is not finite"


def test_status_names_the_first_number_that_is_broken() -> None:
    broken = np.array([np.nan, np.inf])
    assert arm().inverse_dynamics.status(broken, broken, [0.0, 0.0]) == "q[0] is not finite"
    assert arm().inverse_dynamics.status([0.0, 0.0], broken, broken) == "v[0] is not finite"
    huge = np.array([0.0, 1e200])
    assert arm().velocity_forces.status(np.ones(2), huge) == "the result overflows"


def test_a_quaternion_that_is_not_unit_is_reported() -> None:
    robot = rk.load("space_arm_6")
    assert robot.mass_matrix.status(robot.neutral()) == "ok"
    assert "not unit" in robot.mass_matrix.status(2 * robot.neutral())


def test_a_quaternion_of_zero_is_reported_before_its_consequences() -> None:
    ball = rk.Robot("ball", (rk.Link("l", "base", Joint("j", "spherical")),))
    with np.errstate(all="ignore"):
        assert np.isnan(ball.integrate(np.zeros(4), [0.0, 0, 1])).all()
    words = ball.integrate.status([[0.0, 0, 0, 0], [1, 0, 0, 0]], [0.0, 0, 1])
    assert words.tolist() == ["the quaternion of joint 'j' is not unit", "ok"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("zero", [0, 0.0])
def test_a_law_that_divides_by_the_root_of_a_constant_zero_has_no_value(zero: float) -> None:
    def gain(mechanism: object, q: list[Any]) -> Any:
        return q[0] * (1 / sqrt(zero))

    record = rk.Law("gain", gain, ("q",), ("g",), "Gain.", singular="no reach")
    with pytest.raises(NoValue, match=r"gain of robot .* has no value at any state: no reach"):
        arm().law(record)([0.1, 0.2])
