"""Configurations along paths: one branch where there is one, changes where there must be."""

from dataclasses import replace

import numpy as np
import pytest
from test_all_configurations import JACO, modified_dh_arm, random_arm

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.inverse_kinematics.branch_path import Joints, branch_path

ARM = modified_dh_arm("jaco", JACO)


def motion(a, b, n=80):
    return a + np.linspace(0, 1, n)[:, None] * (b - a)


def test_a_continuous_motion_is_followed_on_its_own_branch():
    a = np.array([0.3, 1.9, 1.2, 0.5, 0.8, -0.4])
    q = motion(a, a + np.array([0.6, 0.3, -0.2, 0.5, 0.3, 0.9]))
    found = ARM.inverse_kinematics(ARM.pose(q, "l6"), "l6", q0=a, along=True, limits=False)
    assert found.success.all()
    assert found.changes == ()
    np.testing.assert_allclose(found.q, q, atol=1e-7)
    assert "One branch follows the whole path" in str(found.message[0])


def test_revolutions_are_continuous_or_reported_where_limits_forbid_them():
    a = np.array([2.0, 1.9, 1.2, 0.5, 0.8, -0.4])
    q = motion(a, a + np.array([3.0, 0, 0, 0, 0, 0]))  # passes pi
    poses = ARM.pose(q, "l6")
    found = ARM.inverse_kinematics(poses, "l6", q0=a, along=True, limits=False)
    np.testing.assert_allclose(found.q, q, atol=1e-7)
    limits = rk.Limits(lower=-np.pi, upper=np.pi)
    links = [replace(link, joint=replace(link.joint, limits=limits)) for link in ARM.links]
    found = replace(ARM, links=tuple(links)).inverse_kinematics(poses, "l6", q0=a, along=True)
    assert found.success.all()
    assert len(found.changes) == 1
    k = found.changes[0]
    assert q[k - 1, 0] <= np.pi < q[k, 0] + 0.1


def test_a_path_that_leaves_the_reach_ends_and_begins_again():
    a = np.array([0.3, 1.9, 1.2, 0.5, 0.8, -0.4])
    poses = np.repeat(ARM.pose(a, "l6")[None], 61, axis=0)
    poses[:, 0, 3] += np.concatenate([np.linspace(0, 2, 31), np.linspace(2, 0, 31)[1:]])
    found = ARM.inverse_kinematics(poses, "l6", q0=a, along=True, limits=False)
    gone = np.nonzero(~found.success)[0]
    assert len(gone)
    assert (np.diff(gone) == 1).all()
    assert gone[-1] + 1 in found.changes
    assert np.isnan(found.q[gone]).all()
    assert f"the first is {gone[0]}" in str(found.message[0])
    np.testing.assert_allclose(ARM.pose(found.q[found.success], "l6"), poses[found.success], atol=1e-10)


def test_a_change_of_branch_is_where_its_solutions_end():
    robot = random_arm(2, "RRRRRR")
    rng = np.random.default_rng(0)
    for _ in range(40):
        a, b = rng.uniform(-2, 2, (2, 6))
        A, B = robot.pose(a, "l6"), robot.pose(b, "l6")
        poses = np.repeat(A[None], 60, axis=0)
        poses[:, :3, 3] += np.linspace(0, 0.3, 60)[:, None] * (B[:3, 3] - A[:3, 3])
        found = robot.inverse_kinematics(poses, "l6", q0=a, along=True, limits=False, largest_step=0.4)
        if found.changes and found.success.all():
            break
    assert found.changes
    # all configurations that continuous motion reaches from the first one: none at the end of the path
    everything = robot.inverse_kinematics(poses, "l6", all=True, limits=False)
    reached = found.q[:1]
    for q, success in zip(everything.q[1:], everything.success[1:], strict=True):
        gap = q[success][:, None] - reached[None]
        gap = gap - 2 * np.pi * np.round(gap / 2 / np.pi)
        reached = q[success][(np.abs(gap).max(axis=2) <= 0.4).any(axis=1)]
    assert len(reached) == 0


