"""Parameters of a robot as numbers of one kind: values, vectors, rotations, poses, inertias."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rikigaku.model.geometry import Geometry, Steps
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.numbers.elementary_functions import is_number, is_zero, sqrt, where
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import Kind, Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose, axis_rotation
from rikigaku.spatial.rigid_inertia import NO_INERTIA, SpatialInertia, rotate_symmetric
from rikigaku.spatial.vector import IDENTITY, ZERO, Matrix, Vector

# Products of rounded rotations leave errors of this size where an exact zero or one is intended.
_ROUNDING = 4e-16
# Squared sine of the angle to z below which any direction serves as x.
_UPRIGHT = 1e-30


@dataclass(frozen=True)
class EvaluatedParameters:
    """Evaluates formulas in one kind of number, with a number for each symbol."""

    kind: Kind
    symbols: Mapping[str, Number]

    def value(self, formula: Formula) -> Number:
        """The value of a formula."""
        return formula.evaluate(self.kind, self.symbols)

    def vector(self, formulas: tuple[Formula, ...]) -> Vector:
        """The values of three formulas."""
        x, y, z = (self.value(f) for f in formulas)
        return (x, y, z)

    def aligned(self, axis: tuple[Formula, ...]) -> Matrix:
        """A rotation whose z column is along the axis; diagonals of a cube (1, 1, 0) have exact roots.

        Ones and zeros are plain numbers in every kind, whose root would be a float.
        """
        plain = [x.rational for x in axis]
        if not all(x in (-1, 0, 1) for x in plain) or sum(x == 0 for x in plain) > 1:
            return aligned(self.vector(axis))
        x, y, z = (int(value) for value in plain if value is not None)
        unit = self._unit((x, y, z))
        x_column = self._unit((-y, x, 0))
        return vector.transpose((x_column, vector.cross(unit, x_column), unit))

    def _unit(self, direction: tuple[int, int, int]) -> Vector:
        """A vector of zeros and ones, over its length."""
        square = sum(x * x for x in direction)
        if square == 1:
            return direction
        inverse = self.kind.sqrt(Formula.of(Fraction(1, square)))
        x, y, z = ((inverse if k > 0 else -inverse) if k else 0 for k in direction)
        return (x, y, z)

    def rotation(self, axis: int, angle: Formula) -> Matrix:
        """About x, y or z (0, 1, 2)."""
        if angle.is_number:
            return axis_rotation(axis, *self.kind.sin_cos(angle))
        s, c = angle.sin(), angle.cos()
        return axis_rotation(axis, self.value(s), self.value(c))

    def steps(self, steps: Steps) -> Pose:
        """One elementary motion after the other."""
        pose = Pose()
        for axis, amount in steps:
            k = "xyz".index(axis[1])
            if axis[0] == "r":
                pose = pose.compose(Pose(self.rotation(k, amount)))
            else:
                value = self.value(amount)
                x, y, z = (value if i == k else 0 for i in range(3))
                pose = pose.compose(Pose(IDENTITY, (x, y, z)))
        return clean(pose)

    def pose(self, geometry: Geometry) -> Pose:
        """A geometry without joint."""
        return self.steps(geometry.before()).compose(self.steps(geometry.after()))

    def inertia(self, inertia: Inertia | None) -> SpatialInertia:
        """The ten parameters about the link's own origin."""
        if inertia is None:
            return NO_INERTIA
        m, position = self.value(inertia.m), self.vector(inertia.position)
        xx, xy, xz, yy, yz, zz = (self.value(x) for x in inertia.tensor)
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        if inertia.about == "origin":
            return SpatialInertia(m, position, tensor)
        roll, pitch, yaw = (self.rotation(axis, angle) for axis, angle in enumerate(inertia.rpy))
        R = vector.multiply(yaw, vector.multiply(pitch, roll))
        return SpatialInertia(m, ZERO, rotate_symmetric(R, tensor)).shifted(position)


def aligned(axis: Vector) -> Matrix:
    """A rotation whose z column is the axis; a signed permutation where the axis is one of x, y, z."""
    for k in range(3):
        along = axis[k]
        if is_zero(axis[(k + 1) % 3]) and is_zero(axis[(k + 2) % 3]) and is_number(along):
            return _permutation(k, along < 0)
    x, y, z = axis
    length = sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    flat = x * x + y * y
    upright = flat < _UPRIGHT  # an axis with symbols may take the direction of z
    side = sqrt(where(upright, 1, flat))
    x_column = (where(upright, 1, -y / side), where(upright, 0, x / side), 0)
    return vector.transpose((x_column, vector.cross((x, y, z), x_column), (x, y, z)))


def plane_axes(numbers: EvaluatedParameters, normal: tuple[Formula, ...]) -> dict[str, Vector]:
    """Right-handed unit axes plane_x, plane_y, plane_z with plane_z along the normal."""
    columns = vector.transpose(numbers.aligned(normal))
    return dict(zip(("plane_x", "plane_y", "plane_z"), columns, strict=True))


def _permutation(k: int, down: bool) -> Matrix:
    """The rotation whose z column is plus or minus the axis k."""
    i, j = (k + 1) % 3, (k + 2) % 3
    if down:
        return vector.transpose((IDENTITY[j], IDENTITY[i], vector.neg(IDENTITY[k])))
    return vector.transpose((IDENTITY[i], IDENTITY[j], IDENTITY[k]))


def clean(pose: Pose) -> Pose:
    """The pose with rounding errors of its rotation replaced by exact zeros and ones."""
    first, second, third = ((_rounded(x), _rounded(y), _rounded(z)) for x, y, z in pose.R)
    return Pose((first, second, third), pose.p)


def _rounded(x: Number) -> Number:
    if isinstance(x, float) and abs(x - round(x)) < _ROUNDING:
        return float(round(x))
    return x
