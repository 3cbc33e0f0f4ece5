"""Poses where eliminations degenerate: joints at and near 0, 90 and 180 degrees, extraneous zeros, noise."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from test_all_configurations import JACO, gaps, modified_dh_arm, random_arm, states

from benchmarks.inverse_kinematics_arms import GENERAL
from benchmarks.random_start_newton import configurations
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.serial_arm import jacobian, joint_axes, serial_arm

JACO_2 = modified_dh_arm("jaco", JACO)
h = np.pi / 2


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-4, 1e-2])
def test_the_known_configuration_of_a_jaco_is_found_at_and_near_180_degrees(off):
    # the determinants of both cuts vanish identically where joints 2, 3, 5 and 6 stand at 180 degrees
    q = states(JACO_2, 40, seed=3)
    q[:, [1, 2, 4, 5]] = np.pi + off * np.random.default_rng(0).normal(size=(40, 4))
    found = JACO_2.inverse_kinematics(JACO_2.pose(q, "l6"), "l6", all=True, limits=False)
    regular = np.linalg.svd(JACO_2.jacobian(q, "l6"), compute_uv=False)[:, -1] > 1e-3
    assert regular.sum() > 30
    assert gaps(found.q, q)[regular].max() < 1e-6
    assert found.complete.mean() > 0.8


def test_a_pose_where_all_determinants_vanish_has_the_configurations_of_random_starts():
    # the count of zeros in 256 bits is of no use here: 10 by one cut, 12 by the other
    q = np.array([0.3, np.pi, np.pi, 1.0, np.pi, np.pi])
    pose = JACO_2.pose(q, "l6")
    found = JACO_2.inverse_kinematics(pose, "l6", all=True, limits=False)
    assert gaps(found.q[None], q[None]) < 1e-9
    assert found.complete
    assert str(found.message) == "12 configurations: all there are."
    others = configurations(JACO_2, "l6", pose, 900)
    assert others.times.min() > 10
    assert len(others.q) == 12
    assert gaps(np.broadcast_to(found.q, (12, *found.q.shape)), others.q).max() < 1e-6


def test_a_known_regular_configuration_is_found_or_the_pose_is_reported_as_incomplete():
    rng = np.random.default_rng(8)
    tables = [JACO, GENERAL["UR10e"], GENERAL["KUKA KR type"]]
    for arm in (*(modified_dh_arm("arm", rows) for rows in tables), random_arm(31, "RRRRRR")):
        solver = GeneralArm(serial_arm(arm, "l6", {}))
        special = rng.random((60, 6)) < rng.choice([0.3, 0.6, 0.8], (60, 1))
        near = rng.choice([0, 0, 1e-9, 1e-4], (60, 1)) * rng.normal(size=(60, 6))
        q = np.where(special, rng.choice([0, np.pi / 2, -np.pi / 2, np.pi], (60, 6)) + near, states(arm, 60))
        found = solver.solve(arm.pose(q, "l6"))
        sizes = np.linalg.svd(jacobian(solver.links, solver.revolute, q), compute_uv=False)
        regular = sizes[:, -1] > 1e-3
        missed = regular & (gaps(found.q, q) > 1e-5)
        assert regular.sum() > 20
        assert not (missed & found.complete).any()
        assert missed.sum() <= 1


def test_a_zero_with_two_configurations_is_not_taken_for_one():
    # both elbows of a UR10e share the angle of joint 5, which its best cut samples: eight configurations
    arm = modified_dh_arm("ur10e", GENERAL["UR10e"])
    q = np.array([[0.7706829887, -0.8340780726, -1.75284418, -1.6321334474, -0.3861136557, -np.pi / 2]])
    found = GeneralArm(serial_arm(arm, "l6", {})).solve(arm.pose(q, "l6"))
    assert gaps(found.q, q) < 1e-8
    assert found.multiplicity.sum() == 8
    assert found.complete.all()


def test_poses_where_the_elimination_of_two_prismatic_joints_is_singular_have_their_configurations():
    # RRRRPP has one cut. Its matrix of half angles holds the pose, and is singular where the axes of joints 1
    # and 4 are parallel
    tested = 0
    for seed in range(12):
        robot = random_arm(seed, "RRRRPP")
        arm = serial_arm(robot, "l6", {})
        q = states(robot, 1, seed)[0]

        def difference(x, arm=arm, q=q):
            z, _ = joint_axes(arm, np.array([*x, *q[4:]]))
            return z[3] - z[0]

        found = least_squares(difference, q[:4], xtol=1e-15, ftol=1e-15, gtol=1e-15)
        q[:4] = found.x
        if np.abs(found.fun).max() > 1e-7 or np.linalg.svd(robot.jacobian(q, "l6"))[1][-1] < 1e-2:
            continue
        tested += 1
        poses = np.stack([robot.pose(q, "l6"), robot.pose(states(robot, 1, 40 + seed)[0], "l6")])
        found = robot.inverse_kinematics(poses, "l6", all=True, limits=False)
        angles = [j.type == "revolute" for j in robot.joints]
        gap = found.q[0] - q
        gap = np.where(angles, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
        assert np.nanmin(np.abs(gap).max(axis=1), initial=9.0) < 1e-6
        assert found.success[1].any()  # a regular pose of the same batch
    assert tested >= 3


def test_a_double_zero_without_its_configuration_is_reported():
    # two solutions 3e-5 apart at a singular pose; Newton's method fails there
    arm = modified_dh_arm("jaco", GENERAL["JACO 2 (lengths)"])
    q = np.array([-h, h, -h, -h, -2.554224384, -2.221299357])
    found = arm.inverse_kinematics(arm.pose(q, "l6"), "l6", all=True, limits=False)
    assert not found.complete or gaps(found.q[None], q[None]) < 1e-4


@pytest.mark.parametrize("deviation", [1e-6, 1e-7, 1e-8])
def test_a_nearly_exact_ur_has_its_known_configuration_at_singular_poses(deviation):
    # four nearly parallel axes: the configurations lie on a curve along which the error stays below 1e-7
    table = np.array(
        [[0, 0, 0.0892], [h, 0, 0], [0, -0.425, 0], [0, -0.392, 0.1093], [h, 0, 0.0947], [-h, 0, 0.0823]]
    )
    arm = modified_dh_arm("ur", table + deviation * np.random.default_rng(70).normal(size=(6, 3)))
    q = np.array(
        [[-1.4, -0.7, -0.98, 0.23, 0, 1.78], [1.57, 2.58, 0, -0.85, 0, 0.35], [0, 1.33, h, -2.74, 0, 0]]
    )
    found = arm.inverse_kinematics(arm.pose(q, "l6"), "l6", all=True)
    assert found.method == "elimination"
    lost = gaps(found.q, q) > 1e-4
    assert not (lost & found.complete).any()
    assert not lost.any()
