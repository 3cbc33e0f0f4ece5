"""Base parameters of a tree by geometric rules: which inertias a joint can tell from its parent's.

The joint forces follow from the energies, and those of a body are linear in its ten parameters J. Carry an
inertia J from a body onto its parent: nobody notices if its energy does not depend on the joint between them,
neither on its position nor on its rate. With the joint's free directions S (twists in body axes) that means

    V . J S = 0         for every velocity V the body can have (momentum of the joint's own motion),
    T'(ad_S J) = 0      for every energy the body can have while its joint is locked,
    g . (ad_S J)_ms = 0 for every direction gravity can have in the body's axes,

where ad_S J is the rate at which the parent sees J change. All three are linear in J. What V, energies and g a
body can have are linear spaces that pass from parent to child: carried over the joint and closed under its
motion. So each joint needs a few small matrices, no equation of motion and no sampling; what remains visible
at each joint is independent of all that lies inward, because it alone depends on that joint's coordinate.

A revolute joint in general position hides m, msz and Iyy (with Ixx), a prismatic one the whole tensor, a helical
one Iyy, a spherical one m, a free one nothing: the rules of [Gautier1990] and [Khalil1987]; their special cases
(axes parallel to the first, gravity along it or none, parallel slides) are the same three lines with smaller
spaces.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from rikigaku.laws.regressor import regressor_bodies
from rikigaku.model.inertia import PARAMETER_NAMES
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, cross, dot, transform, transpose
from rikigaku.symbolic.elimination import Space, Zero, dependence

Row = Sequence[Number]

# Of a link's own parameters the first that serve are kept: as is usual, Iyy, msz and m go to the parent.
KEEP_FIRST = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "msx", "msy", "Iyy", "msz", "m")


@dataclass
class Column:
    """A parameter on its way to the ground: what a unit of it is, in the axes of the body that carries it."""

    name: str
    inertia: Row


@dataclass
class Reach:
    """What a body can do, as spans in its axes: twists (6), energies (10; also with its joint locked), gravity."""

    twists: Space
    energies: Space
    locked: list[list[Number]]
    gravity: Space


def regrouped_columns(
    mechanism: Mechanism, gravity: Iterable[Vector], is_zero: Zero
) -> dict[str, dict[str, Number]]:
    """For each kept parameter, what it stands for: {parameter: coefficient}, itself with one.

    Args:
        mechanism: over numbers that divide (fractions, floats, formulas of the geometry).
        gravity: directions in the world the field may have: none, one, or all three.
        is_zero: decides whether such a number is zero.
    """
    reaches = _reaches(mechanism, gravity, is_zero)
    owners = set(regressor_bodies(mechanism))
    waiting: dict[int, list[Column]] = {i: [] for i in range(WORLD, len(mechanism.bodies))}
    base: dict[str, dict[str, Number]] = {}
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        columns = [*(_own_columns(mechanism, i) if i in owners else ()), *waiting[i]]
        conditions = _conditions(body.joint.directions(), reaches[i], is_zero)
        seen = [[dot(row, column.inertia) for row in conditions] for column in columns]
        kept, combinations = dependence(seen, is_zero)
        for k in kept:
            base[columns[k].name] = {columns[k].name: 1}
        for j, parts in combinations.items():
            rest = list(columns[j].inertia)
            for k, c in parts.items():
                base[columns[k].name][columns[j].name] = c
                rest = [x - c * y for x, y in zip(rest, columns[k].inertia, strict=True)]
            waiting[body.parent].append(Column(columns[j].name, seen_inertia(body.placement, rest)))
    return _resolved(base, is_zero)


def _resolved(base: dict[str, dict[str, Number]], is_zero: Zero) -> dict[str, dict[str, Number]]:
    """The combinations without each other's kept parameters.

    A massless part of a universal or planar joint has no parameters of its own: what it can tell of a
    parameter that went past the link itself is kept under that parameter's name, which then stands in
    combinations further out too.
    """
    for name, combination in reversed(base.items()):
        for other in [n for n in combination if n in base and n != name]:
            factor = combination[other]
            for n, c in base[other].items():
                combination[n] = combination.get(n, 0) - factor * c
        for n in [n for n, c in combination.items() if is_zero(c)]:
            del combination[n]
    return base


def _own_columns(mechanism: Mechanism, i: int) -> list[Column]:
    """The ten parameters of a link, those to be kept first."""
    name = mechanism.bodies[i].name
    _, X = mechanism.frames[name]
    units = {p: [int(p == other) for other in PARAMETER_NAMES] for p in KEEP_FIRST}
    return [Column(f"{p} of {name}", seen_inertia(X, unit)) for p, unit in units.items()]


def _conditions(directions: Sequence[Twist], reach: Reach, is_zero: Zero) -> list[list[Number]]:
    """Rows c with c . J = 0 for every inertia J that could as well sit on the parent."""
    rows = Space(10, is_zero)
    for s in directions:
        for row in reach.twists.rows:
            rows.add(mutual_energy(_twist(row), s))
        for row in reach.locked:
            rows.add(pulled_back(row, s))
        for g in reach.gravity.rows:
            rows.add(pulled_back((0, *g, 0, 0, 0, 0, 0, 0), s))
    return rows.rows


def _reaches(mechanism: Mechanism, gravity: Iterable[Vector], is_zero: Zero) -> list[Reach]:
    """What each body can do, from the ground outward."""
    ground = Reach(Space(6, is_zero), Space(10, is_zero), [], Space(3, is_zero, gravity))
    result: list[Reach] = []
    for body in mechanism.bodies:
        parent = ground if body.parent == WORLD else result[body.parent]
        result.append(_carried(body, parent, is_zero))
    return result


def _carried(body: Body, parent: Reach, is_zero: Zero) -> Reach:
    """The parent's spans in body axes, closed under the joint's motion; then with the joint's own rate."""
    X, directions = body.placement, body.joint.directions()
    twists = Space(6, is_zero, (_twist_at(X, row) for row in parent.twists.rows))
    energies = Space(10, is_zero, (_energy_at(X, row) for row in parent.energies.rows))
    gravity = Space(3, is_zero, (_turned_back(X, row) for row in parent.gravity.rows))
    twists.close([partial(_twist_rate, s) for s in directions])
    energies.close([partial(_energy_rate, s) for s in directions])
    gravity.close([partial(_gravity_rate, s) for s in directions])
    locked, still = energies.rows, [_twist(row) for row in twists.rows]
    for s in directions:
        twists.add((*s.linear, *s.angular))
        for other in (*still, *directions):
            energies.add(mutual_energy(other, s))
    return Reach(twists, energies, locked, gravity)


