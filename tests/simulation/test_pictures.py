"""Pictures of motions: what they show is there."""

import matplotlib
import numpy as np
import pytest

import rikigaku as rk

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def motion():
    return rk.simulate(rk.load("planar_3r"), [0.3, 0.2, 0.1], duration=0.5)


def test_postures_stand_side_by_side_with_the_robots_points_where_they_are(motion) -> None:
    times = [0.0, 0.2, 0.5]
    ax = motion.postures(times, plane="yz", apart=2.0)
    hands = motion.robot.pose(motion.positions(times), "hand")[:, 1:3, 3] + np.outer([0, 2, 4], [1, 0])
    ends = np.array([line.get_xydata()[-1] for line in ax.get_lines()])
    for hand in hands:
        assert np.abs(ends - hand).max(axis=1).min() < 1e-12
    assert [text.get_text() for text in ax.texts] == ["0.00 s", "0.20 s", "0.50 s"]


def test_a_loose_base_is_not_tied_to_the_ground_in_pictures() -> None:
    robot = rk.load("humanoid_feet")
    q = robot.neutral()
    q[:2] = 1.0, 2.0
    motion = rk.simulate(robot, q, duration=1e-3)
    ax = motion.postures(1)
    lowest = min(line.get_xydata()[:, 1].min() for line in ax.get_lines())
    assert lowest == pytest.approx(2.0, abs=1e-4)


def test_a_plane_that_is_none_is_refused(motion) -> None:
    with pytest.raises(rk.RikigakuError, match="two of the axes"):
        motion.postures(plane="yzx")
