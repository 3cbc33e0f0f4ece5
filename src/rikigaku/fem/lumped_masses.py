"""Mass matrix of the nodes: lumped or consistent mass of the links, extra point masses.

Every rule keeps the mass, centre of mass and inertia tensor of each link. "centre": mass and tensor at the
node of the centre of mass, the lumped mass of the paper. "lumped", "consistent": distributed along a straight
link so that the centre of mass is kept; the remaining inertia is distributed as rotary inertia, and if the
line mass would have too much inertia, a part of it stays at the centre. Links of other shapes (three joints
not in a line, a bent line) keep their mass at the centre.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import scipy.sparse as sparse

from rikigaku.core.types import Array
from rikigaku.fem.mesh_layout import Beam
from rikigaku.model.mechanism import WORLD

if TYPE_CHECKING:
    from rikigaku.fem.mesh_layout import Grid

MassRule = Literal["centre", "lumped", "consistent"]

_STRAIGHT = 1e-9


class _MassDistribution(NamedTuple):
    """Mass per length of each beam [kg/m], the distributed fraction of the mass, the remaining tensor."""

    density: dict[int, float]
    part: float
    rotary: Array  # distributed over the elements in proportion to their mass


def node_masses(grid: "Grid", rule: MassRule) -> sparse.csr_array:
    """Mass matrix of all nodal degrees of freedom, six per node, in world axes."""
    blocks: dict[tuple[int, int], Array] = {}

    def add(i: int, j: int, m: float, tensor: Array | float = 0.0) -> None:
        block = blocks.setdefault((i, j), np.zeros((6, 6)))
        block[:3, :3] += m * np.eye(3)
        block[3:, 3:] += tensor

    layout = grid.layout
    beams, elements = _by_part(grid), _by_beam(grid)
    for i, one in enumerate(layout.parts):
        m, middle, R = one.mass, one.centre, grid.R[one.body]
        tensor = R @ one.tensor @ R.T
        distribution = (
            _distributed(grid, beams.get(i, []), m, tensor, rule) if rule != "centre" and m > 0 else None
        )
        if distribution is None:
            add(middle, middle, m, tensor)
            continue
        add(middle, middle, (1 - distribution.part) * m)
        for k in distribution.density:
            for a, b in elements[k]:
                length = float(np.linalg.norm(grid.positions[b] - grid.positions[a]))
                mass = distribution.density[k] * length
                rotary = distribution.rotary * mass / (distribution.part * m)
                diagonal, coupling = (1 / 3, 1 / 6) if rule == "consistent" else (1 / 2, 0.0)
                for x, y in ((a, a), (b, b), (a, b), (b, a)):
                    share = diagonal if x == y else coupling
                    add(x, y, share * mass, share * rotary)
    for name, mass in layout.masses.items():
        node = layout.node_of_mass(name)
        if grid.body[node] != WORLD:
            add(node, node, float(mass))
    size = 6 * len(grid.positions)
    if not blocks:
        return sparse.csr_array((size, size))
    six = np.arange(6)
    rows = np.concatenate([np.repeat(6 * i + six, 6) for i, _ in blocks])
    columns = np.concatenate([np.tile(6 * j + six, 6) for _, j in blocks])
    values = np.concatenate([block.ravel() for block in blocks.values()])
    return sparse.csr_array((values, (rows, columns)), shape=(size, size))


def _by_part(grid: "Grid") -> dict[int, list[tuple[int, Beam]]]:
    result: dict[int, list[tuple[int, Beam]]] = {}
    for k, beam in enumerate(grid.layout.beams):
        result.setdefault(beam.part, []).append((k, beam))
    return result


def _by_beam(grid: "Grid") -> dict[int, list[tuple[int, int]]]:
    result: dict[int, list[tuple[int, int]]] = {}
    for k, a, b in grid.elements:
        result.setdefault(k, []).append((a, b))
    return result


def _distributed(
    grid: "Grid", beams: list[tuple[int, Beam]], m: float, tensor: Array, rule: MassRule
) -> _MassDistribution | None:
    """Mass distribution of a straight link on both sides of its centre; None for other links."""
    if not beams:
        return None
    middle = grid.positions[grid.layout.parts[beams[0][1].part].centre]
    e = (grid.positions[beams[0][1].end] - grid.positions[beams[0][1].start]) / beams[0][1].length
    ends = np.array([[grid.positions[n] - middle for n in (beam.start, beam.end)] for _, beam in beams])
    along = ends @ e
    l1, l2 = -float(along.min()), float(along.max())
    if np.abs(ends - along[..., None] * e).max() > _STRAIGHT * (l1 + l2) or min(l1, l2) <= _STRAIGHT * (
        l1 + l2
    ):
        return None
    before, behind = m * l2 / (l1 * (l1 + l2)), m * l1 / (l2 * (l1 + l2))  # the centre of mass [kg/m]
    sides = zip(beams, along.mean(axis=1), strict=True)
    density = {k: before if mean < 0 else behind for (k, _), mean in sides}
    across = np.eye(3) - np.outer(e, e)
    line = m * l1 * l2 / 3  # moment of inertia about the centre of mass, across
    if rule == "lumped":  # nodal masses are farther out: (element length)^2 / 6 more
        count = len(grid.elements) / len(grid.layout.beams)
        for k, beam in beams:
            line += density[k] * beam.length * (beam.length / count) ** 2 / 6
    allowed = float(min(np.linalg.eigvalsh(across @ tensor @ across)[1:])) if line else 0.0
    if grid.layout.normal is not None:
        allowed = float(grid.layout.normal @ tensor @ grid.layout.normal)
    part = min(1.0, allowed / line)
    if part <= 0:
        return None
    remainder = tensor - part * line * across
    return _MassDistribution({k: part * x for k, x in density.items()}, part, remainder)
