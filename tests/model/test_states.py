"""Neutral and random states: within limits, on the manifold, couplings kept."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from readers import read_toml

from rikigaku.core.errors import WrongValue
from rikigaku.library import NAMES, path
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot_model import Coupling, Link
from rikigaku.model.states import (
    as_position,
    is_length,
    neutral,
    position_bounds,
    random_state,
    velocity_bounds,
)
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

ROBOTS = {name: read_toml(path(name)) for name in NAMES}


def quaternions(robot, q):
    for joint in robot.joints:
        s = robot.q_slices[joint.name]
        if joint.type in ("free", "spherical"):
            yield q[..., s.stop - 4 : s.stop]


@pytest.mark.parametrize("name", NAMES)
def test_neutral_is_zero_with_unit_quaternions(name):
    robot = ROBOTS[name]
    q = neutral(robot)
    assert q.shape == (robot.nq,)
    parts = list(quaternions(robot, q))
    assert all(list(part) == [1, 0, 0, 0] for part in parts)
    assert np.abs(q).sum() == len(parts)


def test_neutral_is_that_of_pinocchio():
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    free = Robot("free", (Link("body", "base", Joint("free", "free")),))
    theirs = pin.neutral(model)  # x y z, then x y z w
    np.testing.assert_array_equal(neutral(free), theirs[[0, 1, 2, 6, 3, 4, 5]])


@pytest.mark.parametrize("name", NAMES)
def test_random_states_are_within_the_limits_and_fill_them(name):
    robot = ROBOTS[name]
    q, v, a = random_state(robot, 0, (400, 2))
    assert q.shape == (400, 2, robot.nq)
    assert v.shape == a.shape == (400, 2, robot.nv)
    lower, upper = position_bounds(robot)
    assert ((q >= lower) & (q <= upper)).all()
    assert (np.abs(v) <= velocity_bounds(robot)).all()
    bounded = np.isfinite(lower) & np.isfinite(upper)
    spread = np.ptp(q, axis=(0, 1))[bounded] / (upper - lower)[bounded]
    assert (spread > 0.95).all()  # 800 uniform draws leave less than 5 % at the ends
    for part in quaternions(robot, q):
        np.testing.assert_allclose(np.linalg.norm(part, axis=-1), 1, atol=1e-12)


def test_seeds_repeat_and_generators_go_on():
    robot = ROBOTS["panda"]
    np.testing.assert_array_equal(random_state(robot, 3).q, random_state(robot, 3).q)
    rng = np.random.default_rng(3)
    assert (random_state(robot, rng).q != random_state(robot, rng).q).all()
    assert random_state(robot, 0, 5).q.shape == (5, 7)


def test_one_sided_limits_are_kept():
    links = (
        Link("a", "base", Joint("up", "prismatic", limits=Limits(lower=2.0))),
        Link("b", "a", Joint("down", "revolute", limits=Limits(upper=-5.0))),
    )
    q = random_state(Robot("r", links), 0, 200).q
    assert (q[:, 0] >= 2).all()
    assert (q[:, 1] <= -5).all()


def test_coupled_joints_follow_also_through_another():
    links = tuple(Link(n, p, Joint(f"j{n}")) for n, p in (("a", "base"), ("b", "a"), ("c", "b")))
    couplings = (
        Coupling("ja", "jb", Formula.of(3)),
        Coupling("jb", "jc", Formula.of(-2), Formula.of("1/2")),
    )
    robot = Robot("geared", links, couplings=couplings)
    np.testing.assert_allclose(neutral(robot), [1.5, 0.5, 0])
    q, v, a = random_state(robot, 0, 10)
    np.testing.assert_allclose(q[:, 1], -2 * q[:, 2] + 0.5)
    np.testing.assert_allclose(q[:, 0], 3 * q[:, 1])
    for rates in (v, a):
        np.testing.assert_allclose(rates[:, 0], -6 * rates[:, 2])


def geared(leader, follower, multiplier=-2, offset="1/4"):
    links = (Link("a", "base", Joint("j", limits=leader)), Link("b", "a", Joint("k", limits=follower)))
    return Robot("geared", links, couplings=(Coupling("k", "j", Formula.of(multiplier), Formula.of(offset)),))


def test_a_joint_keeps_the_limits_of_those_that_follow_it():
    robot = geared(Limits(-2, 2, velocity=3), Limits(-0.5, 0.5, velocity=4))
    lower, upper = position_bounds(robot)
    np.testing.assert_allclose(lower, [-0.125, -0.5])
    np.testing.assert_allclose(upper, [0.375, 0.5])
    np.testing.assert_allclose(velocity_bounds(robot), [2, 4])
    q, v, _ = random_state(robot, 0, 500)
    assert ((q >= lower) & (q <= upper)).all()
    assert (np.ptp(q, axis=0) > 0.95 * (upper - lower)).all()
    assert (np.abs(v) <= [2, 4]).all()


def test_a_follower_is_where_the_limits_of_its_leader_put_it():
    lower, upper = position_bounds(geared(Limits(-1, 1), Limits(-9, 9), 2, 0))
    np.testing.assert_array_equal([lower, upper], [[-1, -2], [1, 2]])
    lower, upper = position_bounds(geared(Limits(), Limits(upper=1.0), -2, 0))
    np.testing.assert_array_equal([lower, upper], [[-0.5, -np.inf], [np.inf, 1]])


@pytest.mark.parametrize("multiplier", [0, 1])  # it stands still at 5, or follows from there
def test_limits_of_a_follower_that_no_position_keeps_are_its_own(multiplier):
    lower, upper = position_bounds(geared(Limits(-1, 1), Limits(-0.5, 0.5), multiplier, 5))
    np.testing.assert_array_equal([lower, upper], [[-1, -0.5], [1, 0.5]])


def test_lengths_are_distinguished_from_angles():
    free = Robot("r", (Link("b", "base", Joint("f", "free")), Link("c", "b", Joint("s", "planar"))))
    assert is_length(free).tolist() == [True] * 3 + [False] * 4 + [True, True, False]


def test_a_configuration_must_fit():
    robot = ROBOTS["ur5"]
    np.testing.assert_array_equal(as_position(robot, None), np.zeros(6))
    with pytest.raises(WrongValue, match="6 numbers"):
        as_position(robot, [1.0])
    with pytest.raises(WrongValue, match="finite"):
        as_position(replace(robot), [np.inf] * 6)


@pytest.mark.parametrize("rng", ["x", -1, 1.5])
def test_what_is_no_seed_is_refused_in_words(rng):
    with pytest.raises(WrongValue, match=r"rng is a NumPy generator, a seed \(.*\) or None"):
        random_state(ROBOTS["ur5"], rng)


@pytest.mark.parametrize("size", [-1, "x", 1.5, (2, -1), None])
def test_what_is_no_size_is_refused_in_words(size):
    with pytest.raises(WrongValue, match="size, of a batch of states, is a whole number, 0 or more"):
        random_state(ROBOTS["ur5"], 0, size)


def test_sizes_may_be_numbers_of_numpy_and_lists():
    assert random_state(ROBOTS["ur5"], 0, np.int64(2)).q.shape == (2, 6)
    assert random_state(ROBOTS["ur5"], 0, [2, 0]).q.shape == (2, 0, 6)
