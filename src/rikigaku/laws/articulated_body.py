"""Forward dynamics by articulated bodies: work proportional to the number of bodies.

Reference: [Featherstone1983]. In body axes; a joint of several coordinates inverts its small matrix D.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rikigaku.laws import ltdl
from rikigaku.laws.felt_inertias import felt_inertias
from rikigaku.laws.motion import Passage, motion
from rikigaku.laws.newton_euler import applied_wrenches, body_wrench, smooth_resistance
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia, rotate_symmetric
from rikigaku.spatial.twist import NO_TWIST, Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, transform

Numbers = Sequence[Number]


class ArticulatedInertia(NamedTuple):
    """force = A a + B alpha, moment = B^T a + C alpha: A and C symmetric."""

    A: Matrix
    B: Matrix
    C: Matrix

    @classmethod
    def of(cls, inertia: SpatialInertia) -> "ArticulatedInertia":
        m, (x, y, z) = inertia.m, inertia.h
        return cls(((m, 0, 0), (0, m, 0), (0, 0, m)), ((0, z, -y), (-z, 0, x), (y, -x, 0)), inertia.I)

    def times(self, a: Twist) -> Wrench:
        force = vector.add(transform(self.A, a.linear), transform(self.B, a.angular))
        moment = vector.add(transform(vector.transpose(self.B), a.linear), transform(self.C, a.angular))
        return Wrench(force, moment)

    def plus(self, other: "ArticulatedInertia") -> "ArticulatedInertia":
        return ArticulatedInertia(*(vector.matrix_add(a, b) for a, b in zip(self, other, strict=True)))

    def without(self, U: Wrench, W: Wrench) -> "ArticulatedInertia":
        """Less the outer product of two wrenches (W is U scaled): what a free direction does not pass on."""
        return ArticulatedInertia(
            _symmetric_less(self.A, U.force, W.force),
            vector.matrix_sub(self.B, _outer(U.force, W.moment)),
            _symmetric_less(self.C, U.moment, W.moment),
        )

    def carried(self, way: Passage) -> "ArticulatedInertia":
        """The same in the parent's frame."""
        A, B, C = self
        for R in reversed(way.rotations):
            A, C = rotate_symmetric(R, A), rotate_symmetric(R, C)
            B = vector.multiply(R, vector.multiply(B, vector.transpose(R)))
        P = vector.skew(way.p)
        B1 = vector.matrix_sub(B, vector.multiply(A, P))
        C1 = _symmetric_sum(C, vector.multiply(P, B1), vector.multiply(vector.transpose(B), P))
        return ArticulatedInertia(A, B1, C1)


def articulated_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations under the joint forces; viscous friction and springs included, Coulomb friction not."""
    bodies = mechanism.bodies
    rest = [0] * mechanism.nv
    moving = list(motion(mechanism, q, v, rest, gravity))  # accelerations the velocities alone bring
    felt = felt_inertias(mechanism)
    inertias = [ArticulatedInertia.of(inertia) for inertia in felt]
    bias = [body_wrench(inertia, m) for inertia, m in zip(felt, moving, strict=True)]
    for i, wrench in applied_wrenches(mechanism, q, wrenches or {}):
        bias[i] = bias[i].minus(wrench)
    resisted = smooth_resistance(mechanism, q, v) if friction else rest
    joints: list[_Joint] = [None] * len(bodies)  # type: ignore[list-item]
    for i, body in reversed(list(enumerate(bodies))):
        push = [tau[k] - resisted[k] for k in body.v]
        joints[i] = _solve_joint(body.joint.directions(), body.rotor, inertias[i], bias[i], push)
        if body.parent != WORLD:
            inertia, force = inertias[i], bias[i]
            for U, W in zip(joints[i].U, joints[i].W, strict=True):
                inertia = inertia.without(U, W)
            for W, u in zip(joints[i].W, joints[i].u, strict=True):
                force = force.plus(Wrench(vector.scale(u, W.force), vector.scale(u, W.moment)))
            way = moving[i].passage
            pushed = way.inward(force.force)
            moment = vector.add(way.inward(force.moment), cross(way.p, pushed))
            inertias[body.parent] = inertias[body.parent].plus(inertia.carried(way))
            bias[body.parent] = bias[body.parent].plus(Wrench(pushed, moment))
    return _outward(mechanism, [m.passage for m in moving], joints)


def _outward(mechanism: Mechanism, ways: list[Passage], joints: "list[_Joint]") -> list[Number]:
    """Accelerations on top of those the velocities bring, from the ground outward."""
    result: list[Number] = [0] * mechanism.nv
    extra: list[Twist] = []
    for i, body in enumerate(mechanism.bodies):
        way, joint = ways[i], joints[i]
        carried = NO_TWIST
        if body.parent != WORLD:
            parent = extra[body.parent]
            linear = way.outward(vector.add(parent.linear, cross(parent.angular, way.p)))
            carried = Twist(linear, way.outward(parent.angular))
        answers = [joint.own(number) - W.power(carried) for number, W in enumerate(joint.W)]
        for k, direction, a in zip(body.v, body.joint.directions(), answers, strict=True):
            result[k] = a
            carried = carried.plus(direction.times(a))
        extra.append(carried)
    return result


class _Joint(NamedTuple):
    """U = I S, W = U D^-1, u = what is left of the push, and D^-1."""

    U: list[Wrench]
    W: list[Wrench]
    u: list[Number]
    inverse_D: list[list[Number]]

    def own(self, number: int) -> Number:
        """Element of D^-1 u."""
        return vector.dot(self.inverse_D[number], self.u)


def _solve_joint(
    directions: Sequence[Twist], rotor: Number, inertia: ArticulatedInertia, bias: Wrench, push: Numbers
) -> _Joint:
    U = [inertia.times(s) for s in directions]
    n = len(directions)
    D = {(i, j): U[i].power(directions[j]) + (rotor if i == j else 0) for i in range(n) for j in range(i + 1)}
    inverse = ltdl.factorize(D, [i - 1 for i in range(n)]).inverted.dense()
    W = []
    for row in inverse:
        total = Wrench(vector.scale(row[0], U[0].force), vector.scale(row[0], U[0].moment))
        for x, other in zip(row[1:], U[1:], strict=True):
            total = total.plus(Wrench(vector.scale(x, other.force), vector.scale(x, other.moment)))
        W.append(total)
    u = [p - bias.power(s) for p, s in zip(push, directions, strict=True)]
    return _Joint(U, W, u, inverse)


def _outer(a: Vector, b: Vector) -> Matrix:
    return tuple(vector.scale(x, b) for x in a)  # type: ignore[return-value]


def _symmetric_less(S: Matrix, a: Vector, b: Vector) -> Matrix:
    """S - a b^T, known to be symmetric: six products instead of nine."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = S
    xy, xz, yz = xy - a[0] * b[1], xz - a[0] * b[2], yz - a[1] * b[2]
    return ((xx - a[0] * b[0], xy, xz), (xy, yy - a[1] * b[1], yz), (xz, yz, zz - a[2] * b[2]))


def _symmetric_sum(C: Matrix, plus: Matrix, minus: Matrix) -> Matrix:
    """C + plus - minus, known to be symmetric."""
    at = {(i, j): C[i][j] + plus[i][j] - minus[i][j] for i in range(3) for j in range(i, 3)}
    return tuple(tuple(at[min(i, j), max(i, j)] for j in range(3)) for i in range(3))  # type: ignore[return-value]
