"""Which inertias a joint can tell from its parent's: the geometric rules, for any joint in any tree.

The joint forces follow from the energies, and those of a body are linear in its ten parameters J. Carry an
inertia J from a body onto its parent: nobody notices if its energy depends neither on the position of the
joint between them nor on its rate. With the joint's free directions S (twists in body axes) that means

    S . J S = 0         energy of the joint's own motion,
    V . J S = 0         for every velocity V the body can have with the joint locked,
    T(ad_S J) = 0       for every kinetic energy T the body can have with the joint locked,
    g . (ad_S J)_ms = 0 for every direction g gravity can have in the body's axes,

where ad_S J is the rate at which the parent sees J change. All are linear in J. The V, T and g a body can
have span linear spaces that pass from parent to child: carried over the joint and closed under its motion. So
each joint needs a few small matrices, no equation of motion and no sampling. What is visible at a joint is
independent of everything further inward, since that does not depend on this joint's coordinate: the result is
minimal.

A revolute joint in general position hides m, msz and Iyy (against Ixx), a prismatic one the whole tensor, a
helical one Iyy, a spherical one m, a free one nothing: the rules of [Gautier1990] and [Khalil1987]. Their
special cases (axes parallel to the first one, gravity along it or none, parallel slides) are the same four
lines with smaller spaces.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from rikigaku.laws.regressor import regressor_bodies
from rikigaku.model.inertia import PARAMETER_NAMES
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, dot
from rikigaku.symbolic.algebra.elimination import Space, Spaces, Zero, dependence
from rikigaku.symbolic.base import inertia_rows as rows
from rikigaku.symbolic.base.inertia_rows import Row

Base = dict[str, dict[str, Number]]  # kept parameter: {parameter: coefficient}

# A unit of each parameter as ten numbers. Of a link's own parameters the first that serve are kept: as is
# usual, Iyy, msz and m go to the parent.
UNITS: Mapping[str, Row] = {
    name: tuple(int(name == other) for other in PARAMETER_NAMES)
    for name in ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "msx", "msy", "Iyy", "msz", "m")
}


@dataclass(frozen=True)
class Column:
    """A parameter on its way to the ground: what a unit of it is, in the axes of the body that carries it."""

    name: str
    inertia: Row
    rotor: int | None = None  # which direction of the joint a rotor turns with


@dataclass(frozen=True)
class Reach:
    """What a body can do, as spans in its axes: twists (6) and energies (10), also locked; gravity (3)."""

    twists: Space
    energies: Space
    locked_twists: Space
    locked_energies: Space
    gravity: Space


def regrouped_columns(
    mechanism: Mechanism,
    gravity: Iterable[Vector],
    spaces: Spaces,
    units: Mapping[str, Row] = UNITS,
    rotors: Mapping[int, str] | None = None,
) -> Base:
    """For each kept parameter, what it stands for: {parameter: coefficient}, itself with one.

    Args:
        mechanism: over numbers that divide (fractions, floats, formulas of the geometry).
        gravity: directions in the world the field may have: none, one, or all three.
        spaces: decides whether such a number is zero.
        units: the parameters of a link, those to be kept first, each as the ten numbers one unit of it makes.
        rotors: names of the rotor inertias that count, by their coordinate of v.
    """
    is_zero = spaces.is_zero
    reaches = _reaches(mechanism, gravity, spaces)
    owners = set(regressor_bodies(mechanism))
    waiting: dict[int, list[Column]] = {i: [] for i in range(WORLD, len(mechanism.bodies))}
    base: Base = {}
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        columns = [*(_own_columns(mechanism, i, units) if i in owners else ()), *waiting[i]]
        columns += [Column(rotors[k], (0,) * 10, d) for d, k in enumerate(body.v) if rotors and k in rotors]
        kept, combinations = dependence(_seen(body.joint.directions(), reaches[i], columns, spaces), spaces)
        for k in kept:
            base[columns[k].name] = {columns[k].name: 1}
        for j, parts in combinations.items():
            rest = list(columns[j].inertia)
            for k, c in parts.items():
                base[columns[k].name][columns[j].name] = c
                rest = [x - c * y for x, y in zip(rest, columns[k].inertia, strict=True)]
            waiting[body.parent].append(Column(columns[j].name, rows.seen_inertia(body.placement, rest)))
    return _resolved(base, is_zero)


def _own_columns(mechanism: Mechanism, i: int, units: Mapping[str, Row]) -> list[Column]:
    """The parameters of a link, in the axes of its body."""
    name = mechanism.bodies[i].name
    _, X = mechanism.frames[name]
    return [Column(f"{p} of {name}", rows.seen_inertia(X, unit)) for p, unit in units.items()]


def _seen(
    directions: Sequence[Twist], reach: Reach, columns: Sequence[Column], spaces: Spaces
) -> list[list[Number]]:
    """What the joint sees of each column; all zero for what could as well sit on the parent."""
    pairs = [(k, l) for k in range(len(directions)) for l in range(k + 1)]
    own = [rows.mutual_energy(directions[k], directions[l]) for k, l in pairs]
    others = spaces.space(10)
    for s in directions:
        rates = rows.unit_rates(s)
        for row in reach.locked_twists.rows:
            others.add(rows.mutual_energy(rows.twist_of(row), s))
        for energy in (*reach.locked_energies.rows, *map(rows.weight, reach.gravity.rows)):
            others.add(rows.through(rates, energy))
    return [
        [dot(row, c.inertia) + int(k == l == c.rotor) for (k, l), row in zip(pairs, own, strict=True)]
        + [dot(row, c.inertia) for row in others.rows]
        + _ungyroscopic(directions, c.rotor)
        for c in columns
    ]


def _ungyroscopic(directions: Sequence[Twist], rotor: int | None) -> list[Number]:
    """What tells rotors from inertias where rates are not derivatives of coordinates (spherical, free).

    A rotor there is felt as inertia times acceleration and nothing else; a body is felt so only if it is the
    same about all axes.
    """
    if len(directions) < 3:
        return []
    slides = [k for k, s in enumerate(directions) if any(s.linear)]
    turns = [k for k, s in enumerate(directions) if any(s.angular)]
    differences = [int(rotor == k) - int(rotor == l) for k, l in pairwise(turns)]
    return [*(int(rotor == k) for k in slides), *differences]


def _resolved(base: Base, is_zero: Zero) -> Base:
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


def _reaches(mechanism: Mechanism, gravity: Iterable[Vector], spaces: Spaces) -> list[Reach]:
    """What each body can do, from the ground outward."""
    nothing, no_energy = spaces.space(6), spaces.space(10)
    ground = Reach(nothing, no_energy, nothing, no_energy, spaces.space(3, gravity))
    result: list[Reach] = []
    for body in mechanism.bodies:
        parent = ground if body.parent == WORLD else result[body.parent]
        result.append(_carried(body, parent, spaces))
    return result


def _carried(body: Body, parent: Reach, spaces: Spaces) -> Reach:
    """The parent's spans in body axes, closed under the joint's motion; then with the joint's own rate."""
    X, directions = body.placement, body.joint.directions()
    locked_twists = spaces.space(6, (rows.twist_at(X, row) for row in parent.twists.rows))
    units = rows.units_seen(X)
    locked_energies = spaces.space(10, (rows.through(units, row) for row in parent.energies.rows))
    gravity = spaces.space(3, (rows.direction_at(X, row) for row in parent.gravity.rows))
    locked_twists.close([partial(rows.twist_rate, s) for s in directions])
    locked_energies.close([partial(rows.through, rows.unit_rates(s)) for s in directions])
    gravity.close([partial(rows.direction_rate, s) for s in directions])
    twists = spaces.space(6, (*locked_twists.rows, *((*s.linear, *s.angular) for s in directions)))
    others = (*map(rows.twist_of, locked_twists.rows), *directions)
    shared = (rows.mutual_energy(other, s) for s in directions for other in others)
    energies = spaces.space(10, (*locked_energies.rows, *shared))
    return Reach(twists, energies, locked_twists, locked_energies, gravity)
