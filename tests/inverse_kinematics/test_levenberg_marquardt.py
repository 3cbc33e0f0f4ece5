"""Numerical inverse kinematics: reachable targets are reached within the limits, others are reported."""

import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import minimize

import rikigaku as rk
from rikigaku.core.errors import UnknownName, UnphysicalInertiaWarning, WrongSize, WrongValue
from rikigaku.inverse_kinematics.solve_pose import inverse_kinematics
from rikigaku.model.robot_model import Coupling
from rikigaku.model.states import position_bounds, random_state
from rikigaku.numbers.formula import Formula
from rikigaku.spatial.pose_arrays import rotation_vector


def robot_named(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return rk.load(name)


@pytest.mark.parametrize("name", ["ur5", "panda", "puma560", "iiwa14"])
def test_poses_of_random_configurations_are_reached_within_the_limits(name):
    robot = robot_named(name)
    frame = robot.frame_names[-1]
    targets = robot.pose(random_state(robot, 7, 200).q, frame)
    found = inverse_kinematics(robot, targets, frame)
    assert found.success.mean() >= 0.99
    lower, upper = position_bounds(robot)
    assert ((found.q >= lower) & (found.q <= upper)).all()
    reached = robot.pose(found.q, frame)[found.success]
    # the tolerance is 1e-8 m and 1e-8 rad; an element of R moves by at most the angle
    np.testing.assert_allclose(reached, targets[found.success], atol=2e-8)


def test_a_position_alone_leaves_the_orientation_free():
    robot = robot_named("panda")
    positions = robot.pose(random_state(robot, 3, (2, 5)).q, "hand")[..., :3, 3]
    found = inverse_kinematics(robot, positions, "hand")
    assert found.success.shape == (2, 5)
    assert bool(found)
    np.testing.assert_allclose(robot.pose(found.q, "hand")[..., :3, 3], positions, atol=2e-8)
    np.testing.assert_array_equal(found.rotation_error, 0)


def test_a_free_base_moves_to_bring_a_hand_to_its_target():
    robot = robot_named("space_arm_6")
    q = random_state(robot, 6).q
    found = inverse_kinematics(robot, robot.pose(q, "hand"), "hand")
    assert found.success
    assert np.linalg.norm(found.q[3:7]) == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(robot.pose(found.q, "hand"), robot.pose(q, "hand"), atol=2e-8)


def test_a_target_out_of_reach_is_reported_and_the_best_configuration_kept():
    robot = robot_named(
        "planar_2r"
    )  # two rods of together 2 m or less: the best is stretched towards the target
    tip = robot.frame_names[-1]
    stretched = robot.pose(np.zeros(2), tip)[:3, 3]
    target = 2 * stretched
    found = inverse_kinematics(robot, target, tip)
    assert not found.success
    assert not found
    assert "found no configuration within the joint limits" in found.message
    np.testing.assert_allclose(robot.pose(found.q, tip)[:3, 3], stretched, atol=1e-3)
    assert found.position_error == pytest.approx(np.linalg.norm(target - stretched), rel=1e-4)


def test_a_target_beyond_the_limits_is_not_reached():
    robot = robot_named("panda")
    q = random_state(robot, 0).q
    q[3] = 0.5  # the elbow bends one way only, below -0.07
    target = robot.pose(q, "panda_link4")
    assert not inverse_kinematics(robot, target, "panda_link4", restarts=3).success


def test_without_limits_a_search_and_the_nearest_configuration_go_beyond_them():
    panda = robot_named("panda")
    q = random_state(panda, 0).q
    q[3] = 0.5
    target = panda.pose(q, "hand")
    found = inverse_kinematics(panda, target, "hand", q0=q, limits=False)
    assert found.success
    np.testing.assert_allclose(found.q, q, atol=1e-7)
    ur5 = robot_named("ur5")
    q = random_state(ur5, 11).q
    q[0] = 3.1
    near = q.copy()
    near[0] = 3.2  # beyond pi: the nearest configuration is one revolution away from the angle of atan2
    found = inverse_kinematics(ur5, ur5.pose(near, "hand"), "hand", q0=q, limits=False)
    np.testing.assert_allclose(found.q, near, atol=1e-7)


def test_the_nearest_pose_is_that_of_another_optimizer():
    """Of a pose out of reach: the least of |p* - p|^2 + |log(R* R^T)|^2, by BFGS from many configurations."""
    ur5 = robot_named("ur5")
    target = ur5.pose(random_state(ur5, 5).q, "hand")
    target[:3, 3] *= 3

    def cost(q):
        T = ur5.pose(q, "hand")
        gap = target[:3, 3] - T[:3, 3]
        rotation = pin.log3(target[:3, :3] @ T[:3, :3].T)
        return gap @ gap + rotation @ rotation

    found = inverse_kinematics(ur5, target, "hand")
    assert not found.success
    assert cost(found.q) == pytest.approx(found.position_error**2 + found.rotation_error**2, rel=1e-9)
    rng = np.random.default_rng(0)
    best = min(minimize(cost, rng.uniform(-3, 3, 6), method="BFGS").fun for _ in range(12))
    assert cost(found.q) < best * (1 + 1e-6)


def test_the_search_begins_at_the_given_configuration():
    robot = robot_named("ur5")
    q = random_state(robot, 11).q
    found = inverse_kinematics(robot, robot.pose(q, "hand"), "hand", q0=q, method="search")
    assert found.success
    assert found.iterations == 0
    np.testing.assert_array_equal(found.q, q)


def test_the_same_seed_gives_the_same_result():
    robot = robot_named("ur5")
    target = robot.pose(random_state(robot, 4).q, "hand")
    first, second = (inverse_kinematics(robot, target, "hand", rng=9) for _ in range(2))
    np.testing.assert_array_equal(first.q, second.q)


def test_joints_that_follow_others_follow_them():
    arm = robot_named("planar_3r")
    _, second, third = (joint.name for joint in arm.joints)
    robot = replace(arm, couplings=(Coupling(third, second, Formula.of(-2), Formula.of(0.1)),))
    tip = robot.frame_names[-1]
    q = np.array([0.4, 0.3, -2 * 0.3 + 0.1])
    found = inverse_kinematics(robot, robot.pose(q, tip)[:3, 3], tip)
    assert found.success
    assert found.q[2] == pytest.approx(-2 * found.q[1] + 0.1, abs=1e-12)


def with_limits(arm, name, limits):
    links = [
        replace(link, joint=replace(link.joint, limits=limits)) if link.joint.name == name else link
        for link in arm.links
    ]
    return replace(arm, links=tuple(links))


def test_followers_keep_their_limits_or_are_named():
    arm = robot_named("planar_3r")
    _, second, third = (joint.name for joint in arm.joints)
    geared = replace(arm, couplings=(Coupling(third, second, Formula.of(2)),))
    tip = arm.frame_names[-1]
    robot = with_limits(geared, third, rk.Limits(-1.0, 0.0))
    target = robot.pose([0.2, -0.45, -0.9], tip)
    found = inverse_kinematics(robot, target, tip, q0=[0.2, 0.5, 1.0])
    assert found.success
    assert -1 <= found.q[2] <= 0
    # the third joint turns by 5 rad and more whatever the second does: its limits cannot be kept
    robot = with_limits(with_limits(geared, second, rk.Limits(2.5, 3.0)), third, rk.Limits(-1.0, 0.0))
    found = inverse_kinematics(robot, robot.pose([0.2, 2.6, 5.2], tip), tip, restarts=2)
    assert not found.success
    assert found.message == (
        f"Frame {tip!r} is at the target, but with joint {third!r} at 5.2, beyond its limits -1 and 0."
    )


def test_rotation_vectors_are_those_of_pinocchio():
    rng = np.random.default_rng(2)
    for angle in (0.0, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-4, np.pi - 1e-9):
        axis = rng.normal(size=3)
        R = pin.exp3(angle * axis / np.linalg.norm(axis))
        # at half a revolution both signs turn alike
        ours = rotation_vector(R)
        assert np.linalg.norm(ours) == pytest.approx(angle, abs=1e-7)
        np.testing.assert_allclose(pin.exp3(ours), R, atol=1e-7)
        if angle < 3.1:
            np.testing.assert_allclose(ours, pin.log3(R), atol=1e-8)


def test_rotations_just_below_half_a_revolution_keep_their_sign():
    rng = np.random.default_rng(8)
    for axis in rng.normal(size=(20, 3)):
        R = pin.exp3((np.pi - 5e-7) * axis / np.linalg.norm(axis))
        # the wrong sign would be off by 1e-6; the sine of the angle is known to rounding, 1e-16
        np.testing.assert_allclose(pin.exp3(rotation_vector(R)), R, atol=1e-9)


def test_what_is_no_target_is_refused_with_a_reason():
    robot = robot_named("ur5")
    pose = np.eye(4)
    pose[0, 0] = 2
    with pytest.raises(WrongValue, match="no pose"):
        inverse_kinematics(robot, pose, "hand")
    with pytest.raises(WrongValue, match="finite"):
        inverse_kinematics(robot, [0, 0, np.nan], "hand")
    with pytest.raises(WrongSize, match=r"a pose \(4, 4\) or a position"):
        inverse_kinematics(robot, [0, 0], "hand")
    with pytest.raises(UnknownName, match="hnd"):
        inverse_kinematics(robot, np.eye(4), "hnd")
    with pytest.raises(WrongValue, match="The target takes real numbers"):
        inverse_kinematics(robot, "there", "hand")
    with pytest.raises(WrongValue, match="rng is a NumPy generator"):
        inverse_kinematics(robot, np.eye(4), "hand", rng="x")
    with pytest.raises(WrongValue, match="6 numbers"):
        inverse_kinematics(robot, np.eye(4), "hand", q0=[0.0])
    with pytest.raises(WrongValue, match="tolerance is a finite number above 0"):
        inverse_kinematics(robot, np.eye(4), "hand", tolerance=0)


def test_a_second_call_reads_nothing_from_disk(monkeypatch):
    robot = rk.load("iiwa14")
    poses = robot.pose(robot.random_state(3, 4).q, "hand")
    arm = rk.load("ur5")
    T = arm.pose([0.4, -1.1, 1.3, -0.7, 1.2, 0.5], "hand")
    calls = [
        lambda: robot.inverse_kinematics(poses, "hand").q,
        lambda: robot.inverse_kinematics(poses[0], "hand").q,
        lambda: arm.inverse_kinematics(T, "hand", all=True).q,
    ]
    first = [call() for call in calls]

    def read(*_):
        raise AssertionError("a call read the disk cache")

    for name in ("rikigaku.core.disk_cache.read", "rikigaku.compiler.object_cache.read"):
        monkeypatch.setattr(name, read)
    monkeypatch.setattr("builtins.open", read)
    for call, before in zip(calls, first, strict=True):
        np.testing.assert_array_equal(call(), before)
