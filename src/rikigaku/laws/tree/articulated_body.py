"""Forward dynamics by the articulated-body algorithm [Featherstone1983], in body axes.

The work is proportional to the number of bodies. A joint of several coordinates inverts its small matrix D.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.inertia_regrouping import regrouped
from rikigaku.laws.tree.joint_transform import JointTransform
from rikigaku.laws.tree.newton_euler import applied_wrenches, smooth_resistance
from rikigaku.laws.tree.simplified_mechanism import SimplifiedBody, outward_motion, simplified
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.rigid_inertia import SpatialInertia, rotate_symmetric
from rikigaku.spatial.twist import NO_TWIST, Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, transform


class ArticulatedInertia(NamedTuple):
    """Articulated inertia: force = A a + B alpha, moment = B^T a + C alpha; A and C symmetric."""

    A: Matrix
    B: Matrix
    C: Matrix

    @classmethod
    def of(cls, inertia: SpatialInertia) -> "ArticulatedInertia":
        """The inertia of one rigid body."""
        m, (x, y, z) = inertia.m, inertia.h
        return cls(((m, 0, 0), (0, m, 0), (0, 0, m)), ((0, z, -y), (-z, 0, x), (y, -x, 0)), inertia.I)

    def times(self, a: Twist) -> Wrench:
        """Wrench of an acceleration."""
        force = vector.add(transform(self.A, a.linear), transform(self.B, a.angular))
        moment = vector.add(transform(vector.transpose(self.B), a.linear), transform(self.C, a.angular))
        return Wrench(force, moment)

    def plus(self, other: "ArticulatedInertia") -> "ArticulatedInertia":
        """Sum of two inertias about the same point, in the same axes."""
        return ArticulatedInertia(*(vector.matrix_add(a, b) for a, b in zip(self, other, strict=True)))

    def without(self, U: Wrench, W: Wrench) -> "ArticulatedInertia":
        """Minus the outer product U W^T (W is U scaled): a free direction transmits no force along itself."""
        return ArticulatedInertia(
            _symmetric_less(self.A, U.force, W.force),
            vector.matrix_sub(self.B, _outer(U.force, W.moment)),
            _symmetric_less(self.C, U.moment, W.moment),
        )

    def to_parent(self, joint: JointTransform) -> "ArticulatedInertia":
        """The same inertia about the parent's origin, in the parent's axes."""
        A, B, C = self
        for R in reversed(joint.rotations):
            A, C = rotate_symmetric(R, A), rotate_symmetric(R, C)
            B = vector.multiply(R, vector.multiply(B, vector.transpose(R)))
        P = vector.skew(joint.p)
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
    """Accelerations under the joint forces, (nv): `forward_dynamics` by articulated bodies.

    Viscous friction and springs are included if `friction`; Coulomb friction is not.
    Reference: [Featherstone1983]. Accelerations due to velocities and gravity are computed first, so that the
    recursion for the rest is linear.
    """
    rest = [0] * mechanism.nv
    g = mechanism.gravity if gravity is None else gravity
    bodies = simplified(regrouped(mechanism), q, v, rest)
    bias = [body.wrench(m) for body, m in zip(bodies, outward_motion(bodies, v, rest, g), strict=True)]
    inertias = [ArticulatedInertia.of(body.inertia) for body in bodies]
    for i, wrench in applied_wrenches(mechanism, q, wrenches or {}):
        bias[i] = bias[i].minus(wrench)
    resistance = smooth_resistance(mechanism, q, v) if friction else rest
    solved: dict[int, _JointSolution] = {}
    for i, body in reversed(list(enumerate(bodies))):
        forces = [tau[k] - resistance[k] for k, _ in body.directions]
        solved[i] = _solve_joint(body, inertias[i], bias[i], forces)
        if body.parent != WORLD:
            inertia, force = inertias[i], bias[i]
            for U, W in zip(solved[i].U, solved[i].W, strict=True):
                inertia = inertia.without(U, W)
            for W, u in zip(solved[i].W, solved[i].u, strict=True):
                force = force.plus(Wrench(vector.scale(u, W.force), vector.scale(u, W.moment)))
            inertias[body.parent] = inertias[body.parent].plus(inertia.to_parent(body.transform))
            bias[body.parent] = bias[body.parent].plus(body.transform.wrench_to_parent(force))
    return _joint_accelerations(bodies, solved)


def _joint_accelerations(
    bodies: Sequence[SimplifiedBody], solved: "Mapping[int, _JointSolution]"
) -> list[Number]:
    """Joint accelerations D^-1 (u - U^T A_parent) by the outward recursion A = X A_parent + S a."""
    result: list[Number] = [0] * sum(len(body.directions) for body in bodies)
    A: list[Twist] = []
    for i, body in enumerate(bodies):
        joint = solved[i]
        acceleration = NO_TWIST
        if body.parent != WORLD:
            acceleration = body.transform.twist_to_child(A[body.parent])
        own = [joint.element(number) - W.power(acceleration) for number, W in enumerate(joint.W)]
        for (k, S), a in zip(body.directions, own, strict=True):
            result[k] = a
            acceleration = acceleration.plus(S.times(a))
        A.append(acceleration)
    return result


class _JointSolution(NamedTuple):
    """U = I S, W = U D^-1, u = tau - S^T bias, and D^-1, with D = S^T I S + rotor inertia."""

    U: list[Wrench]
    W: list[Wrench]
    u: list[Number]
    inverse_D: list[list[Number]]

    def element(self, number: int) -> Number:
        """Element of D^-1 u."""
        return vector.dot(self.inverse_D[number], self.u)


def _solve_joint(
    body: SimplifiedBody, inertia: ArticulatedInertia, bias: Wrench, forces: Numbers
) -> _JointSolution:
    directions, rotor = [S for _, S in body.directions], body.body.rotor
    U = [inertia.times(S) for S in directions]
    n = len(directions)
    D = {(i, j): U[i].power(directions[j]) + (rotor if i == j else 0) for i in range(n) for j in range(i + 1)}
    inverse = ltdl_factorization.factorize(D, [i - 1 for i in range(n)]).inverted.dense()
    W = []
    for row in inverse:
        total = Wrench(vector.scale(row[0], U[0].force), vector.scale(row[0], U[0].moment))
        for x, other in zip(row[1:], U[1:], strict=True):
            total = total.plus(Wrench(vector.scale(x, other.force), vector.scale(x, other.moment)))
        W.append(total)
    u = [tau - bias.power(S) for tau, S in zip(forces, directions, strict=True)]
    return _JointSolution(U, W, u, inverse)


def _outer(a: Vector, b: Vector) -> Matrix:
    return (vector.scale(a[0], b), vector.scale(a[1], b), vector.scale(a[2], b))


def _symmetric_less(S: Matrix, a: Vector, b: Vector) -> Matrix:
    """S - a b^T, which is symmetric: six products instead of nine."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = S
    xy, xz, yz = xy - a[0] * b[1], xz - a[0] * b[2], yz - a[1] * b[2]
    return ((xx - a[0] * b[0], xy, xz), (xy, yy - a[1] * b[1], yz), (xz, yz, zz - a[2] * b[2]))


def _symmetric_sum(C: Matrix, plus: Matrix, minus: Matrix) -> Matrix:
    """C + plus - minus, which is symmetric."""
    xx, xy, xz, yy, yz, zz = (
        C[i][j] + plus[i][j] - minus[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    )
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
