"""What there is to draw of a robot in a posture, as numbers: bars, joints, masses, frames, loop closures."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.kinematics import frame_pose, world_poses
from rikigaku.model.elementary import Free as FreeJoint
from rikigaku.model.elementary import Helical as HelicalJoint
from rikigaku.model.elementary import Prismatic, Spherical
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.model.robot import Frame, Link, Robot
from rikigaku.model.walk import formulas
from rikigaku.numbers.formula import ZERO
from rikigaku.numbers.kind import FLOATS
from rikigaku.spatial.pose import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DrawnJoint:
    """A joint's place and axes in the world (z along its motion).

    travel: from its seat to the origin of the body it carries [m]; moved: that body's axes.
    """

    kind: str
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
        found += [joint.place for joint in self.joints if joint.kind != "free"]
        found += [pose[:3, 3] for _, pose in self.frames]
        return np.array(found).reshape(-1, 3)

    @property
    def size(self) -> float:
        """The diagonal of the box around all places [m], never zero."""
        points = self.points
        extent = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) if len(points) else 0.0
        return extent if extent > 1e-9 else 1.0


def loop_frames(robot: Robot) -> tuple[Robot, list[tuple[str, str]]]:
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


def mechanism_of(robot: Robot) -> Mechanism:
    """The robot as floats, its symbols at their own values.

    Raises:
        MissingValue: if a symbol has none.
    """
    # what is not seen needs no value: friction, rotors, a mass whose centre is then not drawn
    known = robot.declared_values
    unknown = {place.partition(".")[0] for place, x in formulas(robot) if x.symbols - known.keys()}
    links = [_unmoved(link) if f"links[{k}]" in unknown else link for k, link in enumerate(robot.links)]
    return instantiate(replace(robot, links=tuple(links)), FLOATS, known)


def _unmoved(link: Link) -> Link:
    """The link without what moves it."""
    joint = replace(link.joint, viscous=ZERO, coulomb=ZERO, rotor=ZERO)
    return replace(link, inertia=None, joint=joint)


def skeleton(robot: Robot, q: Array) -> Skeleton:
    """The robot at q, ready to be drawn."""
    extended, pairs = loop_frames(robot)
    mechanism = mechanism_of(extended)
    poses = world_poses(mechanism, list(q))
    result, centres = Skeleton(), {}
    seats = [_matrix(_on(poses, body.parent).compose(body.placement)) for body in mechanism.bodies]
    for i, body in enumerate(mechanism.bodies):
        X, seat = _matrix(poses[i]), seats[i]
        travel = X[:3, 3] - seat[:3, 3]
        result.joints.append(DrawnJoint(_kind(body.joint), seat[:3, 3], seat[:3, :3], travel, X[:3, :3]))
        if (m := float(body.inertia.m)) > 0:
            centre = np.array([float(h) for h in body.inertia.h]) / m
            centres[i] = X[:3, :3] @ centre + X[:3, 3]
            result.masses.append((centres[i], m))
    grounded = any(not isinstance(body.joint, FreeJoint) for body in mechanism.bodies if body.parent == WORLD)
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
    robot: Robot, mechanism: Mechanism, poses: list[Pose], seats: list[Array], centres: dict[int, Array]
) -> Iterator[tuple[Array, Array]]:
    """From each link's frame to what it carries: joints, links, frames. Bare links end at their mass."""
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


def _kind(joint: Any) -> str:
    kinds = {Prismatic: "prismatic", HelicalJoint: "helical", Spherical: "spherical", FreeJoint: "free"}
    return kinds.get(type(joint), "revolute")


def _matrix(pose: Pose) -> Array:
    return np.array(pose.matrix(), dtype=np.float64)
