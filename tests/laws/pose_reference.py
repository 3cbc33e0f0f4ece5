"""Mechanics from poses alone: an independent reference that shares no recursion with the package.

Poses are products of 4x4 matrices built from the robot's data. Their derivatives come from complex steps,
exact to rounding: the imaginary part of f(x + i h) over h, with h far below rounding. Dynamics are Kane's
equations over centres of mass in world axes.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rikigaku.model.geometry import Steps
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.robot import Robot

Array = np.ndarray
_H = 1e-40  # complex step
_STEPS = (0.02, 0.01, 0.005, 0.0025)


def rotation_about(axis: Array, angle: complex) -> Array:
    """Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def homogeneous(R: Array | None = None, p: Array | tuple[complex, ...] = (0, 0, 0)) -> Array:
    X = np.eye(4, dtype=complex)
    X[:3, :3] = np.eye(3) if R is None else R
    X[:3, 3] = p
    return X


def steps_pose(steps: Steps) -> Array:
    X = homogeneous()
    for step in steps:
        axis, amount = np.eye(3)["xyz".index(step.axis[1])], float(step.amount)
        turn = step.axis[0] == "r"
        X = X @ (homogeneous(rotation_about(axis, amount)) if turn else homogeneous(p=amount * axis))
    return X


def quaternion_matrix(w: complex, x: complex, y: complex, z: complex) -> Array:
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def joint_pose(joint: Joint, q: Array) -> Array:
    axis = np.array([float(x) for x in joint.axis])
    match joint.type:
        case "fixed":
            return homogeneous()
        case "revolute":
            return homogeneous(rotation_about(axis, q[0]))
        case "prismatic":
            return homogeneous(p=q[0] * axis / np.linalg.norm(axis))
        case "helical":
            advance = float(joint.pitch) * q[0] * axis / np.linalg.norm(axis)
            return homogeneous(rotation_about(axis, q[0]), advance)
        case "universal":
            second = np.array([float(x) for x in joint.second_axis])
            return homogeneous(rotation_about(axis, q[0]) @ rotation_about(second, q[1]))
        case "spherical":
            return homogeneous(quaternion_matrix(*q))
        case "planar":
            x, y, n = plane(axis / np.linalg.norm(axis))
            return homogeneous(rotation_about(n, q[2]), q[0] * x + q[1] * y)
        case "free":
            return homogeneous(quaternion_matrix(*q[3:]), q[:3])
    raise AssertionError(joint.type)


def plane(n: Array) -> tuple[Array, Array, Array]:
    """The sliding directions of a planar joint: x, y for the normal z, cyclically; level x otherwise.

    Against an axis (n = -z) the two directions change places, which keeps the three right-handed.
    """
    k = int(np.argmax(abs(n)))
    if abs(n[k]) == 1:
        x, y = np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
        return (x, y, n) if n[k] > 0 else (y, x, n)
    x = np.array([-n[1], n[0], 0]) / np.hypot(n[0], n[1])
    return x, np.cross(n, x), n


def link_poses(robot: Robot, q: Array) -> dict[str, Array]:
    """Pose in the world of the base, every link and every frame."""
    poses = {robot.base: homogeneous()}
    waiting = list(robot.links)
    while waiting:
        link = next(link for link in waiting if link.parent in poses)
        waiting.remove(link)
        own = q[robot.q_slices.get(link.joint.name, slice(0, 0))]
        moved = joint_pose(link.joint, own) @ steps_pose(link.geometry.after())
        poses[link.name] = poses[link.parent] @ steps_pose(link.geometry.before()) @ moved
    for frame in robot.frames:
        placed = steps_pose((*frame.geometry.before(), *frame.geometry.after()))
        poses[frame.name] = poses[frame.link] @ placed
    return poses


def tangent(robot: Robot, q: Array) -> Array:
    """T(q), nq x nv, with dq/dt = T v."""
    T = np.zeros((robot.nq, robot.nv))
    for joint in robot.joints:
        rows, columns = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type not in ("spherical", "free"):
            T[rows, columns] = np.eye(joint.nv)
            continue
        w, x, y, z = q[rows][-4:]
        turning = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2
        T[rows.stop - 4 : rows.stop, columns.stop - 3 : columns.stop] = turning
        if joint.type == "free":
            T[rows.start : rows.start + 3, columns.start : columns.start + 3] = quaternion_matrix(w, x, y, z)
    return T


class PoseJacobian(NamedTuple):
    """A frame's pose and the velocity of its origin and angular velocity for each unit rate, world axes."""

    R: Array
    p: Array
    linear: Array
    angular: Array


