"""Mesh data: nodes and beams of every link, the grid at a configuration, the plane of a planar mechanism.

A link has a node at its own joint, at its centre of mass, and at every outer joint, loop end and frame on it.
Beams run from the centre of mass to the other nodes; nodes on one line are connected in sequence. With the
centre of mass on the line between two joints a link has two beams. Links on fixed joints are parts of one
body: each has its own nodes and beams, and shares the node of its joint with its parent link.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import UnknownName
from rikigaku.core.types import Array
from rikigaku.fem.body_kinematics import Bodies
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.beam_section import Section
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import neutral


@dataclass(frozen=True)
class Node:
    """A point on a body (in body axes) and the names of what is there; body WORLD is the ground."""

    body: int
    position: tuple[float, float, float]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """A link as a part of a body: nodes of its joint and its centre of mass, and its own mass [kg].

    position, tensor: centre of mass, and inertia tensor about it [kg m^2], in body axes.
    """

    link: str
    body: int
    origin: int
    centre: int
    mass: float
    position: Array
    tensor: Array


@dataclass(frozen=True)
class Beam:
    """A beam between two nodes of one part; start is the end nearer to the part's joint."""

    part: int
    body: int
    start: int
    end: int
    length: float
    section: Section


@dataclass(frozen=True, eq=False)
class Layout:
    """Nodes, parts and beams of a robot, and the nodes of its joints, loops and frames."""

    robot: RobotModel
    mechanism: Mechanism
    nodes: tuple[Node, ...]
    parts: tuple[Part, ...]  # the moving part of each body first, in their order
    beams: tuple[Beam, ...]
    origin: dict[int, int]  # node of each body at its own joint
    parent_node: dict[int, int]  # node on the parent at each body's joint
    centre: dict[int, int]  # node at the centre of mass of each body's moving part
    ends: dict[str, tuple[int, int]]  # nodes of the start and the end of each loop
    frames: dict[str, int]
    normal: Array | None  # of the plane of a planar robot; None for a spatial one
    masses: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def bodies(self) -> Bodies:
        """Bodies of the mechanism as arrays."""
        return Bodies(self.mechanism)

    @property
    def planar(self) -> bool:
        """Whether all joint axes are parallel and all prismatic joints move perpendicular to them."""
        return self.normal is not None

    def node_of_mass(self, name: str, on_end: bool = False) -> int:
        """Node of an extra mass at a frame, a joint, or the start of a loop (its end if on_end).

        If one end of a loop is on the ground, the node is on the other end.
        """
        if name in self.ends:
            ends = self.ends[name][::-1] if on_end else self.ends[name]
            return next((node for node in ends if self.nodes[node].body != WORLD), ends[0])
        if name in self.frames:
            return self.frames[name]
        joints = {link.joint.name: link.name for link in self.robot.links}
        if name in joints:
            body = next((i for i, b in enumerate(self.mechanism.bodies) if b.name == joints[name]), None)
            if body is not None:
                return self.origin[body]
        raise UnknownName("loop, frame or joint", name, (*self.ends, *self.frames, *joints), "the mesh")


def plane_axes(normal: Array) -> Array:
    """Two orthonormal directions in the plane (rows), right-handed with the normal.

    The second is the projection of the world axis closest to the plane: z where the plane is vertical.
    """
    fit = np.abs(normal)
    k = max(range(3), key=lambda i: (-round(float(fit[i]), 6), i))
    second = np.eye(3)[k] - normal[k] * normal
    second = second / np.linalg.norm(second)
    return np.stack([np.cross(second, normal), second])


@dataclass(frozen=True, eq=False)
class Grid:
    """A mesh at a configuration, beams divided into elements: node positions (n, 3), body rotations."""

    layout: Layout
    positions: Array
    body: NDArray[np.intp]
    elements: list[tuple[int, int, int]]  # beam, node, node
    R: Array
    q: Array

    @property
    def rails(self) -> list[tuple[int, int]]:
        """Nodes apart along the axis of a prismatic joint or cut: its seat, and the node that it carries.

        The rail between them is a rigid arm on the node of the seat.
        """
        layout = self.layout
        pairs = [(layout.parent_node[i], layout.origin[i]) for i in layout.origin]
        apart = self.positions
        return [
            (a, b) for a, b in (*pairs, *layout.ends.values()) if np.linalg.norm(apart[a] - apart[b]) > 1e-9
        ]

    def axes(self, body: int) -> Array:
        """Axes of a body in the world, as columns; the identity for the ground."""
        return np.eye(3) if body == WORLD else np.asarray(self.R[body])


def grid_at(layout: Layout, q: Array, elements_per_beam: int = 1) -> Grid:
    """Grid at the configuration q; the nodes of the layout come first, those inside beams follow."""
    poses = world_poses(layout.mechanism, list(q))
    R = np.array([pose.R for pose in poses], dtype=np.float64).reshape(-1, 3, 3)
    p = np.array([pose.p for pose in poses], dtype=np.float64).reshape(-1, 3)
    flat = np.eye(3) if layout.normal is None else np.eye(3) - np.outer(layout.normal, layout.normal)
    positions = [
        flat @ (np.array(n.position) if n.body == WORLD else p[n.body] + R[n.body] @ n.position)
        for n in layout.nodes
    ]
    body = [node.body for node in layout.nodes]
    elements = []
    for k, beam in enumerate(layout.beams):
        start, end, last = positions[beam.start], positions[beam.end], beam.start
        for j in range(1, elements_per_beam):
            positions.append(start + (end - start) * j / elements_per_beam)
            body.append(beam.body)
            elements.append((k, last, len(positions) - 1))
            last = len(positions) - 1
        elements.append((k, last, beam.end))
    return Grid(layout, np.array(positions).reshape(-1, 3), np.array(body), elements, R, np.asarray(q))


def plane_normal(robot: RobotModel, mechanism: Mechanism) -> Array | None:
    """Common direction of all rotation axes, perpendicular to all prismatic axes; None if spatial."""
    poses = world_poses(mechanism, list(neutral(robot)))
    rotation_axes, translation_axes = [], []
    for body, pose in zip(mechanism.bodies, poses, strict=True):
        R = np.array(pose.R, dtype=np.float64)
        for direction in body.joint.directions():
            w, u = (R @ np.array(x, dtype=np.float64) for x in (direction.angular, direction.linear))
            rotation_axes += [w] if w.any() else []
            translation_axes += [u] if u.any() else []
    for loop in mechanism.loops:
        if loop.joint not in ("revolute", "fixed", "prismatic"):
            return None
        start, on_start = loop.start
        R = np.eye(3) if start == WORLD else np.array(poses[start].R, dtype=np.float64)
        z = (R @ np.array(on_start.R, dtype=np.float64))[:, 2]
        if loop.joint != "fixed":
            (rotation_axes if loop.joint == "revolute" else translation_axes).append(z)
    if not rotation_axes:
        return None
    n = rotation_axes[0]
    parallel = all(np.linalg.norm(np.cross(n, w)) < 1e-9 for w in rotation_axes)
    return np.asarray(n) if parallel and all(abs(n @ u) < 1e-9 for u in translation_axes) else None
