"""The way from one configuration to another undoes a step along the manifold."""

import numpy as np
import pinocchio as pin
import pytest

import rikigaku  # noqa: F401 - gives Robot its methods
from rikigaku.core.errors import WrongSize
from rikigaku.model.configuration_difference import difference
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.robot import Robot

FREE = Robot("free", (Link("body", "base", Joint("free", "free")),))
MIXED = Robot(
    "mixed",
    (
        Link("body", "base", Joint("free", "free")),
        Link("hip", "body", Joint("ball", "spherical")),
        Link("shin", "hip", Joint("knee", "revolute")),
        Link("sled", "shin", Joint("floor", "planar")),
        Link("rod", "sled", Joint("cross", "universal")),
    ),
)


def states(robot, seed, size=50):
    return robot.random_state(seed, size)


def same(q, r):
    """Equal configurations: a quaternion and its negative are the same rotation."""
    return np.allclose(np.abs(q), np.abs(r), atol=1e-12) and np.allclose(
        difference(MIXED, q, r), 0, atol=1e-11
    )


def test_a_step_along_the_difference_leads_there():
    q0, q1 = states(MIXED, 1).q, states(MIXED, 2).q
    assert same(MIXED.integrate(q0, MIXED.difference(q0, q1)), q1)


@pytest.mark.parametrize("size", [2.0, 1e-2, 1e-3, 1e-5, 1e-9, 0.0])
def test_the_difference_after_a_step_is_that_step(size):
    q, v = states(MIXED, 3)[:2]
    v = size * v  # turns below pi
    assert np.allclose(MIXED.difference(q, MIXED.integrate(q, v)), v, rtol=1e-9, atol=1e-14)


def test_half_a_revolution_is_found():
    q = np.array([0.1, 0.2, 0.3, 0, 0, 1, 0])
    v = difference(FREE, [0, 0, 0, 1, 0, 0, 0], q)
    assert np.allclose(np.abs(v[3:]), [0, np.pi, 0])
    assert np.allclose(np.abs(FREE.integrate([0, 0, 0, 1, 0, 0, 0], v)), np.abs(q))


def test_it_is_pinocchios():
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    q0, q1 = states(FREE, 4).q, states(FREE, 5).q
    order = [0, 1, 2, 4, 5, 6, 3]
    theirs = [pin.difference(model, a[order], b[order]) for a, b in zip(q0, q1, strict=True)]
    assert np.allclose(FREE.difference(q0, q1), theirs, atol=1e-11)


def test_batches_broadcast_and_sizes_are_checked():
    q = states(MIXED, 6).q
    assert np.array_equal(MIXED.difference(q[0], q)[7], MIXED.difference(q[0], q[7]))
    with pytest.raises(WrongSize, match="start of difference takes 17 numbers"):
        MIXED.difference(q[0, :3], q)


@pytest.mark.parametrize("zero", [0, 1])
def test_there_is_no_way_to_or_from_a_quaternion_of_zero(zero):
    ends = [np.array([0, 0, 0, 1.0, 0, 0, 0]), np.array([1.0, 2, 3, 0.6, 0.8, 0, 0])]
    ends[zero][3:] = 0
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(difference(FREE, *ends)).all()


def test_quaternions_count_by_their_direction():
    start, end = np.array([0, 0, 0, 1.0, 0, 0, 0]), np.array([0, 0, 0, 1.0, 1e-5, 0, 0])
    longer = end * 3  # the positions are zero
    np.testing.assert_allclose(difference(FREE, start, longer), [0, 0, 0, 2e-5, 0, 0], rtol=1e-9)
