"""Environments of robots pass Gymnasium's checker, repeat by seed, and move as rollouts do."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import rikigaku as rk
from rikigaku.bridges.gymnasium_environment import RobotEnvironment
from rikigaku.core.errors import WrongValue

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


def test_a_robot_with_symbols_is_refused() -> None:
    with pytest.raises(WrongValue, match=r"robot\.bind"):
        RobotEnvironment(rk.load("planar_2r"))
