"""Derivatives of inverse and forward dynamics, by their structure rather than term by term.

In one common frame every derivative is a product of a joint's direction with a composite quantity of the
subtree it moves. With s a joint direction, v and a the twist and acceleration of the body that carries the
joint: psi' = v x s, psi'' = a x s + v x psi', s' = (twist of its own body) x s. Then, I and f the composite
inertia and wrench beyond, and B x = v x* I x - I (v x x) + x x* I v (halved):

    d tau_i / d q_j = s_i . (2 B psi'_j + I psi''_j)              j carries i, or is of the same joint
    d tau_j / d q_i = s_j . (2 B psi'_i + I psi''_i + s_i x* f)    j carries i
    d tau_i / d v_j = s_i . (2 B s_j + I (psi'_j + s'_j))          all with I, B of the outer of the two

For a rigid body B x depends on the angular part of x alone: with linear momentum p and the matrix
G = (h . v) 1 - v h^T - [w x] J, J the second moments of mass, B x = (x_w x p, G x_w).
Reference: [Singh2022]; the derivative with respect to q is in the tangent (nv columns).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rikigaku.laws import ltdl
from rikigaku.laws.forward import mass_factors, net_forces
from rikigaku.laws.regressor import regressor
from rikigaku.laws.root_axes import SeenBody, felt_gravity, root_axes
from rikigaku.model.elementary import Free
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.spatial.twist import NO_TWIST, Twist, Wrench
from rikigaku.spatial.vector import Matrix, Vector, cross, dot, transform

Numbers = Sequence[Number]
Rows = list[list[Number]]
Entries = dict[tuple[int, int], Number]


class InverseDerivative(NamedTuple):
    """Derivatives of tau = inverse_dynamics(q, v, a)."""

    q: Rows
    v: Rows
    a: Rows


class ForwardDerivative(NamedTuple):
    """Derivatives of a = forward_dynamics(q, v, tau)."""

    q: Rows
    v: Rows
    tau: Rows


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


Subtree = tuple[int, Wrench, Momentum, SpatialInertia]  # its first body, and what it is as a whole


def inverse_derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    friction: bool = True,
) -> InverseDerivative:
    """Derivatives of inverse dynamics with respect to q (tangent), v and a; the last is the mass matrix."""
    dq, dv, M = _entries(mechanism, *composite_changes(mechanism, q, v, a, gravity), friction)
    n = mechanism.nv
    for (i, j), x in list(M.items()):
        M[j, i] = x
    return InverseDerivative(_dense(dq, n), _dense(dv, n), _dense(M, n))


def forward_derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    friction: bool = True,
) -> ForwardDerivative:
    """Derivatives of forward dynamics: -M^-1 times those of inverse dynamics at the acceleration."""
    factors, a = _accelerations(mechanism, q, v, tau, gravity, friction)
    changes, subtrees = composite_changes(mechanism, q, v, a, gravity)
    entries = _entries(mechanism, changes, subtrees, friction)
    n, inverse = mechanism.nv, factors.inverted
    known = _carried_along(mechanism, changes, friction)
    asked = [(which, j) for which in range(2) for j in range(n) if (which, j) not in known]
    columns = [[entries[which].get((i, j), 0) for i in range(n)] for which, j in asked]
    solved = known | dict(zip(asked, inverse.solve_many(columns, negative=True), strict=True))
    by_q, by_v = ([[solved[which, j][i] for j in range(n)] for i in range(n)] for which in range(2))
    return ForwardDerivative(by_q, by_v, inverse.dense())


def forward_by_parameters(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    friction: bool = True,
    drives: bool = False,
) -> Rows:
    """Derivative of the accelerations with respect to the parameters of `regressor`: -M^-1 Y."""
    factors = mass_factors(mechanism, q)
    a = factors.solve(net_forces(mechanism, q, v, tau, gravity, friction=friction))
    Y = regressor(mechanism, q, v, a, gravity)
    if drives:  # forward dynamics knows no Coulomb friction, and viscous friction only if asked to
        for factor in (a, v if friction else [0] * len(v), [0] * len(v)):
            for k, row in enumerate(Y):
                row.extend(factor[k] if j == k else 0 for j in range(mechanism.nv))
    solved = factors.inverted.solve_many(list(zip(*Y, strict=True)), negative=True)
    return [list(row) for row in zip(*solved, strict=True)]


def _entries(
    mechanism: Mechanism, changes: list[list[JointChange]], subtrees: Iterator[Subtree], friction: bool
) -> tuple[Entries, Entries, Entries]:
    """Entries not zero by structure: d tau/dq, d tau/dv (both triangles), M (outer row, inner column)."""
    dq: Entries = {}
    dv: Entries = {}
    M: Entries = {}
    for i, wrench, momentum, inertia in subtrees:
        body = mechanism.bodies[i]
        for k, change in zip(body.v, changes[i], strict=True):
            # Few numbers at a time: first what the outer row needs, then what the outer column needs.
            D1, D2 = momentum.row(change.s), inertia.times(change.s)
            for carrier, other, its in _carriers(mechanism, changes, i):
                dq[k, other] = dot(D1, its.psi_dot.angular) + D2.power(its.psi_ddot)
                dv[k, other] = dot(D1, its.s.angular) + D2.power(its.psi_dot.plus(its.s_dot))
                if carrier != i or other <= k:
                    M[k, other] = D2.power(its.s)
            by_q = momentum.twice(change.psi_dot).plus(inertia.times(change.psi_ddot))
            by_q = by_q.plus(change.s.cross_wrench(wrench))
            by_v = momentum.twice(change.s).plus(inertia.times(change.psi_dot.plus(change.s_dot)))
            for carrier, other, its in _carriers(mechanism, changes, i):
                if carrier != i:
                    dq[other, k] = by_q.power(its.s)
                    dv[other, k] = by_v.power(its.s)
            M[k, k] = M[k, k] + body.rotor
            if friction:
                dv[k, k] = dv[k, k] + body.viscous
                dq[k, k] = dq[k, k] + body.stiffness
    return dq, dv, M


def _accelerations(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: Numbers, gravity: Vector | None, friction: bool
) -> tuple[ltdl.Factors, list[Number]]:
    """Factors of the mass matrix and the accelerations, from the composites the derivatives share."""
    changes, subtrees = composite_changes(mechanism, q, v, [0] * mechanism.nv, gravity)
    M: Entries = {}
    net = list(tau)
    for i, wrench, _, inertia in subtrees:
        body = mechanism.bodies[i]
        for k, change in zip(body.v, changes[i], strict=True):
            momentum = inertia.times(change.s)
            for carrier, other, its in _carriers(mechanism, changes, i):
                if carrier != i or other <= k:
                    M[k, other] = momentum.power(its.s)
            M[k, k] = M[k, k] + body.rotor
            net[k] = net[k] - wrench.power(change.s)
            if friction:
                net[k] = net[k] - body.viscous * v[k] - body.spring(q)
    factors = ltdl.factorize(M, mechanism.parent_dofs())
    return factors, factors.solve(net)


def _carried_along(
    mechanism: Mechanism, changes: list[list[JointChange]], friction: bool
) -> dict[tuple[int, int], Numbers]:
    """Columns of the answer that need no solving, by (0 for q, 1 for v; coordinate).

    Turning a free base changes only how gravity is felt, and its linear velocity only w x v: both ask for
    M times a motion of the base itself, which the base makes alone.
    """
    known: dict[tuple[int, int], Numbers] = {}
    for body, own in zip(mechanism.bodies, changes, strict=True):
        drives = (body.rotor, body.viscous if friction else 0)
        if body.parent == WORLD and isinstance(body.joint, Free) and all(map(is_zero, drives)):
            for k, change in zip(body.v, own, strict=True):
                known[0, k] = _opposite(change.psi_ddot, body.v, mechanism.nv)
                if change.s.angular == vector.ZERO:
                    known[1, k] = _opposite(change.psi_dot.plus(change.s_dot), body.v, mechanism.nv)
    return known


def _opposite(motion: Twist, places: range, n: int) -> Numbers:
    answer: list[Number] = [0] * n
    answer[places.start : places.stop] = [-x for x in (*motion.linear, *motion.angular)]
    return answer


def _carriers(
    mechanism: Mechanism, changes: list[list[JointChange]], i: int
) -> Iterator[tuple[int, int, JointChange]]:
    """Every coordinate that moves body i, with its body and what it changes."""
    for carrier in mechanism.support(i):
        for other, its in zip(mechanism.bodies[carrier].v, changes[carrier], strict=True):
            yield carrier, other, its


def composite_changes(
    mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers, gravity: Vector | None
) -> tuple[list[list[JointChange]], Iterator[Subtree]]:
    """Joint changes of every body, and from the outermost body inward: body, and wrench, momentum and inertia
    of it with all beyond; in root axes."""
    seen = root_axes(mechanism, q)
    inertias = [body.inertia.seen_from(s.pose) for body, s in zip(mechanism.bodies, seen, strict=True)]
    changes, wrenches, momenta = _outward(mechanism, seen, inertias, q, v, a, gravity)

    def inward() -> Iterator[Subtree]:
        for i, body in reversed(list(enumerate(mechanism.bodies))):
            yield i, wrenches[i], momenta[i], inertias[i]
            if body.parent != WORLD:
                wrenches[body.parent] = wrenches[body.parent].plus(wrenches[i])
                momenta[body.parent] = momenta[body.parent].plus(momenta[i])
                inertias[body.parent] = inertias[body.parent].plus(inertias[i])

    return changes, inward()


def _outward(
    mechanism: Mechanism,
    seen: list[SeenBody],
    inertias: list[SpatialInertia],
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None,
) -> tuple[list[list[JointChange]], list[Wrench], list[Momentum]]:
    """Joint changes, body wrenches and body momenta, all in root axes."""
    felt = felt_gravity(mechanism, q, gravity)
    twists: list[Twist] = []
    accelerations: list[Twist] = []
    changes: list[list[JointChange]] = []
    wrenches: list[Wrench] = []
    momenta: list[Momentum] = []
    for i, body in enumerate(mechanism.bodies):
        on_ground = body.parent == WORLD
        V0 = NO_TWIST if on_ground else twists[body.parent]
        A0 = Twist(felt[i], vector.ZERO) if on_ground else accelerations[body.parent]
        rate = push = NO_TWIST
        for s, k in zip(seen[i].directions, body.v, strict=True):
            rate, push = rate.plus(s.times(v[k])), push.plus(s.times(a[k]))
        V = V0.plus(rate)
        own, drift = [], NO_TWIST
        for s, k in zip(seen[i].directions, body.v, strict=True):
            psi_dot = V0.cross(s)
            # Across a joint of one coordinate its own rate does not turn its direction.
            s_dot = psi_dot if body.joint.nv == 1 else V.cross(s)
            own.append(JointChange(s, psi_dot, A0.cross(s).plus(V0.cross(psi_dot)), s_dot))
            drift = drift.plus(s_dot.times(v[k]))
        A = A0.plus(push).plus(drift)
        wrench, momentum = _answer(inertias[i], V, A)
        twists.append(V)
        accelerations.append(A)
        changes.append(own)
        wrenches.append(wrench)
        momenta.append(momentum)
    return changes, wrenches, momenta


def _answer(inertia: SpatialInertia, V: Twist, A: Twist) -> tuple[Wrench, Momentum]:
    """Wrench I a + v x* I v of a body, and its p and G."""
    (v, w), h = V, inertia.h
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I
    half = (xx + yy + zz) / 2
    J: Matrix = ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))
    p = vector.add(vector.scale(inertia.m, v), cross(w, h))
    wJ = vector.transpose(tuple(cross(w, column) for column in J))  # type: ignore[arg-type]
    hv = dot(h, v)
    G = tuple(tuple((hv if i == j else 0) - v[i] * h[j] - wJ[i][j] for j in range(3)) for i in range(3))
    momentum = Momentum(p, G)  # type: ignore[arg-type]
    return inertia.times(A).plus(momentum.once(V)), momentum  # v x* I v = B v


def _dense(entries: Entries, n: int) -> Rows:
    return [[entries.get((i, j), 0) for j in range(n)] for i in range(n)]
