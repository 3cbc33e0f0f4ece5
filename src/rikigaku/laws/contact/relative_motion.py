"""The two sides of a contact: a shape on one body, a surface on the ground or on another body.

Positions, velocities and accelerations of the shape are relative to the surface, in the axes of the surface.
The contact force acts on both bodies, at the same point, in opposite directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rikigaku.laws.contact.closest_points import Motion, PointContact, contact_of
from rikigaku.laws.tree.kinematics import jacobian_columns, known_frame
from rikigaku.laws.tree.simplified_mechanism import BodyMotion
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import IDENTITY, Vector, add, cross, sub, transform, transpose


@dataclass(frozen=True)
class Point:
    """A contact: a shape at a frame (its origin alone if there is none) and a surface.

    surface: `contact.surfaces.Surface` or `contact_shapes.Solid`. plane: unit normal of the plane of motion,
    in the axes of the surface, if all relative motion is in a plane.
    about: "" for the contact itself; "spin" or "roll" for the moments of its torsional or rolling friction.
    owner: index of the contact whose normal force limits these moments.
    bilateral: the point stays on the surface.
    """

    frame: str
    surface: Any
    plane: tuple[float, float, float] | None = None
    shape: Any = None
    about: str = ""
    owner: int = -1
    bilateral: bool = False

    @property
    def tangents(self) -> int:
        """Number of equations of friction: 2 in space, 1 in a plane and about the normal."""
        return 1 if self.about == "spin" or self.plane is not None else 2


@dataclass(frozen=True, eq=False)
class ContactSides:
    """Both sides of a contact at one configuration; poses: of all bodies in the world."""

    mechanism: Mechanism
    poses: Sequence[Pose]
    point: Point
    t: Number

    @cached_property
    def on_body(self) -> tuple[int, Pose]:
        """Body of the shape, and the pose of the shape on it."""
        i, X = known_frame(self.mechanism, self.point.frame)
        at = vector.ZERO if self.point.shape is None else self.point.shape.at
        return i, X.compose(Pose(IDENTITY, at)) if any(at) else X

    @cached_property
    def on_surface_body(self) -> tuple[int, Pose]:
        """Body of the surface, or WORLD, and the pose of the surface on it."""
        body = self.point.surface.body
        return (WORLD, Pose()) if body is None else known_frame(self.mechanism, body)

    @cached_property
    def shape_pose(self) -> Pose:
        """Pose of the shape in the world."""
        i, X = self.on_body
        return X if i == WORLD else self.poses[i].compose(X)

    @cached_property
    def surface_pose(self) -> Pose:
        """Pose of the surface in the world."""
        j, Y = self.on_surface_body
        return Y if j == WORLD else self.poses[j].compose(Y)

    @property
    def _on_ground(self) -> bool:
        return self.point.surface.body is None

    @cached_property
    def contact(self) -> PointContact:
        """The closest points, in the axes of the surface."""
        X = self.shape_pose
        X = X if self._on_ground else self.surface_pose.inverse().compose(X)
        return contact_of(self.point.surface, self.point.shape, X, self.t, self.point.plane)

    def to_world(self, x: Vector) -> Vector:
        """A vector of the surface's axes, in world axes."""
        return x if self._on_ground else transform(self.surface_pose.R, x)

    @cached_property
    def directions(self) -> tuple[Vector, ...]:
        """The normal, then one or two tangents, world axes."""
        return tuple(self.to_world(x) for x in self.contact.directions)

    @cached_property
    def moment_axes(self) -> tuple[Vector, ...]:
        """Axes of the friction moments, in the axes of the surface: the normal, or those of rolling."""
        n, *tangents = self.contact.directions
        if self.point.about == "spin":
            return (n,)
        return tuple(tangents) if self.point.plane is None else (self.point.plane,)

    @cached_property
    def angular_columns(self) -> dict[int, Vector]:
        """Angular velocity of the shape relative to the surface's body, world axes, by coordinate."""
        own, _ = jacobian_columns(self.mechanism, self.poses, self.point.frame)
        found = {k: x.angular for k, x in own.items()}
        j = self.on_surface_body[0]
        if j == WORLD:
            return found
        other, _ = jacobian_columns(self.mechanism, self.poses, self.point.surface.body)
        shared = self._shared_coordinates()
        found = {k: x for k, x in found.items() if k not in shared}
        return found | {k: vector.neg(x.angular) for k, x in other.items() if k not in shared}

    def _shared_coordinates(self) -> set[int]:
        """Coordinates that move both bodies as one."""
        support = self.mechanism.support
        shared = {*support(self.on_body[0])} & {*support(self.on_surface_body[0])}
        return {k for b in shared for k in self.mechanism.bodies[b].v}

    @cached_property
    def contact_point(self) -> Vector:
        """The contact point on the shape, in the world."""
        if self.point.shape is None:
            return self.shape_pose.p
        return add(self.shape_pose.p, self.to_world(self.contact.arm))

    @cached_property
    def columns(self) -> dict[int, Vector]:
        """Relative velocity of shape and surface's body at the contact point, world axes, by coordinate.

        Coordinates that move both bodies as one have none.
        """
        own = self._columns(self.point.frame)
        if self.on_surface_body[0] == WORLD:
            return own
        other = self._columns(self.point.surface.body)
        shared = self._shared_coordinates()
        found = {k: x for k, x in own.items() if k not in shared}
        return found | {k: vector.neg(x) for k, x in other.items() if k not in shared}

    def _columns(self, frame: str) -> dict[int, Vector]:
        columns, X = jacobian_columns(self.mechanism, self.poses, frame)
        if self.point.shape is None and frame == self.point.frame:
            return {k: column.linear for k, column in columns.items()}
        arm = sub(self.contact_point, X.p)
        return {k: add(column.linear, cross(column.angular, arm)) for k, column in columns.items()}

    def motion(self, motions: Sequence[BodyMotion]) -> Motion:
        """Motion of the shape relative to the surface; motions: of all bodies at zero joint accelerations."""
        linear, angular, acceleration, alpha = self._shape_motion(motions)
        if self._on_ground:
            return Motion(linear, angular, acceleration, alpha)
        j, Y = self.on_surface_body
        if j != WORLD:  # into the axes of the surface's body, less its own motion
            X, m = self.poses[j], motions[j]
            to_body = transpose(X.R)
            arm, spin = transform(to_body, sub(self.shape_pose.p, X.p)), m.velocity.angular
            linear, angular, acceleration, alpha = (
                transform(to_body, x) for x in (linear, angular, acceleration, alpha)
            )
            linear = sub(linear, add(m.velocity.linear, cross(spin, arm)))
            angular = sub(angular, spin)
            coriolis = vector.scale(2, cross(spin, linear))
            acceleration = sub(acceleration, add(add(m.acceleration, transform(m.U, arm)), coriolis))
            alpha = sub(alpha, add(m.alpha, cross(spin, angular)))
        R = transpose(Y.R)
        return Motion(*(transform(R, x) for x in (linear, angular, acceleration, alpha)))

    def _shape_motion(self, motions: Sequence[BodyMotion]) -> tuple[Vector, Vector, Vector, Vector]:
        """Velocity, angular velocity, acceleration, angular acceleration of the shape, world axes."""
        i, X = self.on_body
        if i == WORLD:
            return vector.ZERO, vector.ZERO, vector.ZERO, vector.ZERO
        m, R = motions[i], self.poses[i].R
        linear = add(m.velocity.linear, cross(m.velocity.angular, X.p))
        acceleration = add(m.acceleration, transform(m.U, X.p))
        return (
            transform(R, linear),
            transform(R, m.velocity.angular),
            transform(R, acceleration),
            transform(R, m.alpha),
        )

    def loads(self, force: Vector) -> list[tuple[tuple[int, Pose], list[Number]]]:
        """((body, pose on it), wrench there in world axes) of a contact force, on both bodies.

        Of torsional and rolling friction `force` is the moment.
        """
        found: list[tuple[tuple[int, Pose], list[Number]]] = []
        for (body, _), f in ((self.on_body, force), (self.on_surface_body, vector.neg(force))):
            if body != WORLD:
                X = self.poses[body]
                at = Pose(IDENTITY, transform(transpose(X.R), sub(self.contact_point, X.p)))
                found.append(((body, at), [0, 0, 0, *f] if self.point.about else [*f, 0, 0, 0]))
        return found
