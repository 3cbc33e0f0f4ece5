"""The extended Newton-Euler method for one sliding contact: all quantities from calls of inverse dynamics.

    M = columns INV(q, 0, e_i, g = 0),  b = INV(q, v, 0),  j_c = J^T n,  j_t = J^T th  (wrenches on the hand)
    m_c = |C_r|^2 j_c.M^-1 j_c,  d^T = |C_r|^2 j_c^T M^-1,  A = m_c - d.j_t K,  a0 = d.b - |C_r| sigma
    A f_n = a0 - d.tau,          a = M^-1 (tau - b + (j_c - j_t K) f_n)

Reference: J. Nishiguchi, G. Lee, M. Minami, A. Yanou (Okayama University), Iterative calculation method for
constraint motion by extended Newton-Euler method; with the curvature term C_rr in sigma, and th from the
velocity along the surface. At rest th is undefined and this law omits friction (contact modes include it).
"""

from typing import Any, NamedTuple

from rikigaku.laws.constrained_dynamics import dot
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Numbers, contact_geometry
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.joint_wrenches import joint_wrenches
from rikigaku.laws.tree.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import sqrt, where
from rikigaku.spatial import vector
from rikigaku.spatial.vector import Vector


class Extended(NamedTuple):
    """The quantities of the paper, by its symbols."""

    M: Any
    b: Any
    j_c: Any
    j_t: Any
    d: Any
    A: Any
    a0: Any
    f_n: Any
    a: Any
    wrenches: Any


def extended_newton_euler(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    contact_inputs: Numbers,
    plan: ActiveConstraints,
) -> Extended:
    """Contact force and accelerations of a robot whose first contact slides under a bilateral constraint."""
    nv, zeros = mechanism.nv, [0] * mechanism.nv
    point, c = plan.points[0], contact_geometry(mechanism, q, v, plan.points[0], contact_inputs[0])
    columns = [
        inverse_dynamics(mechanism, q, zeros, [int(i == k) for i in range(nv)], vector.ZERO, friction=False)
        for k in range(nv)
    ]
    b = inverse_dynamics(mechanism, q, v, zeros, friction=False)
    b = [x + r for x, r in zip(b, smooth_resistance(mechanism, q, v), strict=True)]

    def generalized_force(force: Vector) -> list[Any]:
        """J^T force, by inverse dynamics with an external force."""
        wrench = {point.frame: [*force, 0, 0, 0]}
        held = inverse_dynamics(mechanism, q, zeros, zeros, vector.ZERO, wrench, friction=False)
        return [-x for x in held]

    kinetic, fall, bend, _ = plan.friction(contact_inputs, 0)
    square = vector.dot(c.sliding, c.sliding)
    still = square < 1e-300
    th = vector.scale(where(still, 0, 1 / sqrt(where(still, 1, square))), c.sliding)
    K = kinetic + fall / (1 + bend * square)
    n = c.directions[0]
    j_c, j_t = generalized_force(n), generalized_force(th)
    parents = mechanism.parent_dofs()
    above = {(i, j): columns[j][i] for i in range(nv) for j in (i, *ltdl_factorization.ancestors(parents, i))}
    mass = ltdl_factorization.factorize(above, parents)
    square_size = c.size * c.size
    d = [square_size * x for x in mass.solve(j_c)]
    A = dot(d, j_c) - dot(d, j_t) * K
    a0 = dot(d, b) - square_size * c.bias[0]  # sigma = |C_r| times the bias along the unit normal
    f_n = (a0 - dot(d, tau)) / A
    left = [t - x + (y - z * K) * f_n for t, x, y, z in zip(tau, b, j_c, j_t, strict=True)]
    a = mass.solve(left)
    force = vector.scale(f_n, vector.sub(n, vector.scale(K, th)))
    inner = joint_wrenches(mechanism, q, v, a, wrenches={point.frame: [*force, 0, 0, 0]})
    M = [[columns[j][i] for j in range(nv)] for i in range(nv)]
    return Extended(M, b, j_c, j_t, d, A, a0, f_n, a, inner)
