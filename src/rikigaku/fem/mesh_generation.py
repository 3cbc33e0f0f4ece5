"""Automatic mesh generation: nodes and beams of a robot's links, and checks that it can be meshed."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from rikigaku.core.errors import MissingValue, WrongValue
from rikigaku.core.types import Array
from rikigaku.fem.body_kinematics import central_inertia
from rikigaku.fem.mesh_layout import Beam, Layout, Node, Part, plane_normal
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.beam_section import Section, default_section
from rikigaku.model.elementary_motions import Free, Revolute
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import neutral
from rikigaku.numbers.number_kind import FLOATS

_SAME = 1e-9  # of the robot's size: positions closer than this coincide
_STRAIGHT = 1e-9  # unit vectors closer than this coincide


def layout(robot: RobotModel, masses: Mapping[str, float] | None = None, spatial: bool = False) -> Layout:
    """Mesh of a robot; masses: extra point masses [kg] at loops, frames or joints.

    spatial: beams of a planar robot bend out of its plane, too.

    Raises:
        MissingValue: if a symbol has no value. WrongValue: for a link of zero length between parallel joints,
            or a mechanism that is not connected.
    """
    missing = [name for name in robot.free_symbols if name not in robot.declared_values]
    if missing:
        raise MissingValue(
            f"A mesh is made of numbers; robot {robot.name!r} has {', '.join(missing[:8])} without values. "
            f"Give them first: robot.bind({missing[0]}=...)."
        )
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    normal = None if spatial else plane_normal(robot, mechanism)
    builder = _MeshBuilder(robot, mechanism, normal)
    check_connected(robot, mechanism, normal)
    builder.build()
    result = Layout(
        robot,
        mechanism,
        tuple(Node(body, position, tuple(names)) for body, position, names in builder.nodes),
        tuple(builder.all_parts()),
        tuple(builder.beams),
        {i: builder.origin[i] for i in builder.parent_node},
        builder.parent_node,
        {i: builder.centre[i] for i in builder.parent_node},
        builder.ends,
        builder.frames,
        normal,
        dict(masses or {}),
    )
    for name in result.masses:
        result.node_of_mass(name)
    return result


class _MeshBuilder:
    """Numbers the parts: bodies, then links on fixed joints; WORLD is the ground and all fixed to it."""

    def __init__(self, robot: RobotModel, mechanism: Mechanism, normal: Array | None) -> None:
        self.robot, self.mechanism, self.normal = robot, mechanism, normal
        self.nodes: list[tuple[int, tuple[float, float, float], list[str]]] = []
        self.on: dict[int, list[int]] = {WORLD: []}
        self.beams: list[Beam] = []
        self.origin: dict[int, int] = {}
        self.parent_node: dict[int, int] = {}
        self.centre: dict[int, int] = {}
        self.ends: dict[str, tuple[int, int]] = {}
        self.frames: dict[str, int] = {}
        self.links = {link.name: link for link in robot.links}
        bodies = mechanism.bodies
        self.body = {WORLD: WORLD} | {i: i for i in range(len(bodies))}  # of each part
        self.name = {i: body.name for i, body in enumerate(bodies)}
        self.inertia = {i: (0.0, np.zeros(3), np.zeros((3, 3))) for i in self.name}  # inside compound joints
        self.part = {robot.base: WORLD}  # of each link
        for name in (*mechanism.own, *(name for name in self.links if name not in mechanism.own)):
            self._add_part(name)  # parents first
        self.children: dict[int, list[int]] = {}
        for j, body in enumerate(bodies):
            self.children.setdefault(body.parent, []).append(j)
        positions = [np.array(b.placement.p, dtype=np.float64) for b in bodies]
        positions += [np.array(pose.p, dtype=np.float64) for _, pose in mechanism.frames.values()]
        self.size = float(np.linalg.norm(positions, axis=1).max(initial=0.0) if positions else 0.0) or 1.0
        self.projection = self._plane_projections()

    def _add_part(self, name: str) -> None:
        """Assign a link to its part, and store its inertia."""
        self.part[name] = body = self.mechanism.frames[name][0]
        if body == WORLD:
            return
        if self.links[name].joint.type == "fixed":
            self.part[name] = k = len(self.body) - 1
            self.body[k], self.name[k] = body, name
        own = self.mechanism.own[name]
        if float(own.m) == 0 and any(own.h):
            raise WrongValue(
                f"Link {name!r} has first moments and no mass: there is no centre to put a node at. "
                "Regrouped robots are for the laws; mesh the robot itself."
            )
        self.inertia[self.part[name]] = central_inertia(own)

    def _plane_projections(self) -> dict[int, Array]:
        """For a planar robot: projection of each body onto the plane, in body axes."""
        if self.normal is None:
            return {}
        poses = world_poses(self.mechanism, list(neutral(self.robot)))
        own = {i: np.array(pose.R, dtype=np.float64).T @ self.normal for i, pose in enumerate(poses)}
        return {i: np.eye(3) - np.outer(n, n) for i, n in {**own, WORLD: self.normal}.items()}

    def node(self, part: int, position: Any, name: str) -> int:
        """Node of a part at a position on its body; created if there is none."""
        node = self._existing_node(part, position)
        if node is None:
            x, y, z = (float(c) for c in self._projected(part, position))
            self.nodes.append((self.body[part], (x, y, z), []))
            node = len(self.nodes) - 1
            self.on[part].append(node)
        self.nodes[node][2].append(name)
        return node

    def _projected(self, part: int, position: Any) -> Any:
        if not self.projection:
            return position
        return self.projection[self.body[part]] @ np.array(position, dtype=np.float64)

    def _existing_node(self, part: int, position: Any) -> int | None:
        """Node of a part at a position, or None."""
        x, y, z = self._projected(part, position)
        near = (_SAME * self.size) ** 2
        for k in self.on.setdefault(part, []):
            a, b, c = self.nodes[k][1]
            if (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 < near:
                return k
        return None

    def build(self) -> None:
        bodies, frames = self.mechanism.bodies, self.mechanism.frames
        for i, body in enumerate(bodies):
            self.origin[i] = self.node(i, (0, 0, 0), f"joint of {body.name}")
        for name in self._fixed():
            k, pose = self.part[name], frames[name][1]
            self.origin[k] = self.node(self.part[self.links[name].parent], pose.p, f"joint of {name}")
            self.on.setdefault(k, []).append(self.origin[k])  # shared with the parent link
        for i, body in enumerate(bodies):
            inner = body.parent != WORLD and bodies[body.parent].name == body.name  # within a compound joint
            parent = body.parent if inner else self.part[self.links[body.name].parent]
            self.parent_node[i] = self.node(parent, body.placement.p, f"{body.name} on its parent")
        for loop, described in zip(self.mechanism.loops, self.robot.loops, strict=True):
            pair = [
                self.node(self.part[end.link], pose.p, loop.name)
                for end, (_, pose) in ((described.start, loop.start), (described.end, loop.end))
            ]
            self.ends[loop.name] = (pair[0], pair[1])
        for frame in self.robot.frames:
            self.frames[frame.name] = self.node(self.part[frame.link], frames[frame.name][1].p, frame.name)
        for k in self.name:
            self.centre[k] = self.node(k, self._centre(k), f"centre of {self.name[k]}")
        for name in self.links:  # a link's own frame, where that is at a node
            if self.part[name] == WORLD:
                self.frames[name] = self.node(WORLD, frames[name][1].p, name)
            elif (node := self._existing_node(self.part[name], frames[name][1].p)) is not None:
                self.frames.setdefault(name, node)
        for i in range(len(bodies)):
            self.check_length(i)
        longest = max((self._beam_length(k) for k in self.name), default=0.0)
        for k in self.name:
            self._beams(k, longest)

    def _fixed(self) -> list[str]:
        """Moving links on fixed joints, parents first."""
        return [name for name in self.mechanism.own if self.part[name] >= len(self.mechanism.bodies)]

    def _centre(self, k: int) -> Any:
        m, c, _ = self.inertia[k]
        others = [n for n in self.on[k] if n != self.origin[k]]
        origin_position = np.array(self.nodes[self.origin[k]][1])
        if m == 0 and others:  # a massless link: halfway to its first other node
            return (origin_position + np.array(self.nodes[others[0]][1])) / 2
        return c if m else origin_position

    def _beam_length(self, k: int) -> float:
        """Total length of the beams of a part [m]."""
        positions = np.array([self.nodes[n][1] for n in (self.centre[k], *self.on[k])])
        return float(np.sqrt(((positions[1:] - positions[0]) ** 2).sum(axis=1)).sum())

    def _beams(self, k: int, longest: float) -> None:
        if not longest:
            return
        section = self._section(self.name[k]) or default_section(longest)
        for start, end in self._segments(k):
            length = math.dist(self.nodes[start][1], self.nodes[end][1])
            self.beams.append(Beam(k, self.body[k], start, end, length, section))

    def _segments(self, k: int) -> list[tuple[int, int]]:
        """Beams from the joint to the centre of mass and on to all other nodes; collinear ones in line."""
        middle, origin = self.centre[k], self.origin[k]
        centre = np.array(self.nodes[middle][1])
        rays: list[tuple[Array, list[tuple[float, int]]]] = []
        for n in self.on[k]:
            if n != middle:
                offset = np.array(self.nodes[n][1]) - centre
                far = float(np.linalg.norm(offset))
                same = (ray for e, ray in rays if np.linalg.norm(offset / far - e) < _STRAIGHT)
                if (ray := next(same, None)) is None:
                    rays.append((offset / far, ray := []))
                ray.append((far, n))
        inner, outer = list[tuple[int, int]](), list[tuple[int, int]]()
        for _, ray in rays:
            line = [middle, *(n for _, n in sorted(ray))]
            at = line.index(origin) if origin in line else 0
            inner += [(b, a) for a, b in pairwise(line[: at + 1])][::-1]
            outer += pairwise(line[at:])
        return inner + outer

    def _section(self, name: str) -> Section | None:
        """Section of a link; a link on a fixed joint without one takes that of its parent."""
        link = self.links.get(name)
        while link is not None and link.section is None and link.joint.type == "fixed":
            link = self.links.get(link.parent)
        return None if link is None else link.section

    def all_parts(self) -> list[Part]:
        """All parts in their order."""
        return [
            Part(self.name[k], self.body[k], self.origin[k], self.centre[k], *self.inertia[k])
            for k in self.name
        ]

    def check_length(self, i: int) -> None:
        """Refuse two parallel revolute joints at one point of a link without inertia about them.

        Raises:
            WrongValue: with the names of both links.
        """
        bodies = self.mechanism.bodies
        single_node = isinstance(bodies[i].joint, Revolute) and len(self.on[i]) == 1
        if not single_node or central_inertia(bodies[i].inertia)[2][2, 2] > 0:
            return
        for j in self.children.get(i, ()):
            other = bodies[j]
            if isinstance(other.joint, Revolute) and self.parent_node[j] == self.origin[i]:
                axis = np.array(other.placement.R, dtype=np.float64)[:, 2]
                if other.name != bodies[i].name and np.linalg.norm(np.cross([0, 0, 1], axis)) < 1e-9:
                    raise WrongValue(
                        f"Link {bodies[i].name!r} has no length: its joint and that of link {other.name!r} "
                        "have the same axis. Give it a length, or replace the two joints by one."
                    )


def check_connected(robot: RobotModel, mechanism: Mechanism, normal: Array | None) -> None:
    """Check that all bodies are connected to the ground by joints or loops; a free joint does not connect.

    Raises:
        WrongValue: with the names of the separate bodies.
    """
    bodies, root = mechanism.bodies, {WORLD: WORLD}

    def component(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    joint_types = {link.name: link.joint.type for link in robot.links}
    for i, body in enumerate(bodies):
        free = isinstance(body.joint, Free) or (joint_types.get(body.name) == "planar" and normal is not None)
        root[i] = i if free else component(body.parent)
    for loop in mechanism.loops:
        a, b = component(loop.start[0]), component(loop.end[0])
        root[b if a == WORLD else a] = a if a == WORLD else b
    separate = [body.name for i, body in enumerate(bodies) if component(i) != component(WORLD)]
    if separate:
        raise WrongValue(
            f"Robot {robot.name!r} is in pieces: {', '.join(separate[:6])} are connected only by a free "
            "joint. Close a loop to them, or fix them to the ground (robot.lock)."
        )
