"""Analytical derivatives of inverse and forward dynamics [Singh2022].

In root axes every derivative is a product of a joint direction with a composite quantity of a subtree. With s
a joint direction, v and a the twist and acceleration of the joint's parent body: psi' = v x s,
psi'' = a x s + v x psi', s' = (twist of its own body) x s. With I and f the composite inertia and wrench of
the subtree of i, and B x = (v x* I x - I (v x x) + x x* I v) / 2:

    d tau_i / d q_j = s_i . (2 B psi'_j + I psi''_j)              j an ancestor of i, or of the same joint
    d tau_j / d q_i = s_j . (2 B psi'_i + I psi''_i + s_i x* f)    j an ancestor of i
    d tau_i / d v_j = s_i . (2 B s_j + I (psi'_j + s'_j))          I, B of the outer of the two

For a rigid body B x depends on the angular part of x alone: with linear momentum p and the matrix
G = (h . v) 1 - v h^T - [w x] J, J the second moments of mass, B x = (x_w x p, G x_w).
Derivatives with respect to q are taken in the tangent space (nv columns).
"""

from typing import NamedTuple

from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.forward_dynamics import mass_factors, net_forces
from rikigaku.laws.tree.ltdl_factorization import Entries
from rikigaku.laws.tree.regressor import regressor
from rikigaku.laws.tree.subtree_dynamics import MovingBodies
from rikigaku.model.elementary_motions import Free
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist
from rikigaku.spatial.vector import Vector, dot

Rows = list[list[Number]]


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
    """Derivatives of inverse dynamics: d tau/dq, d tau/dv and d tau/da = M(q).

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        friction: include viscous friction and springs of the joints.
    Returns: three nv x nv matrices; that with respect to q is in the tangent space, also for quaternions.
    Reference: [Singh2022].
    """
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
    """Derivatives of forward dynamics: da/dq = -M^-1 d tau/dq, da/dv = -M^-1 d tau/dv, da/d tau = M^-1.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        friction: include viscous friction and springs of the joints.
    Returns: three nv x nv matrices; that with respect to q is in the tangent space, also for quaternions.
    Reference: [Singh2022].
    """
    factors, a = _accelerations(mechanism, q, v, tau, gravity, friction)
    bodies = MovingBodies(mechanism, q, v, a, gravity)
    entries = _entries(mechanism, bodies, friction)
    n, inverse = mechanism.nv, factors.inverted
    known = _free_base_columns(mechanism, bodies, friction)
    unknown = [(which, j) for which in range(2) for j in range(n) if (which, j) not in known]
    columns = [[entries[which].get((i, j), 0) for i in range(n)] for which, j in unknown]
    solved = known | dict(zip(unknown, inverse.solve_many(columns, negative=True), strict=True))
    by_q, by_v = ([[solved[which, j][i] for j in range(n)] for i in range(n)] for which in range(2))
    return ForwardDerivative(by_q, by_v, inverse.dense())


def forward_by_parameters(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    friction: bool = True,
    joint_parameters: bool = False,
) -> Rows:
    """Derivatives of forward dynamics with respect to the parameters of `regressor`: da/dpi = -M^-1 Y.

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        friction: include viscous friction and springs of the joints.
        joint_parameters: append columns for rotor inertia, viscous and Coulomb friction of each coordinate.
    Returns: nv x columns matrix, in the order of `robot.parameters()`.
    """
    factors = mass_factors(mechanism, q)
    a = factors.solve(net_forces(mechanism, q, v, tau, gravity, friction=friction))
    Y = regressor(mechanism, q, v, a, gravity)
    if joint_parameters:  # forward dynamics has no Coulomb friction, and viscous friction only if `friction`
        for factor in (a, v if friction else [0] * len(v), [0] * len(v)):
            for k, row in enumerate(Y):
                row.extend(factor[k] if j == k else 0 for j in range(mechanism.nv))
    solved = factors.inverted.solve_many(list(zip(*Y, strict=True)), negative=True)
    return [list(row) for row in zip(*solved, strict=True)]


