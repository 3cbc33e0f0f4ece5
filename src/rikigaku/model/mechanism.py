"""A robot whose parameters are numbers of one kind, ready for the laws.

Fixed joints are merged into the body that carries them. Every body's frame is turned so that its joint acts
along z; named links and frames are poses on those bodies. Planar and universal joints become chains of
elementary joints with massless bodies in between, so the laws see five motions only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rikigaku.errors import BadModel
from rikigaku.model.elementary import ElementaryJoint, Free, Helical, Prismatic, Revolute, Spherical
from rikigaku.model.evaluated import Numbers, aligned, clean
from rikigaku.model.joint import Joint
from rikigaku.model.robot import Coupling, Link, LoopEnd, Robot
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import Kind, Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import NO_INERTIA, SpatialInertia
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector

WORLD = -1  # the parent of bodies carried by the ground


@dataclass
class Body:
    """A rigid body of the mechanism: where its joint sits on its parent, how it moves, what it weighs."""

    name: str
    parent: int
    placement: Pose  # joint frame in the parent body's frame
    joint: ElementaryJoint
    q: range  # its numbers in q
    v: range  # and in v
    inertia: SpatialInertia
    viscous: Number
    coulomb: Number
    rotor: Number
    stiffness: Number = 0
    rest: Number = 0

    def spring(self, q: Sequence[Number]) -> Number:
        """What the joint's spring resists with, at the positions q of the whole mechanism [N m or N]."""
        return 0 if is_zero(self.stiffness) else self.stiffness * (q[self.q.start] - self.rest)

    def moved(self, q: Sequence[Number]) -> Pose:
        """The body in its joint frame, at the positions q of the whole mechanism."""
        own = [q[k] for k in self.q]
        return Pose(self.joint.turn(own), self.joint.shift(own))


@dataclass(frozen=True)
class Closure:
    """A cut joint: frame `start` on one body meets frame `end` on another; each is (body, pose on it).

    The joint's free motion is along or about the z axis of the start frame.
    """

    name: str
    joint: str
    start: tuple[int, Pose]
    end: tuple[int, Pose]


@dataclass(frozen=True)
class Gear:
    """q[joint] = ratio q[reference] + offset, each side given by its place (in q, in v)."""

    name: str
    joint: tuple[int, int]
    reference: tuple[int, int]
    ratio: Number
    offset: Number


@dataclass
class Mechanism:
    """Bodies with parents before children; `frames` maps every name to (body, pose on it).

    own: the inertia of each link alone, on the body it is part of, for those a body is made of by fixed
    joints; none for links of the ground.
    loops and gears are what ties the coordinates of the tree together; laws of the tree do not look at them.
    """

    name: str
    nq: int
    nv: int
    bodies: list[Body]
    frames: dict[str, tuple[int, Pose]]
    gravity: Vector
    loops: list[Closure] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    own: dict[str, SpatialInertia] = field(default_factory=dict)

    def support(self, i: int) -> Iterator[int]:
        """Body i and those that carry it, down to the ground."""
        while i != WORLD:
            yield i
            i = self.bodies[i].parent

    def parent_dofs(self) -> list[int]:
        """For each coordinate of v the one before it on the way to the ground, or -1."""
        last: dict[int, int] = {WORLD: -1}
        result = [-1] * self.nv
        for i, body in enumerate(self.bodies):
            previous = last[body.parent]
            for k in body.v:
                result[k], previous = previous, k
            last[i] = previous
        return result


def instantiate(robot: Robot, kind: Kind, symbols: Mapping[str, Number]) -> Mechanism:
    """The robot with every parameter evaluated in that kind of number."""
    builder = _Builder(robot, kind, symbols)
    for link in _parents_first(robot):
        builder.add(link)
    for frame in robot.frames:
        body, pose = builder.frames[frame.link]
        builder.frames[frame.name] = (body, clean(pose.compose(builder.numbers.pose(frame.geometry))))
    gravity = tuple(builder.numbers.value(g) for g in robot.gravity)
    frames = {name: builder.frames[name] for name in robot.frame_names}
    loops = [
        Closure(loop.name, loop.joint, builder.end(loop.start), builder.end(loop.end)) for loop in robot.loops
    ]
    gears = [builder.gear(coupling) for coupling in robot.couplings]
    bodies, own = builder.bodies, builder.own
    return Mechanism(robot.name, robot.nq, robot.nv, bodies, frames, gravity, loops, gears, own)


