"""Families of configurations at singular poses of arms with joint limits."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.inverse_kinematics.exact_solver import exact_solver
from rikigaku.inverse_kinematics.family_limits import members_within

H = np.pi / 2
KR = [(0, 0, 0.4), (-H, 0.025, 0), (0, 0.455, 0), (-H, 0.035, 0.42), (H, 0, 0), (-H, 0, 0.08)]
UR = [(0, 0, 0.09), (H, 0, 0), (0, -0.425, 0), (0, -0.39, 0.11), (H, 0, 0.095), (-H, 0, 0.082)]


def limited_arm(table, lower, upper):
    """An arm of six revolute joints with rows (alpha, a, d) of modified DH parameters and joint limits."""
    links = [
        rk.Link(
            f"l{k + 1}",
            f"l{k}" if k else "base",
            rk.Joint(f"q{k + 1}", limits=rk.Limits(lower=float(lower[k]), upper=float(upper[k]))),
            rk.ModifiedDH(alpha=alpha, a=a, d=d),
        )
        for k, (alpha, a, d) in enumerate(table)
    ]
    return rk.Robot("arm", tuple(links))


LOWER, UPPER = np.array([-2.9, -2.9, -2.9, 0.5, -2, -1.5]), np.array([2.9, 2.9, 2.9, 1.5, 2, -0.5])


def in_line(count):
    """An arm whose wrist may move little, and configurations within its limits with the wrist in line."""
    q = np.random.default_rng(1).uniform(LOWER, UPPER, (count, 6))
    q[:, 4] = 0
    return limited_arm(KR, LOWER, UPPER), q


def test_a_family_has_a_member_within_the_limits_of_the_wrist():
    arm, q = in_line(25)
    poses = arm.pose(q, "l6")
    found = arm.inverse_kinematics(poses, "l6", all=True)
    assert found.success.any(axis=1).all()
    members = found.q[found.success]
    assert (members > LOWER - 1e-12).all()
    assert (members < UPPER + 1e-12).all()
    reached = arm.pose(members, "l6")
    np.testing.assert_allclose(reached, np.repeat(poses, found.success.sum(axis=1), axis=0), atol=1e-11)
    one = arm.inverse_kinematics(poses, "l6")
    assert one.success.all()
    assert one.method == "formulas"


def test_the_member_nearest_to_the_start_is_returned():
    # joints 4 and 6 rotate against each other: q4 + q6 is given, and limits leave a part of that line
    arm, q = in_line(4)
    for own in q:
        member = arm.inverse_kinematics(arm.pose(own, "l6"), "l6", q0=own).q
        np.testing.assert_allclose(member, own, atol=1e-4)


def test_a_path_of_poses_with_the_wrist_in_line_is_followed():
    arm, q = in_line(1)
    ways = np.linspace(q[0], q[0] + [0.1, 0.1, 0.1, 0.1, 0, 0], 12)
    path = arm.inverse_kinematics(arm.pose(ways, "l6"), "l6", q0=q[0], along=True)
    assert path.success.all()
    assert path.changes == ()


@pytest.mark.parametrize("width", [0.3, 1e-3])
def test_a_short_part_of_a_ur_family_is_found(width):
    # four parallel axes form a four-bar linkage, whose curve has a short part within the limits
    q = np.array([0.4, -1.1, 1.3, -0.7, 0.0, 0.5])
    arm = limited_arm(UR, q - 0.3 * width, q + 0.7 * width)
    found = arm.inverse_kinematics(arm.pose(q, "l6"), "l6", all=True)
    assert found.success.any()
    assert np.abs(found.q[found.success] - q).max() < width


def test_both_parts_of_a_family_within_the_limits_have_a_member():
    # q4 + q6 = pi, both between -2.5 and 2.5: limits of joint 6 exclude |q4| < pi - 2.5
    limits = np.full(6, 2.5)
    arm = limited_arm(KR, -limits, limits)
    q = np.array([[0.3, -0.4, 0.5, 0.1, 0.0, np.pi - 0.1]])
    poses, known = arm.pose(q, "l6"), np.full((1, 1, 6), np.nan)
    chain = exact_solver(arm, "l6", {}, ())
    found = members_within(chain, {}, poses, q, np.array([0.3, -0.4, 0.5, 0.2, 0.0, 0.2]), np.zeros(1), known)
    np.testing.assert_allclose(arm.pose(found.q, "l6"), np.repeat(poses, 2, axis=0), atol=1e-12)
    nearest = np.sort(found.q[:, 3] - 2 * np.pi * np.round(found.q[:, 3] / (2 * np.pi)))
    np.testing.assert_allclose(nearest, [-np.pi / 2, np.pi / 2], atol=1e-3)
    assert found.owner.tolist() == [0, 0]


def test_the_method_is_that_which_answered():
    arm, _ = in_line(1)
    poses = arm.pose(np.array([[0.3, -0.4, 0.5, 1.0, 0.5, -1.0], [0.2, -0.3, 0.4, 1.0, 0.7, -1.0]]), "l6")
    assert arm.inverse_kinematics(poses, "l6").method == "formulas"
    poses[1, :3, 3] += 3
    found = arm.inverse_kinematics(poses, "l6")
    assert found.success.tolist() == [True, False]
    assert found.method.tolist() == ["formulas", "search"]
    assert arm.inverse_kinematics(poses[1], "l6").method == "search"
    assert arm.inverse_kinematics(poses[None], "l6").method.shape == (1, 2)
