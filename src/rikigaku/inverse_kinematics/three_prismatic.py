"""Configurations of loops of three revolute and three prismatic joints: first the angles, then displacements.

Displacements do not rotate: with R_0 ... R_3 the rotations between the revolute joints,

    M = R_0^T R R_3^T = Rz(a) R_1 Rz(b) R_2 Rz(c).

The element of the third row and column contains b only, A cos b + B sin b + C = M_33, and has two solutions;
a and c follow from the third column and row, and the displacements from three linear equations.
"""

from collections.abc import Sequence

import numpy as np

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.loop_cut import inverse
from rikigaku.inverse_kinematics.prismatic_loop import closing_displacements
from rikigaku.inverse_kinematics.serial_arm import SerialArm, joint_axes, joint_motion
from rikigaku.inverse_kinematics.trigonometric_roots import Zeros

_ANGLES = 3
_JOINTS = 6
_DOUBLE = 1e-9  # of 1 - cos^2 of half the distance of both solutions: they may be one
_INDEPENDENT = 1e-9  # smallest singular value of the directions of the prismatic joints


class ThreePrismatic:
    """Starts of Newton's method, which leaves them as they are up to rounding; geometry is data."""

    def __init__(self, revolute: Sequence[bool]) -> None:
        self.revolute = tuple(revolute)
        self.angles = [k for k, flag in enumerate(revolute) if flag]
        self.sampled = self.angles[1]

    def starts(self, links: Sequence[Array], H: Array) -> tuple[Zeros, Array]:
        """Solutions at poses (n, 4, 4): the middle angle as zero, and the configuration of each (m, 6).

        Args:
            links: L_0 ... L_6, each (4, 4) or (n, 4, 4), with the reach as unit of length.
        """
        n = len(H)
        R = [np.broadcast_to(link[..., :3, :3], (n, 3, 3)) for link in links]
        between, k = [], 0
        for end in (*self.angles, _JOINTS):  # the links after joint k - 1 up to joint `end`
            X = R[k]
            for j in range(k + 1, end + 1):
                X = X @ R[j]
            between.append(X)
            k = end + 1
        first, second, third, last = between
        M = np.swapaxes(first, -1, -2) @ H[:, :3, :3] @ np.swapaxes(last, -1, -2)
        u, w = second[:, 2, :], third[:, :, 2]
        A, B = u[:, 0] * w[:, 0] + u[:, 1] * w[:, 1], u[:, 1] * w[:, 0] - u[:, 0] * w[:, 1]
        rest, size = M[:, 2, 2] - u[:, 2] * w[:, 2], np.hypot(A, B)
        cosine = rest / np.where(size > 0, size, 1.0)
        own = np.nonzero(np.abs(cosine) < 1 + _DOUBLE)[0]
        half = np.arccos(np.clip(cosine[own], -1, 1))
        middle = np.arctan2(B[own], A[own])
        owner = np.concatenate([own, own])
        b = np.concatenate([middle + half, middle - half])
        N = second[owner] @ joint_motion(True, b)[:, :3, :3] @ third[owner]
        q = np.zeros((len(owner), _JOINTS))
        a = _direction(M[owner][:, :2, 2]) - _direction(N[:, :2, 2])
        c = _direction(N[:, 2, :2]) - _direction(M[owner][:, 2, :2])
        q[:, self.angles] = np.stack([a, b, c], axis=1)
        after = [*links[1:6], links[6] @ inverse(H) @ links[0]]
        T = [np.broadcast_to(link, (n, 4, 4))[owner] for link in after]
        closing_displacements(self.revolute, T, q)
        double = 1 - cosine[owner] ** 2 < _DOUBLE
        return Zeros(owner.astype(np.int64), b, double, owner[:0].astype(np.int64)), q


def three_prismatic(arm: SerialArm) -> list[ThreePrismatic]:
    """The solver of an arm of three revolute and three independent prismatic joints; none for other arms."""
    if arm.revolute.count(True) != _ANGLES or len(arm.revolute) != _JOINTS:
        return []
    z, _ = joint_axes(arm, np.random.default_rng(6).uniform(-1, 1, (4, _JOINTS)))
    sliding = [k for k, flag in enumerate(arm.revolute) if not flag]
    smallest = np.linalg.svd(z[:, sliding], compute_uv=False)[:, -1].max()
    return [ThreePrismatic(arm.revolute)] if smallest > _INDEPENDENT else []


def _direction(x: Array) -> Array:
    return np.asarray(np.arctan2(x[:, 1], x[:, 0]))
