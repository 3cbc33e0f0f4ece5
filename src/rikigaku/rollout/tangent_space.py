"""Tangent space of the configurations: T(q) with dq/dt = T(q) v, for arrays of states."""

from collections.abc import Iterator

import numpy as np

from rikigaku.core.types import Array
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.robot import Robot


def pushed_forward(robot: Robot, q: Array, v: Array) -> Array:
    """T(q) v, (..., nq)."""
    result = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), robot.nq))
    for at, to, T in _blocks(robot, q):
        result[..., at] = v[..., to] if T is None else (T @ v[..., to, None])[..., 0]
    return result


def pulled_back(robot: Robot, q: Array, g: Array) -> Array:
    """T(q)^T g, (..., nv): the derivative in the tangent space of a function with the gradient g by the
    numbers of q."""
    result = np.zeros((*np.broadcast_shapes(q.shape[:-1], g.shape[:-1]), robot.nv))
    for at, to, T in _blocks(robot, q):
        result[..., to] = g[..., at] if T is None else (np.swapaxes(T, -1, -2) @ g[..., at, None])[..., 0]
    return result


def coordinates(robot: Robot, q: Array, dq: Array) -> Array:
    """v with T(q) v = dq, (..., nv), for changes dq on the manifold."""
    result = np.zeros((*np.broadcast_shapes(q.shape[:-1], dq.shape[:-1]), robot.nv))
    for at, to, T in _blocks(robot, q):
        result[..., to] = dq[..., at] if T is None else (_inverse(T) @ dq[..., at, None])[..., 0]
    return result


def cotangent_basis(robot: Robot, q: Array) -> Array:
    """Rows of T(q)^+, (..., nv, nq)."""
    result = np.zeros((*q.shape[:-1], robot.nv, robot.nq))
    for at, to, T in _blocks(robot, q):
        result[..., to, at] = np.eye(to.stop - to.start) if T is None else _inverse(T)
    return result


def _inverse(T: Array) -> Array:
    """The pseudo-inverse of T; NaN for states that are not finite."""
    bad = np.asarray(~np.isfinite(T).all(axis=(-1, -2)))
    found = np.linalg.pinv(np.where(bad[..., None, None], 0.0, T))
    found[bad] = np.nan
    return found


def _blocks(robot: Robot, q: Array) -> Iterator[tuple[slice, slice, Array | None]]:
    """Places in q and v of each elementary joint, and its T, None for the identity."""
    i = k = 0
    for joint in robot.joints:
        for motion, _ in joint_type(joint.type).motions:
            at, to = slice(i, i + motion.nq), slice(k, k + motion.nv)
            i, k = at.stop, to.stop
            if motion.nq == motion.nv:
                yield at, to, None
                continue
            own = [q[..., n] for n in range(at.start, at.stop)]
            T = np.zeros((*q.shape[:-1], motion.nq, motion.nv))
            for n in range(motion.nv):
                rates = motion().rate(own, [float(m == n) for m in range(motion.nv)])
                for row, x in enumerate(rates):
                    T[..., row, n] = x
            yield at, to, T
