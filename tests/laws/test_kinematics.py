"""Poses and Jacobians against matrices multiplied out, differences, and SciPy's Euler angles."""

import numpy as np
import pose_reference as reference
import pytest
from law_cases import DIFFERENCES, agree, state, trees
from law_kinds import KINDS, on_floats, on_states
from pose_reference import slope, tangent
from scipy.spatial.transform import Rotation

from rikigaku.core.errors import WrongValue
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link
from rikigaku.robot import Robot

Array = np.ndarray
kinds = pytest.mark.parametrize("kind", KINDS)
AXES = ("world", "local", "spatial")


def frames(robot: Robot) -> tuple[str, ...]:
    """The last link with its frame, one in the middle (perhaps on a side branch), and the ground."""
    return ("tip", robot.links[len(robot.links) // 2].name, "base")


def reference_jacobian(robot: Robot, q: Array, frame: str, axes: str) -> Array:
    J = reference.jacobians(robot, q)[frame]
    linear, angular = J.linear, J.angular
    if axes == "spatial":  # the velocity of the body's point at the world's origin
        linear = linear + np.cross(J.p, angular.T).T
    if axes == "local":
        linear, angular = J.R.T @ linear, J.R.T @ angular
    return np.concatenate([linear, angular])


@kinds
def test_poses_are_products_of_the_geometry_and_the_joint_motions(kind: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)
        theirs = reference.link_poses(robot, q)
        ours = KINDS[kind](robot, "poses", q)
        assert agree(ours, np.array([theirs[name].real for name in robot.frame_names]))
        for name in frames(robot):
            assert agree(KINDS[kind](robot, "pose", q, frame=name), theirs[name].real)


@kinds
@pytest.mark.parametrize("axes", AXES)
def test_jacobians_are_the_derivatives_of_the_pose(kind: str, axes: str) -> None:
    for robot in trees(kind):
        q, _, _ = state(robot)
        for frame in frames(robot):
            J = KINDS[kind](robot, "jacobian", q, frame=frame, axes=axes)
            assert agree(J, reference_jacobian(robot, q, frame, axes))


@kinds
@pytest.mark.parametrize("axes", AXES)
def test_jacobian_rate_is_the_change_of_the_jacobian_along_the_motion_times_v(kind: str, axes: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)
        for frame in frames(robot):

            def velocity(at: Array, robot: Robot = robot, frame: str = frame, v: Array = v) -> Array:
                return on_floats(robot, "jacobian", at, frame=frame, axes=axes) @ v

            ours = KINDS[kind](robot, "jacobian_rate", q, v, frame=frame, axes=axes)
            assert agree(ours, slope(velocity, q, tangent(robot, q) @ v), DIFFERENCES)


@kinds
@pytest.mark.parametrize("axes", AXES)
def test_velocity_and_acceleration_of_a_frame_are_rates_along_the_motion(kind: str, axes: str) -> None:
    for robot in trees(kind):
        q, v, a = state(robot)
        for frame in frames(robot):

            def velocity(at: Array, robot: Robot = robot, frame: str = frame) -> Array:
                return reference_jacobian(robot, at, frame, axes)

            J = velocity(q)
            assert agree(KINDS[kind](robot, "velocity", q, v, frame=frame, axes=axes), J @ v)
            rate = slope(lambda at, f=velocity, v=v: f(at) @ v, q, tangent(robot, q) @ v)
            ours = KINDS[kind](robot, "acceleration", q, v, a, frame=frame, axes=axes)
            assert agree(ours, J @ a + rate, DIFFERENCES)


@kinds
@pytest.mark.parametrize("angles", ["zyx", "zyz"])
def test_euler_jacobian_gives_the_rates_of_scipys_euler_angles(kind: str, angles: str) -> None:
    for robot in trees(kind):
        q, v, _ = state(robot)

        def euler(at: Array, robot: Robot = robot) -> Array:
            poses = on_states(robot, "pose", at, frame="tip")
            # Capital letters: turns about the moving axes, R = Rz Ry Rx for "ZYX".
            return Rotation.from_matrix(poses[:, :3, :3]).as_euler(angles.upper())

        middle = euler(q[None])[0, 1]
        size = np.cos(middle) if angles == "zyx" else np.sin(middle)
        start = euler(q[None])[0]
        rate = slope(
            lambda at, f=euler, near=start: unwrapped(f(at[None])[0], near), q, tangent(robot, q) @ v
        )
        ours = KINDS[kind](robot, "euler_jacobian", q, frame="tip", angles=angles)
        # Near the singularity the angles are curved like 1/size, and so are the differences' errors.
        assert agree(ours[3:] @ v, rate, DIFFERENCES / abs(size) ** 4)
        assert agree(ours[:3], reference_jacobian(robot, q, "tip", "world")[:3])


def unwrapped(angles: Array, near: Array) -> Array:
    """The same angles within half a revolution of others."""
    return near + np.remainder(angles - near + np.pi, 2 * np.pi) - np.pi


def test_euler_jacobian_is_nan_where_its_angles_are_singular() -> None:
    ball = Robot("ball", (Link("l1", "base", Joint("j1", "spherical")),))
    upright = np.array([1.0, 0, 0, 0])
    level = Rotation.from_euler("y", 90, degrees=True).as_quat(scalar_first=True)
    with np.errstate(all="ignore"):
        assert np.isnan(ball.euler_jacobian(upright, "l1", "zyz")[3:]).any()
        assert np.isfinite(ball.euler_jacobian(upright, "l1", "zyx")).all()
        assert np.isfinite(ball.euler_jacobian(level, "l1", "zyz")).all()
    reason = "the Euler angles are singular at this orientation"
    assert ball.euler_jacobian.status(upright, "l1", "zyz") == reason


@pytest.mark.parametrize(("angles", "turn"), [("zyx", np.pi / 2), ("zyz", 0.0), ("zyz", np.pi)])
def test_euler_angles_that_are_singular_to_rounding_are_singular(angles: str, turn: float) -> None:
    joints = [Joint("a", axis=(1, 0, 0)), Joint("b", axis=(0, 0, 1)), Joint("c", axis=(0, 1, 0))]
    links = zip("abc", ("base", "a", "b"), joints, strict=True)
    robot = Robot("xzy", tuple(Link(name, on, joint) for name, on, joint in links))
    law = robot.euler_jacobian.fix(frame="c", angles=angles)
    q = np.array([[0.0, 0.2, turn + off] for off in (0, 1e-15, -1e-15, 1e-12, -1e-12)])
    with np.errstate(all="ignore"):
        result = law(q)
    assert np.isnan(result[:3, 3:]).any(axis=(1, 2)).all()
    assert (law.status(q)[:3] == "the Euler angles are singular at this orientation").all()
    # 1e-12 rad away four digits are known: the rates are a unit over that angle
    assert (law.status(q)[3:] == "ok").all()
    np.testing.assert_allclose(np.abs(result[3:, 3:]).max(axis=(1, 2)), 1e12, rtol=0.05)


PLANES = {
    (0, 0, 1): ((1, 0, 0), (0, 1, 0)),
    (1, 0, 0): ((0, 1, 0), (0, 0, 1)),
    (0, 1, 0): ((0, 0, 1), (1, 0, 0)),
    (-1, 0, 0): ((0, 0, 1), (0, 1, 0)),
    (0, -1, 0): ((1, 0, 0), (0, 0, 1)),
    (0, 0, -1): ((0, 1, 0), (1, 0, 0)),
    (0, 3, 4): ((-1, 0, 0), (0, -0.8, 0.6)),  # z x n and n x (z x n), of unit length
}


@pytest.mark.parametrize("normal", PLANES)
def test_x_and_y_of_a_planar_joint_lie_as_the_conventions_say(normal: tuple[int, ...]) -> None:
    robot = Robot("r", (Link("a", "base", Joint("j", "planar", axis=normal)),))
    x, y = (on_floats(robot, "pose", np.array(q), frame="a")[:3, 3] for q in ([1.0, 0, 0], [0, 1.0, 0]))
    assert agree(np.array([x, y]), np.array(PLANES[normal], float))
    assert agree(np.cross(x, y), np.array(normal) / np.linalg.norm(normal))


def test_for_unknown_axes_the_error_names_local_for_the_frames_own() -> None:
    robot = Robot("r", (Link("a", "base", Joint("j")),))
    with pytest.raises(WrongValue, match=r"Axes 'body' are not known.*frame's own are 'local'"):
        on_floats(robot, "jacobian", np.zeros(1), frame="a", axes="body")
