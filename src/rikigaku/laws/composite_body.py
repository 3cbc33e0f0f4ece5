"""The mass matrix by composite bodies: inertias in body axes, products of directions in root axes."""

from collections.abc import Sequence
from typing import Any

from rikigaku.laws.felt_inertias import felt_inertias
from rikigaku.laws.ltdl import ancestors
from rikigaku.laws.root_axes import own_composites, root_axes, seen_wrench
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number

Numbers = Sequence[Number]
Entries = dict[tuple[int, int], Number]  # (row, column), row's body at or beyond the column's


def mass_entries(mechanism: Mechanism, q: Numbers) -> Entries:
    """The entries of M that are not zero by structure: coordinate against itself and those it rides on.

    Reference: [Walker1982]. The reflected rotor inertia stands on the diagonal.
    """
    seen = root_axes(mechanism, q)
    whole = own_composites(mechanism, q, felt_inertias(mechanism))
    entries: Entries = {}
    for i, body in enumerate(mechanism.bodies):
        for k, direction in zip(body.v, body.joint.directions(), strict=True):
            momentum = seen_wrench(seen[i].pose, whole[i].times(direction))
            for j in mechanism.support(i):
                for other, its_direction in zip(mechanism.bodies[j].v, seen[j].directions, strict=True):
                    if j != i or other <= k:
                        entries[k, other] = momentum.power(its_direction)
            entries[k, k] = entries[k, k] + body.rotor
    return entries


def mass_matrix(mechanism: Mechanism, q: Numbers, packed: bool = False) -> list[Any]:
    """M(q): symmetric, nv x nv; kinetic energy is v^T M v / 2. Contains reflected rotor inertia.

    packed: only the entries of one triangle that are not zero by structure, in the order of `mass_pattern`.
    """
    entries = mass_entries(mechanism, q)
    if packed:
        return [entries[place] for place in mass_pattern(mechanism)]
    return symmetric(entries, mechanism.nv)


def mass_pattern(mechanism: Mechanism) -> list[tuple[int, int]]:
    """(row, column) of the packed entries: each coordinate against itself and those that carry it."""
    parents = mechanism.parent_dofs()
    return [(i, j) for i in range(mechanism.nv) for j in sorted((i, *ancestors(parents, i)))]


def symmetric(entries: Entries, n: int) -> list[list[Number]]:
    """A full symmetric matrix from its entries."""
    M: list[list[Number]] = [[0] * n for _ in range(n)]
    for (i, j), x in entries.items():
        M[i][j] = M[j][i] = x
    return M
