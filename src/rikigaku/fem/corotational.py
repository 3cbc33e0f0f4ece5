"""Beams under large rotations, in space: each piece bends little in a frame that turns with it.

A piece runs from node 1 to node 2; d is its chord, l the chord's length, L that of the unbent piece; a and b
are the quaternions of its triad (along, across, along the joint's axis) as its two ends have turned it. It
knows six strains,

    stretch (l - L)/L,  two shears m_k . d/l,  twist and curvatures 2 vec(conj(a) b)/L,

where m_k are the axes across of the mean frame, the rotation of a + b, and its energy is L/2 sum D strain^2:
that of the linear Timoshenko beam with one integration point. Strains do not change when all turns together,
nor do they depend on the way a shape was reached. Everything is algebraic in d, a, b, so slopes are exact.
Reference: M. A. Crisfield, Non-linear finite element analysis of solids and structures, volume 2, chapter 17.
"""

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.elements import skew
from rikigaku.fem.pieces import Pieces
from rikigaku.fem.quaternions import QUADRATIC, RELATIVE, exponential, product, spread

Array = NDArray[np.float64]

_H = 1e-5


class Bent:
    """Strains (..., pieces, 6) of a shape, and their rows B over u1, t1, u2, t2 (..., pieces, 6, 12).

    Args:
        p: places of all nodes (..., nodes, 3); Q: quaternions by which they have turned (..., nodes, 4).
    """

    def __init__(self, pieces: Pieces, p: Array, Q: Array) -> None:
        first, second = pieces.ends.T
        self.pieces = pieces
        L, triad = pieces.length, pieces.quaternions
        self.d = d = p[..., second, :] - p[..., first, :]
        self.l = l = np.sqrt((d * d).sum(axis=-1))
        self.n = d / l[..., None]
        a, b = (product(Q[..., node, :], triad) for node in (first, second))
        b = np.where((a * b).sum(axis=-1, keepdims=True) < 0, -b, b)  # q and -q are one rotation
        self.a, self.b = a, b
        self.c = c = a + b
        self.rho = rho = (c * c).sum(axis=-1)
        Sc = np.einsum("kijl,...l->...kij", QUADRATIC[1:], c)  # (..., 2, 3, 4)
        self.m = m = np.einsum("...kij,...j->...ki", Sc, c) / rho[..., None, None]
        self.J = J = 2 * (Sc - m[..., None] * c[..., None, None, :]) / rho[..., None, None, None]
        self.N = N = np.einsum("...ki,...i->...k", m, d)
        self.g = g = np.einsum("...kij,...i->...kj", J, d)
        Vb, aV = np.einsum("ijk,...k->...ij", RELATIVE, b), np.einsum("ijk,...j->...ik", RELATIVE, a)
        v = np.einsum("...ij,...j->...i", Vb, a)
        self.value = np.concatenate([((l - L) / L)[..., None], N / l[..., None], 2 * v / L[:, None]], axis=-1)
        # slopes over d (3), a (4), b (4)
        shape = self.value.shape
        self.by_d, self.by_a, self.by_b = np.zeros((*shape, 3)), np.zeros((*shape, 4)), np.zeros((*shape, 4))
        self.by_d[..., 0, :] = self.n / L[:, None]
        self.by_d[..., 1:3, :] = (m - (N / l[..., None])[..., None] * self.n[..., None, :]) / l[
            ..., None, None
        ]
        self.by_a[..., 1:3, :] = self.by_b[..., 1:3, :] = g / l[..., None, None]
        self.by_a[..., 3:, :], self.by_b[..., 3:, :] = 2 * Vb / L[:, None, None], 2 * aV / L[:, None, None]
        # a turn t of a node about world axes changes its quaternion by (0, t/2) a
        self.turn_a, self.turn_b = _turns(a), _turns(b)
        self.B = np.concatenate(
            [-self.by_d, self.by_a @ self.turn_a, self.by_d, self.by_b @ self.turn_b], axis=-1
        )

    def forces(self, strain: Array) -> Array:
        """Nodal forces (..., pieces, 12) of strains carried at this shape: B^T D strain L."""
        return np.asarray((self._stress(strain)[..., None, :] @ self.B)[..., 0, :])

    def _stress(self, strain: Array) -> Array:
        return strain * (self.pieces.stiffness * self.pieces.length[:, None])

    def energy(self) -> Array:
        """Of each piece [J]."""
        return np.asarray(0.5 * (self._stress(self.value) * self.value).sum(axis=-1))

    def material(self, rows: Array | None = None) -> Array:
        """B^T D B L (..., pieces, 12, 12); B^T D L times other rows than B if given."""
        rows = self.B if rows is None else rows
        weighted = rows * (self.pieces.stiffness * self.pieces.length[:, None])[..., None]
        return np.asarray(np.swapaxes(self.B, -1, -2) @ weighted)

    def geometric(self, strain: Array) -> Array:
        """What the stress of strains adds to the stiffness as the shape turns (..., pieces, 12, 12).

        The slope of `forces` at turned nodes: not symmetric, for turns about world axes do not commute.
        """
        s, l, n, L = self._stress(strain), self.l[..., None, None], self.n, self.pieces.length
        one, nn = np.eye(3), n[..., :, None] * n[..., None, :]
        dd = (s[..., 0] / L)[..., None, None] * (one - nn) / l
        dc = np.zeros((*n.shape[:-1], 3, 4))
        cc = np.zeros((*n.shape[:-1], 4, 4))
        for k in range(2):
            w, m, J, g = s[..., 1 + k, None, None], self.m[..., k, :], self.J[..., k, :, :], self.g[..., k, :]
            N = self.N[..., k, None, None]
            mn = m[..., :, None] * n[..., None, :]
            dd = dd + w * (-(mn + np.swapaxes(mn, -1, -2)) - N / l * (one - 3 * nn)) / l**2
            dc = dc + w * (J - n[..., :, None] * g[..., None, :] / l) / l
            Sd = np.einsum("ijl,...i->...jl", QUADRATIC[1 + k], self.d)
            cg = self.c[..., :, None] * g[..., None, :]
            rho = self.rho[..., None, None]
            cc = cc + w * 2 / rho * (Sd - N * np.eye(4) - cg - np.swapaxes(cg, -1, -2)) / l
        ab = cc + np.einsum("...i,ijk->...jk", 2 * s[..., 3:] / L[:, None], RELATIVE)
        A, B = self.turn_a, self.turn_b
        At, Bt = np.swapaxes(A, -1, -2), np.swapaxes(B, -1, -2)
        result = np.empty((*n.shape[:-1], 12, 12))
        result[..., :3, :3] = result[..., 6:9, 6:9] = dd
        result[..., :3, 6:9] = result[..., 6:9, :3] = -dd
        for columns, turn in ((slice(3, 6), A), (slice(9, 12), B)):
            mixed = dc @ turn
            result[..., :3, columns], result[..., 6:9, columns] = -mixed, mixed
            back = np.swapaxes(mixed, -1, -2)
            result[..., columns, :3], result[..., columns, 6:9] = -back, back
        result[..., 3:6, 9:12] = At @ ab @ B
        result[..., 9:12, 3:6] = Bt @ np.swapaxes(ab, -1, -2) @ A
        for place, by, turn, turned in ((3, self.by_a, A, self.a), (9, self.by_b, B, self.b)):
            pull = np.einsum("...ij,...i->...j", by, s)
            moment = np.einsum("...ji,...j->...i", turn, pull)
            own = np.swapaxes(turn, -1, -2) @ cc @ turn
            own -= 0.25 * (pull * turned).sum(axis=-1)[..., None, None] * one
            result[..., place : place + 3, place : place + 3] = own - 0.5 * skew(moment)
        return result


def rate_rows(pieces: Pieces, p: Array, Q: Array, V: Array) -> Array:
    """Slopes of the rate of strain B V over turns and ways of the ends, (..., pieces, 6, 12).

    V: twists of nodes (..., nodes, 6). By differences of B along V; what turns do not commute is added.
    """
    sides = []
    for e in (_H, -_H):
        sides.append(Bent(pieces, p + e * V[..., :3], product(exponential(e * V[..., 3:]), Q)).B)
    result = (sides[0] - sides[1]) / (2 * _H)
    B = (sides[0] + sides[1]) / 2
    for end, place in ((0, 3), (1, 9)):
        spin = skew(V[..., pieces.ends[:, end], 3:])
        result[..., place : place + 3] += B[..., place : place + 3] @ spin
    return np.asarray(result)


def _turns(a: Array) -> Array:
    """Slope of the quaternion over a turn about world axes, (..., 4, 3)."""
    e = np.concatenate([np.zeros((3, 1)), np.eye(3)], axis=1) / 2
    return np.swapaxes(np.asarray((spread(e) @ a[..., None, :, None])[..., 0]), -1, -2)
