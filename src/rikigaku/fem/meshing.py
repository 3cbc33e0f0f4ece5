"""Making the mesh of a robot: which nodes and beams it has, and what cannot be meshed."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import MissingValue, WrongValue
from rikigaku.fem.kinematics import central
from rikigaku.fem.layout import Beam, Layout, Node
from rikigaku.fem.plane import check_pieces, plane_normal
from rikigaku.laws.kinematics import world_poses
from rikigaku.model.elementary import Revolute
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.model.section import default_section
from rikigaku.numbers.kind import FLOATS
from rikigaku.states import neutral

Array = NDArray[np.float64]

_SAME = 1e-9  # places closer than this part of the robot's size are one


def layout(robot: Robot, masses: Mapping[str, float] | None = None) -> Layout:
    """The mesh of a robot; masses: extra point masses [kg] at loops, frames or joints.

    Raises:
        MissingValue: if a symbol has no value. WrongValue: for a link of no length between parallel joints,
            a mechanism in pieces, or masses below zero.
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
        tuple(made.beams),
        made.origin,
        made.seat,
        made.centre,
        made.ends,
        made.frames,
        normal,
        dict(masses or {}),
    )
    for name, mass in result.masses.items():
        result.carrier_of_mass(name)
        if not (np.isfinite(mass) and mass >= 0):
            raise WrongValue(f"The mass at {name!r} must not be negative; {mass} kg was given.")
    return result


class _Maker:
    def __init__(self, robot: Robot, mechanism: Mechanism, normal: Array | None) -> None:
        self.robot, self.mechanism, self.normal = robot, mechanism, normal
        self.nodes: list[tuple[int, tuple[float, float, float], list[str]]] = []
        self.on: dict[int, list[int]] = {}
        self.beams: list[Beam] = []
        self.origin: dict[int, int] = {}
        self.seat: dict[int, int] = {}
        self.centre: dict[int, int] = {}
        self.ends: dict[str, tuple[int, int]] = {}
        self.frames: dict[str, int] = {}
        self.sections = {link.name: link.section for link in robot.links}
        self.children: dict[int, list[int]] = {}
        for j, body in enumerate(mechanism.bodies):
            self.children.setdefault(body.parent, []).append(j)
        places = [np.array(b.placement.p, dtype=np.float64) for b in mechanism.bodies]
        places += [np.array(pose.p, dtype=np.float64) for _, pose in mechanism.frames.values()]
        self.size = max((float(np.linalg.norm(p)) for p in places), default=0.0) or 1.0
        self.across = self._plane_projections()

    def _plane_projections(self) -> dict[int, Array]:
        """For a planar robot: of each body the projection onto the plane, in its own axes."""
        if self.normal is None:
            return {}
        poses = world_poses(self.mechanism, list(neutral(self.robot)))
        own = {i: np.array(pose.R, dtype=np.float64).T @ self.normal for i, pose in enumerate(poses)}
        return {i: np.eye(3) - np.outer(n, n) for i, n in {**own, WORLD: self.normal}.items()}

    def node(self, body: int, place: Array, name: str) -> int:
        """The node of a body at a place, a new one if there is none."""
        flat = self.across[body] @ place if self.across else place
        for k in self.on.setdefault(body, []):
            if np.linalg.norm(flat - self.nodes[k][1]) < _SAME * self.size:
                self.nodes[k][2].append(name)
                return k
        x, y, z = (float(c) for c in flat)
        self.nodes.append((body, (x, y, z), [name]))
        self.on[body].append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def make(self) -> None:
        bodies = self.mechanism.bodies
        for i, body in enumerate(bodies):
            self.origin[i] = self.node(i, np.zeros(3), f"joint of {body.name}")
            self.seat[i] = self.node(body.parent, np.array(body.placement.p), f"seat of {body.name}")
        for loop in self.mechanism.loops:
            pair = [self.node(b, np.array(pose.p), loop.name) for b, pose in (loop.start, loop.end)]
            self.ends[loop.name] = (pair[0], pair[1])
        own = {body.name for body in bodies}
        for name, (b, pose) in self.mechanism.frames.items():
            if name not in own and name != self.robot.base:
                self.frames[name] = self.node(b, np.array(pose.p), name)
        for i, body in enumerate(bodies):
            self.frames.setdefault(body.name, self.origin[i])
            self.centre[i] = self.node(i, self._centre(i), f"centre of {body.name}")
            self.check_length(i)
        longest = max((self._reach(i) for i in range(len(bodies))), default=0.0)
        for i in range(len(bodies)):
            self._beams(i, longest)

    def _centre(self, i: int) -> Array:
        m, c, _ = central(self.mechanism.bodies[i].inertia)
        if m == 0 and any(self.mechanism.bodies[i].inertia.h):
            raise WrongValue(
                f"Link {self.mechanism.bodies[i].name!r} has first moments and no mass: there is no centre "
                "to put a node at. Regrouped robots are for the laws; mesh the robot itself."
            )
        others = [k for k in self.on[i] if k != self.origin[i]]
        if m == 0 and others:  # a link without mass: halfway to the first thing it carries
            return np.array(self.nodes[others[0]][1]) / 2
        return c

    def _reach(self, i: int) -> float:
        """Length of all beams of a body together [m]."""
        middle = np.array(self.nodes[self.centre[i]][1])
        return sum(float(np.linalg.norm(np.array(self.nodes[k][1]) - middle)) for k in self.on[i])

    def _beams(self, i: int, longest: float) -> None:
        if not self._reach(i):
            return
        section = self.sections[self.mechanism.bodies[i].name] or default_section(
            longest
        )  # one thickness for the robot
        middle = self.centre[i]
        for k in self.on[i]:
            if k != middle:
                start, end = (k, middle) if k == self.origin[i] else (middle, k)
                way = np.array(self.nodes[end][1]) - np.array(self.nodes[start][1])
                self.beams.append(Beam(i, start, end, float(np.linalg.norm(way)), section))

    def check_length(self, i: int) -> None:
        """Two parallel hinges at the one place of a link without inertia about them: nothing is between."""
        bodies = self.mechanism.bodies
        turns = central(bodies[i].inertia)[2][2, 2] > 0
        if not isinstance(bodies[i].joint, Revolute) or len(self.on[i]) > 1 or turns:
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
