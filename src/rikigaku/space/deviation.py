"""How far a hand is from what it should follow, and how fast that changes; as the control laws count it."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.rigid import quaternion_matrix

Array = NDArray[np.float64]


def pose_error(hand: Array, target: Array) -> Array:
    """Position error, then sin(angle) times the axis of the turn that is left, world axes: (..., 6).

    hand: poses (..., 4, 4); target: positions and quaternions (..., 7).
    """
    R, wanted = hand[..., :3, :3], _rotations(target)
    turn = np.cross(R, wanted, axis=-2).sum(axis=-1) / 2
    return np.concatenate([target[..., :3] - hand[..., :3, 3], turn], axis=-1)


def pose_error_rate(hand: Array, velocity: Array, target: Array, twist: Array) -> Array:
    """Its rate of change while the hand moves with a velocity and the target with a twist, (..., 6) each."""
    R, wanted = hand[..., :3, :3], _rotations(target)
    moving = np.cross(velocity[..., 3:, None], R, axis=-2)
    asked = np.cross(twist[..., 3:, None], wanted, axis=-2)
    turn = (np.cross(moving, wanted, axis=-2) + np.cross(R, asked, axis=-2)).sum(axis=-1) / 2
    return np.concatenate([twist[..., :3] - velocity[..., :3], turn], axis=-1)


def _rotations(target: Array) -> Array:
    flat = target.reshape(-1, 7)
    found = np.array([quaternion_matrix(x[3:]) for x in flat]).reshape(-1, 3, 3)
    return found.reshape(*target.shape[:-1], 3, 3)
