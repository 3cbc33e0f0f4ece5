"""Every body seen from the root body of its tree: where sums over subtrees are plain additions.

The frame of the first body on the ground serves as the common frame of all bodies it carries. Nothing
depends on where that body is, little on how it is turned, and far from the world's origin no digit is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import Vector, cross, transform

Numbers = Sequence[Number]


@dataclass(frozen=True)
class SeenBody:
    """A body in root axes, reference point at the root body's origin."""

    pose: Pose
    directions: tuple[Twist, ...]  # of its joint


def root_axes(mechanism: Mechanism, q: Numbers) -> list[SeenBody]:
    """All bodies in the axes of their own root body."""
    result: list[SeenBody] = []
    for body in mechanism.bodies:
        result.append(seen_body(body, q, None if body.parent == WORLD else result[body.parent].pose))
    return result


def seen_body(body: Body, q: Numbers, parent: Pose | None) -> SeenBody:
    """A body in root axes, by the pose of its parent; None for a root."""
    X = Pose() if parent is None else parent.compose(body.placement).compose(body.moved(q))
    return SeenBody(X, tuple(_seen(X, direction) for direction in body.joint.directions()))


def root_poses(mechanism: Mechanism, q: Numbers) -> dict[int, Pose]:
    """For each body, the pose of its root body in the world."""
    result: dict[int, Pose] = {}
    for i, body in enumerate(mechanism.bodies):
        if body.parent == WORLD:
            result[i] = body.placement.compose(body.moved(q))
        else:
            result[i] = result[body.parent]
    return result


def felt_gravity(mechanism: Mechanism, q: Numbers, gravity: Vector | None) -> dict[int, Vector]:
    """For each body, the upward acceleration of the ground in its root's axes."""
    g = mechanism.gravity if gravity is None else gravity
    result: dict[int, Vector] = {}
    for i, body in enumerate(mechanism.bodies):
        if body.parent == WORLD:
            R = vector.multiply(body.placement.R, body.joint.turn([q[k] for k in body.q]))
            result[i] = vector.neg(transform(vector.transpose(R), g))
        else:
            result[i] = result[body.parent]
    return result


def own_composites(
    mechanism: Mechanism, q: Numbers, inertias: Sequence[SpatialInertia] | None = None
) -> list[SpatialInertia]:
    """For each body, in its own frame, the inertia of itself and everything beyond it, locked together.

    inertias: of the bodies, if not the true ones.
    Carrying a composite inward over one joint is a turn about z and constants: cheaper than turning the
    inertia of every link by the full rotation to the root.
    """
    total = [body.inertia for body in mechanism.bodies] if inertias is None else list(inertias)
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        if body.parent != WORLD:
            total[body.parent] = total[body.parent].plus(
                total[i].seen_from(body.moved(q)).seen_from(body.placement)
            )
    return total


def seen_wrench(X: Pose, wrench: Wrench) -> Wrench:
    """A wrench about a body's origin in its axes, about the root's origin in root axes."""
    force = transform(X.R, wrench.force)
    return Wrench(force, vector.add(transform(X.R, wrench.moment), cross(X.p, force)))


def _seen(X: Pose, direction: Twist) -> Twist:
    angular = transform(X.R, direction.angular)
    return Twist(vector.add(transform(X.R, direction.linear), cross(X.p, angular)), angular)
