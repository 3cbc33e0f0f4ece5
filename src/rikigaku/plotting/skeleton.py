"""Geometry of a robot's picture at a configuration: bars, joints, masses, frames, loop closures."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from rikigaku.core.types import Array
from rikigaku.laws.tree.kinematics import frame_pose, world_poses
from rikigaku.model.elementary_motions import Free, Shape
from rikigaku.model.formula_fields import formulas
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.model.robot_model import Frame, Link, RobotModel
from rikigaku.numbers.formula import ZERO
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class DrawnJoint:
    """A joint's place and axes in the world (z along its motion).

    travel: from its seat to the origin of the body it carries [m]; moved: that body's axes.
    """

    kind: str
    shape: Shape
    place: Array
    axes: Array
    travel: Array
    moved: Array


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Everything in world axes [m, kg]."""

    bars: list[tuple[Array, Array]] = field(default_factory=list)
    joints: list[DrawnJoint] = field(default_factory=list)
    masses: list[tuple[Array, float]] = field(default_factory=list)
    frames: list[tuple[str, Array]] = field(default_factory=list)
    closures: list[tuple[str, Array, Array]] = field(default_factory=list)  # kind, poses of both ends

    @property
    def points(self) -> Array:
        """All places, (n, 3)."""
        found = [p for bar in self.bars for p in bar]
        found += [joint.place + joint.travel for joint in self.joints]
        found += [joint.place for joint in self.joints if joint.shape != "free body"]
        found += [pose[:3, 3] for _, pose in self.frames]
        return np.array(found).reshape(-1, 3)

    @property
    def size(self) -> float:
        """The diagonal of the box around all places [m], never zero."""
        points = self.points
        extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) if len(points) else 0.0
        return extent if extent > 1e-9 else 1.0


def loop_frames(robot: RobotModel) -> tuple[RobotModel, list[tuple[str, str]]]:
    """The robot with a frame at both ends of every cut joint, and the pairs of their names."""
    frames, pairs = list(robot.frames), []
    for i, loop in enumerate(robot.loops):
        names = (f"{loop.name} start {i}", f"{loop.name} end {i}")
        frames += [
            Frame(name, end.link, end.geometry)
            for name, end in zip(names, (loop.start, loop.end), strict=True)
        ]
        pairs.append(names)
    return replace(robot, frames=tuple(frames)), pairs


def mechanism_of(robot: RobotModel) -> Mechanism:
    """The robot as floats, its symbols at their own values.

    Raises:
        MissingValue: if a symbol has none.
    """
    # friction, rotors and masses are not drawn, so their symbols need no value
    known = robot.declared_values
    unknown = {place.partition(".")[0] for place, x in formulas(robot) if x.symbols - known.keys()}
    links = [_geometry_only(link) if f"links[{k}]" in unknown else link for k, link in enumerate(robot.links)]
    return instantiate(replace(robot, links=tuple(links)), FLOATS, known)


def _geometry_only(link: Link) -> Link:
    """The link without friction, rotor and inertia."""
    joint = replace(link.joint, viscous=ZERO, coulomb=ZERO, rotor=ZERO)
    return replace(link, inertia=None, joint=joint)


def skeleton(robot: RobotModel, q: Array) -> Skeleton:
    """Bars, joints, masses and frames of the robot at q."""
    extended, pairs = loop_frames(robot)
    mechanism = mechanism_of(extended)
    poses = world_poses(mechanism, list(q))
    result, centres = Skeleton(), {}
    seats = [_matrix(_on(poses, body.parent).compose(body.placement)) for body in mechanism.bodies]
    for i, body in enumerate(mechanism.bodies):
        X, seat = _matrix(poses[i]), seats[i]
        travel = X[:3, 3] - seat[:3, 3]
        result.joints.append(
            DrawnJoint(body.joint.name, body.joint.shape, seat[:3, 3], seat[:3, :3], travel, X[:3, :3])
        )
        if (m := float(body.inertia.m)) > 0:
            centre = np.array([float(h) for h in body.inertia.h]) / m
            centres[i] = X[:3, :3] @ centre + X[:3, 3]
            result.masses.append((centres[i], m))
    grounded = any(not isinstance(body.joint, Free) for body in mechanism.bodies if body.parent == WORLD)
    result.bars.extend(_bars(extended, mechanism, poses, seats, centres))
    for name in (
        *((robot.base,) if grounded or not mechanism.bodies else ()),
        *(frame.name for frame in robot.frames),
    ):
        result.frames.append((name, _matrix(frame_pose(mechanism, poses, name))))
    for loop, names in zip(robot.loops, pairs, strict=True):
        start, end = (_matrix(frame_pose(mechanism, poses, name)) for name in names)
        result.closures.append((loop.joint, start, end))
    return result


def _bars(
    robot: RobotModel, mechanism: Mechanism, poses: list[Pose], seats: list[Array], centres: dict[int, Array]
) -> Iterator[tuple[Array, Array]]:
    """Bars from each link's frame to its joints, links and frames, or else to its centre of mass."""
    places = {name: _matrix(frame_pose(mechanism, poses, name))[:3, 3] for name in mechanism.frames}
    bare = {body for body, _ in mechanism.frames.values()}
    for link in robot.links:
        own = [k for k, body in enumerate(mechanism.bodies) if body.name == link.name]
        seat = seats[own[0]][:3, 3] if own else places[link.name]
        if link.joint.type != "free":
            yield from _bar(places[link.parent], seat)
        if own:
            yield from _bar(_matrix(poses[own[-1]])[:3, 3], places[link.name])
        bare.discard(mechanism.frames[link.parent][0])
    for frame in robot.frames:
        yield from _bar(places[frame.link], places[frame.name])
        bare.discard(mechanism.frames[frame.link][0])
    for k in bare & set(centres):
        yield from _bar(_matrix(poses[k])[:3, 3], centres[k])


def _bar(start: Array, end: Array) -> Iterator[tuple[Array, Array]]:
    if np.linalg.norm(end - start) > 1e-9:
        yield start, end


def _on(poses: list[Pose], body: int) -> Pose:
    return Pose() if body == WORLD else poses[body]


def _matrix(pose: Pose) -> Array:
    return np.array(pose.matrix(), dtype=np.float64)
