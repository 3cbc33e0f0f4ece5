"""Spatial inertia of a rigid body about a reference point: mass, first moments and inertia tensor."""

from collections.abc import Sequence
from typing import NamedTuple

from rikigaku.numbers.elementary_functions import is_constant
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, dot


class SpatialInertia(NamedTuple):
    """m [kg], h = m c [kg m], I about the reference point as a symmetric matrix [kg m^2]."""

    m: Number
    h: Vector
    I: Matrix

    @classmethod
    def from_parameters(cls, p: Sequence[Number]) -> "SpatialInertia":
        """From the ten parameters m, msx, msy, msz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz."""
        return cls(p[0], (p[1], p[2], p[3]), ((p[4], p[5], p[6]), (p[5], p[7], p[8]), (p[6], p[8], p[9])))

    def parameters(self) -> tuple[Number, ...]:
        """The ten parameters, in the order of `from_parameters`."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.I
        return (self.m, *self.h, xx, xy, xz, yy, yz, zz)

    def plus(self, other: "SpatialInertia") -> "SpatialInertia":
        """Inertia of two rigidly connected bodies; same reference point, same axes."""
        pairs = zip(self.parameters(), other.parameters(), strict=True)
        return SpatialInertia.from_parameters([a + b for a, b in pairs])

    def seen_from(self, X: Pose) -> "SpatialInertia":
        """The inertia in frame A, from the pose X = X_AB of the frame B it is given in."""
        h = vector.transform(X.R, self.h)
        return SpatialInertia(self.m, h, rotate_symmetric(X.R, self.I)).shifted(X.p)

    def shifted(self, p: Vector) -> "SpatialInertia":
        """The inertia about another point, same axes; p: the old reference point from the new one."""
        g = vector.add(vector.scale(self.m, p), self.h)  # the new first moment
        a, b = _outer_symmetric(p, g, self.h)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.I
        ix, iy, iz = a
        jxy, jxz, jyz = b
        Ixy, Ixz, Iyz = xy - jxy, xz - jxz, yz - jyz
        return SpatialInertia(
            self.m, g, ((xx + (iy + iz), Ixy, Ixz), (Ixy, yy + (ix + iz), Iyz), (Ixz, Iyz, zz + (ix + iy)))
        )

    def times(self, V: Twist) -> Wrench:
        """Momentum I V of a twist (or force of an acceleration, without velocity terms)."""
        f = vector.add(vector.scale(self.m, V.linear), cross(V.angular, self.h))
        return Wrench(f, vector.add(vector.transform(self.I, V.angular), cross(self.h, V.linear)))


def _outer_symmetric(p: Vector, g: Vector, h: Vector) -> tuple[Vector, Vector]:
    """Diagonal and off-diagonal of p g^T + h p^T, symmetric for g = h + m p (parallel-axis theorem)."""
    diagonal = (p[0] * (g[0] + h[0]), p[1] * (g[1] + h[1]), p[2] * (g[2] + h[2]))
    mixed = (p[0] * g[1] + h[0] * p[1], p[0] * g[2] + h[0] * p[2], p[1] * g[2] + h[1] * p[2])
    return diagonal, mixed


def rotate_symmetric(R: Matrix, S: Matrix) -> Matrix:
    """R S R^T for symmetric S; a rotation about x or z takes a third of the operations of a general one."""
    if _about_z(R):
        return _rotate_about_z(R[1][0], R[0][0], S)
    if _about_x(R):
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = S
        cyclic = ((yy, yz, xy), (yz, zz, xz), (xy, xz, xx))  # x, y, z as z, x, y
        (yy, yz, xy), (_, zz, xz), (_, _, xx) = _rotate_about_z(R[2][1], R[1][1], cyclic)
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    A = vector.multiply(R, S)
    xx, xy, xz = dot(A[0], R[0]), dot(A[0], R[1]), dot(A[0], R[2])
    yy, yz, zz = dot(A[1], R[1]), dot(A[1], R[2]), dot(A[2], R[2])
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _rotate_about_z(s: Number, c: Number, S: Matrix) -> Matrix:
    """Rz S Rz^T, Rz with sine s and cosine c."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = S
    t = s * (xx - yy) + (c + c) * xy
    change = s * t
    x, y, mixed = xx - change, yy + change, c * t - xy
    across, along = c * xz - s * yz, s * xz + c * yz
    return ((x, mixed, across), (mixed, y, along), (across, along, zz))


def _about_z(R: Matrix) -> bool:
    return all(
        is_constant(x, value) for x, value in zip((*R[2], R[0][2], R[1][2]), (0, 0, 1, 0, 0), strict=True)
    )


def _about_x(R: Matrix) -> bool:
    """Whether R rotates about x, but not by a multiple of pi/2: those only permute elements."""
    alone = all(
        is_constant(x, value) for x, value in zip((*R[0], R[1][0], R[2][0]), (1, 0, 0, 0, 0), strict=True)
    )
    return alone and not any(is_constant(R[1][1], value) for value in (-1, 0, 1))


NO_INERTIA = SpatialInertia.from_parameters([0] * 10)
