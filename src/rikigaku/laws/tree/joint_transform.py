"""Transform of vectors, twists and wrenches between a body's axes and its parent's."""

from dataclasses import dataclass

from rikigaku.model.mechanism import Body
from rikigaku.numbers.elementary_functions import is_constant
from rikigaku.numbers.number_kind import Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, transform

# Two rotations in sequence cost less than their product as long as the constant one has no more entries
# other than -1, 0 and 1 than a rotation about a coordinate axis has.
_PLANE_ROTATION_ENTRIES = 4


@dataclass(frozen=True)
class JointTransform:
    """Pose of a body in its parent's frame, its rotation as a product of cheap factors.

    Attributes:
        rotations: factors of the rotation body to parent, the one next to the parent first.
        p: the body's origin in the parent's frame [m].
    """

    rotations: tuple[Matrix, ...]
    p: Vector

    def to_parent(self, x: Vector) -> Vector:
        """A vector given in body axes, in the parent's axes."""
        for R in reversed(self.rotations):
            x = transform(R, x)
        return x

    def to_child(self, x: Vector) -> Vector:
        """A vector given in the parent's axes, in body axes."""
        for R in self.rotations:
            x = transform(vector.transpose(R), x)
        return x

    def wrench_to_parent(self, F: Wrench) -> Wrench:
        """A wrench about the body's origin in body axes, about the parent's origin in the parent's axes."""
        force = self.to_parent(F.force)
        return Wrench(force, vector.add(self.to_parent(F.moment), cross(self.p, force)))

    def twist_to_child(self, V: Twist) -> Twist:
        """The parent's twist at its origin in its axes, at the body's origin in body axes."""
        linear = self.to_child(vector.add(V.linear, cross(V.angular, self.p)))
        return Twist(linear, self.to_child(V.angular))


def joint_transform(body: Body, q: Numbers) -> JointTransform:
    """The transform of a body to its parent at the joint positions q."""
    K, (R, shift) = body.placement.R, body.moved(q)
    p = vector.add(body.placement.p, transform(K, shift))
    inexact = sum(not any(is_constant(x, value) for value in (-1, 0, 1)) for row in K for x in row)
    rotations = (K, R) if inexact <= _PLANE_ROTATION_ENTRIES else (vector.multiply(K, R),)
    return JointTransform(rotations, p)
