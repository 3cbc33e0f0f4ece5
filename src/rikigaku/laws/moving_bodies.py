"""Bodies that move, in the axes of their root: what each joint changes, and what subtrees answer.

A body is computed when it is first asked for, from its parent. The way inward asks limb by limb, so that in a
program all that belongs to a limb stands together, and is still in the nearest cache when it is needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rikigaku.laws.felt_inertias import felt_inertias
from rikigaku.laws.root_axes import felt_gravity, seen_body
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.twist import NO_TWIST, Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, dot, transform

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Momentum:
    """p and G of a body or of a subtree: how its forces answer to a small change of twist."""

    p: Vector
    G: Matrix

    def plus(self, other: "Momentum") -> "Momentum":
        return Momentum(vector.add(self.p, other.p), vector.matrix_add(self.G, other.G))

    def once(self, x: Twist) -> Wrench:
        """B x."""
        return Wrench(cross(x.angular, self.p), transform(self.G, x.angular))

    def twice(self, x: Twist) -> Wrench:
        """2 B x."""
        w = vector.add(x.angular, x.angular)
        return Wrench(cross(w, self.p), transform(self.G, w))

    def row(self, s: Twist) -> Vector:
        """The vector r with s . 2 B x = r . x_w."""
        r = vector.add(cross(self.p, s.linear), transform(vector.transpose(self.G), s.angular))
        return vector.add(r, r)


@dataclass(frozen=True)
class JointChange:
    """What a small step, or a unit rate, along one joint direction does to all it carries."""

    s: Twist
    psi_dot: Twist
    psi_ddot: Twist
    s_dot: Twist


class Answer(NamedTuple):
    """Wrench, momentum and inertia of a body or of a subtree."""

    wrench: Wrench
    momentum: Momentum
    inertia: SpatialInertia

    def plus(self, other: "Answer") -> "Answer":
        return Answer(*(own.plus(its) for own, its in zip(self, other, strict=True)))  # type: ignore[attr-defined]


@dataclass(frozen=True)
class MovingBody:
    """A body as it moves, in root axes."""

    pose: Pose
    twist: Twist
    acceleration: Twist  # felt gravity included
    changes: tuple[JointChange, ...]  # by the directions of its joint


class MovingBodies:
    """All bodies of a mechanism, each computed when it is first asked for."""

    def __init__(
        self, mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, gravity: Vector | None
    ) -> None:
        self._mechanism, self._q, self._v, self._a = mechanism, q, v, a
        self._felt = felt_gravity(mechanism, q, gravity)
        self._inertias = felt_inertias(mechanism)
        self._known: dict[int, MovingBody] = {}

    def __getitem__(self, i: int) -> MovingBody:
        way, next_inward = [], i
        while next_inward not in self._known and next_inward != WORLD:
            way.append(next_inward)
            next_inward = self._mechanism.bodies[next_inward].parent
        for k in reversed(way):
            self._known[k] = self._moving(k)
        return self._known[i]

    def subtrees(self) -> Iterator[tuple[int, Answer]]:
        """From the outermost body inward: a body, and what it and all beyond answer together."""
        beyond: dict[int, Answer] = {}
        for i in reversed(range(len(self._mechanism.bodies))):
            # only now: of a body that is on its way outward fewer numbers wait than of its answer
            own, parent = _answer(self._inertias[i], self[i]), self._mechanism.bodies[i].parent
            whole = own.plus(beyond.pop(i)) if i in beyond else own
            yield i, whole
            if parent != WORLD:
                beyond[parent] = beyond[parent].plus(whole) if parent in beyond else whole

    def carriers(self, i: int) -> Iterator[tuple[int, int, JointChange]]:
        """Every coordinate that moves body i, with its body and what it changes."""
        for carrier in self._mechanism.support(i):
            for other, its in zip(self._mechanism.bodies[carrier].v, self[carrier].changes, strict=True):
                yield carrier, other, its

    def _moving(self, i: int) -> MovingBody:
        body, felt = self._mechanism.bodies[i], self._felt[i]
        parent = self._known.get(body.parent)
        seen = seen_body(body, self._q, parent.pose if parent else None)
        V0, A0 = (parent.twist, parent.acceleration) if parent else (NO_TWIST, Twist(felt, vector.ZERO))
        rate = push = NO_TWIST
        for s, k in zip(seen.directions, body.v, strict=True):
            rate, push = rate.plus(s.times(self._v[k])), push.plus(s.times(self._a[k]))
        V = V0.plus(rate)
        changes, drift = [], NO_TWIST
        for s, k in zip(seen.directions, body.v, strict=True):
            psi_dot = V0.cross(s)
            # Across a joint of one coordinate its own rate does not turn its direction.
            s_dot = psi_dot if body.joint.nv == 1 else V.cross(s)
            changes.append(JointChange(s, psi_dot, A0.cross(s).plus(V0.cross(psi_dot)), s_dot))
            drift = drift.plus(s_dot.times(self._v[k]))
        A = A0.plus(push).plus(drift)
        return MovingBody(seen.pose, V, A, tuple(changes))


def _answer(own: SpatialInertia, body: MovingBody) -> Answer:
    """Wrench I a + v x* I v of a body, its p and G, and its inertia in root axes."""
    inertia = own.seen_from(body.pose)
    (v, w), h = body.twist, inertia.h
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I
    half = (xx + yy + zz) / 2
    J: Matrix = ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))
    p = vector.add(vector.scale(inertia.m, v), cross(w, h))
    wJ = vector.transpose(tuple(cross(w, column) for column in J))  # type: ignore[arg-type]
    hv = dot(h, v)
    G = tuple(tuple((hv if i == j else 0) - v[i] * h[j] - wJ[i][j] for j in range(3)) for i in range(3))
    momentum = Momentum(p, G)  # type: ignore[arg-type]
    return Answer(
        inertia.times(body.acceleration).plus(momentum.once(body.twist)), momentum, inertia
    )  # v x* I v = B v
