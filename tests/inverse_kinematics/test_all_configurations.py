"""All configurations of arms of four to seven joints: complete, accurate, independent of the batch."""

import numpy as np
import pytest

import rikigaku as rk
from benchmarks.inverse_kinematics_arms import GENERAL
from rikigaku.core.errors import NotSolvable, UnknownName
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.serial_arm import serial_arm
from rikigaku.inverse_kinematics.trigonometric_roots import DEGREE, sample_angles, value
from rikigaku.inverse_kinematics.trigonometric_roots import coefficients as of_samples


def modified_dh_arm(name, rows):
    """rows: alpha, a, d of revolute joints, or alpha, a, theta, "prismatic"."""
    links = []
    for k, (alpha, a, x, *kind) in enumerate(rows):
        geometry = rk.ModifiedDH(alpha=alpha, a=a, theta=x) if kind else rk.ModifiedDH(alpha=alpha, a=a, d=x)
        joint = rk.Joint(f"q{k + 1}", type=kind[0] if kind else "revolute")
        links.append(rk.Link(f"l{k + 1}", f"l{k}" if k else "base", joint, geometry))
    return rk.Robot(name, tuple(links))


def random_arm(seed, types):
    rng = np.random.default_rng(seed)
    rows = [(*rng.uniform(-1.5, 1.5, 3), *(["prismatic"] if t == "P" else [])) for t in types]
    return modified_dh_arm(f"arm{seed}", rows)


# No three axes meet or are parallel: no formula by square roots (Kinova's JACO 2, published lengths).
JACO = [
    (0, 0, 0.2755), (np.pi / 2, 0, 0), (0, 0.41, -0.0098), (np.pi / 2, 0, -0.2501),
    (np.pi / 3, 0, -0.0856), (np.pi / 3, 0, -0.2028),
]  # fmt: skip

ARMS = [
    ("RRRRRR", random_arm(1, "RRRRRR")),
    ("RRRRRR", random_arm(2, "RRRRRR")),
    ("RRPRRR", random_arm(3, "RRPRRR")),
    ("RRRRR", random_arm(4, "RRRRR")),
    ("RRRR", random_arm(5, "RRRR")),
    ("RRRRRR", modified_dh_arm("jaco", JACO)),
]


def states(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-3, 3, (count, robot.nq)) * [1 if j.type == "revolute" else 0.2 for j in robot.joints]


def gaps(found, q):
    """Distance of each target's known configuration to the nearest one found."""
    d = found - q[:, None]
    d = d - 2 * np.pi * np.round(d / (2 * np.pi))
    return np.nanmin(np.abs(d).max(axis=-1), axis=1, initial=9.0)


@pytest.mark.parametrize(("types", "robot"), ARMS, ids=[robot.name for _, robot in ARMS])
def test_the_known_configuration_is_found_among_all(types, robot):
    q = states(robot, 400)
    frame = robot.frame_names[-1]
    poses = robot.pose(q, frame)
    found = robot.inverse_kinematics(poses, frame, all=True)
    assert found.method == "elimination"
    assert gaps(found.q, q).max() < 1e-7
    good = found.success
    assert found.position_error[good].max() < 1e-12 * 20
    assert found.rotation_error[good].max() < 1e-12 * 20
    assert np.isnan(found.q[found.multiplicity == 0]).all()
    if len(types) == 6:
        assert ((found.multiplicity > 0).sum(axis=1) % 2 == 0).all()  # complex ones come in pairs
    reached = robot.pose(found.q[good], frame)  # by the compiled law, which elimination does not use
    np.testing.assert_allclose(reached, np.repeat(poses, good.sum(axis=1), axis=0), atol=1e-11)


def test_a_search_from_random_starts_finds_nothing_else():
    robot = ARMS[0][1]
    frame = robot.frame_names[-1]
    q = states(robot, 6, seed=3)
    poses = robot.pose(q, frame)
    found = robot.inverse_kinematics(poses, frame, all=True)
    for k, T in enumerate(poses):
        known = list(found.q[k][found.success[k]])
        starts = np.random.default_rng(k).uniform(-3, 3, (60, 6))
        for start in starts:  # Newton from random starts finds nothing that elimination missed
            one = robot.inverse_kinematics(T, frame, q0=start, method="search", restarts=0, limits=False)
            if one.success:
                d = np.array(known) - one.q
                assert np.abs(d - 2 * np.pi * np.round(d / (2 * np.pi))).max(axis=1).min() < 1e-5


def test_formulas_and_elimination_agree_where_both_exist():
    robot = rk.load("ur5")
    q = states(robot, 50, seed=4)
    poses = robot.pose(q, "hand")
    found = robot.inverse_kinematics(poses, "hand", all=True, limits=False)
    assert found.method == "formulas"
    assert gaps(found.q, q).max() < 1e-7
    # a calibrated arm: its axes are no longer parallel, and only elimination serves
    rng = np.random.default_rng(9)
    bent = modified_dh_arm(
        "bent",
        [(a + 1e-3 * rng.normal(), b + 1e-3 * rng.normal(), d + 1e-3 * rng.normal()) for a, b, d in UR],
    )
    poses = bent.pose(q, "l6")
    found = bent.inverse_kinematics(poses, "l6", all=True)
    assert found.method == "elimination"
    assert gaps(found.q, q).max() < 1e-7


UR = [
    (0, 0, 0.089), (np.pi / 2, 0, 0), (0, -0.425, 0), (0, -0.392, 0.109), (np.pi / 2, 0, 0.0947),
    (-np.pi / 2, 0, 0.0823),
]  # fmt: skip


