"""Forward kinematics of platforms: all poses, against published counts and random starts."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.closure.assembly import assembly_problem
from rikigaku.closure.platform_homotopy import PLANAR, SPATIAL, platform_poses
from rikigaku.core.errors import NotSolvable
from rikigaku.model.states import neutral

# P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures, Advances in Robot
# Kinematics 1998; the numbers as the CuikSuite documentation prints them (example Dietmeier.world).
BASE = [
    (0, 0, 0), (1.107915, 0, 0), (0.549094, 0.756063, 0), (0.735077, -0.223935, 0.525991),
    (0.514188, -0.526063, -0.368418), (0.590473, 0.094733, -0.205018),
]  # fmt: skip
PLATFORM = [
    (0, 0, 0), (0.542805, 0, 0), (0.956919, -0.528915, 0), (0.665885, -0.353482, 1.402538),
    (0.478359, 1.158742, 0.107672), (-0.137087, -0.235121, 0.353913),
]  # fmt: skip
LENGTHS = [1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]


def lengths_at(poses, a, b):
    return np.linalg.norm(
        np.einsum("...ij,lj->...li", poses[..., :3, :3], b) + poses[..., None, :3, 3] - a, axis=-1
    )


def random_pose(rng, planar):
    w = np.array([0, 0, 1.0]) if planar else rng.normal(size=3)
    angle, w = rng.uniform(0.3, 2.5), w / np.linalg.norm(w)
    K = np.cross(np.eye(3), w)
    T = np.eye(4)
    T[:3, :3] = np.eye(3) - np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    T[:3, 3] = rng.normal(size=3) * ([1, 1, 0] if planar else 1)
    return T


def test_dietmaiers_platform_has_forty_real_poses():
    a, b, lengths = np.array(BASE), np.array(PLATFORM), np.array(LENGTHS)
    found = platform_poses(a, b, lengths, SPATIAL)
    assert found.reached == found.paths == len(found.poses) == 40
    assert np.abs(lengths_at(found.poses, a, b) - lengths).max() < 1e-11
    R = found.poses[:, :3, :3]
    np.testing.assert_allclose(R @ R.swapaxes(1, 2), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)
    gaps = np.abs(found.poses[:, None] - found.poses).max(axis=(2, 3)) + np.eye(40)
    assert gaps.min() > 1e-3


@pytest.mark.parametrize(("motion", "count"), [(SPATIAL, 40), (PLANAR, 6)], ids=["space", "plane"])
def test_general_legs_have_all_their_solutions_and_the_known_pose_among_them(motion, count):
    rng = np.random.default_rng(5)
    planar = motion is PLANAR
    for _ in range(3):
        a, b = (rng.normal(size=(motion.legs, 3)) * ([1, 1, 0] if planar else 1) for _ in range(2))
        T = random_pose(rng, planar)
        found = platform_poses(a, b, lengths_at(T, a, b), motion)
        assert found.reached == count
        assert len(found.poses) % 2 == 0  # complex solutions come in pairs
        assert np.abs(found.poses - T).max(axis=(1, 2)).min() < 1e-9


def test_a_platform_on_three_double_joints_has_sixteen_solutions():
    """The octahedral platform 6-3: two legs at each corner of the platform of which 16 are known."""
    rng = np.random.default_rng(0)
    a, corners = rng.normal(size=(6, 3)) * [1, 1, 0], rng.normal(size=(3, 3)) * [1, 1, 0]
    b = corners[[0, 0, 1, 1, 2, 2]]
    T = random_pose(rng, False)
    found = platform_poses(a, b, lengths_at(T, a, b), SPATIAL)
    assert found.reached == 16
    assert np.abs(found.poses - T).max(axis=(1, 2)).min() < 1e-9


@pytest.mark.parametrize("name", ["three_rrr", "stewart", "delta"])
def test_random_starts_find_no_other_pose_of_a_platform(name):
    robot = rk.load(name)
    plan = robot.closure()
    at = [robot.q_slices[joint].start for joint in plan.independent]
    positions = plan.samples[0][at]
    found = robot.platform_poses(positions)
    assert robot.pose(plan.samples[0], found.frame).shape == (4, 4)
    sampled = assembly_problem(robot, positions, {}).sampled_modes(neutral(robot))
    reached = robot.pose(sampled, found.frame)
    for T in reached:
        assert np.abs(found.poses - T).max(axis=(1, 2)).min() < 1e-6
    modes = robot.assemble(positions, all=True)
    np.testing.assert_allclose(robot.loop_residual(modes), 0, atol=1e-11)
    for T in robot.pose(modes, found.frame):
        assert np.abs(found.poses - T).max(axis=(1, 2)).min() < 1e-9
    if name == "delta":  # a platform that stays parallel to the base is above or below the motors
        assert (np.abs(found.poses[:, :3, :3] - np.eye(3)).max(axis=(1, 2)) < 1e-9).sum() == 2


def test_a_robot_without_a_platform_is_refused_in_words():
    with pytest.raises(NotSolvable, match="no platform on six legs"):
        rk.load("five_bar").platform_poses([0.3, 1.2])
