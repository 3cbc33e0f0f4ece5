"""Numbers that must not be lost: at singular configurations of redundant arms, and far from the origin."""

import numpy as np
import pytest
from planar_arms import planar_3r

import rikigaku as rk
from rikigaku import space
from rikigaku.core.errors import WrongValue


@pytest.mark.parametrize("bend", [0.0, 1e-7, 0.3])
def test_manipulability_of_redundant_arms_is_right_where_it_is_nothing_and_near(bend: float) -> None:
    robot, rng = planar_3r(), np.random.default_rng(0)
    q = np.zeros((200, 6))
    q[:, 2] = rng.uniform(-3, 3, 200)
    q[:, 4] = bend * rng.normal(size=200)
    found = robot.space.generalized_manipulability(q, "hand", rows="xy")
    J = robot.space.generalized_jacobian(q, "hand")[:, :2]
    s = np.linalg.svd(J, compute_uv=False)
    assert np.abs(found - s.prod(axis=1)).max() < 1e-13 * s.max() ** 2


def test_manipulability_of_many_joints_to_spare_is_the_product_of_singular_values_too() -> None:
    robot = rk.load("space_dual_arm")
    rng = np.random.default_rng(1)
    q = np.tile(robot.neutral(), (20, 1))
    q[:10, 7:] = rng.normal(size=(10, 15))
    q[10:, 7:10] = rng.normal(size=(10, 3))  # arms stretched out
    found = robot.space.generalized_manipulability(q, "left_hand")
    s = np.linalg.svd(robot.space.generalized_jacobian(q, "left_hand"), compute_uv=False).prod(axis=1)
    assert np.abs(found - s).max() < 1e-12 * s.max()


def test_momentum_about_the_centre_of_mass_does_not_depend_on_where_the_satellite_is() -> None:
    sat = rk.load("space_arm_6")
    q = sat.neutral()
    q[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    v = np.array([7500, 10, -20, 0.1, 0.2, 0.3, 0.1, -0.2, 0.1, 0.3, 0.2, -0.1])
    far = q.copy()
    far[:3] = [7e6, -1e6, 2e6]  # an orbit [m]
    near, there = sat.momentum(q, v), sat.momentum(far, v)
    size = space.link_momenta(sat, q, v)
    assert np.abs(there - near)[:3].max() < 1e-13 * size[0]
    assert np.abs(there - near)[3:].max() < 1e-13 * size[1]


def test_captures_are_between_robots_on_free_joints() -> None:
    planar, target = rk.load("space_planar_2r"), rk.load("space_target")
    given = (planar, np.zeros(5), np.zeros(5), "hand")
    with pytest.raises(WrongValue, match="is on a planar joint"):
        space.capture(*given, planar, np.zeros(5), np.zeros(5), "hand")
    with pytest.raises(WrongValue, match="'space_planar_2r' is on a planar joint"):
        space.capture(*given, target, target.neutral(), np.zeros(6), "grip")
