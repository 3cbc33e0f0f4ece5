"""Targets of inverse kinematics: validated poses with orthonormal axes, or positions."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.shared_kernels import general_kernel, run
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import dot

_PORTS = [("T", (16,))]
_FARTHEST = 1e12  # [m]: squares of larger coordinates lose all that an arm could add
_LARGEST_GAP = 1e-6  # of R^T R from the identity, and of the last row


def targets_of(target: Any) -> tuple[Array, tuple[int, ...], bool]:
    """The targets in a list (n, 4, 4) or (n, 3), the shape of their batch, and whether they are poses.

    Rotation matrices get the nearest orthonormal ones.

    Raises:
        WrongSize, WrongValue: if they are neither poses nor positions.
    """
    array = floats("The target", target)
    if array.shape[-2:] == (4, 4):
        require_near("The target", array[..., :3, 3])
        count = math.prod(array.shape[:-2])  # -1 would not do for an empty batch
        return _checked_poses(array.reshape(count, 4, 4)), array.shape[:-2], True
    if array.ndim and array.shape[-1] == 3:
        if not np.isfinite(array).all():
            raise WrongValue("The target must be finite numbers.")
        require_near("The target", array)
        if array.shape == (3, 3) and np.abs(array.T @ array - np.eye(3)).max() < _LARGEST_GAP:
            raise WrongValue(
                "The target is a rotation matrix (3, 3), not three positions. Give a pose (4, 4), or "
                "rk.OrientationTarget."
            )
        return array.reshape(math.prod(array.shape[:-1]), 3), array.shape[:-1], False
    raise WrongSize(
        f"A target is a pose (4, 4) or a position (3,), or a batch of them; {array.shape} was given."
    )


def require_near(name: str, positions: Array) -> None:
    """Refuse positions (..., 3) that no arithmetic of an arm can resolve; NaN is for others to refuse."""
    farthest = np.abs(positions).max(initial=0.0)
    if _FARTHEST < farthest < np.inf:
        raise WrongValue(
            f"{name} is {farthest:.3g} m away; coordinates up to {_FARTHEST:g} m are solved. "
            "Is its unit the metre?"
        )


def _checked_poses(T: Array) -> Array:
    kernel = general_kernel("pose with orthonormal axes", _PORTS, _orthonormal)
    with np.errstate(all="ignore"):
        poses, gap = run(kernel, [np.ascontiguousarray(T).reshape(-1, 16)], [(len(T), 4, 4), (len(T),)])
    good = gap <= _LARGEST_GAP
    if not good.all():
        k = int(np.argmin(good))
        first = f" (the {k}-th of {len(T)})" if len(T) > 1 else ""
        raise WrongValue(
            f"The target{first} is no pose: its 3x3 part must be a rotation and its last row 0 0 0 1. "
            f"R^T R or the last row is off by {gap[k]:.3g}."
        )
    return poses


def _orthonormal(T: Sequence[Number]) -> dict[str, Any]:
    """The pose with the nearest rotation matrix, and how far it was from being one."""
    R = [T[0:3], T[4:7], T[8:11]]
    gap: Number = 0.0
    for k, x in enumerate(T[12:16]):
        gap = _larger(gap, x - (k == 3))
    first = _gram(R)
    for i in range(3):
        for j in range(3):
            gap = _larger(gap, first[i][j] - (i == j))
    for _ in range(2):  # Newton's iteration for the polar factor: 1e-6, 1e-12, rounding
        G = _gram(R)
        P = [[1.5 * (i == j) - 0.5 * G[i][j] for j in range(3)] for i in range(3)]
        R = [[sum((R[i][k] * P[k][j] for k in range(3)), 0.0) for j in range(3)] for i in range(3)]
    columns = [(R[0][j], R[1][j], R[2][j]) for j in range(3)]
    mirrored = dot(vector.cross(columns[0], columns[1]), columns[2]) < 0
    rows = [[*row, x] for row, x in zip(R, (T[3], T[7], T[11]), strict=True)]
    return {"poses": [*rows, [0.0, 0.0, 0.0, 1.0]], "gap": where(mirrored, 2.0, gap)}


def _gram(R: Sequence[Sequence[Number]]) -> list[list[Number]]:
    return [[sum((R[k][i] * R[k][j] for k in range(3)), 0.0) for j in range(3)] for i in range(3)]


def _larger(a: Number, b: Number) -> Number:
    size = where(b < 0, -b, b)
    return where(a < size, size, a)
