"""Where the mass of links sits in the mesh; each link keeps its mass, centre and inertia however it does.

"centre": all at the node of the centre of mass, m and the tensor: the lumped mass of the paper.
"lumped", "consistent": spread along a straight link so that the centre of mass stays where it is;
what inertia is missing then is spread as rotary inertia, and if there would be too much, some mass stays at
the centre. Links of other shapes (three joints not in a line, a bent line) keep their mass at the centre.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.fem.layout import Beam
from rikigaku.model.mechanism import WORLD

if TYPE_CHECKING:
    from rikigaku.fem.grid import Grid

Array = NDArray[np.float64]
MassRule = Literal["centre", "lumped", "consistent"]

_STRAIGHT = 1e-9


class _Spread(NamedTuple):
    """Mass a length of each beam [kg/m] by its index, the part of the mass that is spread, what is left."""

    density: dict[int, float]
    part: float
    rotary: Array  # tensor left to spread over the pieces, by mass


def node_masses(net: "Grid", rule: MassRule) -> sparse.csr_array:
    """The mass matrix of all nodal values, six a node, in world axes."""
    blocks: dict[tuple[int, int], Array] = {}

    def add(i: int, j: int, m: float, tensor: Array | float = 0.0) -> None:
        block = blocks.setdefault((i, j), np.zeros((6, 6)))
        block[:3, :3] += m * np.eye(3)
        block[3:, 3:] += tensor

    layout = net.layout
    beams, pieces = _by_part(net), _by_beam(net)
    for i, one in enumerate(layout.parts):
        m, middle, R = one.mass, one.centre, net.R[one.body]
        tensor = R @ one.tensor @ R.T
        spread = _spread(net, beams.get(i, []), m, tensor, rule) if rule != "centre" and m > 0 else None
        if spread is None:
            add(middle, middle, m, tensor)
            continue
        add(middle, middle, (1 - spread.part) * m)
        for k in spread.density:
            for a, b in pieces[k]:
                length = float(np.linalg.norm(net.places[b] - net.places[a]))
                mass = spread.density[k] * length
                turn = spread.rotary * mass / (spread.part * m)
                whole, mixed = (1 / 3, 1 / 6) if rule == "consistent" else (1 / 2, 0.0)
                for x, y in ((a, a), (b, b), (a, b), (b, a)):
                    share = whole if x == y else mixed
                    add(x, y, share * mass, share * turn)
    for name, mass in layout.masses.items():
        node = layout.carrier_of_mass(name)
        if net.body[node] != WORLD:
            add(node, node, float(mass))
    size = 6 * len(net.places)
    if not blocks:
        return sparse.csr_array((size, size))
    grid = np.arange(6)
    rows = np.concatenate([np.repeat(6 * i + grid, 6) for i, _ in blocks])
    columns = np.concatenate([np.tile(6 * j + grid, 6) for _, j in blocks])
    values = np.concatenate([block.ravel() for block in blocks.values()])
    return sparse.csr_array((values, (rows, columns)), shape=(size, size))


def _by_part(net: "Grid") -> dict[int, list[tuple[int, Beam]]]:
    result: dict[int, list[tuple[int, Beam]]] = {}
    for k, beam in enumerate(net.layout.beams):
        result.setdefault(beam.part, []).append((k, beam))
    return result


def _by_beam(net: "Grid") -> dict[int, list[tuple[int, int]]]:
    result: dict[int, list[tuple[int, int]]] = {}
    for k, a, b in net.pieces:
        result.setdefault(k, []).append((a, b))
    return result


def _spread(
    net: "Grid", beams: list[tuple[int, Beam]], m: float, tensor: Array, rule: MassRule
) -> _Spread | None:
    """The mass of a straight link on both sides of its centre, spread; None for other links."""
    if not beams:
        return None
    middle = net.places[net.layout.parts[beams[0][1].part].centre]
    e = (net.places[beams[0][1].end] - net.places[beams[0][1].start]) / beams[0][1].length
    ends = np.array([[net.places[n] - middle for n in (beam.start, beam.end)] for _, beam in beams])
    along = ends @ e
    l1, l2 = -float(along.min()), float(along.max())
    if np.abs(ends - along[..., None] * e).max() > _STRAIGHT * (l1 + l2) or min(l1, l2) <= _STRAIGHT * (
        l1 + l2
    ):
        return None
    per = {True: m * l2 / (l1 * (l1 + l2)), False: m * l1 / (l2 * (l1 + l2))}  # before the centre, behind it
    density = {k: per[bool(mean < 0)] for (k, _), mean in zip(beams, along.mean(axis=1), strict=True)}
    across = np.eye(3) - np.outer(e, e)
    line = m * l1 * l2 / 3  # moment of inertia about the centre of mass, across
    if rule == "lumped":  # masses at nodes are farther out: (piece)^2 / 6 more
        count = len(net.pieces) / len(net.layout.beams)
        for k, beam in beams:
            line += density[k] * beam.length * (beam.length / count) ** 2 / 6
    available = float(min(np.linalg.eigvalsh(across @ tensor @ across)[1:])) if line else 0.0
    if net.layout.normal is not None:
        available = float(net.layout.normal @ tensor @ net.layout.normal)
    part = min(1.0, available / line)
    if part <= 0:
        return None
    left = tensor - part * line * across
    return _Spread({k: part * x for k, x in density.items()}, part, left)
