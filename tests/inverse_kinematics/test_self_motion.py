"""Self-motion curves of arms with seven joints: complete, at the pose, with the parts that limits leave."""

import numpy as np
import pytest
from test_all_configurations import modified_dh_arm, random_arm

import rikigaku as rk
from rikigaku.core.errors import NotSolvable, UnknownName, WrongSize

HALF = np.pi / 2
# a shoulder and wrist that are not spherical, as of UFACTORY's xArm 7
XARM7 = [
    (0, 0, 0.267), (-HALF, 0, 0), (HALF, 0, 0.293), (HALF, 0.0525, 0), (HALF, 0.0775, 0.3425),
    (HALF, 0, 0), (-HALF, 0.076, 0.097),
]  # fmt: skip


def robots():
    return [
        (rk.load("iiwa14"), "hand", 8),
        (rk.load("panda"), "hand", None),
        (modified_dh_arm("xarm7", XARM7), "l7", None),
        (random_arm(7, "RRRRRRR"), "l7", None),
    ]


@pytest.mark.parametrize("k", range(4), ids=["iiwa14", "panda", "xarm7", "general"])
def test_curves_stay_at_the_pose_and_contain_every_configuration(k):
    robot, frame, count = robots()[k]
    q = robot.random_state(3).q
    T = robot.pose(q, frame)
    found = robot.self_motion(T, frame)
    assert len(found) >= 1
    assert count is None or len(found) == count  # shoulder, elbow and wrist of an SRS arm: 2^3
    for curve in found.curves:
        np.testing.assert_allclose(
            robot.pose(curve.q, frame), np.broadcast_to(T, (len(curve.q), 4, 4)), atol=1e-9
        )
        step = np.linalg.norm(np.diff(curve.q, axis=0), axis=1)
        assert step.max() < 0.2
        for first, last in curve.intervals:
            assert curve.inside[first]
            assert curve.inside[last]
    # the known configuration, and those that searches find, lie on the curves
    samples = np.concatenate([curve.q for curve in found.curves])
    others = [
        robot.inverse_kinematics(T, frame, q0=robot.random_state(s).q, method="search") for s in range(12)
    ]
    for x in (q, *(one.q for one in others if one.success)):
        gap = samples - x
        gap = gap - 2 * np.pi * np.round(gap / 2 / np.pi)
        assert np.linalg.norm(gap, axis=1).min() < 0.06  # half a step of the curve, and its bend


def test_the_limits_leave_intervals():
    panda = rk.load("panda")
    q = panda.random_state(3).q
    found = panda.self_motion(panda.pose(q, "hand"), "hand", "panda_joint7")
    assert found.parameter_name == "panda_joint7"
    lower, upper = found.lower, found.upper
    inside = 0
    for curve in found.curves:
        np.testing.assert_array_equal(curve.parameter, curve.q[:, 6])
        x = curve.q + 2 * np.pi * np.ceil((lower - 1e-8 - curve.q) / (2 * np.pi))
        np.testing.assert_array_equal(curve.inside, ((x >= lower - 1e-8) & (x <= upper + 1e-8)).all(axis=1))
        inside += curve.inside.sum()
        for first, last in curve.intervals:  # ends where a joint is at a limit, not at a sample beside it
            for end in (x[first], x[last]):
                assert np.minimum(np.abs(end - lower), np.abs(upper - end)).min() < 1e-8
    assert 0 < inside < sum(len(curve.q) for curve in found.curves)


def test_the_arm_angle_is_the_rotation_of_the_elbow_about_shoulder_and_wrist():
    iiwa = rk.load("iiwa14")
    q = iiwa.random_state(5).q
    T = iiwa.pose(q, "hand")
    found = iiwa.self_motion(T, "hand", "arm angle")
    for value in (0.4, -1.1):
        at = found.at(value)
        assert len(at) == 8
        np.testing.assert_allclose(iiwa.pose(at, "hand"), np.broadcast_to(T, (8, 4, 4)), atol=1e-9)
        # by hand: shoulder, elbow and wrist from the joints' origins
        for x in at:
            names = [link.name for link in iiwa.links]
            points = [iiwa.pose(x, name)[:3, 3] for name in names]
            S, E, W = points[1], points[3], points[5]
            n = (W - S) / np.linalg.norm(W - S)
            a, b = np.array([0, 0, 1.0]), E - S
            a, b = a - (a @ n) * n, b - (b @ n) * n
            angle = np.arctan2(np.cross(a, b) @ n, a @ b)
            assert np.abs(np.exp(1j * angle) - np.exp(1j * value)) < 1e-6


def test_a_planar_arm_of_four_joints_has_a_self_motion():
    links = [
        rk.Link(f"l{k + 1}", f"l{k}" if k else "base", rk.Joint(f"q{k + 1}"), rk.ModifiedDH(a=0.3))
        for k in range(4)
    ]
    arm = rk.Robot("planar", tuple(links), frames=(rk.Frame("tip", "l4", rk.ModifiedDH(a=0.2)),))
    q = np.array([0.3, 0.8, -0.5, 0.9])
    T = arm.pose(q, "tip")
    (curve,) = arm.self_motion(T, "tip").curves
    assert curve.closed
    # a four-bar linkage: base, three links and the wrist at a fixed point; its hinges stay at their distances
    joints = np.stack([arm.pose(curve.q, f"l{k}")[:, :3, 3] for k in (1, 2, 3, 4)], axis=1)
    np.testing.assert_allclose(joints[:, 3], np.broadcast_to(joints[0, 3], (len(curve.q), 3)), atol=1e-11)
    everything = arm.inverse_kinematics(T, "tip", all=True)
    assert everything.dimension == 1
    assert arm.inverse_kinematics(T, "tip").success


def test_other_arms_are_refused_in_words():
    ur = rk.load("ur5")
    with pytest.raises(NotSolvable, match=r"6 joints move frame 'hand'.*isolated"):
        ur.self_motion(np.eye(4), "hand")
    panda = rk.load("panda")
    T = panda.pose(panda.random_state(1).q, "hand")
    with pytest.raises(NotSolvable, match="has no arm angle"):
        panda.self_motion(T, "hand", "arm angle")
    with pytest.raises(UnknownName, match="elbow"):
        panda.self_motion(T, "hand", "elbow")
    with pytest.raises(WrongSize, match="one pose"):
        panda.self_motion(T[None], "hand")


def test_a_curve_along_which_only_two_joints_turn_is_found():
    """Axes 1 and 3 are in line: q1 + s, q3 - s holds the pose, and every other joint is constant."""
    panda = rk.load("panda")
    q = np.array([-0.4, 0, 0.8, -2.2, 0.1, 1.1, 0.7])
    found = panda.self_motion(panda.pose(q, "hand"), "hand")
    for s in np.linspace(-2, 2, 5):
        moved = q + s * np.array([1, 0, -1, 0, 0, 0, 0])
        gaps = [np.abs(np.exp(1j * c.q) - np.exp(1j * moved)).max(axis=1).min() for c in found.curves]
        assert min(gaps) < 0.05
    assert found.complete
    assert found.dimension == 1
    assert found.message == f"{len(found)} curves: all there are."


def test_a_stretched_arm_has_families_of_several_dimensions():
    """Axes 1, 3, 5 and 7 of the iiwa are in line at zero: their sum is given, three angles are free."""
    iiwa = rk.load("iiwa14")
    found = iiwa.self_motion(iiwa.pose(np.zeros(7), "hand"), "hand")
    assert found.dimension == 3
    assert not found.complete
    assert "samples of families of dimension 3" in found.message
