"""Pictures of motions: what they show is there."""

import matplotlib
import numpy as np
import pytest

import rikigaku as rk

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def motion():
    return rk.simulate(rk.load("planar_3r"), [0.3, 0.2, 0.1], duration=0.5)


def test_stick_figures_stand_side_by_side_with_the_robots_points_where_they_are(motion) -> None:
    times = [0.0, 0.2, 0.5]
    ax = motion.configurations(times, plane="yz", apart=2.0)
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
    ax = motion.configurations(1)
    lowest = min(line.get_xydata()[:, 1].min() for line in ax.get_lines())
    assert lowest == pytest.approx(2.0, abs=1e-4)


def test_a_plane_that_is_none_is_refused(motion) -> None:
    with pytest.raises(rk.RikigakuError, match="two of the axes"):
        motion.configurations(plane="yzx")


@pytest.fixture(scope="module")
def block():
    """A mass on two slides, on a slope: its frames coincide, so that no bar is to be seen."""
    carriage = rk.Link("carriage", "base", rk.Joint("x", "prismatic", (1, 0, 0)), rk.Placement())
    mass = rk.Link("mass", "carriage", rk.Joint("z", "prismatic"), rk.Placement(), rk.Inertia("com", 1.0))
    robot = rk.Robot("block", (carriage, mass))
    contacts = [rk.Contact("mass", rk.Plane((-0.6, 0, 0.8)), 0.1), rk.JointFriction("x", 0.5)]
    return rk.simulate(robot, [0.0, 0.0], duration=0.2, contacts=contacts)


def test_forces_are_labelled_by_contact_component_and_unit(block) -> None:
    ax = block.plot("forces").axes[0]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    parts = ("force x [N]", "force y [N]", "force z [N]", "normal force [N]")
    assert labels == [*(f"mass {part}" for part in parts), "x dry friction [N, N m]"]
    assert len(labels) == block.forces["forces"].shape[1]
    assert len(block.labels["joint wrenches"]) == block.forces["joint wrenches"][0].size


def test_stick_figures_show_the_ground_and_points_without_bars(block) -> None:
    ax = block.configurations([0.0, 0.2], plane="xz", apart=0.0)
    lines = np.concatenate([path.vertices for c in ax.collections for path in c.get_paths()])
    assert np.abs(0.8 * lines[:, 1] - 0.6 * lines[:, 0]).max() < 1e-12
    assert len(ax.get_lines()) > 0


def test_films_are_gifs(block, tmp_path) -> None:
    with pytest.raises(rk.RikigakuError, match=r"written as \.gif; .*film\.xyz"):
        block.animate(tmp_path / "film.xyz")
