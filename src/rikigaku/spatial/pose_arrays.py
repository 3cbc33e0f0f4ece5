"""Pose arrays (..., 4, 4): validation, and the rotation vector (logarithm)."""

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array


def check_poses(what: str, poses: Array) -> None:
    """Raise WrongValue unless the array (..., 4, 4) holds rigid poses."""
    R, last = poses[..., :3, :3], poses[..., 3, :]
    turned = R @ np.swapaxes(R, -1, -2)
    good = (
        np.isfinite(poses).all()
        and np.allclose(turned, np.eye(3), atol=1e-6)
        and np.all(np.linalg.det(R) > 0)
    )
    if not (good and np.allclose(last, [0, 0, 0, 1])):
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
