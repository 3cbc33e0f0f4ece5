"""Poses X_AB: rotation R and position p of a frame B in a frame A, over any kind of number."""

from typing import NamedTuple

from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.vector import IDENTITY, ZERO, Matrix, Vector


class Pose(NamedTuple):
    """Frame B in frame A: columns of R are B's axes in A, p is B's origin in A."""

    R: Matrix = IDENTITY
    p: Vector = ZERO

    def compose(self, other: "Pose") -> "Pose":
        """X_AC from X_AB and X_BC."""
        return Pose(vector.multiply(self.R, other.R), vector.add(self.p, vector.transform(self.R, other.p)))

    def inverse(self) -> "Pose":
        """X_BA."""
        Rt = vector.transpose(self.R)
        return Pose(Rt, vector.neg(vector.transform(Rt, self.p)))

    def matrix(self) -> list[list[Number]]:
        """The homogeneous 4x4 matrix."""
        rows: list[list[Number]] = [[*row, x] for row, x in zip(self.R, self.p, strict=True)]
        return [*rows, [0, 0, 0, 1]]


def axis_rotation(axis: int, s: Number, c: Number) -> Matrix:
    """Rotation about x (0), y (1) or z (2) by the angle with sine s and cosine c."""
    if axis == 0:
        return ((1, 0, 0), (0, c, -s), (0, s, c))
    if axis == 1:
        return ((c, 0, s), (0, 1, 0), (-s, 0, c))
    return ((c, -s, 0), (s, c, 0), (0, 0, 1))


def quaternion_rotation(w: Number, x: Number, y: Number, z: Number) -> Matrix:
    """Rotation matrix of a unit quaternion, body to reference; the quaternion is not normalised."""
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        (1 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1 - (xx + yy)),
    )
