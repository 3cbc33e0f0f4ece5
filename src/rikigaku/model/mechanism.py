"""The mechanism that laws walk: a robot whose parameters are numbers of one kind.

Links on fixed joints are merged into their parent body. Every body's frame is rotated so that its joint acts
along z; named links and frames are poses on those bodies. Joints become chains of
elementary joints with massless bodies in between, so the laws see five motions only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rikigaku.model.elementary_motions import ElementaryJoint, Helical
from rikigaku.model.evaluated_parameters import EvaluatedParameters, aligned, clean, plane_axes
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_type import Direction
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Coupling, Link, LoopEnd, RobotModel
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Kind, Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.rigid_inertia import NO_INERTIA, SpatialInertia
from rikigaku.spatial.vector import Matrix, Vector

WORLD = -1  # the parent of bodies on the ground


@dataclass
class Body:
    """A rigid body of the mechanism: pose of its joint on its parent, motion, and inertia."""

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
        """Force of the joint's spring, k (q - rest), to be overcome at q of the whole mechanism [N m, N]."""
        return 0 if is_zero(self.stiffness) else self.stiffness * (q[self.q.start] - self.rest)

    def moved(self, q: Sequence[Number]) -> Pose:
        """The body in its joint frame, at the positions q of the whole mechanism."""
        own = [q[k] for k in self.q]
        return Pose(self.joint.rotation(own), self.joint.translation(own))


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

    own: the inertia of each link alone, in the frame of its body; links of the ground have none.
    loops, gears: constraints between the coordinates of the tree; laws of the tree ignore them.
    symbols: values of the robot's free symbols.
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
    symbols: Mapping[str, Number] = field(default_factory=dict)

    def support(self, i: int) -> Iterator[int]:
        """Body i and its ancestors, down to the ground."""
        while i != WORLD:
            yield i
            i = self.bodies[i].parent

    def parent_dofs(self) -> list[int]:
        """For each coordinate of v the next one towards the ground, or -1."""
        last: dict[int, int] = {WORLD: -1}
        result = [-1] * self.nv
        for i, body in enumerate(self.bodies):
            previous = last[body.parent]
            for k in body.v:
                result[k], previous = previous, k
            last[i] = previous
        return result


def instantiate(robot: RobotModel, kind: Kind, symbols: Mapping[str, Number]) -> Mechanism:
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
    return Mechanism(robot.name, robot.nq, robot.nv, bodies, frames, gravity, loops, gears, own, symbols)


class _Builder:
    """A mechanism under construction: bodies and frames of the links added so far."""

    def __init__(self, robot: RobotModel, kind: Kind, symbols: Mapping[str, Number]) -> None:
        self.robot, self.numbers = robot, EvaluatedParameters(kind, symbols)
        self.bodies: list[Body] = []
        self.frames: dict[str, tuple[int, Pose]] = {robot.base: (WORLD, Pose())}
        self.own: dict[str, SpatialInertia] = {}

    def add(self, link: Link) -> None:
        """Append the bodies of one link's joint, or merge the link into its parent's body."""
        parent, on_parent = self.frames[link.parent]
        fixed_side = on_parent.compose(self.numbers.steps(link.geometry.before()))
        moved = self.numbers.steps(link.geometry.after())
        joint = link.joint
        if joint.type == "fixed":
            pose = clean(fixed_side.compose(moved))
            if parent != WORLD:
                body = self.bodies[parent]
                self.own[link.name] = self.numbers.inertia(link.inertia).seen_from(pose)
                body.inertia = body.inertia.plus(self.own[link.name])
            self.frames[link.name] = (parent, pose)
            return
        q0, v0 = self.robot.q_slices[joint.name].start, self.robot.v_slices[joint.name].start
        for C, elementary in self.motions(joint):
            self.bodies.append(
                Body(
                    name=link.name,
                    parent=parent,
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
            parent, fixed_side = len(self.bodies) - 1, Pose(vector.transpose(C))
        pose = clean(fixed_side.compose(moved))
        inertia = self.numbers.inertia(link.inertia).seen_from(pose)
        self.own[link.name] = self.bodies[parent].inertia = inertia
        self.frames[link.name] = (parent, pose)

    def motions(self, joint: Joint) -> list[tuple[Matrix, ElementaryJoint]]:
        """The joint as a chain of elementary joints, each with a rotation whose z column is its direction."""
        chain: list[tuple[Matrix, ElementaryJoint]] = []
        for elementary, direction in joint_type(joint.type).motions:
            made = Helical(self.numbers.value(joint.pitch)) if elementary is Helical else elementary()
            chain.append((self.direction(joint, direction), made))
        return chain

    def direction(self, joint: Joint, direction: Direction) -> Matrix:
        """A rotation whose z column is a direction of a joint, in its joint frame."""
        if direction == "frame_z":
            return aligned((0, 0, 1))
        if direction == "axis" or direction == "second_axis":
            return self.numbers.aligned(getattr(joint, direction))
        return aligned(plane_axes(self.numbers, joint.axis)[direction])

    def end(self, end: LoopEnd) -> tuple[int, Pose]:
        """One side of a cut joint as a pose on a body."""
        body, pose = self.frames[end.link]
        return body, clean(pose.compose(self.numbers.pose(end.geometry)))

    def gear(self, coupling: Coupling) -> Gear:
        """A coupling with the indices of its coordinates."""
        q, v = self.robot.q_slices, self.robot.v_slices
        return Gear(
            coupling.joint,
            (q[coupling.joint].start, v[coupling.joint].start),
            (q[coupling.reference].start, v[coupling.reference].start),
            self.numbers.value(coupling.multiplier),
            self.numbers.value(coupling.offset),
        )


def _parents_first(robot: RobotModel) -> list[Link]:
    """Links by their depth from the ground, else in the order of the file; linear time."""
    parent, depth = {link.name: link.parent for link in robot.links}, {robot.base: 0}
    for name in parent:
        path = []
        while name not in depth:  # ends: the checks of Robot refuse cycles and unknown parents
            path.append(name)
            name = parent[name]
        for one in reversed(path):
            depth[one] = depth[parent[one]] + 1
    return sorted(robot.links, key=lambda link: depth[link.name])
