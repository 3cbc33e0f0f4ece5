"""How far a hand is from what it should follow, and how fast that changes; as the control laws count it."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.space_control import orientation_error
from rikigaku.model.rigid import quaternion_matrix
from rikigaku.spatial.vector import Matrix

Array = NDArray[np.float64]


def pose_error(hand: Array, target: Array) -> Array:
    """Position error, then sin(angle) times the axis of the turn that is left, world axes: (..., 6).

    hand: poses (..., 4, 4); target: positions and quaternions (..., 7).
    """
    turn = _turn(hand[..., :3, :3], _rotations(target))
    return np.concatenate([target[..., :3] - hand[..., :3, 3], turn], axis=-1)


def pose_error_rate(hand: Array, velocity: Array, target: Array, twist: Array) -> Array:
    """Its rate of change while the hand moves with a velocity and the target with a twist, (..., 6) each."""
    R, wanted = hand[..., :3, :3], _rotations(target)
    moving = np.cross(velocity[..., 3:, None], R, axis=-2)
    asked = np.cross(twist[..., 3:, None], wanted, axis=-2)
    turn = _turn(moving, wanted) + _turn(R, asked)  # it is linear in both
    return np.concatenate([twist[..., :3] - velocity[..., :3], turn], axis=-1)


def _turn(R: Array, wanted: Array) -> Array:
    """The law's own formula, with an array of states as one number."""
    return np.stack(orientation_error(_matrix(R), _matrix(wanted)), axis=-1)


def _matrix(R: Array) -> Matrix:
    return tuple(tuple(R[..., i, j] for j in range(3)) for i in range(3))  # type: ignore[return-value]


def _rotations(target: Array) -> Array:
    flat = target.reshape(-1, 7)
    found = np.array([quaternion_matrix(x[3:]) for x in flat]).reshape(-1, 3, 3)
    return found.reshape(*target.shape[:-1], 3, 3)
