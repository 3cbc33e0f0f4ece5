"""Planar beams under large rotations: each piece bends little in a frame that turns with its chord.

With d the chord from node to node, l its length and b the angle it has turned, a piece knows its stretch l -
L and the turns of its ends against the chord, p1 = t1 - b and p2 = t2 - b. Energy (linear Timoshenko beam,
one integration point): L/2 (EA ((l-L)/L)^2 + EI ((p2-p1)/L)^2 + kGA ((p1+p2)/2)^2).
Reference: M. A. Crisfield, Non-linear finite element analysis of solids and structures, volume 1, chapter 7.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.assembly import Assembly, plane_axes
from rikigaku.fem.linear import weight

Array = NDArray[np.float64]

_DENSE = 600  # nodal values up to which full matrices are the quicker ones


@dataclass(frozen=True, eq=False)
class PlanarBeams:
    """All pieces of an assembly whose posture is the undeformed one; free values z as there."""

    assembly: Assembly
    beta: float = 0.0  # damping by the rate of bending [s]

    @cached_property
    def P(self) -> sparse.csr_array:
        """Nodal values in the plane (two displacements, a rotation for each node), x = P z."""
        return sparse.csr_array(self._plane.T @ self.assembly.Z)

    @cached_property
    def _few(self) -> Array | None:
        """P as a full matrix where that is the quicker one."""
        return self.P.toarray() if self.P.shape[0] <= _DENSE else None

    def _nodal(self, z: Array) -> Array:
        return np.asarray((self.P if self._few is None else self._few) @ z)

    def _gathered(self, x: Array) -> Array:
        return np.asarray((self.P.T if self._few is None else self._few.T) @ x)

    @cached_property
    def _plane(self) -> sparse.csr_array:
        normal = self.assembly.grid.layout.normal
        if normal is None:
            raise WrongValue(
                "Large motions of elastic links are computed in a plane; this robot moves in space."
            )
        block = np.zeros((6, 3))
        block[:3, :2], block[3:, 2] = plane_axes(normal).T, normal
        return sparse.csr_array(sparse.kron(sparse.eye_array(len(self.assembly.grid.places)), block))

    @cached_property
    def places(self) -> Array:
        """Undeformed, in the axes of the plane, (nodes, 2)."""
        normal = self.assembly.grid.layout.normal
        return np.asarray(self.assembly.grid.places @ plane_axes(np.asarray(normal)).T)

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        return np.array([piece[1:] for piece in self.assembly.grid.pieces])

    @cached_property
    def _dofs(self) -> NDArray[np.intp]:
        a, b = self._ends.T
        return np.stack([3 * a, 3 * a + 1, 3 * a + 2, 3 * b, 3 * b + 1, 3 * b + 2], axis=1)

    @cached_property
    def _chord(self) -> tuple[Array, Array]:
        d = self.places[self._ends[:, 1]] - self.places[self._ends[:, 0]]
        return d, np.linalg.norm(d, axis=1)

    @cached_property
    def _local(self) -> Array:
        """Stiffness in (stretch, p1, p2), (pieces, 3, 3)."""
        L = self._chord[1]
        result = np.zeros((len(L), 3, 3))
        for k, (beam, _, _) in enumerate(self.assembly.grid.pieces):
            stiff = self.assembly.grid.layout.beams[beam].section.stiffness
            shear = 1 / (1 / stiff.shear_flat + L[k] ** 2 / (12 * stiff.EI_flat))
            bend = stiff.EI_flat / L[k]
            result[k, 0, 0] = stiff.EA / L[k]
            result[k, 1:, 1:] = bend * np.array([[1, -1], [-1, 1]]) + shear * L[k] / 4 * np.ones((2, 2))
        return result

    @cached_property
    def mass(self) -> Any:
        """Over z; constant, for places between nodes follow them linearly. Full for few values."""
        return self.assembly.M if self._few is None else self.assembly.M.toarray()

    @cached_property
    def turning(self) -> Any:
        """How far released joints turn, over z. Full for few values."""
        return self.assembly.turning if self._few is None else self.assembly.turning.toarray()

    @cached_property
    def weight(self) -> Array:
        """Forces of gravity over z; constant."""
        return np.asarray(self.assembly.Z.T @ weight(self.assembly))

    def _bent(self, z: Array) -> tuple[Array, Array, Array, Array]:
        """Local values (pieces, 3), their rows B over nodal values (pieces, 3, 6), z-rows and r-rows."""
        x = self._nodal(z).reshape(-1, 3)
        (a, b), (d0, L) = self._ends.T, self._chord
        d = d0 + x[b, :2] - x[a, :2]
        l = np.linalg.norm(d, axis=1)
        c, s = (d / l[:, None]).T
        turned = np.arctan2(d0[:, 0] * d[:, 1] - d0[:, 1] * d[:, 0], (d0 * d).sum(axis=1))
        ends = np.stack([x[a, 2], x[b, 2]], axis=1) - turned[:, None]
        ends = (ends + np.pi) % (2 * np.pi) - np.pi  # whole turns of a link do not bend it
        stretch = ((x[b, :2] - x[a, :2]) * (2 * d0 + x[b, :2] - x[a, :2])).sum(axis=1) / (l + L)
        zero = np.zeros_like(c)
        along = np.stack([-c, -s, zero, c, s, zero], axis=1)
        across = np.stack([s, -c, zero, -s, c, zero], axis=1)
        B = np.stack([along, -across / l[:, None], -across / l[:, None]], axis=1)
        B[:, 1, 2] += 1.0
        B[:, 2, 5] += 1.0
        return np.concatenate([stretch[:, None], ends], axis=1), B, along, across

    def forces(self, z: Array, v: Array | None = None) -> Array:
        """Internal forces over z: of bending, and of its damping."""
        local, B, _, _ = self._bent(z)
        f = (self._local @ local[..., None])[..., 0]
        if v is not None and self.beta:
            rate = np.einsum("kij,kj->ki", B, self._nodal(v)[self._dofs])
            f = f + self.beta * np.einsum("kij,kj->ki", self._local, rate)
        blocks = np.einsum("kji,kj->ki", B, f)
        x = np.bincount(self._dofs.ravel(), blocks.ravel(), minlength=self.P.shape[0])
        return self._gathered(x.astype(np.float64, copy=False))

    def tangent(self, z: Array) -> tuple[Any, Any]:
        """Stiffness and damping over z at a shape."""
        local, B, along, across = self._bent(z)
        f = (self._local @ local[..., None])[..., 0]
        material = np.swapaxes(B, 1, 2) @ self._local @ B
        (a, b), d0 = self._ends.T, self._chord[0]
        x = self._nodal(z).reshape(-1, 3)
        l = np.linalg.norm(d0 + x[b, :2] - x[a, :2], axis=1)[:, None, None]
        N, M = f[:, 0, None, None], (f[:, 1] + f[:, 2])[:, None, None]
        mixed = along[:, :, None] * across[:, None, :]
        geometric = N / l * (across[:, :, None] * across[:, None, :]) + M / l**2 * (
            mixed + np.swapaxes(mixed, 1, 2)
        )
        damping = self._assembled(self.beta * material) if self.beta else 0 * self.mass
        return self._assembled(material + geometric), damping

    def energy(self, z: Array) -> float:
        """Of bending and stretching [J]."""
        local = self._bent(z)[0]
        return 0.5 * float(np.einsum("ki,kij,kj->", local, self._local, local))

    @cached_property
    def _block_places(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.repeat(self._dofs, 6, axis=1).ravel(), np.tile(self._dofs, (1, 6)).ravel()

    def _assembled(self, blocks: Array) -> Any:
        """Full for few values, sparse for many."""
        (rows, columns), size = self._block_places, self.P.shape[0]
        if self._few is not None:
            flat = np.bincount(rows * size + columns, blocks.ravel(), minlength=size * size)
            return self._few.T @ flat.reshape(size, size) @ self._few
        whole = sparse.csr_array((blocks.ravel(), (rows, columns)), shape=(size, size))
        return sparse.csr_array(self.P.T @ whole @ self.P)

    def free_values(self, x: Array) -> Array:
        """z of nodal values in the plane that keep the ties, (values, ...)."""
        P = self.P.tocsc()
        from scipy.sparse.linalg import splu

        return np.asarray(splu((P.T @ P).tocsc()).solve(np.asarray(P.T @ x)))

    def rigid(self, q: Any) -> Array:
        """z of the mechanism moved to other postures q (samples, nq), links unbent, (samples, values)."""
        from rikigaku.fem.kinematics import moving

        net, q = self.assembly.grid, np.atleast_2d(q)
        layout, zero = net.layout, np.zeros((len(q), net.layout.mechanism.nv))
        state = moving(layout.mechanism, q, zero, zero)
        axes, start = (
            plane_axes(np.asarray(layout.normal)),
            moving(layout.mechanism, net.q[None], zero[:1], zero[:1]),
        )
        x = np.zeros((len(net.places), 3, len(q)))
        turned: dict[int, Array] = {}
        for i, body in enumerate(layout.mechanism.bodies):
            turned[i] = turned.get(body.parent, np.zeros(len(q))) + _joint_turn(
                layout, i, start.R[i, 0], q - net.q
            )
        for n, i in enumerate(net.body):
            if i >= 0:
                own = start.R[i, 0].T @ (net.places[n] - _flat(layout, start.p[i, 0]))
                now = np.array([_flat(layout, p) for p in state.p[i]]) + state.R[i] @ own
                x[n, :2] = ((now - net.places[n]) @ axes.T).T
                x[n, 2] = turned[int(i)]
        return self.free_values(x.reshape(-1, len(q))).T


def _flat(layout: Any, p: Array) -> Array:
    n = np.asarray(layout.normal)
    return np.asarray(p - (p @ n) * n)


def _joint_turn(layout: Any, i: int, R: Array, change: Array) -> Array:
    """How far the joint of a body has turned it about the normal."""
    body, total = layout.mechanism.bodies[i], np.zeros(len(change))
    for direction, k in zip(body.joint.directions(), body.q, strict=True):
        total = (
            total + float(layout.normal @ (R @ np.array(direction.angular, dtype=np.float64))) * change[:, k]
        )
    return total