def test_a_branch_is_left_where_it_ends_and_not_where_another_one_is_nearest():
    k = np.arange(100)
    q = np.stack([-0.01 * np.abs(k - 45), np.full(100, 1.0)], axis=1)[..., None]  # nearest at pose 45
    usable = np.stack([k <= 60, k >= 40], axis=1)
    joints = Joints(np.array([False]), np.array([-9.0]), np.array([9.0]))
    found = branch_path(q, usable, q[0, 0], joints, 0.1)
    assert found.changes == (61,)
    np.testing.assert_allclose(found.q[:61], q[:61, 0], atol=1e-12)
    np.testing.assert_allclose(found.q[61:], q[61:, 1], atol=1e-12)


def test_a_redundant_arm_follows_by_searches():
    panda = rk.load("panda")
    q = panda.random_state(3).q
    T = panda.pose(q, "hand")
    poses = np.repeat(T[None], 15, axis=0)
    poses[:, 2, 3] += np.linspace(0, 0.05, 15)
    found = panda.inverse_kinematics(poses, "hand", q0=q, along=True)
    assert found.success.all()
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.2
    assert found.method == "search"


def test_a_path_is_poses_in_one_row():
    with pytest.raises(WrongValue, match="along= takes a path"):
        ARM.inverse_kinematics(np.eye(4), "l6", along=True)
    with pytest.raises(WrongValue, match="along= takes a path"):
        ARM.inverse_kinematics(np.eye(4)[None], "l6", along=True, all=True)
    with pytest.raises(WrongValue, match="largest_step is above 0"):
        ARM.inverse_kinematics(np.eye(4)[None], "l6", along=True, largest_step=-1)


def test_velocity_limits_are_kept_by_a_search_and_reported_by_exact_solutions():
    panda = rk.load("panda")
    rates = np.array([j.limits.velocity for j in panda.joints])
    assert np.isfinite(rates).all()
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.4, 1.6, 0.5])
    poses = np.repeat(panda.pose(q, "hand")[None], 25, axis=0)
    poses[:, 1, 3] += np.linspace(0, 0.15, 25)
    slow = panda.inverse_kinematics(poses, "hand", q0=q, along=True, times=np.linspace(0, 4, 25))
    assert slow.success.all()
    assert slow.too_fast == ()
    times = np.linspace(0, 0.06, 25)
    fast = panda.inverse_kinematics(poses, "hand", q0=q, along=True, times=times)
    assert len(fast.too_fast)
    assert not fast.success[list(fast.too_fast)].any()
    speed = np.abs(np.diff(fast.q, axis=0)) / np.diff(times)[:, None]
    assert (speed <= rates * (1 + 1e-9)).all()
    assert (speed.max(axis=0) > 0.99 * rates).any()  # a joint moves as fast as it may
    assert "not reached in time" in str(fast.message[0])
    # an exact method keeps the pose and names the steps
    ur5 = rk.load("ur5")
    q = motion(np.array([0.4, -1.1, 1.3, -0.7, 1.2, 0.5]), np.array([1.4, -1.1, 1.3, -0.7, 1.2, 0.5]), 11)
    times = np.concatenate([np.arange(6) * 0.1, 0.5 + np.arange(1, 6) * 0.01])
    found = ur5.inverse_kinematics(ur5.pose(q, "hand"), "hand", q0=q[0], along=True, times=times)
    assert found.success.all()
    assert found.changes == ()
    assert found.too_fast == (6, 7, 8, 9, 10)  # 0.1 rad in 0.01 s: 10 rad/s
    np.testing.assert_allclose(found.q, q, atol=1e-9)
    with pytest.raises(WrongValue, match="11 increasing numbers"):
        ur5.inverse_kinematics(ur5.pose(q, "hand"), "hand", along=True, times=[0.0, 1.0])
    with pytest.raises(WrongValue, match="give along=True"):
        ur5.inverse_kinematics(ur5.pose(q, "hand"), "hand", times=times)


