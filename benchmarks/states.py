"""Random states of a robot, and conversion between the joint orders of the libraries.

The reference layout is ours: a free base first, as position, unit quaternion (w, x, y, z), body velocity
(linear, angular); then one number a joint.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.laws import Law

Array = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """N states, one a row. q (N, nq), v, a, tau (N, nv); `joints` names the columns after the free base."""

    joints: tuple[str, ...]
    floating: bool
    q: Array
    v: Array
    a: Array
    tau: Array

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.v.shape[1]

    @property
    def bodies(self) -> int:
        """Moving bodies: one a joint, and the free base."""
        return len(self.joints) + self.floating

    def inputs(self, law: Law) -> list[Array]:
        """The arrays a law takes, in order."""
        return [getattr(self, name) for name in law.inputs]

    def in_order(self, joints: Sequence[str]) -> "States":
        """The same states with the joints in another order."""
        order = np.array([self.joints.index(name) for name in joints], dtype=int)
        of_q = np.concatenate([np.arange(7 * self.floating), 7 * self.floating + order])
        of_v = np.concatenate([np.arange(6 * self.floating), 6 * self.floating + order])
        q, v, a, tau = (
            np.ascontiguousarray(x[:, i])
            for x, i in ((self.q, of_q), (self.v, of_v), (self.a, of_v), (self.tau, of_v))
        )
        return replace(self, joints=tuple(joints), q=q, v=v, a=a, tau=tau)


def random_states(joints: Sequence[str], floating: bool, count: int, seed: int = 1) -> States:
    """States over a whole revolution of every joint, at a few rad/s; forces of some tens of N m."""
    rng = np.random.default_rng(seed)
    n = len(joints)
    nv = n + 6 * floating
    q = rng.uniform(-np.pi, np.pi, (count, n))
    if floating:
        quaternion = rng.normal(size=(count, 4))
        quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
        q = np.hstack([rng.uniform(-1, 1, (count, 3)), quaternion, q])
    v, a, tau = (scale * rng.uniform(-1, 1, (count, nv)) for scale in (2.0, 5.0, 30.0))
    return States(tuple(joints), floating, q, v, a, tau)


def back_in_order(
    law: Law,
    answer: Array,
    theirs: Sequence[str],
    wanted: Sequence[str],
    floating: bool,
    parameters: Sequence[int] = tuple(range(10)),
) -> Array:
    """A result (N, ...) with its joints in the order `theirs`, rearranged to the order `wanted`.

    Args:
        parameters: where each of our ten inertial parameters of a body stands in their block of ten.
    """
    joint = np.array([list(theirs).index(name) for name in wanted], dtype=int)
    dof = np.concatenate([np.arange(6 * floating), 6 * floating + joint])
    body = np.concatenate([np.arange(1 * floating), 1 * floating + joint])
    columns = (10 * body[:, None] + np.asarray(parameters)).ravel()
    for axis, kind in enumerate(law.axes, start=1):
        if kind in ("v", "p"):
            answer = np.take(answer, dof if kind == "v" else columns, axis=axis)
    return answer


def rotations(quaternions: Array) -> Array:
    """Rotation matrices (N, 3, 3) of unit quaternions (N, 4) in the order w, x, y, z."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
