"""The Coriolis matrix: C(q, v) v = h(q, v), with dM/dt - 2 C skew-symmetric.

With the symmetric split B of each body's velocity forces (see dynamics_derivatives),
C_ij = s_i . (B s_j + I s'_j) over composite bodies; where v = dq/dt it is the Christoffel matrix.
Reference: [Echeandia2021].
"""

from collections.abc import Sequence

from rikigaku.laws.moving_bodies import MovingBodies
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector

Numbers = Sequence[Number]


def coriolis_matrix(mechanism: Mechanism, q: Numbers, v: Numbers) -> list[list[Number]]:
    """C(q, v), nv x nv."""
    rest = [0] * mechanism.nv
    bodies = MovingBodies(mechanism, q, v, rest, vector.ZERO)
    C: list[list[Number]] = [[0] * mechanism.nv for _ in range(mechanism.nv)]
    for i, (_, momentum, inertia) in bodies.subtrees():
        for k, change in zip(mechanism.bodies[i].v, bodies[i].changes, strict=True):
            row, column = momentum.row(change.s), inertia.times(change.s)
            own = momentum.once(change.s).plus(inertia.times(change.s_dot))
            for carrier, other, its in bodies.carriers(i):
                C[k][other] = vector.dot(row, its.s.angular) / 2 + column.power(its.s_dot)
                if carrier != i:
                    C[other][k] = own.power(its.s)
    return C
