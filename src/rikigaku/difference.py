"""The way from one posture to another: the inverse of `integrate`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import sized
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

_SMALL = 1e-3  # below this angle [rad] the series are as exact as the quotients


def difference(robot: Robot, start: Any, end: Any) -> Array:
    """v with `integrate(start, v) == end`, (..., nv): the shortest way on the manifold of q.

    Joints of one coordinate subtract (a whole turn is a turn); quaternions turn by at most half a turn, and
    count by their direction: NaN where one is zero.
    """
    q0, q1 = sized("start of difference", start, robot.nq), sized("end of difference", end, robot.nq)
    result = np.empty((*np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1]), robot.nv))
    for joint in robot.joints:
        at, to = robot.q_slices[joint.name], robot.v_slices[joint.name]
        a, b = q0[..., at], q1[..., at]
        if joint.type == "spherical":
            result[..., to] = _rotation_vector(_turn(a, b))
        elif joint.type == "free":
            w = _rotation_vector(_turn(a[..., 3:], b[..., 3:]))
            shift = _rotated_back(a[..., 3:], b[..., :3] - a[..., :3])
            result[..., to] = np.concatenate([_constant_velocity(w, shift), w], axis=-1)
        else:
            result[..., to] = b - a
    return result


def _turn(a: Array, b: Array) -> Array:
    """The quaternion that turns a into b, a^-1 b, w first."""
    w = np.sum(a * b, axis=-1, keepdims=True)
    u, x = a[..., 1:], b[..., 1:]
    return np.concatenate([w, a[..., :1] * x - b[..., :1] * u - np.cross(u, x)], axis=-1)


def _rotation_vector(quaternion: Array) -> Array:
    """Axis times angle, the angle at most pi; of the quaternion's direction."""
    q = np.where(quaternion[..., :1] < 0, -quaternion, quaternion)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., :1])
    small = angle < _SMALL
    return q[..., 1:] * np.where(small, 2 + angle**2 / 12, angle / np.where(small, 1, sine))


def _rotated_back(quaternion: Array, x: Array) -> Array:
    """x of the world in the axes of the body."""
    w, u = quaternion[..., :1], quaternion[..., 1:]
    return x - 2 * np.cross(u, w * x - np.cross(u, x))


def _constant_velocity(w: Array, shift: Array) -> Array:
    """The velocity in body axes which, with the angular velocity w, draws the shift in a unit of time."""
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    small = angle < _SMALL
    theta = np.where(small, 1.0, angle)
    factor = np.where(small, 1 / 12 + angle**2 / 720, (1 - theta / 2 / np.tan(theta / 2)) / theta**2)
    wx = np.cross(w, shift)
    return shift - wx / 2 + factor * np.cross(w, wx)
