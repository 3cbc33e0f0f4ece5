"""Closed configurations over a prime field: coordinates modulo p that satisfy every loop equation.

Some joints are random, the others are solved by the explicit relations; draws are discarded where a square
root does not exist in the field. Which joints are random does not matter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from flint import fmpz

from rikigaku.core.errors import NoFormula, NotExact, RikigakuError
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.modular_constants import angle_multiples
from rikigaku.numbers.modular_number import Field
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.loops.explicit_configurations import Relation
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints, loop_constraints

_TRIES = 60  # sets of joints to draw, the robot's own first
_MOST_DRAWN = 2**17  # draws of one round; each square root discards half of them
_ROUNDS = 50


@dataclass
class Points:
    """Residues of the generators of coordinates, (points,) each."""

    field: Field
    known: dict[str, Residues]

    @property
    def count(self) -> int:
        """Number of points."""
        return max(map(len, self.known.values()))

    def keep(self, good: Any) -> None:
        """Keep only some of the points."""
        self.known = {name: x if len(x) == 1 else x[good] for name, x in self.known.items()}

    def value(self, x: Any) -> Residues:
        """An exact number at every point."""
        p = self.field.prime
        if not isinstance(x, Exact):
            return np.array([self.field.constant(x)])
        total = np.zeros(1, dtype=np.int64)
        for powers, coefficient in x.polynomial.to_dict().items():
            term = np.array([int(coefficient.p) * pow(int(coefficient.q), -1, p) % p])
            for k, n in enumerate(powers):
                for _ in range(int(n)):
                    term = term * self.known[x.ring.names[k]] % p
            total = (total + term) % p
        return total


def parametrised(robot: RobotModel) -> LoopConstraints:
    """The constraints with independent joints from which all others are solved by square roots.

    Raises:
        NoFormula: if none of the first `_TRIES` sets of joints has this property.
    """
    own = loop_constraints(robot, linear=False)
    sizes = {joint.name: joint.nv for joint in robot.joints}
    sets = (
        names
        for count in range(1, own.mobility + 1)
        for names in combinations(sizes, count)
        if sum(sizes[name] for name in names) == own.mobility
    )
    for names in (None, *islice(sets, _TRIES)):
        try:
            constraints = loop_constraints(robot, independent=names, linear=False)
            constraints.eliminated(time_limit=0)
            return constraints
        except RikigakuError:
            continue
    raise NoFormula(
        f"No joints of robot {robot.name!r} were found from which all others follow by square roots, so "
        "there are no points of its loops modulo a prime."
    )


def loop_points(constraints: LoopConstraints, field: Field, count: int) -> Iterator[Points]:
    """Batches of points, until there are `count`.

    Raises:
        NotExact: where a constant of the geometry has no image in the field.
    """
    found = 0
    roots = sum(relation.branches - 1 for relation in constraints.explicit)
    draws = min(2 * count * 2**roots, _MOST_DRAWN)
    for _ in range(_ROUNDS):
        points = Points(field, _constants(constraints, field))
        points.known |= _drawn(constraints, field, draws)
        for relation in constraints.explicit:
            _add_coordinate(points, relation)
        if points.count > 1:  # a single point has the shape of constants
            points.keep(slice(0, count - found))
            found += points.count
            yield points
        if found >= count:
            return
    raise NotExact("The loops have too few points modulo this prime.")


def _constants(constraints: LoopConstraints, field: Field) -> dict[str, Residues]:
    """Constant angles, roots and pi."""
    ring = constraints.state.ring
    if ring.rounded:
        raise NotExact("The geometry has rounded angles, which have no image in a prime field.")
    found = {"pi": field.pi.plain[0]}
    for k, angle in enumerate(ring.constant_angles):
        s, c = field.circle(angle_multiples(angle))
        found |= {f"sin(angle[{k}])": s.plain[0], f"cos(angle[{k}])": c.plain[0]}
    for k, radicand in enumerate(ring.radicands):
        root = field.prime_root(radicand) if isinstance(radicand, int) else None
        if root is None or root.beyond is not None:
            raise NotExact(f"The square root of {radicand} has no image in this field.")
        found[f"root[{k}]"] = root.plain[0]
    return found


def _drawn(constraints: LoopConstraints, field: Field, draws: int) -> dict[str, Residues]:
    """Generators of the independent joints at random."""
    robot, p = constraints.robot, field.prime
    found: dict[str, Residues] = {}
    half = pow(2, -1, p)
    for joint in robot.joints:
        v, q = robot.v_slices[joint.name], robot.q_slices[joint.name]
        if not set(range(v.start, v.stop)) & set(constraints.independent):
            continue
        names = [f"q[{k}]" for k in range(q.start, q.stop)]
        numbers = [field.random(draws) for _ in names]
        if joint_type(joint.type).quaternion is not None:
            x, y, z = numbers[-3:]
            square = (x * x % p + y * y % p + z * z % p) % p
            below = field.inverse((square + 1) % p)
            numbers[-4:] = [(1 - square) % p * below % p, *(2 * u * below % p for u in (x, y, z))]
        for name, x in zip(names, numbers, strict=True):
            found[name] = x
            if f"sin({name})" in constraints.state.ring.names:
                u = field.inverse(x)
                found[f"cos({name})"] = (x + u) % p * half % p
                found[f"sin({name})"] = (x - u) % p * half % p * field.unit_inverse % p
    return found


def _add_coordinate(points: Points, relation: Relation) -> None:
    """Solve for one more coordinate; keep the points where its square root exists."""
    field, p = points.field, points.field.prime
    a, b, c, d = (points.value(x) for x in (relation.a, relation.b, relation.c, relation.d))
    name = relation.generator
    if relation.form == "prismatic" and is_zero(relation.a):
        points.known[name] = -c * field.inverse(b) % p
        return
    if relation.form == "both":
        points.known[f"sin({name})"] = -c * field.inverse(a) % p
        points.known[f"cos({name})"] = -d * field.inverse(b) % p
        return
    square = (a * a % p + b * b % p) % p
    inside = (b * b - 4 * (a * c % p)) % p if relation.form == "prismatic" else (square - c * c % p) % p
    root, good = _roots(inside, field)
    if relation.form == "prismatic":
        points.known[name] = (root - b) % p * field.inverse(2 * a % p) % p
    else:
        below = field.inverse(square)
        points.known[f"sin({name})"] = (b * root % p - a * c % p) % p * below % p
        points.known[f"cos({name})"] = (-(a * root % p) - b * c % p) % p * below % p
    points.keep(good)


def _roots(x: Residues, field: Field) -> tuple[Residues, Any]:
    """Square roots of random sign, and where they exist."""
    p = field.prime
    good = field.power(x, (p - 1) // 2) == 1
    root = np.zeros_like(x)
    for k in np.flatnonzero(good):
        root[k] = int(fmpz(int(x[k])).sqrtmod(p))
    return np.where(field.rng.random(len(x)) < 0.5, root, -root % p), good


def coordinates(points: Points, names: Sequence[str]) -> list[Any]:
    """q as numbers of the field, ready for the laws."""
    found: list[Any] = []
    for name in names:
        if f"sin({name})" in points.known:
            s, c = (points.field.number(points.known[f"{f}({name})"][None]) for f in ("sin", "cos"))
            found.append(KnownAngle(s, c))
        else:
            found.append(points.field.number(points.known[name][None]))
    return found


@dataclass(frozen=True)
class KnownAngle:
    """An angle known by its sine and cosine."""

    s: Any
    c: Any

    def sin(self) -> Any:
        return self.s

    def cos(self) -> Any:
        return self.c
