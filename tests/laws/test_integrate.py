"""Steps of q on its manifold against the matrix exponential, and as a flow."""

import numpy as np
import pytest
from law_cases import DIFFERENCES, agree, state, trees
from law_kinds import KINDS, on_floats
from pose_reference import homogeneous, link_poses, quaternion_matrix, slope, tangent
from scipy.linalg import expm

from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.robot import Robot

kinds = pytest.mark.parametrize("kind", KINDS)
FREE = Robot("free body", (Link("l1", "base", Joint("j1", "free")),))


@kinds
# Below an angle of 1/4 a series takes over: one angle on either side, one at zero, several turns.
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 0.2499, 0.2501, 1.0, 3.0, 20.0])
def test_a_free_body_moves_by_the_exponential_of_its_twist(kind: str, size: float) -> None:
    q, v, _ = state(FREE)
    v[3:] *= size / np.linalg.norm(v[3:])
    x, y, z = v[3:]
    twist = np.array([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])
    moved = KINDS[kind](FREE, "integrate", q, v)
    expected = homogeneous(quaternion_matrix(*q[3:]), q[:3]).real @ expm(twist)
    assert agree(link_poses(FREE, moved)["l1"].real, expected, 1e-14 * max(10, size))
    assert abs(np.linalg.norm(moved[3:]) - 1) < 1e-15


@kinds
def test_a_step_is_two_half_steps(kind: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        value = KINDS[kind]
        assert agree(
            value(robot, "integrate", value(robot, "integrate", q, v / 2), v / 2),
            value(robot, "integrate", q, v),
        )
        assert agree(value(robot, "integrate", value(robot, "integrate", q, v), -v), q)


@kinds
def test_a_step_begins_along_the_rates(kind: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        rate = slope(lambda v, robot=robot, q=q: on_floats(robot, "integrate", q, v), np.zeros(robot.nv), v)
        assert agree(rate, tangent(robot, q) @ v, DIFFERENCES)
        assert agree(KINDS[kind](robot, "integrate", q, 0 * v), q)


@kinds
def test_quaternions_come_out_unit_whatever_goes_in(kind: str) -> None:
    q, v, _ = state(FREE)
    q[3:] *= 1.001
    moved = KINDS[kind](FREE, "integrate", q, v)
    assert abs(np.linalg.norm(moved[3:]) - 1) < 1e-15
