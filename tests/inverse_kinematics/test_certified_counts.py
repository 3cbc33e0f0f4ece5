"""Numbers of real configurations against certified ones: paths over complex poses, from forward kinematics
alone, whose ends are enclosed in arithmetic of 256 bits."""

import numpy as np

import rikigaku as rk
from benchmarks.certified_counts import certified_counts
from benchmarks.complex_paths import general_pose, pose_and_jacobian, scaled, screws


def test_the_number_of_configurations_by_formulas_is_certified() -> None:
    robot = rk.load("stanford")
    revolute = np.array([joint.type == "revolute" for joint in robot.joints])
    arm = screws(lambda q: robot.pose(q, "hand"), revolute)
    q = np.random.default_rng(5).uniform(-1, 1, (2, 6)) * np.where(revolute, np.pi, 0.3)
    H = robot.pose(q, "hand")
    own = q.astype(complex)
    own[:, ~revolute] /= arm.reach
    np.testing.assert_allclose(pose_and_jacobian(arm, own)[0], scaled(arm, H), atol=1e-14)
    start = general_pose(arm, most=8)  # Pieper's bound of a spherical wrist
    assert len(start.x) == 8
    found = robot.inverse_kinematics(H, "hand", all=True, limits=False)
    np.testing.assert_array_equal(certified_counts(arm, start, H).real, (found.multiplicity > 0).sum(axis=1))
