"""Inverse kinematics in float32: the configurations of double precision, to the rounding of 24 bits."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue

UNIT = 2.0**-24  # rounding of a number of 24 bits
LARGEST_ERROR = 40 * UNIT  # of a pose of about 1 m: six rotations and the formulas
NEARLY_SINGULAR = 3e-3  # singular values of J below this are computed in double precision


def _gap(a, b):
    gap = np.asarray(a, float) - np.asarray(b, float)
    return np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi)))


def _poses(robot, q):
    return robot.pose(q, "hand")


def test_formulas_in_float32_find_every_configuration():
    ur5 = rk.load("ur5")
    q = np.random.default_rng(1).uniform(-3, 3, (400, 6))
    T = _poses(ur5, q)
    # configurations within the tolerance count in both precisions: an elbow a little too short is stretched
    exact = ur5.inverse_kinematics(T, "hand", all=True, limits=False, tolerance=1e-5)
    found = ur5.inverse_kinematics(T.astype(np.float32), "hand", all=True, limits=False, dtype=np.float32)
    assert found.method == "formulas"
    assert found.q.dtype == found.position_error.dtype == np.float32
    assert (found.multiplicity == exact.multiplicity).all()
    present = found.multiplicity == 1  # poses that are met, not only approached
    assert _gap(found.q, exact.q)[present].max() < LARGEST_ERROR / NEARLY_SINGULAR
    known = _gap(found.q, q[:, None]).max(-1)
    assert np.nanmin(known, axis=1).max() < LARGEST_ERROR / NEARLY_SINGULAR
    reached = _poses(ur5, found.q[present].astype(float))
    assert (
        np.abs(reached - np.broadcast_to(T[:, None], (*present.shape, 4, 4))[present]).max() < LARGEST_ERROR
    )
    assert found.success[present].all()


def test_singular_poses_in_float32_have_their_families_and_multiplicities():
    ur5 = rk.load("ur5")
    q = np.random.default_rng(2).uniform(-2, 2, (12, 6))
    q[:4, 4] = 0.0  # axes 4 and 6 parallel: a family
    q[4:8, 2] = 0.0  # elbow stretched: two branches meet
    T = _poses(ur5, q)
    # configurations within the tolerance count in both precisions: an elbow a little too short is stretched
    exact = ur5.inverse_kinematics(T, "hand", all=True, limits=False, tolerance=1e-5)
    found = ur5.inverse_kinematics(T, "hand", all=True, limits=False, dtype=np.float32)
    assert exact.family[:4].max() == 1
    assert exact.multiplicity[4:8].max() == 2
    assert (found.family == exact.family).all()
    assert (found.multiplicity == exact.multiplicity).all()
    assert list(found.message) == list(exact.message)


def test_limits_and_the_nearest_configuration_hold_in_float32():
    ur5 = rk.load("ur5")
    q = np.random.default_rng(3).uniform(-3, 3, (100, 6))
    T = _poses(ur5, q)
    exact, found = (
        ur5.inverse_kinematics(T, "hand", q0=np.ones(6), dtype=x) for x in (np.float64, np.float32)
    )
    assert found.success.all()
    assert found.q.dtype == np.float32
    assert np.abs(found.q - exact.q).max() < LARGEST_ERROR / NEARLY_SINGULAR


def test_a_search_in_float32_meets_its_tolerance():
    panda = rk.load("panda")
    T = panda.pose(
        panda.neutral() + np.random.default_rng(4).uniform(-0.3, 0.3, (20, 7)) + [0, 0, 0, -1, 0, 1, 0],
        "hand",
    )
    found = panda.inverse_kinematics(T, "hand", method="search", dtype=np.float32)
    assert found.method == "search"
    assert found.q.dtype == np.float32
    assert found.success.all()
    assert np.abs(panda.pose(found.q.astype(float), "hand") - T).max() < 1e-5  # the tolerance


def test_a_search_of_a_free_base_and_of_several_targets_runs_in_float32():
    robot = rk.load("panda", free_base=True)
    goal = robot.pose(robot.neutral(), "hand")
    goal[:3, 3] += [0.3, 0.2, 0.1]
    found = robot.inverse_kinematics(
        [rk.PoseTarget(frame="hand", pose=goal), rk.ConfigurationTarget(q=robot.neutral(), priority=1)],
        dtype=np.float32,
    )
    assert found.success
    assert found.q.dtype == np.float32
    assert np.abs(robot.pose(found.q.astype(float), "hand") - goal).max() < 1e-5


def test_elimination_and_paths_are_rounded_to_float32():
    rng = np.random.default_rng(5)
    links = [
        rk.Link(
            f"l{k}",
            f"l{k - 1}" if k > 1 else "base",
            rk.Joint(f"q{k}"),
            rk.ModifiedDH(*rng.uniform(0.2, 1.2, 3)),
        )
        for k in range(1, 7)
    ]
    arm, ur5 = rk.Robot("general", tuple(links)), rk.load("ur5")
    T = arm.pose([0.3, 0.4, 0.2, -1.7, 0.3, 1.8], "l6")
    exact, found = (arm.inverse_kinematics(T, "l6", all=True, dtype=x) for x in (float, "float32"))
    assert found.method == "elimination"
    assert found.q.dtype == np.float32
    assert found.success.sum() == exact.success.sum() > 0
    np.testing.assert_array_equal(found.q, exact.q.astype(np.float32))
    path = _poses(ur5, np.linspace([0.4, -1.1, 1.3, -0.7, 1.2, 0.5], [0.5, -1.0, 1.2, -0.6, 1.1, 0.6], 5))
    exact, found = (ur5.inverse_kinematics(path, "hand", along=True, dtype=x) for x in (float, "float32"))
    np.testing.assert_array_equal(found.q, exact.q.astype(np.float32), strict=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dtype": np.float32, "tolerance": 1e-8}, "finer than single precision"),
        ({"dtype": np.int32}, "np.float64 or np.float32"),
        ({"dtype": "half"}, "np.float64 or np.float32"),
    ],
)
def test_what_single_precision_cannot_do_is_refused(options, words):
    ur5 = rk.load("ur5")
    with pytest.raises(WrongValue, match=words):
        ur5.inverse_kinematics(np.eye(4), "hand", **options)
