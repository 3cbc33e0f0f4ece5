"""Coriolis matrix by composite bodies [Echeandia2021].

With the symmetric factorisation B of each body's velocity forces (see dynamics_derivatives),
C_ij = s_i . (B s_j + I s'_j), where I and B are those of the outer body's subtree.
"""

from rikigaku.laws.tree.subtree_dynamics import MovingBodies
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector


def coriolis_matrix(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[list[Number]]:
    """Coriolis matrix: C(q, v) v = h(q, v), with dM/dt - 2 C skew-symmetric.

    Where v = dq/dt (no spherical or free joints) it is the matrix of Christoffel symbols.
    Returns: nv x nv matrix.
    Reference: [Echeandia2021].
    """
    rest = [0] * mechanism.nv
    bodies = MovingBodies(mechanism, q, v, rest, vector.ZERO)
    C: list[list[Number]] = [[0] * mechanism.nv for _ in range(mechanism.nv)]
    for i, (_, momentum, inertia) in bodies.subtrees():
        for k, change in zip(mechanism.bodies[i].v, bodies[i].rates, strict=True):
            row, column = momentum.row(change.s), inertia.times(change.s)
            own = momentum.once(change.s).plus(inertia.times(change.s_dot))
            for ancestor, other, its in bodies.ancestors(i):
                C[k][other] = vector.dot(row, its.s.angular) / 2 + column.power(its.s_dot)
                if ancestor != i:
                    C[other][k] = own.power(its.s)
    return C
