"""Differences of rotations and poses on their manifolds: inverses of the steps of quaternion joints."""

import numpy as np

from rikigaku.core.types import Array

_SMALL = 1e-3  # below this angle [rad] the series are as exact as the quotients


def rotation_difference(start: Array, end: Array) -> Array:
    """The rotation vector in body axes from one quaternion to another, (..., 3); its angle is at most pi."""
    return _rotation_vector(_relative(start, end))


def pose_difference(start: Array, end: Array) -> Array:
    """The constant twist in body axes that leads in a unit of time from one pose to another, (..., 6).

    start, end: position and quaternion w x y z, (..., 7).
    """
    w = rotation_difference(start[..., 3:], end[..., 3:])
    shift = _in_body_axes(start[..., 3:], end[..., :3] - start[..., :3])
    return np.concatenate([_constant_velocity(w, shift), w], axis=-1)


def _relative(a: Array, b: Array) -> Array:
    """The quaternion a^-1 b, w first."""
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


def _in_body_axes(quaternion: Array, x: Array) -> Array:
    """x, in world axes, expressed in body axes."""
    w, u = quaternion[..., :1], quaternion[..., 1:]
    return x - 2 * np.cross(u, w * x - np.cross(u, x))


def _constant_velocity(w: Array, shift: Array) -> Array:
    """The velocity in body axes that, with the angular velocity w, gives the shift in a unit of time."""
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    small = angle < _SMALL
    theta = np.where(small, 1.0, angle)
    factor = np.where(small, 1 / 12 + angle**2 / 720, (1 - theta / 2 / np.tan(theta / 2)) / theta**2)
    wx = np.cross(w, shift)
    return shift - wx / 2 + factor * np.cross(w, wx)
