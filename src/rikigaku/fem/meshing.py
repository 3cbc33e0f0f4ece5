"""Making the mesh of a robot: which nodes and beams it has, and what cannot be meshed."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import MissingValue, WrongValue
from rikigaku.fem.kinematics import central
from rikigaku.fem.layout import Beam, Layout, Node, Part
from rikigaku.fem.plane import check_pieces, plane_normal
from rikigaku.laws.kinematics import world_poses
from rikigaku.model.elementary import Revolute
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.model.section import Section, default_section
from rikigaku.numbers.kind import FLOATS
from rikigaku.states import neutral

Array = NDArray[np.float64]

_SAME = 1e-9  # places closer than this part of the robot's size are one
_STRAIGHT = 1e-9  # difference of directions that are one


def layout(robot: Robot, masses: Mapping[str, float] | None = None) -> Layout:
    """The mesh of a robot; masses: extra point masses [kg] at loops, frames or joints.

    Raises:
        MissingValue: if a symbol has no value. WrongValue: for a link of no length between parallel joints,
            or a mechanism in pieces.
    """
    missing = [name for name in robot.free_symbols if name not in robot.declared_values]
    if missing:
        raise MissingValue(
            f"A mesh is made of numbers; robot {robot.name!r} has {', '.join(missing[:8])} without values. "
            f"Give them first: robot.bind({missing[0]}=...)."
        )
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    normal = plane_normal(robot, mechanism)
    made = _Maker(robot, mechanism, normal)
    check_pieces(robot, mechanism, normal)
    made.make()
    result = Layout(
        robot,
        mechanism,
        tuple(Node(body, place, tuple(names)) for body, place, names in made.nodes),
        tuple(made.made_parts()),
        tuple(made.beams),
        {i: made.origin[i] for i in made.seat},
        made.seat,
        {i: made.centre[i] for i in made.seat},
        made.ends,
        made.frames,
        normal,
        dict(masses or {}),
    )
    for name in result.masses:
        result.carrier_of_mass(name)
    return result


class _Maker:
    """Parts are numbered as bodies, then links on fixed joints; WORLD is the ground and what it carries."""

    def __init__(self, robot: Robot, mechanism: Mechanism, normal: Array | None) -> None:
        self.robot, self.mechanism, self.normal = robot, mechanism, normal
        self.nodes: list[tuple[int, tuple[float, float, float], list[str]]] = []
        self.on: dict[int, list[int]] = {WORLD: []}
        self.beams: list[Beam] = []
        self.origin: dict[int, int] = {}
        self.seat: dict[int, int] = {}
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
            self._number(name)  # carriers first
        self.children: dict[int, list[int]] = {}
        for j, body in enumerate(bodies):
            self.children.setdefault(body.parent, []).append(j)
        places = [np.array(b.placement.p, dtype=np.float64) for b in bodies]
        places += [np.array(pose.p, dtype=np.float64) for _, pose in mechanism.frames.values()]
        self.size = float(np.linalg.norm(places, axis=1).max(initial=0.0) if places else 0.0) or 1.0
        self.across = self._plane_projections()

    def _number(self, name: str) -> None:
        """The part a link is."""
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
        self.inertia[self.part[name]] = central(own)

    def _plane_projections(self) -> dict[int, Array]:
        """For a planar robot: of each body the projection onto the plane, in its own axes."""
        if self.normal is None:
            return {}
        poses = world_poses(self.mechanism, list(neutral(self.robot)))
        own = {i: np.array(pose.R, dtype=np.float64).T @ self.normal for i, pose in enumerate(poses)}
        return {i: np.eye(3) - np.outer(n, n) for i, n in {**own, WORLD: self.normal}.items()}

    def node(self, part: int, place: Any, name: str) -> int:
        """The node of a part at a place of its body, a new one if there is none."""
        known = self._known(part, place)
        if known is None:
            x, y, z = (float(c) for c in self._flat(part, place))
            self.nodes.append((self.body[part], (x, y, z), []))
            known = len(self.nodes) - 1
            self.on[part].append(known)
        self.nodes[known][2].append(name)
        return known

    def _flat(self, part: int, place: Any) -> Any:
        return self.across[self.body[part]] @ np.array(place, dtype=np.float64) if self.across else place

    def _known(self, part: int, place: Any) -> int | None:
        """The node of a part at a place, if there is one."""
        x, y, z = self._flat(part, place)
        near = (_SAME * self.size) ** 2
        for k in self.on.setdefault(part, []):
            a, b, c = self.nodes[k][1]
            if (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 < near:
                return k
        return None

    def make(self) -> None:
        bodies, frames = self.mechanism.bodies, self.mechanism.frames
        for i, body in enumerate(bodies):
            self.origin[i] = self.node(i, (0, 0, 0), f"joint of {body.name}")
        for name in self._fixed():
            k, pose = self.part[name], frames[name][1]
            self.origin[k] = self.node(self.part[self.links[name].parent], pose.p, f"joint of {name}")
            self.on.setdefault(k, []).append(self.origin[k])  # in common with the link that carries it
        for i, body in enumerate(bodies):
            inner = body.parent != WORLD and bodies[body.parent].name == body.name  # within a compound joint
            carrier = body.parent if inner else self.part[self.links[body.name].parent]
            self.seat[i] = self.node(carrier, body.placement.p, f"seat of {body.name}")
        for loop, given in zip(self.mechanism.loops, self.robot.loops, strict=True):
            pair = [
                self.node(self.part[end.link], pose.p, loop.name)
                for end, (_, pose) in ((given.start, loop.start), (given.end, loop.end))
            ]
            self.ends[loop.name] = (pair[0], pair[1])
        for frame in self.robot.frames:
            self.frames[frame.name] = self.node(self.part[frame.link], frames[frame.name][1].p, frame.name)
        for k in self.name:
            self.centre[k] = self.node(k, self._centre(k), f"centre of {self.name[k]}")
        for name in self.links:  # a link's own frame, where that is at a node
            if self.part[name] == WORLD:
                self.frames[name] = self.node(WORLD, frames[name][1].p, name)
            elif (known := self._known(self.part[name], frames[name][1].p)) is not None:
                self.frames.setdefault(name, known)
        for i in range(len(bodies)):
            self.check_length(i)
        longest = max((self._reach(k) for k in self.name), default=0.0)
        for k in self.name:
            self._beams(k, longest)

    def _fixed(self) -> list[str]:
        """Links on fixed joints that move, carriers first."""
        return [name for name in self.mechanism.own if self.part[name] >= len(self.mechanism.bodies)]

    def _centre(self, k: int) -> Any:
        m, c, _ = self.inertia[k]
        others = [n for n in self.on[k] if n != self.origin[k]]
        here = np.array(self.nodes[self.origin[k]][1])
        if m == 0 and others:  # a link without mass: halfway to the first thing it carries
            return (here + np.array(self.nodes[others[0]][1])) / 2
        return c if m else here

    def _reach(self, k: int) -> float:
        """Length of all beams of a part together [m]."""
        places = np.array([self.nodes[n][1] for n in (self.centre[k], *self.on[k])])
        return float(np.sqrt(((places[1:] - places[0]) ** 2).sum(axis=1)).sum())

    def _beams(self, k: int, longest: float) -> None:
        if not longest:
            return
        section = self._section(self.name[k]) or default_section(longest)
        for start, end in self._segments(k):
            length = math.dist(self.nodes[start][1], self.nodes[end][1])
            self.beams.append(Beam(k, self.body[k], start, end, length, section))

    def _segments(self, k: int) -> list[tuple[int, int]]:
        """From the joint to the centre of mass, from there to all else; one after the other along a line."""
        middle, origin = self.centre[k], self.origin[k]
        here = np.array(self.nodes[middle][1])
        rays: list[tuple[Array, list[tuple[float, int]]]] = []
        for n in self.on[k]:
            if n != middle:
                way = np.array(self.nodes[n][1]) - here
                far = float(np.linalg.norm(way))
                same = (ray for e, ray in rays if np.linalg.norm(way / far - e) < _STRAIGHT)
                if (ray := next(same, None)) is None:
                    rays.append((way / far, ray := []))
                ray.append((far, n))
        inner, outer = list[tuple[int, int]](), list[tuple[int, int]]()
        for _, ray in rays:
            line = [middle, *(n for _, n in sorted(ray))]
            at = line.index(origin) if origin in line else 0
            inner += [(b, a) for a, b in pairwise(line[: at + 1])][::-1]
            outer += pairwise(line[at:])
        return inner + outer

    def _section(self, name: str) -> Section | None:
        """Of a link; one on a fixed joint that says nothing is made as the link that carries it."""
        link = self.links.get(name)
        while link is not None and link.section is None and link.joint.type == "fixed":
            link = self.links.get(link.parent)
        return None if link is None else link.section

    def made_parts(self) -> list[Part]:
        """All of them, in their order."""
        return [
            Part(self.name[k], self.body[k], self.origin[k], self.centre[k], *self.inertia[k])
            for k in self.name
        ]

    def check_length(self, i: int) -> None:
        """Two parallel hinges at the one place of a link without inertia about them: nothing is between."""
        bodies = self.mechanism.bodies
        hinge = isinstance(bodies[i].joint, Revolute) and len(self.on[i]) == 1
        if not hinge or central(bodies[i].inertia)[2][2, 2] > 0:
            return
        for j in self.children.get(i, ()):
            other = bodies[j]
            if isinstance(other.joint, Revolute) and self.seat[j] == self.origin[i]:
                axis = np.array(other.placement.R, dtype=np.float64)[:, 2]
                if other.name != bodies[i].name and np.linalg.norm(np.cross([0, 0, 1], axis)) < 1e-9:
                    raise WrongValue(
                        f"Link {bodies[i].name!r} has no length: its joint and that of link {other.name!r} "
                        "turn about one axis. Give it a length, or replace the two joints by one."
                    )
