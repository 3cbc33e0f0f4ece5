"""Geometry of a robot's picture at a configuration: bars, joints, masses, frames, loop closures."""

from dataclasses import dataclass, field

import numpy as np

from rikigaku.core.types import Array
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.elementary_motions import Shape
from rikigaku.model.mechanism import WORLD
from rikigaku.model.robot_model import RobotModel
from rikigaku.plotting.body_layout import body_layout, matrix_of


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


def skeleton(robot: RobotModel, q: Array) -> Skeleton:
    """Bars, joints, masses and frames of the robot at q."""
    layout = body_layout(robot)
    poses = [matrix_of(pose) for pose in world_poses(layout.mechanism, list(q))]

    def moved(body: int, pose: Array) -> Array:
        """The pose in the world of what is fixed on a body."""
        return pose if body == WORLD else poses[body] @ pose

    def point(body: int, place: Array) -> Array:
        return place if body == WORLD else poses[body][:3, :3] @ place + poses[body][:3, 3]

    result = Skeleton()
    for seat in layout.seats:
        X, at = poses[seat.body], moved(seat.parent, seat.pose)
        travel = X[:3, 3] - at[:3, 3]
        result.joints.append(DrawnJoint(seat.kind, seat.shape, at[:3, 3], at[:3, :3], travel, X[:3, :3]))
    result.masses.extend((point(mass.body, mass.centre), mass.mass) for mass in layout.masses)
    result.bars.extend((point(body, start), point(body, end)) for body, start, end in layout.bars)
    result.frames.extend((name, moved(body, pose)) for name, body, pose in layout.frames)
    result.closures.extend((kind, moved(*start), moved(*end)) for kind, start, end in layout.closures)
    return result
