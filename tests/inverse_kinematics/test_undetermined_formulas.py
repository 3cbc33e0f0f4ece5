"""Poses where a formula leaves a joint undetermined: an arctangent of (0, 0), or a divisor that vanishes."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.inverse_kinematics.formula_kernel import divisors
from rikigaku.numbers.formula import Formula

H, PI = np.pi / 2, np.pi


def arm_of(types, table):
    """An arm with rows (alpha, a, d, theta) of modified DH parameters."""
    links = [
        rk.Link(
            f"l{k + 1}",
            f"l{k}" if k else "base",
            rk.Joint(f"q{k + 1}", "revolute" if kind == "R" else "prismatic"),
            rk.ModifiedDH(alpha=alpha, a=a, d=d, theta=theta),
        )
        for k, (kind, (alpha, a, d, theta)) in enumerate(zip(types, table, strict=True))
    ]
    return rk.Robot("arm", tuple(links))


def test_an_elbow_stretched_by_its_wrist_is_found():
    # four parallel axes in a row, all links stretched: the configuration is isolated, and J has rank four
    ur5 = rk.load("ur5")
    q = np.array([-H, 0, 0, -H, 0, H])
    found = ur5.inverse_kinematics(ur5.pose(q, "hand"), "hand", all=True, limits=False)
    assert len(found) == 1
    np.testing.assert_allclose(next(iter(found)), q, atol=1e-5)


def test_a_ur5_with_joints_3_and_5_at_zero_has_a_singular_configuration():
    ur5 = rk.load("ur5")
    q = np.random.default_rng(1).uniform(-3, 3, (150, 6))
    q[:, [2, 4]] = 0
    poses = ur5.pose(q, "hand")
    found = ur5.inverse_kinematics(poses, "hand", all=True, limits=False)
    assert found.success.any(axis=1).all()
    assert ((found.family > 0) | (found.multiplicity > 1)).any(axis=1).all()
    reached = ur5.pose(found.q[found.success], "hand")
    np.testing.assert_allclose(reached, np.repeat(poses, found.success.sum(axis=1), axis=0), atol=1e-10)


@pytest.mark.parametrize(
    ("types", "table", "q", "family"),
    [
        (
            "RRRRR",
            [(0, 0, 0.2, H), (0, 0.3, 0.2, H), (H, 0, 0.2, 0), (-H, 0.5, 0, H), (0, 0.5, 0.2, 0)],
            [-1.664, -H, 0, -1.0359, -2.7558],
            1,
        ),
        (
            "RPRPRR",
            [
                (0, 0, 0, H),
                (PI, 0.3, 0, 0),
                (-H, 0.3, 0, H),
                (PI, 0, 0, 0),
                (H, 0.5, 0.2, H),
                (PI, 0.3, 0.2, H),
            ],
            [H, -0.7221, 0, 0.2903, 1.1198, 0.9453],
            1,
        ),
        (
            "PRRRP",
            [(0, 0, 0.2, 0), (PI, 0.5, 0.2, H), (0, 0.5, 0, H), (H, 0, 0, 0), (-H, 0.5, 0, H)],
            [0.5093, 0, PI, 2.9247, 0.9952],
            0,
        ),
    ],
)
def test_arms_with_divisors_have_configurations_where_these_vanish(types, table, q, family):
    arm = arm_of(types, table)
    frame = f"l{len(types)}"
    pose = arm.pose(np.array(q), frame)
    found = arm.inverse_kinematics(pose, frame, all=True, limits=False)
    assert found.method == "formulas"
    assert found.success.any()
    assert found.family.max() == family
    np.testing.assert_allclose(arm.pose(found.q[found.success], frame) - pose, 0, atol=1e-10)


def test_a_pose_with_an_undetermined_joint_beyond_the_stretched_arm_is_out_of_reach():
    ur5 = rk.load("ur5")
    pose = ur5.pose(np.array([-H, 0, 0, -H, 0, H]), "hand")
    pose[1, 3] *= 1.2  # beyond the stretched arm
    found = ur5.inverse_kinematics(pose, "hand", all=True, limits=False)
    assert not len(found)
    assert found.complete
    assert found.message == "The pose is out of reach."


def test_divisors_are_the_factors_with_negative_powers():
    a, b, c = (Formula.symbol(x) for x in "abc")
    assert [str(x) for x in divisors(a / b + c)] == ["b"]
    assert [str(x) for x in divisors((a + 1 / c).sin() / (b + 1))] == ["c", "b + 1"]
    assert divisors(a * b - 2) == []
