"""Configurations of an arm at a pose by Newton's method from random starts: no elimination, no formulas.

Poses and Jacobians are the compiled laws of the robot. The number of configurations is a lower bound that is
sharp once every configuration was found many times.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from rikigaku.core.types import Array

_STEPS = 80
_LONGEST = 0.6  # step [rad, m]
_REACHED = 1e-10
_EQUAL = 1e-5


class Configurations(NamedTuple):
    """Distinct configurations (k, nq), and how often each was found (k,)."""

    q: Array
    times: Array


def configurations(robot: Any, frame: str, pose: Array, starts: int, seed: int = 0) -> Configurations:
    """All configurations that Newton's method reaches from random starts."""
    rng = np.random.default_rng(seed)
    angles = np.array([j.type == "revolute" for j in robot.joints])
    q = rng.uniform(-np.pi, np.pi, (starts, robot.nq)) * np.where(angles, 1.0, 0.5)
    for _ in range(_STEPS):
        e = _errors(robot.pose(q, frame), pose)
        J = np.asarray(robot.jacobian(q, frame))
        damping = 1e-3 * (e * e).sum(axis=1)[:, None, None] * np.eye(6) + 1e-13 * np.eye(6)
        step = np.swapaxes(J, 1, 2) @ np.linalg.solve(J @ np.swapaxes(J, 1, 2) + damping, e[..., None])
        size = np.abs(step[..., 0]).max(axis=1, keepdims=True)
        q = q + step[..., 0] * np.minimum(1.0, _LONGEST / np.maximum(size, 1e-300))
    q = q[np.abs(_errors(robot.pose(q, frame), pose)).max(axis=1) < _REACHED]
    q = np.where(angles, q - 2 * np.pi * np.round(q / (2 * np.pi)), q)
    found, times = list[Array](), list[int]()
    for row in q:
        gap = np.array(found).reshape(-1, robot.nq) - row
        gap = np.where(angles, gap - 2 * np.pi * np.round(gap / (2 * np.pi)), gap)
        same = np.nonzero((np.abs(gap) < _EQUAL).all(axis=1))[0]
        if len(same):
            times[same[0]] += 1
        else:
            found.append(row)
            times.append(1)
    return Configurations(np.array(found).reshape(-1, robot.nq), np.array(times))


def _errors(reached: Array, pose: Array) -> Array:
    """Position and rotation errors (n, 6) in world axes."""
    rotation = Rotation.from_matrix(pose[:3, :3] @ np.swapaxes(reached[:, :3, :3], 1, 2)).as_rotvec()
    return np.concatenate([pose[:3, 3] - reached[:, :3, 3], rotation], axis=1)
