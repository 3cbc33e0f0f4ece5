"""Environments of robots pass Gymnasium's checker, repeat by seed, and move as rollouts do."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import rikigaku as rk
from rikigaku.bridges.gymnasium_environment import RobotEnvironment
from rikigaku.core.errors import CannotClose, UnknownName, WrongSize, WrongValue

ARM = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1.0, m2=1.0)


def test_the_checker_of_gymnasium_is_content() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*A Box observation space (min|max)imum value is -?infinity")
        check_env(RobotEnvironment(ARM), skip_render_check=True)


def test_a_floating_robot_has_quaternions_in_its_observation() -> None:
    environment = RobotEnvironment(rk.load("space_arm_6"))
    observation, _ = environment.reset(seed=1)
    assert observation.shape == environment.observation_space.shape == (13 + 12,)
    assert environment.step(environment.action_space.sample())[0].shape == observation.shape


def test_a_step_is_a_rollout_with_cut_torques() -> None:
    environment = RobotEnvironment(ARM, substeps=3, torque_limit=2.0, horizon=1)
    environment.reset(options={"q": [0.3, 0.2], "v": [0.1, 0.0]})
    seen, reward, terminated, truncated, _ = environment.step(np.array([5.0, -0.5]))
    motion = ARM.rollout([0.3, 0.2], [0.1, 0.0], np.array([[[2.0, -1.0]]]), steps=3, dt=0.01, every=0)
    np.testing.assert_array_equal(seen, np.concatenate([motion.q[0], motion.v[0]]))
    assert reward < 0
    assert (terminated, truncated) == (False, True)


def test_limits_of_effort_bound_the_actions() -> None:
    environment = RobotEnvironment(rk.load("panda"))
    np.testing.assert_array_equal(environment.torque_limits, [87, 87, 87, 87, 12, 12, 12])


@pytest.mark.parametrize("name", ["five_bar", "slider_crank"])
def test_a_closed_robot_begins_and_moves_with_closed_loops(name: str) -> None:
    robot = rk.load(name)
    environment = RobotEnvironment(robot, dt=1e-3, torque_limit=0.5)
    for seed in range(3):
        environment.reset(seed=seed)
        assert np.abs(robot.loop_residual(environment.q)).max() < 1e-10
        for _ in range(20):
            environment.step(environment.action_space.sample())
            assert np.abs(robot.loop_residual(environment.q)).max() < 1e-4  # of steps of order 1
            assert np.abs(robot.loop_jacobian(environment.q) @ environment.v).max() < 1e-2
    environment.reset(options={"q": environment.reference + 0.01, "v": np.ones(robot.nv)})
    assert np.abs(robot.loop_residual(environment.q)).max() < 1e-10
    assert np.abs(robot.loop_jacobian(environment.q) @ environment.v).max() < 1e-10


def test_a_state_far_from_the_loops_is_refused() -> None:
    five = rk.load("five_bar")
    with pytest.raises(CannotClose, match=r"robot\.assemble"):
        RobotEnvironment(five).reset(options={"q": [0.0, 0.0, np.pi, 0.0]})


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("dt", -1.0, "dt is a finite number above 0"),
        ("torque_limit", -5.0, "torque_limit is a finite number above 0"),
        ("method", "bogus", "There is no method 'bogus'. Known: euler"),
        ("reward", 3.0, "reward is a function"),
        ("start", "here", "start is a function"),
    ],
)
def test_arguments_that_do_not_fit_are_errors_in_words(option: str, value: object, words: str) -> None:
    with pytest.raises(WrongValue, match=words):
        RobotEnvironment(ARM, **{option: value})  # type: ignore[arg-type]


def test_states_and_actions_that_do_not_fit_are_errors_in_words() -> None:
    environment = RobotEnvironment(ARM)
    with pytest.raises(WrongValue, match="q of robot 'planar_2r'"):
        environment.reset(options={"q": [0.1, 0.2, 0.3]})
    with pytest.raises(WrongSize, match="v of robot 'planar_2r' is one array of 2 numbers"):
        environment.reset(options={"v": [0.1]})
    with pytest.raises(UnknownName, match="'p'"):
        environment.reset(options={"p": [0.1]})
    environment.reset(seed=0)
    with pytest.raises(WrongSize, match=r"action has the shape \(2,\); shape \(1,\) was given"):
        environment.step(np.array([0.1]))
    with pytest.raises(WrongValue, match=r"Method 'euler' takes trees; robot 'five_bar'"):
        RobotEnvironment(rk.load("five_bar"), method="euler")


def test_a_diverging_motion_ends_the_episode_with_a_finite_reward() -> None:
    environment = RobotEnvironment(ARM, dt=0.1)
    environment.reset(options={"q": [0.1, 1.0], "v": [1e100, 1e100]})
    seen, reward, terminated, _, _ = environment.step(np.zeros(2))
    assert terminated
    assert np.isfinite(seen).all()
    assert np.isfinite(reward)


def test_a_robot_with_symbols_is_refused() -> None:
    with pytest.raises(WrongValue, match=r"robot\.bind"):
        RobotEnvironment(rk.load("planar_2r"))