# -- inertias, and energies as functions of them ----------------------------------------------------------------
def seen_inertia(X: Pose, J: Row) -> Row:
    """Ten parameters in the frame where the body's own frame has the pose X."""
    return SpatialInertia.from_parameters(J).seen_from(X).parameters()


def inertia_rate(s: Twist, J: Row) -> Row:
    """ad_s J: how the ten parameters change in a frame from which the body is seen to move with the twist s."""
    (v, w), (m, *moments) = s, J
    h = (moments[0], moments[1], moments[2])
    I = SpatialInertia.from_parameters(J).I
    turning = vector.multiply(vector.skew(w), I)
    vh = 2 * dot(v, h)
    dI = [
        [turning[i][j] + turning[j][i] - v[i] * h[j] - h[i] * v[j] + (vh if i == j else 0) for j in range(3)]
        for i in range(3)
    ]
    dh = vector.add(cross(w, h), vector.scale(m, v))
    return (0, *dh, *dI[0], *dI[1][1:], dI[2][2])


def mutual_energy(a: Twist, b: Twist) -> Row:
    """Row e with e . J = a . (J b): the energy two motions of a body share, as a function of its inertia."""
    (v, w), (u, z) = a, b
    first = vector.add(cross(v, z), cross(u, w))
    products = [w[i] * z[j] + w[j] * z[i] if i != j else w[i] * z[i] for i in range(3) for j in range(i, 3)]
    return (dot(v, u), *first, *products)


def pulled_back(row: Row, s: Twist) -> Row:
    """The row e' with e' . J = e . ad_s J."""
    units = ([int(k == j) for j in range(10)] for k in range(10))
    return [dot(row, inertia_rate(s, unit)) for unit in units]


def _energy_rate(s: Twist, row: Row) -> Row:
    return pulled_back(row, s)


def _energy_at(X: Pose, row: Row) -> Row:
    """A function of inertias in the parent's frame, as one of inertias in the frame at X."""
    units = ([int(k == j) for j in range(10)] for k in range(10))
    return [dot(row, seen_inertia(X, unit)) for unit in units]


def _twist(row: Row) -> Twist:
    return Twist((row[0], row[1], row[2]), (row[3], row[4], row[5]))


def _twist_rate(s: Twist, row: Row) -> Row:
    changed = s.cross(_twist(row))
    return (*changed.linear, *changed.angular)


def _twist_at(X: Pose, row: Row) -> Row:
    """A twist of the parent in the frame at X."""
    (v, w), back = _twist(row), transpose(X.R)
    return (*transform(back, vector.add(v, cross(w, X.p))), *transform(back, w))


def _gravity_rate(s: Twist, row: Row) -> Row:
    return cross(s.angular, (row[0], row[1], row[2]))


def _turned_back(X: Pose, row: Row) -> Row:
    return transform(transpose(X.R), (row[0], row[1], row[2]))