@pytest.mark.parametrize(("name", "n"), [("ur5", 41), ("ur5", 40), ("puma560", 41), ("stanford", 41)])
def test_a_path_through_a_wrist_in_line_is_continuous_at_a_singular_sample(name, n):
    robot = rk.load(name)
    middle = np.array([0.4, -0.8, 0.5, -0.7, 0.0, 0.5])
    q = middle + np.linspace(-0.3, 0.3, n)[:, None] * np.array([0.2, 0.3, -0.2, 0.4, 1.0, 0.3])
    poses = robot.pose(q, "hand")
    found = robot.inverse_kinematics(poses, "hand", q0=q[0], along=True, limits=False)
    assert found.changes == ()
    np.testing.assert_allclose(found.q, q, atol=1e-4)  # the member between its neighbours
    np.testing.assert_allclose(robot.pose(found.q, "hand"), poses, atol=1e-11)


def test_a_path_that_stays_singular_moves_along_its_family_to_leave_it_on_the_other_side():
    robot = rk.load("puma560")
    s = np.linspace(-1, 1, 61)
    q = np.tile([0.4, -0.6, 0.3, -0.7, 0.0, 0.5], (61, 1))
    q[:, 4] = np.sign(s) * np.maximum(np.abs(s) - 0.3, 0.0)  # in line for 19 samples
    turned = np.clip(s / 0.3, -1, 1)
    q[:, 3] += turned
    q[:, 5] -= turned
    q[:, 0] += 0.3 * s
    found = robot.inverse_kinematics(robot.pose(q, "hand"), "hand", q0=q[0], along=True, limits=False)
    assert (found.success.all(), found.changes) == (True, ())
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.25
    np.testing.assert_allclose(robot.pose(found.q, "hand"), robot.pose(q, "hand"), atol=1e-11)
    held = q.copy()
    held[:, 4] = 0.0  # singular from the first sample to the last: the path begins at q0
    found = robot.inverse_kinematics(robot.pose(held, "hand"), "hand", q0=held[0], along=True, limits=False)
    assert (found.success.all(), found.changes) == (True, ())
    np.testing.assert_allclose(found.q[0], held[0], atol=1e-8)


def test_one_change_goes_back_by_as_many_revolutions_as_there_are():
    ur5 = rk.load("ur5")
    q = np.array([0.4, -1.1, 1.3, -0.7, 1.2, 0.5]) + np.linspace(0, 4 * np.pi, 100)[:, None] * np.eye(6)[5]
    poses = ur5.pose(q, "hand")
    found = ur5.inverse_kinematics(poses, "hand", q0=q[0], along=True)  # limits are +-2 pi
    assert len(found.changes) == 1
    k = found.changes[0]
    np.testing.assert_allclose(found.q[:k], q[:k], atol=1e-9)
    np.testing.assert_allclose(found.q[k:] + 4 * np.pi * np.eye(6)[5], q[k:], atol=1e-9)


def test_a_path_goes_through_a_family_of_dimension_2():
    """Shoulder and wrist are in line at one pose."""
    rows = [
        (0, 0, 0.4), (-np.pi / 2, 0, 0.1), (np.pi / 2, 0, 0), (-np.pi / 2, 0, 0.4), (np.pi / 2, 0, 0),
        (-np.pi / 2, 0, 0.08),
    ]  # fmt: skip
    arm = modified_dh_arm("in line", rows)
    middle, way = np.array([0.3, -0.6, 0, 0.5, 0, -0.2]), np.array([0.2, 0.3, 0.35, -0.2, 0.3, 0.1])
    q = middle + np.linspace(-1, 1, 31)[:, None] * way
    found = arm.inverse_kinematics(arm.pose(q, "l6"), "l6", q0=q[0], along=True, limits=False)
    assert found.changes == ()
    assert np.abs(np.diff(found.q, axis=0)).max() < 2 * np.abs(np.diff(q, axis=0)).max()
