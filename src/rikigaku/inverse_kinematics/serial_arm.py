"""A serial arm as numbers: H = L_0 M_1(q_1) L_1 ... M_n(q_n) L_n, motions about or along z."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array
from rikigaku.laws.tree.kinematics import known_frame
from rikigaku.model.elementary_motions import Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.number_kind import FLOATS


@dataclass(frozen=True, eq=False)
class SerialArm:
    """The joints that move a frame, from the ground outward, with the constant poses between them.

    Attributes:
        links: L_0 ... L_n (n + 1, 4, 4).
        revolute: True for a rotation about z, False for a displacement along z.
        coordinates: index of each joint in q of the robot.
    """

    links: Array
    revolute: tuple[bool, ...]
    coordinates: tuple[int, ...]

    @property
    def reach(self) -> float:
        """The sum of the lengths of the links [m]: the unit of length of the elimination."""
        return float(np.linalg.norm(self.links[:, :3, 3], axis=1).sum()) or 1.0

    def pose(self, q: Array) -> Array:
        """Poses of the last frame (..., 4, 4) at q (..., n)."""
        X = np.broadcast_to(self.links[0], (*q.shape[:-1], 4, 4))
        for k, flag in enumerate(self.revolute):
            X = X @ joint_motion(flag, q[..., k]) @ self.links[k + 1]
        return X


def joint_motion(revolute: bool, q: Array) -> Array:
    """Rotations about z, or displacements along z (..., 4, 4)."""
    M = np.zeros((*np.shape(q), 4, 4))
    M[..., range(4), range(4)] = 1.0
    if revolute:
        c, s = np.cos(q), np.sin(q)
        M[..., 0, 0], M[..., 0, 1], M[..., 1, 0], M[..., 1, 1] = c, -s, s, c
    else:
        M[..., 2, 3] = q
    return M


def joint_axes(arm: SerialArm, q: Array) -> tuple[Array, Array]:
    """Directions and points of the joints' axes (..., n, 3) at q (..., n)."""
    X = np.broadcast_to(arm.links[0], (*q.shape[:-1], 4, 4))
    directions, points = [], []
    for k, flag in enumerate(arm.revolute):
        directions.append(X[..., :3, 2])
        points.append(X[..., :3, 3])
        X = X @ joint_motion(flag, q[..., k]) @ arm.links[k + 1]
    return np.stack(directions, axis=-2), np.stack(points, axis=-2)


def jacobian(links: Sequence[Array], revolute: Sequence[bool], q: Array) -> Array:
    """(m, 6, n) at q (m, n), linear part first, in the axes of the base; links (4, 4) or (m, 4, 4)."""
    return pose_and_jacobian(links, revolute, q)[1]


def pose_and_jacobian(links: Sequence[Array], revolute: Sequence[bool], q: Array) -> tuple[Array, Array]:
    """Poses of the last frame (m, 4, 4) and its Jacobians (m, 6, n) at q (m, n)."""
    X = np.broadcast_to(links[0], (len(q), 4, 4))
    axes, origins = [], []
    for k, flag in enumerate(revolute):
        axes.append(X[:, :3, 2])
        origins.append(X[:, :3, 3])
        X = _moved(X, flag, q[:, k, None]) @ links[k + 1]
    columns = [
        np.concatenate([_cross(z, X[:, :3, 3] - o), z], axis=1)
        if flag
        else np.concatenate([z, np.zeros_like(z)], axis=1)
        for flag, z, o in zip(revolute, axes, origins, strict=True)
    ]
    return X, np.stack(columns, axis=-1)


def _moved(X: Array, revolute: bool, q: Array) -> Array:
    """X M(q) (m, 4, 4), at q (m, 1)."""
    out = X.copy()
    if revolute:
        c, s = np.cos(q), np.sin(q)
        out[:, :, 0], out[:, :, 1] = c * X[:, :, 0] + s * X[:, :, 1], c * X[:, :, 1] - s * X[:, :, 0]
    else:
        out[:, :, 3] += q * X[:, :, 2]
    return out


def _cross(a: Array, b: Array) -> Array:
    """Cross products (m, 3); np.cross takes five times as long for few of them."""
    (x, y, z), (u, v, w) = a.T, b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def pose_differences(X: Array, H: Array) -> Array:
    """Position and rotation errors (m, 6) of poses (m, 4, 4): the axes' cross products, halved."""
    S = X[:, :3, :3] @ np.swapaxes(H[:, :3, :3], 1, 2)  # sum of u w^T over the axes u of X and w of H
    skew = [S[:, 1, 2] - S[:, 2, 1], S[:, 2, 0] - S[:, 0, 2], S[:, 0, 1] - S[:, 1, 0]]
    rotation = 0.5 * np.stack(skew, axis=1)
    return np.concatenate([H[:, :3, 3] - X[:, :3, 3], rotation], axis=1)


def displacements(x: Array) -> Array:
    """Small displacements (n, 4, 4) from positions and rotation vectors (n, 6)."""
    from scipy.spatial.transform import Rotation

    T = np.zeros((len(x), 4, 4))
    T[:, :3, :3] = Rotation.from_rotvec(x[:, 3:]).as_matrix().reshape(-1, 3, 3)
    T[:, :3, 3], T[:, 3, 3] = x[:, :3], 1.0
    return T


def serial_arm(robot: RobotModel, frame: str, symbols: Mapping[str, float]) -> SerialArm:
    """The chain from the ground to a frame or link.

    Raises:
        NotSolvable: if a joint of the chain is neither revolute nor prismatic.
    """
    mechanism = instantiate(robot, FLOATS, {**robot.declared_values, **symbols})
    body, on_body = known_frame(mechanism, frame)
    path = [] if body == WORLD else [mechanism.bodies[k] for k in mechanism.support(body)][::-1]
    for part in path:
        if not isinstance(part.joint, Revolute | Prismatic):
            raise NotSolvable(
                f"The joint of link {part.name!r} is {type(part.joint).__name__.lower()}: all solutions are "
                "found for chains of revolute and prismatic joints.",
                [part.name],
            )
    single = {robot.q_slices[joint.name].start: joint.name for joint in robot.joints if joint.nq == 1}
    for part in path:
        if part.q.start not in single:  # a planar joint is three in a row
            raise NotSolvable(
                f"Link {part.name!r} has a joint of several coordinates: all solutions are found for chains "
                "of revolute and prismatic joints.",
                [part.name],
            )
    poses = [*(part.placement for part in path), on_body]
    return SerialArm(
        np.array([pose.matrix() for pose in poses], dtype=np.float64),
        tuple(isinstance(part.joint, Revolute) for part in path),
        tuple(part.q.start for part in path),
    )
