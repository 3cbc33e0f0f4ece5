"""Ten inertial parameters as a vector, and energies and weights as rows that multiply it."""

from collections.abc import Iterable, Sequence

from rikigaku.numbers.number_kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import cross, dot, transform, transpose

Row = Sequence[Number]

_UNITS = tuple(tuple(int(j == k) for j in range(10)) for k in range(10))


def seen_inertia(X: Pose, J: Row) -> Row:
    """Ten parameters in the frame where the body's own frame has the pose X."""
    return SpatialInertia.from_parameters(J).seen_from(X).parameters()


def inertia_rate(s: Twist, J: Row) -> Row:
    """ad_s J: rate of the ten parameters in the parent's frame while the body moves with the twist s."""
    v, w = s
    m, h, I = SpatialInertia.from_parameters(J)
    wI = vector.multiply(vector.skew(w), I)
    vh = 2 * dot(v, h)
    dI = [
        [wI[i][j] + wI[j][i] - v[i] * h[j] - h[i] * v[j] + (vh if i == j else 0) for j in range(3)]
        for i in range(3)
    ]
    dh = vector.add(cross(w, h), vector.scale(m, v))
    return (0, *dh, *dI[0], *dI[1][1:], dI[2][2])


def mutual_energy(a: Twist, b: Twist) -> Row:
    """Row e with e . J = a . (J b): the mixed kinetic energy of two twists, linear in the inertia J."""
    (v, w), (u, z) = a, b
    first = vector.add(cross(v, z), cross(u, w))
    products = [w[i] * z[j] + w[j] * z[i] if i != j else w[i] * z[i] for i in range(3) for j in range(i, 3)]
    return (dot(v, u), *first, *products)


def weight(g: Row) -> Row:
    """Row e with e . J = g . (first moments): minus the potential energy in the field g."""
    return (0, *g, 0, 0, 0, 0, 0, 0)


def unit_rates(s: Twist) -> list[Row]:
    """ad_s of each of the ten units: e . ad_s J = `through`(unit_rates(s), e) . J."""
    return [inertia_rate(s, unit) for unit in _UNITS]


def units_seen(X: Pose) -> list[Row]:
    """The ten units of a body at X in the parent's frame."""
    return [seen_inertia(X, unit) for unit in _UNITS]


def through(images: Sequence[Row], row: Row) -> Row:
    """A function of the images of the ten units, as a function of the units."""
    some = [(k, x) for k, x in enumerate(row) if not (isinstance(x, int) and x == 0)]
    return [_sum(x * image[k] for k, x in some) for image in images]


def twist_of(row: Row) -> Twist:
    """Six numbers as a twist."""
    return Twist((row[0], row[1], row[2]), (row[3], row[4], row[5]))


def twist_rate(s: Twist, row: Row) -> Row:
    """Minus the rate of a fixed twist, six numbers, in the axes of a body that moves with s."""
    changed = s.cross(twist_of(row))
    return (*changed.linear, *changed.angular)


def twist_at(X: Pose, row: Row) -> Row:
    """A twist of the parent in the frame at X."""
    (v, w), back = twist_of(row), transpose(X.R)
    return (*transform(back, vector.add(v, cross(w, X.p))), *transform(back, w))


def direction_rate(s: Twist, row: Row) -> Row:
    """Minus the rate of a fixed direction in the axes of a body that moves with s."""
    return cross(s.angular, (row[0], row[1], row[2]))


def direction_at(X: Pose, row: Row) -> Row:
    """A direction given in the parent's axes, in those at X."""
    return transform(transpose(X.R), (row[0], row[1], row[2]))


def _sum(terms: Iterable[Number]) -> Number:
    total: Number = 0
    for x in terms:
        total = total + x
    return total
