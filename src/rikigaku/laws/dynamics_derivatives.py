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

from collections.abc import Sequence
from typing import NamedTuple

from rikigaku.laws import ltdl
from rikigaku.laws.forward import mass_factors, net_forces
from rikigaku.laws.moving_bodies import MovingBodies
from rikigaku.laws.regressor import regressor
from rikigaku.model.elementary import Free
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, dot

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


def inverse_derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    gravity: Vector | None = None,
    friction: bool = True,
) -> InverseDerivative:
    """Derivatives of inverse dynamics with respect to q (tangent), v and a; the last is the mass matrix."""
    dq, dv, M = _entries(mechanism, MovingBodies(mechanism, q, v, a, gravity), friction)
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
    bodies = MovingBodies(mechanism, q, v, a, gravity)
    entries = _entries(mechanism, bodies, friction)
    n, inverse = mechanism.nv, factors.inverted
    known = _carried_along(mechanism, bodies, friction)
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


def _entries(mechanism: Mechanism, bodies: MovingBodies, friction: bool) -> tuple[Entries, Entries, Entries]:
    """Entries not zero by structure: d tau/dq, d tau/dv (both triangles), M (outer row, inner column)."""
    dq: Entries = {}
    dv: Entries = {}
    M: Entries = {}
    for i, (wrench, momentum, inertia) in bodies.subtrees():
        body = mechanism.bodies[i]
        for k, change in zip(body.v, bodies[i].changes, strict=True):
            # Few numbers at a time: first what the outer row needs, then what the outer column needs.
            D1, D2 = momentum.row(change.s), inertia.times(change.s)
            for carrier, other, its in bodies.carriers(i):
                dq[k, other] = dot(D1, its.psi_dot.angular) + D2.power(its.psi_ddot)
                dv[k, other] = dot(D1, its.s.angular) + D2.power(its.psi_dot.plus(its.s_dot))
                if carrier != i or other <= k:
                    M[k, other] = D2.power(its.s)
            by_q = momentum.twice(change.psi_dot).plus(inertia.times(change.psi_ddot))
            by_q = by_q.plus(change.s.cross_wrench(wrench))
            by_v = momentum.twice(change.s).plus(inertia.times(change.psi_dot.plus(change.s_dot)))
            for carrier, other, its in bodies.carriers(i):
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
    bodies = MovingBodies(mechanism, q, v, [0] * mechanism.nv, gravity)
    M: Entries = {}
    net = list(tau)
    for i, (wrench, _, inertia) in bodies.subtrees():
        body = mechanism.bodies[i]
        for k, change in zip(body.v, bodies[i].changes, strict=True):
            momentum = inertia.times(change.s)
            for carrier, other, its in bodies.carriers(i):
                if carrier != i or other <= k:
                    M[k, other] = momentum.power(its.s)
            M[k, k] = M[k, k] + body.rotor
            net[k] = net[k] - wrench.power(change.s)
            if friction:
                net[k] = net[k] - body.viscous * v[k] - body.spring(q)
    factors = ltdl.factorize(M, mechanism.parent_dofs())
    return factors, factors.solve(net)


def _carried_along(
    mechanism: Mechanism, bodies: MovingBodies, friction: bool
) -> dict[tuple[int, int], Numbers]:
    """Columns of the answer that need no solving, by (0 for q, 1 for v; coordinate).

    Turning a free base changes only how gravity is felt, and its linear velocity only w x v: both ask for
    M times a motion of the base itself, which the base makes alone.
    """
    known: dict[tuple[int, int], Numbers] = {}
    for i, body in enumerate(mechanism.bodies):
        drives = (body.rotor, body.viscous if friction else 0)
        if body.parent == WORLD and isinstance(body.joint, Free) and all(map(is_zero, drives)):
            for k, change in zip(body.v, bodies[i].changes, strict=True):
                known[0, k] = _opposite(change.psi_ddot, body.v, mechanism.nv)
                if change.s.angular == vector.ZERO:
                    known[1, k] = _opposite(change.psi_dot.plus(change.s_dot), body.v, mechanism.nv)
    return known


def _opposite(motion: Twist, places: range, n: int) -> Numbers:
    answer: list[Number] = [0] * n
    answer[places.start : places.stop] = [-x for x in (*motion.linear, *motion.angular)]
    return answer


def _dense(entries: Entries, n: int) -> Rows:
    return [[entries.get((i, j), 0) for j in range(n)] for i in range(n)]
