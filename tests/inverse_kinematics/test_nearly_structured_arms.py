"""Arms whose angles are nearly right ones, and singular configurations that are easily lost."""

import numpy as np
import pytest
from test_all_configurations import modified_dh_arm

import rikigaku as rk

H = np.pi / 2
UR = [(0, 0, 0.0892), (H, 0, 0), (0, -0.425, 0), (0, -0.392, 0.1093), (H, 0, 0.0947), (-H, 0, 0.0823)]


def lost(robot, frame, q, **options):
    """Poses that are said to be complete without their known configuration; the largest residual."""
    T = robot.pose(q, frame)
    found = robot.inverse_kinematics(T, frame, all=True, limits=False, **options)
    revolute = np.array([joint.type == "revolute" for joint in robot.joints])
    gap = found.q - q[:, None]
    gap -= np.where(revolute, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
    near = (np.abs(gap).max(axis=2) < 1e-3).any(axis=1)
    residual = np.abs(robot.pose(found.q, frame) - T[:, None]).max(axis=(2, 3))
    silent = ~near & found.complete & (found.family.max(axis=1) == 0)
    return np.nonzero(silent)[0].tolist(), float(residual[found.success].max()), near


# configurations of such arms that eliminations lost: elbow stretched, wrist in line
SPECIAL = np.array(
    [
        [np.pi, H, -1.1147, np.pi, np.pi, -2.4855],
        [0.4084, 0.4805, 0, np.pi, -3.0739, -1.761],
        [H, np.pi, 0, -0.244, 1.8126, H],
        [H, H, 0, 2.1482, H, 2.4581],
    ]
)


@pytest.mark.parametrize("noise", [1e-10, 1e-12])
def test_a_calibrated_arm_near_its_nominal_one_loses_nothing_silently(noise):
    rng = np.random.default_rng(5)
    rows = np.array(UR) + noise * rng.normal(size=(6, 3))
    silent, residual, near = lost(modified_dh_arm("calibrated", rows.tolist()), "l6", SPECIAL)
    assert silent == []
    assert near[1:].all()  # the first belongs to a curve that nearly is a family
    assert residual < 2e-12


def test_a_truncated_right_angle_loses_nothing_silently_and_residuals_are_those_of_rounding():
    alpha = 1.5707963
    rows = [(alpha if x[0] > 0 else -alpha if x[0] < 0 else 0, *x[1:]) for x in UR]
    q = np.array(
        [[0.3, -1.0, 0.7, 0.2, 0, 0.4], [H, 0.3, 0.6, -1.0, np.pi, 0], [0.5, -0.7, 0, 0.4, 1.1, 0.2]]
    )
    silent, residual, near = lost(modified_dh_arm("truncated", rows), "l6", q)
    assert silent == []
    assert near[2]
    assert residual < 2e-12


def test_triple_configurations_at_the_ends_of_paths_are_kept():
    slide = "prismatic"
    rows = [(0, 0, 0, slide), (0, 0, 0.2), (H, 0.1, 0, slide), (0, 0, 0.1), (H, 0.05, 0), (H, 0, 0.1)]
    arm = modified_dh_arm("cylindrical", rows)
    rng = np.random.default_rng(1)
    q = rng.uniform(-1, 1, (12, 6)) * [1, np.pi, 1, 0, 0, np.pi] + [0, 0, 0.3, 0, 0, 0]
    q[:, 4] = np.where(rng.random(12) < 0.5, np.pi, 0)
    _, residual, near = lost(arm, "l6", q)
    assert near.all()
    assert residual < 2e-12


def test_a_double_configuration_of_an_arm_of_five_joints_is_in_reach():
    rows = [(0, 0, 0.5), (H, 0.1, 0.05), (0, 0.6, 0), (H, 0.1, 0.5), (-H, 0.03, 0.02)]
    q = np.array([[-2.7008, -H, -H, 1.8496, 1.2686], [3.0165, -H, -H, H, -3.1091]])
    _, _, near = lost(modified_dh_arm("offsets", rows), "l5", q)
    assert near.all()


def test_each_target_of_a_batch_may_have_its_own_q0():
    ur5 = rk.load("ur5")
    q = ur5.random_state(1, 6).q.reshape(2, 3, 6)
    T = ur5.pose(q, "hand")
    for options in ({}, {"method": "search"}, {"dtype": np.float32}):
        found = ur5.inverse_kinematics(T, "hand", q, **options)
        np.testing.assert_allclose(found.q, q, atol=1e-5)
    with pytest.raises(rk.core.errors.WrongSize, match=r"one for each target \(2, 3, 6\)"):
        ur5.inverse_kinematics(T, "hand", q[0])


def test_members_within_the_limits_are_near_to_the_q0_of_their_target():
    """Joint 6 of a UR whose wrist is in line: the family is cut by the limits."""
    ur5 = rk.load("ur5")
    T = ur5.pose(np.array([0.3, -1.0, 1.0, 0.2, 0.0, 0.4]), "hand")
    far = np.array([[3.0, 0, 0, 0, 0, 3.0], [0.3, -1.0, 1.0, 0.2, 0.0, 0.4]])
    both = ur5.inverse_kinematics(np.stack([T, T]), "hand", far)
    for k in range(2):
        np.testing.assert_allclose(both.q[k], ur5.inverse_kinematics(T, "hand", far[k]).q, atol=1e-9)
