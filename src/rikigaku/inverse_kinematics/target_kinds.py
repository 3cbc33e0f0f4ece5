"""Targets of a search: what frames and the centre of mass shall do, as data.

Each target has numbers that may differ in a batch, residuals that vanish where it is met, and their rates.
Residuals e are such that J v = e is the step that removes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import is_number
from rikigaku.core.value_text import short
from rikigaku.inverse_kinematics.target_poses import require_near, targets_of
from rikigaku.laws.tree.energy import center_of_mass, total_mass
from rikigaku.laws.tree.kinematics import jacobian_columns
from rikigaku.laws.tree.momentum import momentum_matrix
from rikigaku.model.elementary_motions import Prismatic
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import atan2, is_zero, sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross, dot

Row = tuple[Number, dict[int, Number]]  # a residual, and its rate by coordinate of v


class Rows(NamedTuple):
    """Residuals with their rates; the errors [m] and [rad] that decide about success."""

    rows: list[Row]
    position: Number
    rotation: Number


@checked_data
@dataclass(frozen=True, eq=False)
class Target:
    """What all targets have.

    weight: factor of the residuals. priority: 0 must be met; 1 is met as far as those of 0 allow.
    """

    weight: float = 1.0
    priority: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (is_number(self.weight) and 0 < float(self.weight) < np.inf):
            raise WrongValue(f"The weight of a target is a number above 0, not {short(self.weight)}.")
        if self.priority not in (0, 1):
            raise WrongValue(f"The priority of a target is 0 or 1, not {short(self.priority)}.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch."""
        return self.numbers().shape[:-1]

    def numbers(self) -> Array:
        """The numbers of the target (..., k)."""
        raise NotImplementedError

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        """Residuals at a configuration, from the numbers x of the target."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """What the residuals depend on besides the numbers."""
        return f"{type(self).__name__} {getattr(self, 'frame', '')}"


@checked_data
@dataclass(frozen=True, eq=False)
class PoseTarget(Target):
    """A frame at a pose (..., 4, 4) in the world."""

    frame: str = ""
    pose: Any = None

    def numbers(self) -> Array:
        poses, batch, is_pose = targets_of(self.pose)
        if not is_pose:
            raise WrongSize("A PoseTarget takes poses (..., 4, 4).")
        flat = np.concatenate([poses[:, :3, 3], poses[:, :3, :3].reshape(len(poses), 9)], axis=1)
        return flat.reshape(*batch, 12)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        columns, X = jacobian_columns(mechanism, bodies, self.frame)
        linear = _position_rows(columns, X, x[:3])
        angular, angle = _rotation_rows(columns, X, x[3:])
        return Rows([*linear, *angular], _length([e for e, _ in linear]), angle)


@checked_data
@dataclass(frozen=True, eq=False)
class PositionTarget(Target):
    """The origin of a frame at a position (..., 3) in the world [m]."""

    frame: str = ""
    position: Any = None

    def numbers(self) -> Array:
        return _vectors("position", self.position)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        columns, X = jacobian_columns(mechanism, bodies, self.frame)
        rows = _position_rows(columns, X, x)
        return Rows(rows, _length([e for e, _ in rows]), 0.0)


@checked_data
@dataclass(frozen=True, eq=False)
class OrientationTarget(Target):
    """A frame with a rotation matrix (..., 3, 3) in the world; its position is free."""

    frame: str = ""
    rotation: Any = None

    def numbers(self) -> Array:
        R = floats("rotation", self.rotation)
        if R.shape[-2:] != (3, 3):
            raise WrongSize(f"A rotation is (..., 3, 3); {R.shape} was given.")
        T = np.zeros((*R.shape[:-2], 4, 4))
        T[..., :3, :3], T[..., 3, 3] = R, 1.0
        poses, batch, _ = targets_of(T)
        return poses[:, :3, :3].reshape(*batch, 9)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        columns, X = jacobian_columns(mechanism, bodies, self.frame)
        rows, angle = _rotation_rows(columns, X, x)
        return Rows(rows, 0.0, angle)


@checked_data
@dataclass(frozen=True, eq=False)
class LineTarget(Target):
    """The origin of a frame on the line through a point (..., 3) along a direction (..., 3)."""

    frame: str = ""
    point: Any = None
    direction: Any = None

    def numbers(self) -> Array:
        return _two_vectors("point", self.point, "direction", self.direction)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        columns, X = jacobian_columns(mechanism, bodies, self.frame)
        d = tuple(x[3:])
        whole = _position_rows(columns, X, x[:3])
        rows = []
        for i in range(3):  # (1 - d d^T) times the rows of the position
            factors = [(i == j) - d[i] * d[j] for j in range(3)]
            rows.append(_combined(factors, whole))
        return Rows(rows, _length([e for e, _ in rows]), 0.0)


@checked_data
@dataclass(frozen=True, eq=False)
class PlaneTarget(Target):
    """The origin of a frame on the plane through a point (..., 3) with a normal (..., 3)."""

    frame: str = ""
    point: Any = None
    normal: Any = None

    def numbers(self) -> Array:
        return _two_vectors("point", self.point, "normal", self.normal)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        columns, X = jacobian_columns(mechanism, bodies, self.frame)
        row = _combined(x[3:], _position_rows(columns, X, x[:3]))
        return Rows([row], _length([row[0]]), 0.0)


@checked_data
@dataclass(frozen=True, eq=False)
class LookAtTarget(Target):
    """The z axis of a frame points at a point (..., 3) of the world."""

    frame: str = ""
    point: Any = None

    def numbers(self) -> Array:
        return _vectors("point", self.point)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        columns, X = jacobian_columns(mechanism, bodies, self.frame)
        z: Vector = (X.R[0][2], X.R[1][2], X.R[2][2])
        gap = vector.sub((x[0], x[1], x[2]), X.p)
        distance = sqrt(dot(gap, gap) + 1e-24)
        u = tuple(g / distance for g in gap)
        w = cross(z, (u[0], u[1], u[2]))
        sine, cosine = _length(list(w)), dot(z, (u[0], u[1], u[2]))
        angle = atan2(sine, cosine)
        scale = angle / where(sine < 1e-12, 1.0, sine)
        scale = where(sine < 1e-12, 1.0, scale)
        rates: list[dict[int, Number]] = [{}, {}, {}]
        for k, column in columns.items():
            along = dot(z, column.angular)
            moved = cross(z, column.linear)
            for i in range(3):
                rates[i][k] = column.angular[i] - along * z[i] + moved[i] / distance
        return Rows([(scale * e, rate) for e, rate in zip(w, rates, strict=True)], 0.0, angle)


@checked_data
@dataclass(frozen=True, eq=False)
class CenterOfMassTarget(Target):
    """The centre of mass of the robot at a position (..., 3); axes: which of its coordinates."""

    position: Any = None
    axes: str = "xyz"

    def numbers(self) -> Array:
        if not (self.axes and set(self.axes) <= set("xyz")):
            raise WrongValue(f"axes are letters of 'xyz', not {self.axes!r}.")
        return _vectors("position", self.position)

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        m = total_mass(mechanism)
        if is_zero(m):
            raise WrongValue(
                "The robot has no masses, so it has no centre of mass to be moved. Give its links inertias."
            )
        c, A = center_of_mass(mechanism, q), momentum_matrix(mechanism, q)
        rows: list[Row] = []
        for i in ("xyz".index(axis) for axis in self.axes):
            rows.append((x[i] - c[i], {k: a / m for k, a in enumerate(A[i])}))
        return Rows(rows, _length([e for e, _ in rows]), 0.0)

    @property
    def text(self) -> str:
        return f"CenterOfMassTarget {self.axes}"


@checked_data
@dataclass(frozen=True, eq=False)
class ConfigurationTarget(Target):
    """Joints of one coordinate near a configuration (..., nq): with priority=1 a null-space objective."""

    q: Any = None

    def numbers(self) -> Array:
        array = floats("q", self.q)
        if not array.ndim or not np.isfinite(array).all():
            raise WrongValue("The q of a ConfigurationTarget is finite numbers (..., nq).")
        return array

    def rows(self, mechanism: Mechanism, bodies: Sequence[Pose], q: Any, x: Sequence[Number]) -> Rows:
        if len(x) != len(q):
            raise WrongSize(f"The q of a ConfigurationTarget is (..., {len(q)}); (..., {len(x)}) was given.")
        own = [body for body in mechanism.bodies if len(body.q) == 1]
        rows: list[Row] = [(x[b.q.start] - q[b.q.start], {b.v.start: 1.0}) for b in own]
        slides = [isinstance(b.joint, Prismatic) for b in own]
        gaps = [[e for (e, _), p in zip(rows, slides, strict=True) if p == kind] for kind in (True, False)]
        return Rows(rows, _length(gaps[0]), _length(gaps[1]))

    @property
    def text(self) -> str:
        return f"ConfigurationTarget {self.numbers().shape[-1]}"


def _position_rows(columns: Any, X: Pose, p: Sequence[Number]) -> list[Row]:
    return [(p[i] - X.p[i], {k: column.linear[i] for k, column in columns.items()}) for i in range(3)]


def _rotation_rows(columns: Any, X: Pose, R: Sequence[Number]) -> tuple[list[Row], Number]:
    """log(R* R^T) in world axes, its rates, and its angle."""
    w: list[Number] = [0, 0, 0]
    trace: Number = 0
    for j in range(3):
        own, wanted = (X.R[0][j], X.R[1][j], X.R[2][j]), (R[j], R[3 + j], R[6 + j])
        w = [a + 0.5 * b for a, b in zip(w, cross(own, wanted), strict=True)]
        trace = trace + dot(own, wanted)
    sine = _length(w)
    angle = atan2(sine, 0.5 * (trace - 1))
    # at half a revolution the sine vanishes: any axis serves, and the search moves on
    scale = where(sine < 1e-9, 1.0, angle / where(sine < 1e-9, 1.0, sine))
    rows = [(scale * w[i], {k: column.angular[i] for k, column in columns.items()}) for i in range(3)]
    return rows, angle


def _combined(factors: Sequence[Number], rows: Sequence[Row]) -> Row:
    e = sum((f * x for f, (x, _) in zip(factors, rows, strict=True)), 0.0)
    keys = rows[0][1]
    return e, {k: sum((f * rates[k] for f, (_, rates) in zip(factors, rows, strict=True)), 0.0) for k in keys}


def _length(parts: Sequence[Number]) -> Number:
    return sqrt(sum((x * x for x in parts), 0.0))


def _vectors(name: str, value: Any) -> Array:
    array = floats(name, value)
    if not array.ndim or array.shape[-1] != 3:
        raise WrongSize(f"{name} is (..., 3); {array.shape} was given.")
    if not np.isfinite(array).all():
        raise WrongValue(f"{name} must be finite numbers.")
    if name in ("position", "point"):
        require_near(f"The {name} of a target", array)
    return array


def _two_vectors(first: str, a: Any, second: str, b: Any) -> Array:
    """A point and a unit vector (..., 6)."""
    p, d = np.broadcast_arrays(_vectors(first, a), _vectors(second, b))
    size = np.linalg.norm(d, axis=-1, keepdims=True)
    if not (size > 0).all():
        raise WrongValue(f"{second} must not be zero.")
    return np.concatenate([p, d / size], axis=-1)
