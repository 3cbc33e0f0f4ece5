"""Bodies in the axes of their root body, in which sums over subtrees are plain additions.

The frame of a body on the ground is the common frame of all bodies it carries. Results do not depend on its
position and little on its orientation, and there is no cancellation far from the world's origin.
"""

from dataclasses import dataclass

from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.number_kind import Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import Vector, cross, transform


@dataclass(frozen=True)
class RootedBody:
    """A body in root axes, reference point at the root body's origin."""

    pose: Pose
    directions: tuple[Twist, ...]  # free directions of its joint


def root_axes(mechanism: Mechanism, q: Numbers) -> list[RootedBody]:
    """All bodies in the axes of their own root body."""
    result: list[RootedBody] = []
    for body in mechanism.bodies:
        result.append(body_in_root_axes(body, q, None if body.parent == WORLD else result[body.parent].pose))
    return result


def body_in_root_axes(body: Body, q: Numbers, parent: Pose | None) -> RootedBody:
    """A body in root axes. parent: pose of its parent in root axes; None for a root body."""
    X = Pose() if parent is None else parent.compose(body.placement).compose(body.moved(q))
    return RootedBody(
        X, tuple(_direction_in_root_axes(X, direction) for direction in body.joint.directions())
    )


def root_poses(mechanism: Mechanism, q: Numbers) -> dict[int, Pose]:
    """For each body, the pose of its root body in the world frame."""
    result: dict[int, Pose] = {}
    for i, body in enumerate(mechanism.bodies):
        if body.parent == WORLD:
            result[i] = body.placement.compose(body.moved(q))
        else:
            result[i] = result[body.parent]
    return result


def upward_acceleration(mechanism: Mechanism, q: Numbers, gravity: Vector | None) -> dict[int, Vector]:
    """For each body, the acceleration of the ground that stands for gravity (-g), in root axes."""
    g = mechanism.gravity if gravity is None else gravity
    result: dict[int, Vector] = {}
    for i, body in enumerate(mechanism.bodies):
        if body.parent == WORLD:
            R = vector.multiply(body.placement.R, body.joint.rotation([q[k] for k in body.q]))
            result[i] = vector.neg(transform(vector.transpose(R), g))
        else:
            result[i] = result[body.parent]
    return result


def composite_inertias(mechanism: Mechanism, q: Numbers) -> list[SpatialInertia]:
    """For each body the composite inertia of its subtree, joints locked, in the body's own frame.

    One joint at a time, the transform is a rotation about z and constants; that takes less work than rotating
    the inertia of every body to root axes.
    """
    total = [body.inertia for body in mechanism.bodies]
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        if body.parent != WORLD:
            total[body.parent] = total[body.parent].plus(
                total[i].seen_from(body.moved(q)).seen_from(body.placement)
            )
    return total


def wrench_in_root_axes(X: Pose, wrench: Wrench) -> Wrench:
    """A wrench about the root's origin in root axes. X: pose of the body in whose frame it is given."""
    force = transform(X.R, wrench.force)
    return Wrench(force, vector.add(transform(X.R, wrench.moment), cross(X.p, force)))


def _direction_in_root_axes(X: Pose, direction: Twist) -> Twist:
    angular = transform(X.R, direction.angular)
    return Twist(vector.add(transform(X.R, direction.linear), cross(X.p, angular)), angular)
