"""Forward kinematics by other means: NumPy, from the steps of the data classes, no law of the package."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from readers import read_toml

from rikigaku.library import NAMES, path
from rikigaku.model.geometry import Geometry, Steps
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

Array = NDArray[np.float64]
Numbers = Array | Sequence[float]
PI = math.pi
ROBOTS = {name: read_toml(path(name)) for name in NAMES}


def number(robot: Robot, formula: Formula) -> float:
    values = {symbol.name: symbol.value for symbol in robot.symbols if symbol.value is not None}
    return float(formula.substitute(values))


def rotation(axis: Array, angle: float) -> Array:
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def quaternion(w: float, x: float, y: float, z: float) -> Array:
    half = math.atan2(math.hypot(x, y, z), w)
    return rotation(np.array([x, y, z]), 2 * half) if half else np.eye(3)


def pose(R: Array | None = None, p: Numbers = (0, 0, 0)) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.eye(3) if R is None else R, p
    return T


def fixed(robot: Robot, steps: Steps) -> Array:
    T = np.eye(4)
    for step in steps:
        unit, amount = np.eye(3)["xyz".index(step.axis[1])], number(robot, step.amount)
        T = T @ (pose(rotation(unit, amount)) if step.axis[0] == "r" else pose(p=amount * unit))
    return T


def placed(robot: Robot, geometry: Geometry) -> Array:
    return fixed(robot, (*geometry.before(), *geometry.after()))


def link_poses(robot: Robot, q: Numbers) -> dict[str, Array]:
    poses = {robot.base: np.eye(4)}
    for link in robot.links:
        joint = link.joint
        part = np.asarray(q, dtype=float)[robot.q_slices.get(joint.name, slice(0, 0))]
        first, second = (
            np.array([number(robot, x) for x in axis]) for axis in (joint.axis, joint.second_axis)
        )
        before, after = fixed(robot, link.geometry.before()), fixed(robot, link.geometry.after())
        poses[link.name] = poses[link.parent] @ before @ motion(joint.type, part, first, second) @ after
    return poses


def motion(kind: str, q: Array, first: Array, second: Array) -> Array:
    match kind:
        case "revolute":
            return pose(rotation(first, q[0]))
        case "prismatic":
            return pose(p=q[0] * first)
        case "universal":
            return pose(rotation(first, q[0]) @ rotation(second, q[1]))
        case "free":
            return pose(quaternion(*q[3:]), q[:3])
        case "planar" if first[2] == 1:  # slides along x and y
            return pose(rotation(first, q[2]), (*q[:2], 0))
    assert kind == "fixed"
    return pose()


def frame_pose(name: str, frame: str, q: Numbers) -> Array:
    robot = ROBOTS[name]
    found = robot.frame(frame)
    return link_poses(robot, q)[found.link] @ placed(robot, found.geometry)


def inertia_about_com(robot: Robot, inertia: Inertia) -> tuple[float, Array, Array]:
    """Mass, centre of mass, and tensor about it, in link axes."""
    assert not any(inertia.rpy)
    m, c = number(robot, inertia.m), np.array([number(robot, x) for x in inertia.position])
    xx, xy, xz, yy, yz, zz = (number(robot, x) for x in inertia.tensor)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if inertia.about == "origin":
        c = c / m
        tensor = tensor - m * (c @ c * np.eye(3) - np.outer(c, c))
    return m, c, tensor


def whole_body(robot: Robot, q: Numbers) -> tuple[float, Array, Array]:
    """Mass, centre of mass and tensor about it, world axes, of all links but the base."""
    poses, bodies = link_poses(robot, q), []
    for link in robot.links:
        if link.inertia is not None:
            m, c, tensor = inertia_about_com(robot, link.inertia)
            T = poses[link.name]
            bodies.append((m, T[:3, :3] @ c + T[:3, 3], T[:3, :3] @ tensor @ T[:3, :3].T))
    masses, centres, tensors = (np.array(column) for column in zip(*bodies, strict=True))
    com = masses @ centres / masses.sum()
    D = centres - com
    spread = np.einsum("b,bi,bj->ij", masses, D, D)
    return float(masses.sum()), com, tensors.sum(axis=0) + np.trace(spread) * np.eye(3) - spread


def moved(robot: Robot, q: Array, k: int, step: float) -> Array:
    """q after a small step along coordinate k of v; a quaternion turns about a body axis."""
    q, joint = q.copy(), next(j for j in robot.joints if robot.v_slices[j.name].stop > k)
    at, i = robot.q_slices[joint.name].start, k - robot.v_slices[joint.name].start
    if joint.type == "free" and i >= 3:
        w, x, y, z = q[at + 3 : at + 7]
        body = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
        q[at + 3 : at + 7] += step / 2 * body[:, i - 3]
    else:
        q[at + i] += step
    return q


def slope(robot: Robot, f: Callable[[Array], Array], q: Numbers) -> Array:
    """Columns: change of f along each coordinate of v, by central differences."""
    h, base = 1e-6, np.array(q, dtype=float)
    columns = [f(moved(robot, base, k, h)) - f(moved(robot, base, k, -h)) for k in range(robot.nv)]
    return np.array(columns).T / (2 * h)