class _Builder:
    """The mechanism on its way: bodies and frames of the links added so far."""

    def __init__(self, robot: Robot, kind: Kind, symbols: Mapping[str, Number]) -> None:
        self.robot, self.numbers = robot, Numbers(kind, symbols)
        self.bodies: list[Body] = []
        self.frames: dict[str, tuple[int, Pose]] = {robot.base: (WORLD, Pose())}
        self.own: dict[str, SpatialInertia] = {}

    def add(self, link: Link) -> None:
        """Append the bodies of one link's joint, or merge the link into its carrier."""
        carrier, on_carrier = self.frames[link.parent]
        fixed_side = on_carrier.compose(self.numbers.steps(link.geometry.before()))
        moved = self.numbers.steps(link.geometry.after())
        joint = link.joint
        if joint.type == "fixed":
            pose = clean(fixed_side.compose(moved))
            if carrier != WORLD:
                body = self.bodies[carrier]
                self.own[link.name] = self.numbers.inertia(link.inertia).seen_from(pose)
                body.inertia = body.inertia.plus(self.own[link.name])
            self.frames[link.name] = (carrier, pose)
            return
        q0, v0 = self.robot.q_slices[joint.name].start, self.robot.v_slices[joint.name].start
        for axis, elementary in self.motions(joint):
            C = aligned(axis)
            self.bodies.append(
                Body(
                    name=link.name,
                    parent=carrier,
                    placement=clean(fixed_side.compose(Pose(C))),
                    joint=elementary,
                    q=range(q0, q0 + elementary.nq),
                    v=range(v0, v0 + elementary.nv),
                    inertia=NO_INERTIA,
                    viscous=self.numbers.value(joint.viscous),
                    coulomb=self.numbers.value(joint.coulomb),
                    rotor=self.numbers.value(joint.rotor),
                    stiffness=self.numbers.value(joint.stiffness),
                    rest=self.numbers.value(joint.rest),
                )
            )
            q0, v0 = q0 + elementary.nq, v0 + elementary.nv
            carrier, fixed_side = len(self.bodies) - 1, Pose(vector.transpose(C))
        pose = clean(fixed_side.compose(moved))
        inertia = self.numbers.inertia(link.inertia).seen_from(pose)
        self.own[link.name] = self.bodies[carrier].inertia = inertia
        self.frames[link.name] = (carrier, pose)

    def motions(self, joint: Joint) -> list[tuple[Vector, ElementaryJoint]]:
        """The joint as a chain of elementary joints, each with its axis in the joint frame."""
        axis = self.numbers.vector(joint.axis)
        match joint.type:
            case "revolute":
                return [(axis, Revolute())]
            case "prismatic":
                return [(axis, Prismatic())]
            case "helical":
                return [(axis, Helical(self.numbers.value(joint.pitch)))]
            case "universal":
                return [(axis, Revolute()), (self.numbers.vector(joint.second_axis), Revolute())]
            case "spherical":
                return [((0, 0, 1), Spherical())]
            case "free":
                return [((0, 0, 1), Free())]
            case "planar":
                x, y, z = vector.transpose(aligned(axis))
                return [(x, Prismatic()), (y, Prismatic()), (z, Revolute())]
        raise BadModel([f"joint {joint.name!r} has the type {joint.type!r}, which cannot move"])

    def end(self, end: LoopEnd) -> tuple[int, Pose]:
        """One side of a cut joint as a pose on a body."""
        body, pose = self.frames[end.link]
        return body, clean(pose.compose(self.numbers.pose(end.geometry)))

    def gear(self, coupling: Coupling) -> Gear:
        """A coupling with the places of its coordinates."""
        q, v = self.robot.q_slices, self.robot.v_slices
        return Gear(
            coupling.joint,
            (q[coupling.joint].start, v[coupling.joint].start),
            (q[coupling.reference].start, v[coupling.reference].start),
            self.numbers.value(coupling.multiplier),
            self.numbers.value(coupling.offset),
        )


def _parents_first(robot: Robot) -> list[Link]:
    """By how far links are from the ground, else in the order of the file; time linear in links."""
    parent, depth = {link.name: link.parent for link in robot.links}, {robot.base: 0}
    for name in parent:
        way = []
        while name not in depth:  # ends: the checks of Robot refuse cycles and unknown parents
            way.append(name)
            name = parent[name]
        for one in reversed(way):
            depth[one] = depth[parent[one]] + 1
    return sorted(robot.links, key=lambda link: depth[link.name])
