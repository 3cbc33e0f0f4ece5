"""Pose arrays (..., 4, 4): validation, and the rotation vector (logarithm)."""

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array

_IDENTITY = np.eye(3)
_ORTHONORMAL = 1e-6 + 1e-5 * _IDENTITY
_LAST = np.array([0.0, 0.0, 0.0, 1.0])
_LAST_ERROR = 1e-8 + 1e-5 * _LAST


def check_poses(what: str, poses: Array) -> None:
    """Raise WrongValue unless the array (..., 4, 4) holds rigid poses."""
    R, last = poses[..., :3, :3], poses[..., 3, :]
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(R @ np.swapaxes(R, -1, -2) - _IDENTITY)
        good = (gap <= _ORTHONORMAL).all() and (np.abs(last - _LAST) <= _LAST_ERROR).all()
        good = good and np.isfinite(poses).all() and (np.linalg.det(R) > 0).all()
    if not good:
        raise WrongValue(f"{what} is no pose: its 3x3 part must be a rotation and its last row 0 0 0 1.")


def rotation_vector(R: Array) -> Array:
    """log R: the axis of a rotation times its angle [rad]; at an angle of pi both signs are right."""
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2  # sin(angle) axis
    s, c = float(np.linalg.norm(w)), (float(np.trace(R)) - 1) / 2
    angle = float(np.arctan2(s, c))
    if s > 1e-6:
        return w * (angle / s)
    if c > 0:
        return w
    # Near pi the sine vanishes: the axis is the largest column of (R + R^T)/2 + 1 = 2 axis axis^T.
    outer = (R + R.T) / 2 + np.eye(3)
    column = outer[:, int(np.argmax(np.diag(outer)))]
    axis = column / np.linalg.norm(column)
    return angle * (axis if axis @ w >= 0 else -axis)
