"""Forces of a flexible mechanism in large motion: bending, inertia and weight over the rates of its shape.

Everything is summed at the nodes (world axes) and brought to the coordinates by T^T, T the rows of motion of
`rikigaku.fem.rows`. Matrices are sums over pairs of nodes, and sparse; many samples go at once.
"""

from functools import cached_property

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.fem.assembly import Assembly
from rikigaku.fem.corotational import Bent, rate_rows
from rikigaku.fem.linear import weight
from rikigaku.fem.quaternions import cross
from rikigaku.fem.rows import Index, Placed, Spread

Array = NDArray[np.float64]


class Beams:
    """The beams of an assembly whose posture is the undeformed one, with its damping."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly, self.joined, self.pieces = assembly, assembly.joined, assembly.pieces
        self.alpha, self.damped = assembly.alpha, bool(assembly.pieces.damping.any())
        self.count = len(assembly.grid.places)
        self.rows = assembly.joined.rows

    @cached_property
    def _mass(self) -> sparse.csr_array:
        """Between places of nodes, (nodes, nodes)."""
        return sparse.csr_array(self.assembly.nodal_mass[::6, ::6])

    @cached_property
    def spread(self) -> Spread:
        """Where matrices have their numbers: pairs of nodes that mass or a piece joins."""
        return Spread(self.rows, self._pairs[0])

    @cached_property
    def _pairs(self) -> tuple[Index, Index, Index]:
        """All pairs; of them those of the mass; those of the pieces, (pieces, 2, 2)."""
        mass = self._mass.tocoo()
        a, b = self.pieces.ends.T
        pieces = np.stack([a, a, b, b, a, b, a, b]).reshape(2, 4, -1)  # (row or column, block, piece)
        nodes = np.arange(self.count)
        rows = np.concatenate([nodes, mass.coords[0], pieces[0].ravel()])
        columns = np.concatenate([nodes, mass.coords[1], pieces[1].ravel()])
        found, place = np.unique(rows * self.count + columns, return_inverse=True)
        both = np.stack([found // self.count, found % self.count], axis=1).astype(np.intp)
        start = self.count + mass.nnz
        return both, place[self.count : start], place[start:].reshape(2, 2, -1)

    @cached_property
    def _tensors(self) -> Array:
        """Rotary inertia of each node in the posture of the grid, (nodes, 3, 3)."""
        every = sparse.kron(np.ones((self.count, 1)), sparse.eye_array(6))
        return np.asarray((self.assembly.nodal_mass @ every).toarray().reshape(-1, 6, 6)[:, 3:, 3:])

    @cached_property
    def weight(self) -> Array:
        """Forces of gravity at nodes, (nodes, 6); constant."""
        return weight(self.assembly).reshape(-1, 6)

    def tensors(self, at: Placed) -> Array:
        """Rotary inertia of nodes, turned with them, (samples, nodes, 3, 3)."""
        R = at.R[:, : self.count]
        return np.asarray(R @ self._tensors @ np.swapaxes(R, -1, -2))

    def _massive(self, x: Array) -> Array:
        """Mass times vectors at nodes, (samples, nodes, 3)."""
        return _times(self._mass, x)

    def forces(self, at: Placed, T: Array, nu: Array, rate: Array) -> Array:
        """Nodal forces (samples, nodes, 6) of inertia, bending and damping, less the weight.

        Of motion with rates nu that change by `rate`. Nodes keep their spin: the gyroscopic moment is here.
        """
        bent = Bent(self.pieces, at.p, at.Q)
        V, A = self.rows.twists(T, nu), self.rows.twists(T, rate)
        if not self.joined.steady:
            A = A + self.joined.rates(at, nu)[1][:, : self.count]
        A = A + self.alpha * V if self.alpha else A
        tensors = self.tensors(at)
        spin = (tensors @ V[..., 3:, None])[..., 0]
        result = np.empty_like(A)
        result[..., :3] = self._massive(A[..., :3])
        result[..., 3:] = (tensors @ A[..., 3:, None])[..., 0] + cross(V[..., 3:], spin)
        result -= self.weight
        strain = bent.value + self._lag(bent, V) if self.damped else bent.value
        return result + _times(self._ends, bent.forces(strain).reshape(len(at.p), -1, 6))

    def _lag(self, bent: Bent, V: Array) -> Array:
        """Rate of strain times the damping of each piece, (samples, pieces, 6)."""
        ends = V[:, self.pieces.ends].reshape(len(V), -1, 12)
        return np.asarray(self.pieces.damping[:, None] * (bent.B @ ends[..., None])[..., 0])

    @cached_property
    def _ends(self) -> sparse.csr_array:
        """Which nodes the ends of pieces are, (nodes, 2 pieces)."""
        flat = self.pieces.ends.ravel()
        return sparse.csr_array(
            (np.ones(len(flat)), (flat, np.arange(len(flat)))), shape=(self.count, len(flat))
        )

    def mass(self, at: Placed) -> Array:
        """Blocks of the mass between nodes, (samples, pairs, 6, 6)."""
        pairs, own, _ = self._pairs
        result = np.zeros((len(at.p), len(pairs), 6, 6))
        result[:, own, :3, :3] = self._mass.tocoo().data[:, None, None] * np.eye(3)
        alone = np.flatnonzero(pairs[:, 0] == pairs[:, 1])  # in the order of the nodes
        result[:, alone, 3:, 3:] = self.tensors(at)
        return result

    def stiffness(self, at: Placed, V: Array | None = None) -> tuple[Array, Array]:
        """Blocks of bending and of its damping between nodes, (samples, pairs, 6, 6).

        V: twists of nodes (samples, nodes, 6); with them, how damping changes with the shape is there too.
        """
        bent = Bent(self.pieces, at.p, at.Q)
        material, strain = bent.material(), bent.value
        stress: Array = 0 * material
        lag = self.pieces.damping[:, None, None]
        if self.damped and V is not None:
            strain = strain + self._lag(bent, V)
            p, Q = at.p[:, : self.count], at.Q[:, : self.count]
            stress = lag * bent.material(rate_rows(self.pieces, p, Q, V))
        stiff = self._placed(material + bent.geometric(strain) + stress)
        return stiff, (self._placed(lag * material) if self.damped else np.zeros_like(stiff))

    def _placed(self, blocks: Array) -> Array:
        pairs, _, pieces = self._pairs
        result = np.zeros((len(blocks), len(pairs), 6, 6))
        by_pair = np.moveaxis(result, 1, 0)
        for i in range(2):
            for j in range(2):
                part = blocks[..., 6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
                np.add.at(by_pair, pieces[i, j], np.moveaxis(part, 1, 0))
        return result

    def energies(self, at: Placed, nu: Array) -> Array:
        """Kinetic, elastic and potential energy, (samples, 3) [J]; the last is zero in the grid's posture."""
        n = self.count
        V = self.joined.rates(at, nu)[0][:, :n]
        spin = (self.tensors(at) @ V[..., 3:, None])[..., 0]
        kinetic = 0.5 * (
            (self._massive(V[..., :3]) * V[..., :3]).sum(axis=(1, 2)) + (spin * V[..., 3:]).sum(axis=(1, 2))
        )
        bent = Bent(self.pieces, at.p, at.Q).energy().sum(axis=1)
        high = -((at.p[:, :n] - self.assembly.grid.places) * self.weight[:, :3]).sum(axis=(1, 2))
        return np.stack([kinetic, bent, high], axis=1)


def _times(A: sparse.csr_array, x: Array) -> Array:
    """A times x (samples, nodes, numbers) of all samples at once."""
    samples, nodes, count = x.shape
    flat = A @ np.moveaxis(x, 1, 0).reshape(nodes, -1)
    return np.moveaxis(np.asarray(flat).reshape(-1, samples, count), 0, 1)