def jacobians(robot: Robot, q: Array) -> dict[str, PoseJacobian]:
    """Of every named frame."""
    T = tangent(robot, q)
    still = {name: X.real for name, X in link_poses(robot, q).items()}
    columns: dict[str, list[Array]] = {name: [] for name in still}
    for k in range(robot.nv):
        for name, X in link_poses(robot, q + 1j * _H * T[:, k]).items():
            columns[name].append(X.imag / _H)
    result = {}
    for name, X in still.items():
        R, p = X[:3, :3], X[:3, 3]
        slopes = np.array(columns[name]).reshape(robot.nv, 4, 4)
        W = slopes[:, :3, :3] @ R.T
        angular = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]])
        result[name] = PoseJacobian(R, p, slopes[:, :3, 3].T, angular)
    return result


class MovingBody(NamedTuple):
    """Mass, centre of mass, tensor about it, and their Jacobians, world axes."""

    m: float
    c: Array
    I: Array
    linear: Array
    angular: Array


def moving_bodies(robot: Robot, q: Array) -> list[MovingBody]:
    """Every link with mass; links fixed to the ground have zero Jacobians and are left out."""
    frames, result = jacobians(robot, q), []
    for link in robot.links:
        J = frames[link.name]
        if link.inertia is None or not (np.any(J.linear) or np.any(J.angular)):
            continue
        m, c, tensor = about_center(link.inertia)
        arm = J.R @ c
        linear = J.linear + np.cross(J.angular.T, arm).T
        result.append(MovingBody(m, J.p + arm, J.R @ tensor @ J.R.T, linear, J.angular))
    return result


def about_center(inertia: Inertia) -> tuple[float, Array, Array]:
    """Mass, centre of mass and the tensor about it, in link axes."""
    m, position = float(inertia.m), np.array([float(x) for x in inertia.position])
    xx, xy, xz, yy, yz, zz = (float(x) for x in inertia.tensor)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if inertia.about == "com":
        roll, pitch, yaw = (float(x) for x in inertia.rpy)
        ex, ey, ez = np.eye(3)
        R = rotation_about(ez, yaw) @ rotation_about(ey, pitch) @ rotation_about(ex, roll)
        return m, position, R @ tensor @ R.T
    c = position / m
    return m, c, tensor - m * (c @ c * np.eye(3) - np.outer(c, c))


def gravity(robot: Robot) -> Array:
    return np.array([float(x) for x in robot.gravity])


def by_coordinate(robot: Robot, what: str) -> Array:
    """A property of the joints (rotor, viscous, coulomb), one number for each coordinate of v."""
    return np.array([float(getattr(joint, what)) for joint in robot.joints for _ in range(joint.nv)])


def mass_matrix(robot: Robot, q: Array) -> Array:
    M = np.diag(by_coordinate(robot, "rotor"))
    for b in moving_bodies(robot, q):
        M = M + b.m * b.linear.T @ b.linear + b.angular.T @ b.I @ b.angular
    return M


def kane(robot: Robot, q: Array, v: Array, a: Array) -> Array:
    """Joint forces without friction: each body's inertia forces times its partial velocities, summed."""
    tau = by_coordinate(robot, "rotor") * a

    def velocities(at: Array) -> Array:
        return np.array([[b.linear @ v, b.angular @ v] for b in moving_bodies(robot, at)])

    drift = slope(velocities, q, tangent(robot, q) @ v)
    for b, (dc, dw) in zip(moving_bodies(robot, q), drift, strict=True):
        w = b.angular @ v
        force = b.m * (b.linear @ a + dc - gravity(robot))
        moment = b.I @ (b.angular @ a + dw) + np.cross(w, b.I @ w)
        tau = tau + b.linear.T @ force + b.angular.T @ moment
    return tau


def slope(f: Callable[[Array], Array], x: Array, direction: Array) -> Array:
    """Directional derivative by central differences, extrapolated three times (error of order step^8)."""
    return _extrapolated([(f(x + h * direction) - f(x - h * direction)) / (2 * h) for h in _STEPS])


def slopes(f: Callable[[Array], Array], x: Array, directions: Array) -> Array:
    """Derivatives along each column of `directions`, stacked as the last axis; f takes many points (m, n)."""
    table = []
    for h in _STEPS:
        ahead, behind = f(x + h * directions.T), f(x - h * directions.T)
        table.append(np.moveaxis((ahead - behind) / (2 * h), 0, -1))
    return _extrapolated(table)


def _extrapolated(table: list[Array]) -> Array:
    """Richardson's limit of differences whose step is halved from one to the next."""
    for order in range(1, len(table)):
        table = [(4**order * b - a) / (4**order - 1) for a, b in pairwise(table)]
    return np.asarray(table[0])
