"""Poses as floats, for files that give rotations by quaternions, matrices or several angles.

Numbers that need no composition stay as written: a float becomes the decimal it prints as. Angles computed
from a rotation that are within 1e-11 of a multiple of pi/2 become that multiple.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rikigaku.core.types import Array
from rikigaku.model.geometry import Geometry, Placement, Steps
from rikigaku.numbers.formula import PI, ZERO, Formula
from rikigaku.numbers.number_kind import FLOATS

Triple = tuple[Formula, Formula, Formula]

# Rounding errors of a zero: of an angle, of a length of order 1 m, of a component of a unit vector.
ANGLE_DUST, LENGTH_DUST, UNIT_DUST = 1e-11, 1e-15, 4e-16
# Below this cosine of the pitch, roll and yaw rotate about the same axis and only their sum is determined.
GIMBAL_LOCK = 1e-9


def _identity() -> Array:
    return np.eye(3)


def _origin() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Rigid:
    """Frame B in frame A: columns of R are B's axes, p [m] its origin. `A @ B` composes."""

    R: Array = field(default_factory=_identity)
    p: Array = field(default_factory=_origin)

    def __matmul__(self, other: "Rigid") -> "Rigid":
        return Rigid(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> "Rigid":
        """A in B."""
        return Rigid(self.R.T, -self.R.T @ self.p)

    @property
    def unrotated(self) -> bool:
        """Whether the rotation is the identity, up to rounding."""
        return bool(np.abs(self.R - np.eye(3)).max() < UNIT_DUST)

    @property
    def unmoved(self) -> bool:
        """Whether it is the identity, up to rounding."""
        return self.unrotated and bool(np.abs(self.p).max() < LENGTH_DUST)

    def placement(self) -> Placement:
        """The pose as a `Placement` of the model."""
        return Placement(formulas(self.p), rpy_formulas(self.R))


def rigid_of(geometry: Geometry) -> Rigid:
    """Pose of a geometry without symbols, at zero joint position."""
    return steps_rigid((*geometry.before(), *geometry.after()))


def steps_rigid(steps: Steps) -> Rigid:
    """Pose of a sequence of elementary rotations and translations."""
    pose = Rigid()
    for axis, amount in steps:
        k = "xyz".index(axis[1])
        if axis[0] == "r":
            s, c = FLOATS.sin_cos(amount)
            pose = pose @ Rigid(_axis_rotation(k, float(s), float(c)))
        else:
            pose = pose @ Rigid(p=float(amount) * np.eye(3)[k])
    return pose


def shifted(p: Iterable[float]) -> Rigid:
    """A translation [m]."""
    return Rigid(p=np.array([*p], dtype=float))


def axis_angle(axis: Sequence[float] | Array, angle: float) -> Array:
    """Rotation about an axis of any length; the identity for the zero vector."""
    x, y, z = unit(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R: Array = np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
    return R


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll), exact for angles within 1e-11 of a multiple of pi/2."""
    R: Array = quarter_rotation(2, yaw) @ quarter_rotation(1, pitch) @ quarter_rotation(0, roll)
    return R


def quarter_rotation(axis: int, angle: float) -> Array:
    """Rotation about x, y or z, exact at multiples of pi/2."""
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * math.pi / 2) < ANGLE_DUST:
        return _axis_rotation(axis, (0.0, 1.0, 0.0, -1.0)[quarters % 4], (1.0, 0.0, -1.0, 0.0)[quarters % 4])
    return _axis_rotation(axis, math.sin(angle), math.cos(angle))


def quaternion_matrix(quaternion: Sequence[float] | Array) -> Array:
    """Rotation matrix of a quaternion w x y z of any nonzero length."""
    w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def quaternion_of(R: Array) -> Array:
    """Unit quaternion w x y z, from its largest component (no cancellation); w >= 0."""
    K = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    row = K[int(np.argmax(np.diag(K)))]
    q: Array = row / np.linalg.norm(row)
    return q if q[0] >= 0 else -q


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles with R = Rz(yaw) Ry(pitch) Rx(roll), accurate also near pitch = +-pi/2.

    The roll is computed from the rotation left after yaw and pitch, so it compensates their rounding errors.
    """
    level = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], level)
    yaw = math.atan2(R[1, 0], R[0, 0]) if level > GIMBAL_LOCK else 0.0
    rest = quarter_rotation(1, pitch).T @ quarter_rotation(2, yaw).T @ R
    return math.atan2(rest[2, 1], rest[1, 1]), pitch, yaw


def rpy_formulas(R: Array) -> Triple:
    """Roll, pitch and yaw as formulas of the model."""
    if np.abs(R - np.eye(3)).max() < UNIT_DUST:
        return ZERO, ZERO, ZERO
    roll, pitch, yaw = (angle_formula(angle) for angle in roll_pitch_yaw(R))
    return roll, pitch, yaw


def angle_formula(angle: float) -> Formula:
    """An angle as a formula; a multiple of pi/2 if it is within 1e-11 of one."""
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * math.pi / 2) < ANGLE_DUST:
        return PI * Formula.of(quarters) / Formula.of(2)
    return Formula.of(angle)


def formulas(xyz: Iterable[float], dust: float = LENGTH_DUST) -> Triple:
    """Three lengths, or components of a direction, as formulas of the model; below `dust` they are zero."""
    x, y, z = (Formula.of(0.0 if abs(part) < dust else float(part)) for part in xyz)
    return x, y, z


def unit(axis: Sequence[float] | Array) -> Array:
    """The unit vector, exact along a coordinate axis; the zero vector stays zero."""
    direction = np.asarray(axis, dtype=float)
    length = float(np.linalg.norm(direction))
    return direction / length if length else direction


def rotation_to(axis: Sequence[float] | Array, x_hint: Sequence[float] | Array | None = None) -> Array:
    """A rotation with its z column along the axis and its x column in the half-plane of the hint, if any."""
    z = unit(axis)
    hint = np.asarray(x_hint if x_hint is not None else np.eye(3)[int(np.argmin(np.abs(z)))], dtype=float)
    x = unit(hint - (hint @ z) * z)
    R = np.column_stack([x, np.cross(z, x), z])
    R[np.abs(R) < UNIT_DUST] = 0.0
    return R


def _axis_rotation(axis: int, s: float, c: float) -> Array:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R
