"""The rows of motion T of a tied mesh: twists of all nodes from the rates of its coordinates.

A node moves by few coordinates: its own, or those of the node it hangs on and of the joints on the way. So T
is kept node by node, (samples, nodes, 6, columns), with the list of columns of each; products with matrices
that join two nodes are small ones, and what comes out is put into a sparse matrix whose places are known.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.fem.quaternions import cross
from rikigaku.fem.ties import Tie

if TYPE_CHECKING:
    from rikigaku.fem.joined import Joined

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Placed(NamedTuple):
    """All nodes: p (samples, nodes, 3), Q (samples, nodes, 4) and R, turned from the posture of the grid."""

    p: Array
    Q: Array
    R: Array


@dataclass(frozen=True, eq=False)
class Rows:
    """Places of the numbers of T, and what their values are made of.

    columns: (nodes, most), `size` where a node has fewer.
    """

    size: int
    columns: Index
    place: Index  # of each value in (nodes, 6, most)
    turns: Array
    constant: Array
    lever: Index  # (levers, 2): node, root
    pairs: Index  # (pairs, 3): node, node of the tie, node that carries its axes
    turn: Array
    slide: Array
    own: Index  # column of each pair

    def turned(self, T: Array, at: Placed, f: Array) -> tuple[Index, Index, Array]:
        """How T^T f changes as axes turn with the nodes that carry them: rows, columns, (samples, numbers).

        (t x axis) . M = t . (axis x M), for a turn t of the carrier and the moment M about the axis.
        """
        kept = self.pairs[:, 2] < len(self.columns)
        node, own, carrier = self.pairs[kept].T
        force, moment = f[:, node, :3], f[:, node, 3:]
        moment = moment + cross(at.p[:, node] - at.p[:, own], force)
        R = at.R[:, carrier]
        axis, slide = ((R @ x[kept][..., None])[..., 0] for x in (self.turn, self.slide))
        pull = cross(axis, moment) + cross(slide, force)
        values = (pull[:, :, None, :] @ T[:, carrier, 3:])[:, :, 0]
        columns = self.columns[carrier]
        rows = np.broadcast_to(self.own[kept][:, None], columns.shape)
        real = columns < self.size
        return rows[real], columns[real], values[:, real]

    def values(self, at: Placed) -> Array:
        """T node by node, (samples, nodes, 6, most)."""
        count, (nodes, most) = len(at.p), self.columns.shape
        node, root = self.lever.T
        r = at.p[:, node] - at.p[:, root]
        # a unit turn of the root about each direction moves the node by direction x r
        levers = cross(self.turns.T[None, None], r[:, :, None, :])  # (samples, levers, turns, 3)
        node, own, carrier = self.pairs.T
        R = at.R[:, carrier]
        axis = (R @ self.turn[..., None])[..., 0]
        linear = cross(axis, at.p[:, node] - at.p[:, own]) + (R @ self.slide[..., None])[..., 0]
        both = np.concatenate([linear, axis], axis=-1)
        flat = np.zeros((count, nodes * 6 * most))
        first, second = len(self.constant), len(self.constant) + levers[0].size
        flat[:, self.place[:first]] = self.constant
        flat[:, self.place[first:second]] = levers.reshape(count, -1)
        flat[:, self.place[second:]] = both.reshape(count, -1)
        return flat.reshape(count, nodes, 6, most)

    def twists(self, T: Array, nu: Array) -> Array:
        """T nu, (samples, nodes, 6)."""
        padded = np.concatenate([nu, np.zeros((len(nu), 1))], axis=1)
        return np.asarray((T @ padded[:, self.columns, None])[..., 0])

    def gathered(self, T: Array, f: Array) -> Array:
        """T^T f of nodal forces (samples, nodes, 6), (samples, size)."""
        own = (np.swapaxes(T, -1, -2) @ f[..., None]).reshape(len(f), -1)
        return np.asarray((self._collect @ own.T).T)

    @cached_property
    def _collect(self) -> sparse.csr_array:
        flat = self.columns.ravel()
        kept = np.flatnonzero(flat < self.size)
        return sparse.csr_array((np.ones(len(kept)), (flat[kept], kept)), shape=(self.size, len(flat)))

    def matrix(self, T: Array) -> sparse.csr_array:
        """T of one sample, sparse, (6 nodes, size)."""
        nodes, most = self.columns.shape
        columns = np.broadcast_to(self.columns[:, None], (nodes, 6, most)).ravel()
        rows = np.repeat(np.arange(6 * nodes), most)
        kept = columns < self.size
        shape = (6 * nodes, self.size)
        return sparse.csr_array((T[0].ravel()[kept], (rows[kept], columns[kept])), shape=shape)


class Spread:
    """Sums T_i^T A_ij T_j over pairs of nodes (i, j) into a sparse matrix of known places."""

    def __init__(self, rows: Rows, pairs: Index) -> None:
        self.pairs, self.size = pairs, rows.size
        i, j = (rows.columns[pairs[:, k]] for k in (0, 1))
        r, c = np.broadcast_arrays(i[:, :, None], j[:, None, :])
        kept = ((r < rows.size) & (c < rows.size)).ravel()
        flat = r.ravel()[kept] * rows.size + c.ravel()[kept]
        places, to = np.unique(flat, return_inverse=True)
        self.row, self.column = places // rows.size, places % rows.size
        shape = (len(places), r.size)
        self._collect = sparse.csr_array((np.ones(len(to)), (to, np.flatnonzero(kept))), shape=shape)

    def data(self, T: Array, blocks: Array) -> Array:
        """Numbers at `row`, `column`, (samples, numbers), of blocks (samples, pairs, 6, 6)."""
        i, j = self.pairs.T
        local = np.swapaxes(T[:, i], -1, -2) @ (blocks @ T[:, j])
        return np.asarray((self._collect @ local.reshape(len(T), -1).T).T)

    def matrix(self, T: Array, blocks: Array) -> sparse.csr_array:
        """Of one sample."""
        shape = (self.size, self.size)
        return sparse.csr_array((self.data(T, blocks)[0], (self.row, self.column)), shape=shape)


def rows_of(joined: "Joined") -> Rows:
    """The rows of a tied mesh."""
    m, k = joined.moves.shape[1], joined.turns.shape[1]
    nodes = len(joined.grid.places)
    first = {int(n): (m + k) * i for i, n in enumerate(joined.free)}
    by_node = {tie.node: tie for tie in joined.ties.ties}
    columns: list[list[int]] = [[] for _ in range(nodes)]
    constant: list[float] = []
    places: tuple[list[tuple[int, int, int]], ...] = (
        [],
        [],
        [],
    )  # (node, x, local column): fixed, levers, pairs
    levers, pairs, turn, slide, owned = [], [], [], [], []
    for node in range(nodes):
        root, motions = node, []
        while root in by_node:
            tie = by_node[root]
            motions += [(tie.node, *motion) for motion in _motions(joined, tie)]
            root = tie.to
        if root in first:
            columns[node] = list(range(first[root], first[root] + m + k))
            for start, directions, shift in ((0, joined.moves, 0), (3, joined.turns, m)):
                for x, y in zip(*np.nonzero(directions), strict=True):
                    places[0].append((node, start + int(x), shift + int(y)))
                    constant.append(float(directions[x, y]))
            if root != node:
                levers.append((node, root))
                places[1].extend((node, x, m + y) for y in range(k) for x in range(3))
        for own, column, axis, along, carrier in motions:
            places[2].extend((node, x, len(columns[node])) for x in range(6))
            columns[node].append(column)
            owned.append(column)
            pairs.append((node, own, carrier))
            turn.append(axis)
            slide.append(along)
    most = max(map(len, columns), default=0)
    padded = np.full((nodes, most), joined.size, dtype=np.intp)
    for node, known in enumerate(columns):
        padded[node, : len(known)] = known
    every = np.array([*places[0], *places[1], *places[2]], dtype=np.intp).reshape(-1, 3)
    return Rows(
        joined.size,
        padded,
        (every[:, 0] * 6 + every[:, 1]) * most + every[:, 2],
        joined.turns,
        np.array(constant),
        np.array(levers, dtype=np.intp).reshape(-1, 2),
        np.array(pairs, dtype=np.intp).reshape(-1, 3),
        np.array(turn).reshape(-1, 3),
        np.array(slide).reshape(-1, 3),
        np.array(owned, dtype=np.intp),
    )


def _motions(joined: "Joined", tie: Tie) -> list[tuple[int, Array, Array, int]]:
    """Columns of a tie: column, axis turned about, direction slid along, node whose rotation carries them."""
    if tie.coordinate is None:
        return []
    if tie.ball is not None:
        at = joined.first_S + 3 * joined.numbers.ball[tie.coordinate]
        sign, carrier = (-1.0, tie.to) if tie.back else (1.0, tie.node)
        return [(at + x, sign * tie.ball[:, x], np.zeros(3), carrier) for x in range(3)]
    place, factor = joined.numbers.scalar[tie.coordinate]
    return [(joined.first_y + place, factor * tie.turn, factor * tie.slide, tie.to)]
