"""Comparison of configurations: differences modulo revolutions, joint limits, duplicates."""

from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array, Mask
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds

_SAME = 1e-6  # [rad, m]: configurations nearer than this are equal


def wrapped(robot: RobotModel, q: Array, held: Sequence[int]) -> Array:
    """q (states, nq) with angles within pi of the middle of their limits and quaternions with w >= 0.

    held: indices in q that are left as they are.
    """
    result = np.array(q)
    lower, upper = position_bounds(robot)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle = np.where(both, (np.where(both, lower, 0.0) + np.where(both, upper, 0.0)) / 2, 0.0)
    for joint in robot.joints:
        places = robot.q_slices[joint.name]
        if (first := joint_type(joint.type).quaternion) is not None:
            quaternion = slice(places.start + first, places.start + first + 4)
            if quaternion.start not in held:
                w = result[:, quaternion.start : quaternion.start + 1]
                result[:, quaternion] *= np.where(w < 0, -1.0, 1.0)
            continue
        for k in _angles(joint, places):
            if k not in held:
                result[:, k] -= 2 * np.pi * np.round((result[:, k] - middle[k]) / (2 * np.pi))
    return result


def within_limits(robot: RobotModel, q: Array) -> Mask:
    """Which configurations are within the joint limits."""
    lower, upper = position_bounds(robot)
    return np.asarray(((q >= lower - _SAME) & (q <= upper + _SAME)).all(axis=1))


def differences(robot: RobotModel, q: Array, other: Array) -> Array:
    """q - other, (..., nq), with angles between -pi and pi."""
    result = np.asarray(q - other, dtype=np.float64)
    angles = [k for joint in robot.joints for k in _angles(joint, robot.q_slices[joint.name])]
    result[..., angles] -= 2 * np.pi * np.round(result[..., angles] / (2 * np.pi))
    return result


def distinct(robot: RobotModel, q: Array) -> Array:
    """The configurations that differ from all before them."""
    kept = np.empty((0, robot.nq))
    for row in q:
        if np.abs(differences(robot, kept, row)).max(axis=1, initial=0.0).min(initial=np.inf) > _SAME:
            kept = np.vstack([kept, row])
    return kept


def _angles(joint: Joint, places: slice) -> list[int]:
    """Indices in q of the joint's angles, which are compared modulo revolutions."""
    return [places.start + k for k in joint_type(joint.type).angles]
