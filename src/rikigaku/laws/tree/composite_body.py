"""Mass matrix by the composite-rigid-body algorithm [Walker1982].

Composite inertias are computed in body axes, products of joint directions in root axes.
"""

from typing import Any

from rikigaku.laws.tree.inertia_regrouping import regrouped
from rikigaku.laws.tree.ltdl_factorization import Entries, ancestors
from rikigaku.laws.tree.root_axes import composite_inertias, root_axes, wrench_in_root_axes
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers


def mass_entries(mechanism: Mechanism, q: Numbers) -> Entries:
    """Entries of M(q) that are no structural zeros: each coordinate with itself and with its ancestors.

    Reference: [Walker1982]. Reflected rotor inertia is added to the diagonal.
    """
    rooted = root_axes(mechanism, q)
    composites = composite_inertias(regrouped(mechanism), q)
    entries: Entries = {}
    for i, body in enumerate(mechanism.bodies):
        for k, direction in zip(body.v, body.joint.directions(), strict=True):
            momentum = wrench_in_root_axes(rooted[i].pose, composites[i].times(direction))
            for j in mechanism.support(i):
                for other, its_direction in zip(mechanism.bodies[j].v, rooted[j].directions, strict=True):
                    if j != i or other <= k:
                        entries[k, other] = momentum.power(its_direction)
            entries[k, k] = entries[k, k] + body.rotor
    return entries


def mass_matrix(mechanism: Mechanism, q: Numbers, packed: bool = False) -> list[Any]:
    """Mass matrix: M(q) of tau = M(q) a + h(q, v) + g(q); kinetic energy is v^T M v / 2.

    Args:
        packed: return only the entries of the lower triangle that are no structural zeros, in the order of
            `robot.mass_pattern()`.
    Returns: symmetric nv x nv matrix [kg m^2, kg m, kg], reflected rotor inertia included; or packed entries.
    Reference: [Walker1982].
    """
    entries = mass_entries(mechanism, q)
    if packed:
        return [entries[place] for place in mass_pattern(mechanism)]
    return symmetric(entries, mechanism.nv)


def mass_pattern(mechanism: Mechanism) -> list[tuple[int, int]]:
    """(row, column) of the packed entries: each coordinate with itself and with its ancestors."""
    parents = mechanism.parent_dofs()
    return [(i, j) for i in range(mechanism.nv) for j in sorted((i, *ancestors(parents, i)))]


def symmetric(entries: Entries, n: int) -> list[list[Number]]:
    """A full symmetric matrix from its entries."""
    M: list[list[Number]] = [[0] * n for _ in range(n)]
    for (i, j), x in entries.items():
        M[i][j] = M[j][i] = x
    return M
