"""The automatic mesh of a robot: nodes on every link, beams between them, joints that tie links together.

A link has a node at its own joint, at its centre of mass and at everything it carries (outer joints, ends of
loops, frames); beams run from the centre of mass to the others, from one to the next along a line. With the
centre of mass on the line between two joints that is two beams a link. Links on fixed joints are parts of one
body: each has its own nodes and beams, and the node of its joint in common with the link that carries it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName
from rikigaku.fem.kinematics import Bodies
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.model.robot import Robot
from rikigaku.model.section import Section

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Node:
    """A place on a body (in its own axes) and what is there; body WORLD is the ground."""

    body: int
    place: tuple[float, float, float]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """A link as a part of a body: nodes of its joint and centre of mass, and its own mass [kg].

    place, tensor: centre of mass, and inertia about it [kg m^2], in axes of the body.
    """

    link: str
    body: int
    origin: int
    centre: int
    mass: float
    place: Array
    tensor: Array


@dataclass(frozen=True)
class Beam:
    """From node to node of one part: the inner end first, as seen from the part's joint."""

    part: int
    body: int
    start: int
    end: int
    length: float
    section: Section


@dataclass(frozen=True, eq=False)
class Layout:
    """Nodes, beams and where each thing has its node."""

    robot: Robot
    mechanism: Mechanism
    nodes: tuple[Node, ...]
    parts: tuple[Part, ...]  # the moving part of each body first, in their order
    beams: tuple[Beam, ...]
    origin: dict[int, int]  # node of each body at its own joint
    seat: dict[int, int]  # node on the carrier where each body's joint sits
    centre: dict[int, int]  # node at the centre of mass of each body's moving part
    ends: dict[str, tuple[int, int]]  # of each loop: node of the start, of the end
    frames: dict[str, int]
    normal: Array | None  # of the plane the robot moves in; None in space
    masses: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def bodies(self) -> Bodies:
        """Of the mechanism, as arrays."""
        return Bodies(self.mechanism)

    @property
    def planar(self) -> bool:
        """Whether all joints turn about parallel axes (or slide across them)."""
        return self.normal is not None

    def carrier_of_mass(self, name: str, by_end: bool = False) -> int:
        """The node an extra mass sits on: of a frame, a joint, or the start of a loop (or its end).

        The ground carries no mass at a loop: where one end is on it, the other carries.
        """
        if name in self.ends:
            ends = self.ends[name][::-1] if by_end else self.ends[name]
            return next((node for node in ends if self.nodes[node].body != WORLD), ends[0])
        if name in self.frames:
            return self.frames[name]
        joints = {link.joint.name: link.name for link in self.robot.links}
        if name in joints:
            body = next((i for i, b in enumerate(self.mechanism.bodies) if b.name == joints[name]), None)
            if body is not None:
                return self.origin[body]
        raise UnknownName("loop, frame or joint", name, (*self.ends, *self.frames, *joints), "the mesh")