def _entries(mechanism: Mechanism, bodies: MovingBodies, friction: bool) -> tuple[Entries, Entries, Entries]:
    """Entries of d tau/dq, d tau/dv (both triangles) and M (lower triangle) that are no structural zeros."""
    dq: Entries = {}
    dv: Entries = {}
    M: Entries = {}
    for i, (wrench, momentum, inertia) in bodies.subtrees():
        body = mechanism.bodies[i]
        for k, direction in zip(body.v, bodies[i].rates, strict=True):
            # First the row, then the column: fewer live values than both at once.
            D1, D2 = momentum.row(direction.s), inertia.times(direction.s)
            for ancestor, other, its in bodies.ancestors(i):
                dq[k, other] = dot(D1, its.psi_dot.angular) + D2.power(its.psi_ddot)
                dv[k, other] = dot(D1, its.s.angular) + D2.power(its.psi_dot.plus(its.s_dot))
                if ancestor != i or other <= k:
                    M[k, other] = D2.power(its.s)
            by_q = momentum.twice(direction.psi_dot).plus(inertia.times(direction.psi_ddot))
            by_q = by_q.plus(direction.s.cross_wrench(wrench))
            by_v = momentum.twice(direction.s).plus(inertia.times(direction.psi_dot.plus(direction.s_dot)))
            for ancestor, other, its in bodies.ancestors(i):
                if ancestor != i:
                    dq[other, k] = by_q.power(its.s)
                    dv[other, k] = by_v.power(its.s)
            M[k, k] = M[k, k] + body.rotor
            if friction:
                dv[k, k] = dv[k, k] + body.viscous
                dq[k, k] = dq[k, k] + body.stiffness
    return dq, dv, M


def _accelerations(
    mechanism: Mechanism, q: Numbers, v: Numbers, tau: Numbers, gravity: Vector | None, friction: bool
) -> tuple[ltdl_factorization.Factors, list[Number]]:
    """Factors of the mass matrix, and the accelerations, from quantities the derivatives need as well."""
    bodies = MovingBodies(mechanism, q, v, [0] * mechanism.nv, gravity)
    M: Entries = {}
    net = list(tau)
    for i, (wrench, _, inertia) in bodies.subtrees():
        body = mechanism.bodies[i]
        for k, direction in zip(body.v, bodies[i].rates, strict=True):
            momentum = inertia.times(direction.s)
            for ancestor, other, its in bodies.ancestors(i):
                if ancestor != i or other <= k:
                    M[k, other] = momentum.power(its.s)
            M[k, k] = M[k, k] + body.rotor
            net[k] = net[k] - wrench.power(direction.s)
            if friction:
                net[k] = net[k] - body.viscous * v[k] - body.spring(q)
    factors = ltdl_factorization.factorize(M, mechanism.parent_dofs())
    return factors, factors.solve(net)


def _free_base_columns(
    mechanism: Mechanism, bodies: MovingBodies, friction: bool
) -> dict[tuple[int, int], Numbers]:
    """Columns of da/dq and da/dv that need no linear solve, by (0 for q, 1 for v; coordinate).

    Rotating a free base only rotates gravity in its axes, and its linear velocity only enters w x v. Both
    columns of d tau are M times an acceleration of the base alone, so the solution is that acceleration.
    """
    known: dict[tuple[int, int], Numbers] = {}
    for i, body in enumerate(mechanism.bodies):
        resists = not is_zero(body.rotor) or (friction and not is_zero(body.viscous))
        if body.parent == WORLD and isinstance(body.joint, Free) and not resists:
            for k, direction in zip(body.v, bodies[i].rates, strict=True):
                known[0, k] = _opposite(direction.psi_ddot, body.v, mechanism.nv)
                if direction.s.angular == vector.ZERO:
                    known[1, k] = _opposite(direction.psi_dot.plus(direction.s_dot), body.v, mechanism.nv)
    return known


def _opposite(motion: Twist, places: range, n: int) -> Numbers:
    solution: list[Number] = [0] * n
    solution[places.start : places.stop] = [-x for x in (*motion.linear, *motion.angular)]
    return solution


def _dense(entries: Entries, n: int) -> Rows:
    return [[entries.get((i, j), 0) for j in range(n)] for i in range(n)]
