"""Paths of frames: followed where they determine the joints, else reported with time and joint."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import CannotClose, WrongValue
from rikigaku.trajectory import quintic


def arm() -> rk.Robot:
    robot = rk.load("planar_2r")
    return robot.bind(**robot.declared_values)


def hand(q):
    """y and z of the hand."""
    return arm().pose(q, "hand")[1:3, 3]


def test_a_path_that_stretches_the_arm_is_reported_with_its_time_and_joint():
    bent, straight = hand([0.3, 0.8]), hand([0.5, 0.0])
    path = quintic(bent, straight, 1.0)
    near = [0.3, 0.8]
    with pytest.raises(CannotClose, match=r"t = 1 s \(sample 10\).*singular .* joint 'q2' can move") as told:
        arm().fem().inverse_dynamics({"hand": path}, samples=11, near=near)
    assert told.value.reason == "singular"
    before = np.linspace(0, 0.97, 8)
    motion = arm().fem().motion({"hand": path}, before, near=near)
    J = np.array([arm().jacobian(q, "hand")[1:3] for q in motion.q])
    assert (J @ motion.v[..., None])[..., 0] == pytest.approx(path(before).v, abs=1e-12)


def test_a_singular_start_is_not_taken_for_too_few_paths():
    with pytest.raises(CannotClose, match=r"t = 0 s .*singular configuration"):
        arm().fem().motion({"hand": quintic(hand([0.5, 0.0]), hand([0.3, 0.8]), 1.0)}, near=[0.5, 0.0])
    with pytest.raises(WrongValue, match="leave robot 'planar_2r' 1 freedoms"):
        arm().fem().motion({"q1": quintic(0.0, 1.0, 1.0)})


def test_a_linkage_at_its_dead_point_is_reported():
    """A crank can be driven through its dead points; by the slider it drives it cannot."""
    robot = rk.load("slider_crank")
    plan = robot.closure()
    driven, slide = plan.independent[0], next(j.name for j in robot.joints if j.type == "prismatic")
    angles = np.linspace(0.5, 7.0, 100)
    configurations = robot.assemble(angles[:, None], near=plan.samples[0], path=True)
    x = configurations[:, robot.q_slices[slide].start]
    k = int(np.argmax(x))  # dead: the slider turns back
    turned = robot.fem().motion(
        {driven: quintic(angles[k] - 0.3, angles[k] + 0.3, 1.0)}, near=configurations[k]
    )
    assert np.isfinite(turned.a).all()
    top = float(robot.assemble([_dead(robot, slide, angles[k], configurations[k])], near=configurations[k])[
        robot.q_slices[slide].start])  # fmt: skip
    with pytest.raises(CannotClose, match=r"singular configuration .* joint '\w+' can move"):
        robot.fem().motion({slide: quintic(top - 0.05, top, 1.0)}, near=configurations[k - 15])


def test_more_coordinates_than_freedoms_that_do_not_agree_are_reported():
    four = rk.load("four_bar")
    q = four.closure().samples[0]
    frame = four.frame_names[-1]
    start = four.pose(q, frame)[1:3, 3]
    with pytest.raises(CannotClose, match=r"leaves the workspace .*2 coordinates, and the robot has 1 free"):
        four.fem().motion({frame: quintic(start, start + np.array([0.02, -0.03]), 1.0)}, near=q)


def _dead(robot, slide, angle, near):
    """The crank's angle at which the slide stands still."""
    from scipy.optimize import brentq

    def speed(x):
        q = robot.assemble([x], near=near)
        return robot.complete(q, [1.0], [0.0])[0][robot.v_slices[slide].start]

    return brentq(speed, angle - 0.1, angle + 0.1, xtol=1e-14)
