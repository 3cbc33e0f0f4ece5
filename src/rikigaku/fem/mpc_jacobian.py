"""Jacobian T of the constrained mesh: twists of all nodes V = T(state) nu from the rates of its coordinates.

A node depends on few coordinates: its own, or those of its root node and of the joints between them. T is
therefore stored per node, (samples, nodes, 6, columns), with the column indices of each node; products with
blocks between two nodes are small dense products, summed into a sparse matrix with a fixed pattern.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.fem.multipoint_constraints import Constraint
from rikigaku.fem.quaternion_arrays import cross

if TYPE_CHECKING:
    from rikigaku.fem.mpc_kinematics import MeshKinematics

Index = NDArray[np.intp]


class NodePoses(NamedTuple):
    """Positions p (samples, nodes, 3) of all nodes, and rotations Q, R since the undeformed configuration."""

    p: Array
    Q: Array
    R: Array


@dataclass(frozen=True, eq=False)
class NodeJacobian:
    """Pattern of T and the data of its entries.

    columns: column indices (nodes, most), padded with `size`.
    """

    size: int
    columns: Index
    index: Index  # of each value in (nodes, 6, most)
    rotations: Array
    constant: Array
    arms: Index  # (arms, 2): node, root
    pairs: Index  # (pairs, 3): node, dependent node of the constraint, node that carries its axes
    angular: Array
    linear: Array
    own: Index  # column of each pair

    def geometric_terms(self, T: Array, at: NodePoses, f: Array) -> tuple[Index, Index, Array]:
        """Derivative of T^T f due to the rotation of joint axes: rows, columns, values (samples, entries).

        (t x axis) . M = t . (axis x M), for a rotation t of the node that carries the axis and the moment M
        about it.
        """
        kept = self.pairs[:, 2] < len(self.columns)
        node, own, axis_node = self.pairs[kept].T
        force, moment = f[:, node, :3], f[:, node, 3:]
        moment = moment + cross(at.p[:, node] - at.p[:, own], force)
        R = at.R[:, axis_node]
        axis, direction = ((R @ x[kept][..., None])[..., 0] for x in (self.angular, self.linear))
        derivative = cross(axis, moment) + cross(direction, force)
        values = (derivative[:, :, None, :] @ T[:, axis_node, 3:])[:, :, 0]
        columns = self.columns[axis_node]
        rows = np.broadcast_to(self.own[kept][:, None], columns.shape)
        real = columns < self.size
        return rows[real], columns[real], values[:, real]

    def values(self, at: NodePoses) -> Array:
        """T per node, (samples, nodes, 6, most)."""
        count, (nodes, most) = len(at.p), self.columns.shape
        node, root = self.arms.T
        r = at.p[:, node] - at.p[:, root]
        # A unit rotation of the root about each direction moves the node by direction x r.
        arms = cross(self.rotations.T[None, None], r[:, :, None, :])  # (samples, arms, rotations, 3)
        node, own, axis_node = self.pairs.T
        R = at.R[:, axis_node]
        axis = (R @ self.angular[..., None])[..., 0]
        linear = cross(axis, at.p[:, node] - at.p[:, own]) + (R @ self.linear[..., None])[..., 0]
        both = np.concatenate([linear, axis], axis=-1)
        flat = np.zeros((count, nodes * 6 * most))
        first, second = len(self.constant), len(self.constant) + arms[0].size
        flat[:, self.index[:first]] = self.constant
        flat[:, self.index[first:second]] = arms.reshape(count, -1)
        flat[:, self.index[second:]] = both.reshape(count, -1)
        return flat.reshape(count, nodes, 6, most)

    def twists(self, T: Array, nu: Array) -> Array:
        """Node twists T nu, (samples, nodes, 6)."""
        padded = np.concatenate([nu, np.zeros((len(nu), 1))], axis=1)
        return np.asarray((T @ padded[:, self.columns, None])[..., 0])

    def generalized_forces(self, T: Array, f: Array) -> Array:
        """Generalized forces T^T f of nodal forces (samples, nodes, 6), (samples, size)."""
        own = (np.swapaxes(T, -1, -2) @ f[..., None]).reshape(len(f), -1)
        return np.asarray((self._scatter @ own.T).T)

    @cached_property
    def _scatter(self) -> sparse.csr_array:
        flat = self.columns.ravel()
        kept = np.flatnonzero(flat < self.size)
        return sparse.csr_array((np.ones(len(kept)), (flat[kept], kept)), shape=(self.size, len(flat)))

    def matrix(self, T: Array) -> sparse.csr_array:
        """T of one sample as a sparse matrix, (6 nodes, size)."""
        nodes, most = self.columns.shape
        columns = np.broadcast_to(self.columns[:, None], (nodes, 6, most)).ravel()
        rows = np.repeat(np.arange(6 * nodes), most)
        kept = columns < self.size
        shape = (6 * nodes, self.size)
        return sparse.csr_array((T[0].ravel()[kept], (rows[kept], columns[kept])), shape=shape)


class PairAssembler:
    """Sparse assembly of sum T_i^T A_ij T_j over pairs of nodes (i, j), with a fixed pattern."""

    def __init__(self, rows: NodeJacobian, pairs: Index) -> None:
        self.pairs, self.size = pairs, rows.size
        i, j = (rows.columns[pairs[:, k]] for k in (0, 1))
        r, c = np.broadcast_arrays(i[:, :, None], j[:, None, :])
        kept = ((r < rows.size) & (c < rows.size)).ravel()
        flat = r.ravel()[kept] * rows.size + c.ravel()[kept]
        entries, to = np.unique(flat, return_inverse=True)
        self.row, self.column = entries // rows.size, entries % rows.size
        shape = (len(entries), r.size)
        self._scatter = sparse.csr_array((np.ones(len(to)), (to, np.flatnonzero(kept))), shape=shape)

    def data(self, T: Array, blocks: Array) -> Array:
        """Values at (`row`, `column`), (samples, entries), of blocks A (samples, pairs, 6, 6)."""
        i, j = self.pairs.T
        local = np.swapaxes(T[:, i], -1, -2) @ (blocks @ T[:, j])
        return np.asarray((self._scatter @ local.reshape(len(T), -1).T).T)

    def matrix(self, T: Array, blocks: Array) -> sparse.csr_array:
        """Sparse matrix of one sample."""
        shape = (self.size, self.size)
        return sparse.csr_array((self.data(T, blocks)[0], (self.row, self.column)), shape=shape)


def node_jacobian(kinematics: "MeshKinematics") -> NodeJacobian:
    """Pattern of the Jacobian of a constrained mesh."""
    m, k = kinematics.translations.shape[1], kinematics.rotations.shape[1]
    nodes = len(kinematics.grid.positions)
    first = {int(n): (m + k) * i for i, n in enumerate(kinematics.free)}
    by_node = {constraint.node: constraint for constraint in kinematics.constraints.constraints}
    columns: list[list[int]] = [[] for _ in range(nodes)]
    constant: list[float] = []
    # (node, component, local column) of constant entries, of arms, of pairs.
    entries: tuple[list[tuple[int, int, int]], ...] = ([], [], [])
    arms, pairs, angular, linear, owned = [], [], [], [], []
    for node in range(nodes):
        root, motions = node, []
        while root in by_node:
            constraint = by_node[root]
            motions += [(constraint.node, *motion) for motion in _columns(kinematics, constraint)]
            root = constraint.reference
        if root in first:
            columns[node] = list(range(first[root], first[root] + m + k))
            for start, directions, shift in ((0, kinematics.translations, 0), (3, kinematics.rotations, m)):
                for x, y in zip(*np.nonzero(directions), strict=True):
                    entries[0].append((node, start + int(x), shift + int(y)))
                    constant.append(float(directions[x, y]))
            if root != node:
                arms.append((node, root))
                entries[1].extend((node, x, m + y) for y in range(k) for x in range(3))
        for own, column, axis, along, axis_node in motions:
            entries[2].extend((node, x, len(columns[node])) for x in range(6))
            columns[node].append(column)
            owned.append(column)
            pairs.append((node, own, axis_node))
            angular.append(axis)
            linear.append(along)
    most = max(map(len, columns), default=0)
    padded = np.full((nodes, most), kinematics.size, dtype=np.intp)
    for node, known in enumerate(columns):
        padded[node, : len(known)] = known
    every = np.array([*entries[0], *entries[1], *entries[2]], dtype=np.intp).reshape(-1, 3)
    return NodeJacobian(
        kinematics.size,
        padded,
        (every[:, 0] * 6 + every[:, 1]) * most + every[:, 2],
        kinematics.rotations,
        np.array(constant),
        np.array(arms, dtype=np.intp).reshape(-1, 2),
        np.array(pairs, dtype=np.intp).reshape(-1, 3),
        np.array(angular).reshape(-1, 3),
        np.array(linear).reshape(-1, 3),
        np.array(owned, dtype=np.intp),
    )


def _columns(kinematics: "MeshKinematics", constraint: Constraint) -> list[tuple[int, Array, Array, int]]:
    """Columns of a constraint: column, rotation axis, translation axis, node that carries the axes."""
    if constraint.coordinate is None:
        return []
    if constraint.spherical is not None:
        at = kinematics.first_S + 3 * kinematics.coordinates.spherical[constraint.coordinate]
        sign, axis_node = (-1.0, constraint.reference) if constraint.inverted else (1.0, constraint.node)
        return [(at + x, sign * constraint.spherical[:, x], np.zeros(3), axis_node) for x in range(3)]
    k, factor = kinematics.coordinates.scalar[constraint.coordinate]
    return [
        (
            kinematics.first_y + k,
            factor * constraint.angular,
            factor * constraint.linear,
            constraint.reference,
        )
    ]