@pytest.mark.parametrize("name", ["PiPER (lengths)", "KUKA KR type", "RX-90"])
def test_the_first_five_joints_of_known_arms_are_solved_at_every_pose_they_reach(name):
    arm = modified_dh_arm("five", GENERAL[name][:5])
    q = states(arm, 200, seed=3)
    poses = arm.pose(q, "l5")
    found = arm.inverse_kinematics(poses, "l5", all=True, limits=False)
    assert gaps(found.q, q).max() < 1e-6
    # beside the reach by more than the tolerance: the nearest is searched for, with its distance
    poses[:5, :3, 3] += 1e-3 * np.random.default_rng(1).normal(size=(5, 3))
    found = arm.inverse_kinematics(poses[:5], "l5", limits=False)
    assert not found.success.any()
    error = np.hypot(found.position_error, found.rotation_error)
    assert ((error > 1e-6) & (error < 2e-2)).all()


def test_a_target_has_the_same_solution_alone_and_in_any_batch():
    robot = ARMS[0][1]
    frame = robot.frame_names[-1]
    poses = robot.pose(states(robot, 9, seed=5), frame)
    together = robot.inverse_kinematics(poses, frame, all=True)
    for k, T in enumerate(poses):
        alone = robot.inverse_kinematics(T, frame, all=True)
        np.testing.assert_allclose(alone.q, together.q[k], atol=1e-9)
    tree = rk.load("panda")
    targets = tree.pose(tree.random_state(3, 4).q, "hand")
    found = tree.inverse_kinematics(targets, "hand")
    for k, T in enumerate(targets):
        np.testing.assert_array_equal(tree.inverse_kinematics(T, "hand").q, found.q[k])


def test_seven_joints_have_a_curve_of_configurations_and_isolated_ones_for_a_given_joint():
    seven = random_arm(7, "RRRRRRR")
    q = states(seven, 20, seed=6)
    poses = seven.pose(q, "l7")
    found = seven.inverse_kinematics(poses, "l7", all=True, given={"q4": q[:, 3]})
    assert gaps(found.q, q).max() < 1e-7
    assert found.dimension == 0
    curve = seven.inverse_kinematics(poses[0], "l7", all=True)
    assert curve.dimension == 1
    assert len(curve) > 70
    np.testing.assert_allclose(
        seven.pose(curve.q[curve.success], "l7"), np.broadcast_to(poses[0], (len(curve), 4, 4)), atol=1e-10
    )


def test_a_pose_out_of_reach_has_none_and_the_nearest_is_searched_for():
    robot = ARMS[0][1]
    frame = robot.frame_names[-1]
    far = np.eye(4)
    far[:3, 3] = 50.0
    found = robot.inverse_kinematics(far, frame, all=True)
    assert not found
    assert len(found) == 0
    assert "out of reach" in str(found.message)
    nearest = robot.inverse_kinematics(far, frame)
    assert not nearest.success
    assert np.isfinite(nearest.q).all()
    assert nearest.position_error > 1
    assert f"out of reach. The nearest configuration found is off by {nearest.position_error:.3g} m" in str(
        nearest.message
    )


def test_the_configuration_nearest_to_the_start_is_returned():
    robot = ARMS[0][1]
    frame = robot.frame_names[-1]
    for q in states(robot, 10, seed=8):
        found = robot.inverse_kinematics(robot.pose(q, frame), frame, q0=q + 1e-3, limits=False)
        assert np.abs(found.q - q).max() < 1e-7


def test_wrong_requests_are_refused_in_words():
    panda = rk.load("panda")
    T = panda.pose(panda.neutral(), "hand")
    with pytest.raises(UnknownName, match="no joint named 'elbow'"):
        panda.inverse_kinematics(T, "hand", all=True, given={"elbow": 0.0})
    with pytest.raises(UnknownName, match="Did you mean 'search'"):
        panda.inverse_kinematics(T, "hand", method="serch")
    with pytest.raises(NotSolvable, match="loops"):
        rk.load("five_bar").inverse_kinematics(np.eye(4), "hand", all=True, method="elimination")
    nowhere = rk.load("five_bar").inverse_kinematics([9.0, 9.0, 9.0], "hand", all=True)
    assert not nowhere
    assert nowhere.message == "No configuration was found."


def test_interpolated_polynomials_have_their_values():
    rng = np.random.default_rng(0)
    a = rng.normal(size=2 * DEGREE + 1)
    samples = [value(list(a), x)[0] for x in sample_angles()]
    found = np.array(of_samples(samples))
    np.testing.assert_allclose(found[: len(a)], a, atol=1e-13)
    np.testing.assert_allclose(found[len(a) :], 0, atol=1e-13)  # the noise


@pytest.mark.parametrize("robot", [ARMS[0][1], ARMS[2][1], ARMS[5][1]], ids=lambda robot: robot.name)
def test_native_code_finds_what_the_steps_one_by_one_find(robot):
    """Both isolate the zeros of the same determinants; a wrong sign of either loses a configuration."""
    arm = GeneralArm(serial_arm(robot, "l6", {}))
    H = robot.pose(states(robot, 200, seed=3), "l6")
    native = arm.native.solve(arm.numbers, H)
    clear = native.status == 0
    assert clear.mean() > 0.95
    with np.errstate(all="ignore"):
        steps = arm._solved(arm.links, arm._scaled(H))
    assert np.array_equal(native.found.sum(axis=1)[clear], (steps.multiplicity > 0).sum(axis=1)[clear])
    for q, present, other in zip(native.q[clear], native.found[clear], steps.q[clear], strict=True):
        for own in q[present > 0]:
            assert gaps(other[None], own[None]) < 1e-9
