"""Arms for which square roots may suffice: three consecutive axes meet or are parallel [Pieper1968]."""

from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.serial_arm import SerialArm, joint_axes

_JOINTS = 6
_AXES = 1e-9  # distance [reach] and angle [rad] of axes that meet, are parallel or perpendicular


def may_have_formulas(arm: SerialArm, free: Sequence[int]) -> bool:
    """Whether square roots may suffice for these joints: three consecutive axes meet or are parallel.

    With fewer than six joints or prismatic ones right angles between neighbouring axes may suffice.
    """
    if not 0 < len(free) <= _JOINTS:
        return False
    if len(free) <= 3:
        return True
    revolute = [arm.revolute[k] for k in free]
    q = np.random.default_rng(4).uniform(-1, 1, (3, len(arm.revolute)))
    z, o = (x[:, list(free)] for x in joint_axes(arm, q))
    for k in range(len(revolute) - 2):
        own = slice(k, k + 3)
        if all(revolute[own]) and _meet_or_parallel(z[:, own], o[:, own], arm.reach):
            return True
    if len(revolute) == _JOINTS and all(revolute):
        return False
    cosine = np.abs((z[:, 1:] * z[:, :-1]).sum(axis=-1))
    return bool(((cosine < _AXES) | (cosine > 1 - _AXES)).all())


def _meet_or_parallel(z: Array, o: Array, reach: float) -> bool:
    """Three axes (m, 3, 3) that meet in a point or are parallel, at every configuration."""
    if max(np.abs(np.cross(z[:, 0], z[:, k])).max() for k in (1, 2)) < _AXES:
        return True
    P = np.eye(3) - z[..., :, None] * z[..., None, :]
    point = np.linalg.solve(P.sum(axis=1), (P @ o[..., None]).sum(axis=1))[..., 0]
    off = (P @ (point[:, None] - o)[..., None])[..., 0]
    return bool(np.abs(off).max() < _AXES * reach)
