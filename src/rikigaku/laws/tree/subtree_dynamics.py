"""Motion of the bodies, and wrench, momentum and composite inertia of their subtrees, in root axes.

Used by the Coriolis matrix and the derivatives of the dynamics. A body's motion is computed when it is first
needed, from its parent. The inward iteration goes limb by limb, so that in a program the operations of a limb
stand together and their values are still in the cache when they are used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rikigaku.laws.tree.inertia_regrouping import regrouped
from rikigaku.laws.tree.root_axes import body_in_root_axes, upward_acceleration
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.number_kind import Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.spatial.twist import NO_TWIST, Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, dot, transform


@dataclass(frozen=True)
class Momentum:
    """Velocity forces B x = (x_w x p, G x_w) of a body or subtree, p and G as in dynamics_derivatives."""

    p: Vector
    G: Matrix

    def plus(self, other: "Momentum") -> "Momentum":
        """Sum over two bodies or subtrees."""
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
class DirectionRates:
    """A joint direction s with psi', psi'' and s' of dynamics_derivatives, in root axes."""

    s: Twist
    psi_dot: Twist
    psi_ddot: Twist
    s_dot: Twist


class SubtreeSums(NamedTuple):
    """Wrench, momentum and composite inertia of a body or of a subtree."""

    wrench: Wrench
    momentum: Momentum
    inertia: SpatialInertia

    def plus(self, other: "SubtreeSums") -> "SubtreeSums":
        """Sum over two bodies or subtrees."""
        return SubtreeSums(
            self.wrench.plus(other.wrench),
            self.momentum.plus(other.momentum),
            self.inertia.plus(other.inertia),
        )


@dataclass(frozen=True)
class MovingBody:
    """Motion of a body, in root axes."""

    pose: Pose
    twist: Twist
    acceleration: Twist  # minus the acceleration of free fall
    rates: tuple[DirectionRates, ...]  # one for each direction of its joint


class MovingBodies:
    """Motion of all bodies of a mechanism, each computed when it is first needed."""

    def __init__(
        self, mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, gravity: Vector | None
    ) -> None:
        self._mechanism, self._q, self._v, self._a = mechanism, q, v, a
        self._ground = upward_acceleration(mechanism, q, gravity)
        self._inertias = [body.inertia for body in regrouped(mechanism).bodies]
        self._known: dict[int, MovingBody] = {}

    def __getitem__(self, i: int) -> MovingBody:
        unknown, k = [], i
        while k not in self._known and k != WORLD:
            unknown.append(k)
            k = self._mechanism.bodies[k].parent
        for k in reversed(unknown):
            self._known[k] = self._moving(k)
        return self._known[i]

    def subtrees(self) -> Iterator[tuple[int, SubtreeSums]]:
        """Bodies from the outermost inward, each with the sums over its subtree."""
        beyond: dict[int, SubtreeSums] = {}
        for i in reversed(range(len(self._mechanism.bodies))):
            # Computed here rather than outward: a body's motion has fewer live values than its sums.
            own, parent = _body_sums(self._inertias[i], self[i]), self._mechanism.bodies[i].parent
            subtree = own.plus(beyond.pop(i)) if i in beyond else own
            yield i, subtree
            if parent != WORLD:
                beyond[parent] = beyond[parent].plus(subtree) if parent in beyond else subtree

    def ancestors(self, i: int) -> Iterator[tuple[int, int, DirectionRates]]:
        """Every coordinate that moves body i: its body, its index in v, its direction."""
        for j in self._mechanism.support(i):
            for k, rates in zip(self._mechanism.bodies[j].v, self[j].rates, strict=True):
                yield j, k, rates

    def _moving(self, i: int) -> MovingBody:
        body, ground = self._mechanism.bodies[i], self._ground[i]
        parent = self._known.get(body.parent)
        rooted = body_in_root_axes(body, self._q, parent.pose if parent else None)
        V0, A0 = (parent.twist, parent.acceleration) if parent else (NO_TWIST, Twist(ground, vector.ZERO))
        v_joint = a_joint = NO_TWIST
        for s, k in zip(rooted.directions, body.v, strict=True):
            v_joint, a_joint = v_joint.plus(s.times(self._v[k])), a_joint.plus(s.times(self._a[k]))
        V = V0.plus(v_joint)
        rates, bias = [], NO_TWIST
        for s, k in zip(rooted.directions, body.v, strict=True):
            psi_dot = V0.cross(s)
            # The velocity of a joint of one coordinate does not rotate its own direction.
            s_dot = psi_dot if body.joint.nv == 1 else V.cross(s)
            rates.append(DirectionRates(s, psi_dot, A0.cross(s).plus(V0.cross(psi_dot)), s_dot))
            bias = bias.plus(s_dot.times(self._v[k]))
        A = A0.plus(a_joint).plus(bias)
        return MovingBody(rooted.pose, V, A, tuple(rates))


def _body_sums(own: SpatialInertia, body: MovingBody) -> SubtreeSums:
    """Wrench I a + v x* I v of one body, its momentum terms p and G, and its inertia, in root axes."""
    inertia = own.seen_from(body.pose)
    (v, w), h = body.twist, inertia.h
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I
    half = (xx + yy + zz) / 2
    J: Matrix = ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))
    p = vector.add(vector.scale(inertia.m, v), cross(w, h))
    wJ = vector.transpose((cross(w, J[0]), cross(w, J[1]), cross(w, J[2])))  # J is symmetric
    hv = dot(h, v)

    def row(i: int) -> Vector:
        """Row i of h . v 1 - v h^T - w x J."""
        x, y, z = ((hv if i == j else 0) - v[i] * h[j] - wJ[i][j] for j in range(3))
        return (x, y, z)

    momentum = Momentum(p, (row(0), row(1), row(2)))
    return SubtreeSums(
        inertia.times(body.acceleration).plus(momentum.once(body.twist)), momentum, inertia
    )  # v x* I v = B v
