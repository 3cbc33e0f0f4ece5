"""Singular poses: families of configurations, and multiplicities of those that coincide."""

import numpy as np
import pytest
from test_all_configurations import random_arm

import rikigaku as rk

STRETCHED = -1.5238184104468138  # joint 3 of a Puma with its elbow stretched


def test_every_ur5_with_joint_5_at_zero_has_a_family():
    # its formulas set joint 6 to one value there, at which the elbow may not reach
    ur5 = rk.load("ur5")
    q = ur5.random_state(5, 150).q
    q[:, 4] = 0
    poses = ur5.pose(q, "hand")
    found = ur5.inverse_kinematics(poses, "hand", all=True, limits=False)
    member = found.family > 0
    assert member.any(axis=1).all()
    assert (found.family[member] == 1).all()
    straight = np.abs(np.sin(found.q[..., 4])) < 1e-6
    assert (straight[member]).mean() > 0.95
    assert found.success[found.multiplicity > 0].all()
    reached = ur5.pose(found.q[member], "hand")
    np.testing.assert_allclose(reached, np.repeat(poses, member.sum(axis=1), axis=0), atol=1e-10)
    assert not any("all there are" in text for text in found.message)
    # members of the family: the known one, moved along its null vector, reaches the pose again
    null = np.linalg.svd(ur5.jacobian(q[:5], "hand"))[2][:, -1]
    for pose, own, v in zip(poses, q, null, strict=False):
        moved = ur5.inverse_kinematics(
            pose, "hand", q0=own + 0.05 * v, method="search", restarts=0, limits=False
        )
        assert moved.success
        assert 0.02 < np.linalg.norm(moved.q - own) < 0.1


def test_a_stretched_puma_with_its_wrist_in_line_belongs_to_a_family_of_dimension_one():
    puma = rk.load("puma560")
    pose = puma.pose([0.3, -0.4, STRETCHED, 0.6, 0.0, 0.2], "hand")
    found = puma.inverse_kinematics(pose, "hand", all=True, limits=False)
    members = found.q[found.family > 0]
    assert len(members)
    assert (found.family[found.family > 0] == 1).all()  # the null space of J has two dimensions
    turned = members + np.outer(np.ones(len(members)), [0, 0, 0, 0.5, 0, -0.5])
    other = members + np.outer(np.ones(len(members)), [0, 0, 0, 0.5, 0, 0.5])
    error = [np.abs(puma.pose(x, "hand") - pose).max(axis=(1, 2)) for x in (turned, other)]
    assert np.minimum(*error).max() < 1e-7
    bent = puma.inverse_kinematics(puma.pose([0.3, -0.4, STRETCHED, 0.6, 0.7, 0.2], "hand"), "hand", all=True)
    present = bent.multiplicity > 0
    assert (bent.family[present] == 0).all()
    assert (bent.multiplicity[present] == 2).all()
    assert bent.multiplicity.sum() == 8


def singular_configurations(arm, count):
    """Configurations with det J = 0, by bisection between random ones."""
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-3, 3, (2, count, 6))
    sign = np.sign(np.linalg.det(arm.jacobian(a, "l6")))
    differ = sign != np.sign(np.linalg.det(arm.jacobian(b, "l6")))
    a, b, sign = a[differ], b[differ], sign[differ]
    for _ in range(70):
        middle = (a + b) / 2
        same = (np.sign(np.linalg.det(arm.jacobian(middle, "l6"))) == sign)[:, None]
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    return (a + b) / 2


@pytest.mark.parametrize("apart", [0.0, 1e-5])
def test_solutions_that_coincide_are_one_of_multiplicity_two_and_others_count_for_themselves(apart):
    arm = random_arm(1, "RRRRRR")
    q = singular_configurations(arm, 24)
    null = np.linalg.svd(arm.jacobian(q, "l6"))[2][:, -1]
    found = arm.inverse_kinematics(arm.pose(q + apart * null, "l6"), "l6", all=True, limits=False)
    assert (found.multiplicity.sum(axis=1) % 2 == 0).all()
    rows = (found.multiplicity > 0).sum(axis=1)
    assert len(q) > 8
    if apart:  # two solutions at a distance of 2e-5
        assert (found.multiplicity.sum(axis=1) == rows).all()
        assert (rows % 2 == 0).all()
    else:
        assert (found.multiplicity.max(axis=1) == 2).all()
        assert (found.multiplicity.sum(axis=1) == rows + 1).all()


@pytest.mark.parametrize("bend", [1e-7, 1e-5])
def test_configurations_that_differ_by_half_a_revolution_are_not_multiple(bend):
    # with its wrist nearly in line a Puma has configurations +bend and -bend of joint 5, pi apart in joint 4
    puma = rk.load("puma560")
    q = np.random.default_rng(3).uniform(-3, 3, (100, 6))
    q[:, 4] = bend
    found = puma.inverse_kinematics(puma.pose(q, "hand"), "hand", all=True, limits=False)
    assert (found.multiplicity == 1).all()


@pytest.mark.parametrize("off", [1e-8, 1e-5])
def test_elbows_that_coincide_within_1e_6_are_one_of_multiplicity_two(off):
    puma = rk.load("puma560")
    q = np.random.default_rng(4).uniform(-3, 3, (40, 6))
    q[:, 2] = STRETCHED + off
    found = puma.inverse_kinematics(puma.pose(q, "hand"), "hand", all=True, limits=False)
    assert (found.multiplicity.sum(axis=1) == 8).all()
    assert ((found.multiplicity > 0).sum(axis=1) == (4 if off < 1e-6 else 8)).all()


def test_a_truncated_right_angle_is_not_called_complete_where_configurations_are_missing():
    # formulas find one configuration of a curve that nearly is a family; others are far along it
    alpha = 1.5707963
    rows = [
        (0, 0, 0.0892),
        (alpha, 0, 0),
        (0, -0.425, 0),
        (0, -0.392, 0.1093),
        (alpha, 0, 0.0947),
        (-alpha, 0, 0.0823),
    ]
    arm = rk.Robot("truncated", tuple(
        rk.Link(f"l{k}", f"l{k - 1}" if k else "base", rk.Joint(f"q{k}"), rk.ModifiedDH(alpha=x, a=a, d=d))
        for k, (x, a, d) in enumerate(rows)
    ))  # fmt: skip
    rng = np.random.default_rng(5)
    q = rng.uniform(-np.pi, np.pi, (60, 6))
    q = np.where(rng.random((60, 6)) < 0.4, rng.choice([0, np.pi, np.pi / 2], (60, 6)), q)
    q[30:] = rng.uniform(-np.pi, np.pi, (30, 6))
    found = arm.inverse_kinematics(arm.pose(q, "l5"), "l5", all=True, limits=False)
    assert found.method == "formulas"
    gap = found.q - q[:, None]
    gap = np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi))).max(axis=2)
    known = ((gap < 1e-3) & found.success).any(axis=1) | (found.family > 0).any(axis=1)
    assert (known | ~found.complete).all()
    assert found.complete[30:].all()  # general poses
    assert not known[:30].all()
