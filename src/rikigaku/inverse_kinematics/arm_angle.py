"""Arm angle of arms with spherical shoulder and wrist (SRS): the elbow's rotation about their line.

Zero where shoulder, elbow and wrist lie in the plane that contains the line and the z axis of the base.
"""

from dataclasses import dataclass

import numpy as np

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.serial_arm import SerialArm, joint_axes

_MEET = 1e-9  # distance of axes that meet, relative to the reach


@dataclass(frozen=True, eq=False)
class ArmAngle:
    """The arm angle of one arm; shoulder, elbow and wrist as points on axes 1, 3 and 5."""

    arm: SerialArm

    def __call__(self, q: Array) -> Array:
        """Arm angles (...) of configurations (..., 7) [rad]."""
        z, o = joint_axes(self.arm, q)
        shoulder, wrist = _meeting(z, o, 0, 1), _meeting(z, o, 5, 6)
        elbow = _meeting(z, o, 2, 3)
        n = wrist - shoulder
        n = n / np.linalg.norm(n, axis=-1, keepdims=True)
        up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), n.shape)
        reference = _across(up, n)
        arm = _across(elbow - shoulder, n)
        sine = (np.cross(reference, arm) * n).sum(axis=-1)
        return np.arctan2(sine, (reference * arm).sum(axis=-1))


def arm_angle_of(arm: SerialArm) -> ArmAngle | None:
    """The arm angle, if axes 1 to 3 meet, axes 5 to 7 meet, and axes 3 and 4 meet."""
    if len(arm.revolute) != 7 or not all(arm.revolute):
        return None
    rng = np.random.default_rng(0)
    z, o = joint_axes(arm, rng.uniform(-1, 1, (4, 7)))
    for a, b, c in ((0, 1, 2), (4, 5, 6)):
        point = _meeting(z, o, a, b)
        if _off(z, o, a, point) + _off(z, o, b, point) + _off(z, o, c, point) > _MEET * arm.reach:
            return None
    elbow = _meeting(z, o, 2, 3)
    if _off(z, o, 2, elbow) + _off(z, o, 3, elbow) > _MEET * arm.reach:
        return None
    return ArmAngle(arm)


def _meeting(z: Array, o: Array, a: int, b: int) -> Array:
    """The point between two axes nearest to both (..., 3)."""
    u, v, w = z[..., a, :], z[..., b, :], o[..., b, :] - o[..., a, :]
    uv = (u * v).sum(-1)
    d, e = (w * u).sum(-1), (w * v).sum(-1)
    scale = 1 - uv * uv
    scale = np.where(scale < 1e-12, 1.0, scale)
    s = (d - uv * e) / scale
    t = (uv * d - e) / scale
    return 0.5 * (o[..., a, :] + s[..., None] * u + o[..., b, :] + t[..., None] * v)


def _off(z: Array, o: Array, k: int, point: Array) -> float:
    """Largest distance of a point from an axis."""
    return float(np.linalg.norm(np.cross(point - o[..., k, :], z[..., k, :]), axis=-1).max())


def _across(x: Array, n: Array) -> Array:
    return x - (x * n).sum(axis=-1, keepdims=True) * n
