"""Inertial parameters observable at a joint: geometric rules of regrouping for any joint in any tree.

The joint forces follow from the energies, and those of a body are linear in its ten parameters J. Moving an
inertia J from a body to its parent leaves all joint forces unchanged if its energy depends neither on the
position nor on the rate of the joint between them. With the joint's motion subspace S (twists in body axes):

    S . J S = 0         energy of the joint's own motion,
    V . J S = 0         for every velocity V the body can have with the joint locked,
    T(ad_S J) = 0       for every kinetic energy T the body can have with the joint locked,
    g . (ad_S J)_ms = 0 for every direction g gravity can have in the body's axes,

where ad_S J is the rate of J in the parent's frame. All are linear in J. The V, T and g of a body span linear
spaces, which are computed from parent to child: transformed to the child's frame and closed under the joint's
motion. Each joint thus needs a few small matrices, no equation of motion and no sampling. Combinations that
are observable at a joint are independent of all parameters further inward, which do not depend on this
joint's coordinate: the result is minimal.

In general position m, msz and Iyy (against Ixx) are unobservable at a revolute joint, the whole tensor at a
prismatic one, Iyy at a helical one, m at a spherical one, nothing at a free one: the rules of [Gautier1990]
and [Khalil1987]. Their special cases (axes parallel to the first one, gravity along it or none, parallel
prismatic joints) follow from the same four conditions with smaller spaces.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from rikigaku.laws.tree.regressor import regressor_bodies
from rikigaku.model.inertial_parameters import PARAMETER_NAMES
from rikigaku.model.mechanism import WORLD, Body, Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, dot
from rikigaku.symbolic.algebra.row_elimination import Space, Spaces, Zero, dependence
from rikigaku.symbolic.base_parameters import energy_rows as rows
from rikigaku.symbolic.base_parameters.energy_rows import Row

Base = dict[str, dict[str, Number]]  # kept parameter: {parameter: coefficient}

# A unit of each parameter as ten numbers, in order of preference for the base: as is usual, Iyy, msz and m
# are regrouped to the parent.
UNITS: Mapping[str, Row] = {
    name: tuple(int(name == other) for other in PARAMETER_NAMES)
    for name in ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "msx", "msy", "Iyy", "msz", "m")
}


@dataclass(frozen=True)
class Column:
    """A parameter that is regrouped inward: a unit of it, in the axes of the body it is moved to."""

    name: str
    inertia: Row
    rotor: int | None = None  # direction of the joint that a rotor rotates with


@dataclass(frozen=True)
class MotionSpans:
    """Spans in body axes: twists (6) and energies (10) of a body, also with its joint locked; gravity (3)."""

    twists: Space
    energies: Space
    locked_twists: Space
    locked_energies: Space
    gravity: Space


def regrouped_columns(
    mechanism: Mechanism,
    gravity: Iterable[Vector],
    spaces: Spaces,
    rotors: Mapping[int, str] | None = None,
) -> Base:
    """The combination that each base parameter represents: {parameter: coefficient}, its own with one.

    Args:
        mechanism: over numbers that divide (fractions, floats, formulas of the geometry).
        gravity: directions in the world the field may have: none, one, or all three.
        spaces: decides whether such a number is zero.
        rotors: names of the rotor inertias that are included, by their coordinate of v.
    """
    is_zero = spaces.is_zero
    spans = _motion_spans(mechanism, gravity, spaces)
    owners = set(regressor_bodies(mechanism))
    moved: dict[int, list[Column]] = {i: [] for i in range(WORLD, len(mechanism.bodies))}
    base: Base = {}
    for i, body in reversed(list(enumerate(mechanism.bodies))):
        columns = [*(_own_columns(mechanism, i) if i in owners else ()), *moved[i]]
        columns += [Column(rotors[k], (0,) * 10, d) for d, k in enumerate(body.v) if rotors and k in rotors]
        kept, combinations = dependence(_observed(body.joint.directions(), spans[i], columns, spaces), spaces)
        for k in kept:
            base[columns[k].name] = {columns[k].name: 1}
        for j, parts in combinations.items():
            rest = list(columns[j].inertia)
            for k, c in parts.items():
                base[columns[k].name][columns[j].name] = c
                rest = [x - c * y for x, y in zip(rest, columns[k].inertia, strict=True)]
            moved[body.parent].append(Column(columns[j].name, rows.seen_inertia(body.placement, rest)))
    return _resolved(base, is_zero)


def _own_columns(mechanism: Mechanism, i: int) -> list[Column]:
    """The parameters of a link, in the axes of its body."""
    name = mechanism.bodies[i].name
    _, X = mechanism.frames[name]
    return [Column(f"{p} of {name}", rows.seen_inertia(X, unit)) for p, unit in UNITS.items()]


def _observed(
    directions: Sequence[Twist], spans: MotionSpans, columns: Sequence[Column], spaces: Spaces
) -> list[list[Number]]:
    """Conditions of observability at the joint for each column; all zero if it can be moved to the parent."""
    pairs = [(k, l) for k in range(len(directions)) for l in range(k + 1)]
    own = [rows.mutual_energy(directions[k], directions[l]) for k, l in pairs]
    others = spaces.space(10)
    for s in directions:
        rates = rows.unit_rates(s)
        for row in spans.locked_twists.rows:
            others.add(rows.mutual_energy(rows.twist_of(row), s))
        for energy in (*spans.locked_energies.rows, *map(rows.weight, spans.gravity.rows)):
            others.add(rows.through(rates, energy))
    return [
        [dot(row, c.inertia) + int(k == l == c.rotor) for (k, l), row in zip(pairs, own, strict=True)]
        + [dot(row, c.inertia) for row in others.rows]
        + _rotor_conditions(directions, c.rotor)
        for c in columns
    ]


def _rotor_conditions(directions: Sequence[Twist], rotor: int | None) -> list[Number]:
    """Conditions that separate rotors from inertias at joints with quasi-velocities (spherical, free).

    A rotor acts there as inertia times acceleration only; a body does so only if its inertia is isotropic.
    """
    if len(directions) < 3:
        return []
    translations = [k for k, s in enumerate(directions) if any(s.linear)]
    rotations = [k for k, s in enumerate(directions) if any(s.angular)]
    differences = [int(rotor == k) - int(rotor == l) for k, l in pairwise(rotations)]
    return [*(int(rotor == k) for k in translations), *differences]


def _resolved(base: Base, is_zero: Zero) -> Base:
    """The combinations with each other's kept parameters eliminated.

    A massless intermediate body of a universal or planar joint has no parameters of its own: a parameter
    observable there is kept under the name it came with, and appears in combinations further out, too.
    """
    for name, combination in reversed(base.items()):
        for other in [n for n in combination if n in base and n != name]:
            factor = combination[other]
            for n, c in base[other].items():
                combination[n] = combination.get(n, 0) - factor * c
        for n in [n for n, c in combination.items() if is_zero(c)]:
            del combination[n]
    return base


def _motion_spans(mechanism: Mechanism, gravity: Iterable[Vector], spaces: Spaces) -> list[MotionSpans]:
    """Spans of each body, from the ground outward."""
    nothing, no_energy = spaces.space(6), spaces.space(10)
    ground = MotionSpans(nothing, no_energy, nothing, no_energy, spaces.space(3, gravity))
    result: list[MotionSpans] = []
    for body in mechanism.bodies:
        parent = ground if body.parent == WORLD else result[body.parent]
        result.append(_carried(body, parent, spaces))
    return result


def _carried(body: Body, parent: MotionSpans, spaces: Spaces) -> MotionSpans:
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
    return MotionSpans(twists, energies, locked_twists, locked_energies, gravity)
