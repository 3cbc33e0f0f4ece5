"""Corotational Timoshenko beam in space: small strains in a frame that rotates with the element.

An element runs from node 1 to node 2. d is its chord, l the chord's length, L the undeformed length; a and b
are the quaternions of the element's triad (along, across, along the joint's axis) as rotated by its two end
nodes. The six strains are

    stretch (l - L)/L,  two shears m_k . d/l,  twist and curvatures 2 vec(conj(a) b)/L,

where m_k are the transverse axes of the corotational frame, the rotation of a + b. The energy L/2 sum D
strain^2 is that of the linear Timoshenko beam with one integration point. The strains are invariant under
rigid-body motion and independent of the path. They are algebraic in d, a and b, so all derivatives are exact.
Reference: M. A. Crisfield, Non-linear finite element analysis of solids and structures, volume 2, chapter 17.
"""

import numpy as np

from rikigaku.core.types import Array
from rikigaku.fem.quaternion_arrays import QUADRATIC, RELATIVE, exponential, product, product_matrix
from rikigaku.fem.timoshenko_beam import Elements, skew

_DIFFERENCE = 1e-5


class CorotationalBeams:
    """Strains (..., elements, 6) and their derivatives B over u1, t1, u2, t2 (..., elements, 6, 12).

    Args:
        p: positions of all nodes (..., nodes, 3); Q: rotations of the nodes since the undeformed
            configuration, as quaternions (..., nodes, 4).
    """

    def __init__(self, elements: Elements, p: Array, Q: Array) -> None:
        first, second = elements.ends.T
        self.elements = elements
        L, triad = elements.length, elements.quaternions
        self.d = d = p[..., second, :] - p[..., first, :]
        self.l = l = np.sqrt((d * d).sum(axis=-1))
        self.n = d / l[..., None]
        a, b = (product(Q[..., node, :], triad) for node in (first, second))
        b = np.where((a * b).sum(axis=-1, keepdims=True) < 0, -b, b)  # q and -q are the same rotation
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
        self.strain = np.concatenate(
            [((l - L) / L)[..., None], N / l[..., None], 2 * v / L[:, None]], axis=-1
        )
        # Derivatives over d (3), a (4), b (4).
        shape = self.strain.shape
        self.by_d, self.by_a, self.by_b = np.zeros((*shape, 3)), np.zeros((*shape, 4)), np.zeros((*shape, 4))
        self.by_d[..., 0, :] = self.n / L[:, None]
        self.by_d[..., 1:3, :] = (m - (N / l[..., None])[..., None] * self.n[..., None, :]) / l[
            ..., None, None
        ]
        self.by_a[..., 1:3, :] = self.by_b[..., 1:3, :] = g / l[..., None, None]
        self.by_a[..., 3:, :], self.by_b[..., 3:, :] = 2 * Vb / L[:, None, None], 2 * aV / L[:, None, None]
        # A rotation t of a node about world axes changes its quaternion by (0, t/2) a.
        self.rotation_a, self.rotation_b = _quaternion_derivative(a), _quaternion_derivative(b)
        self.B = np.concatenate(
            [-self.by_d, self.by_a @ self.rotation_a, self.by_d, self.by_b @ self.rotation_b], axis=-1
        )

    def forces(self, strain: Array) -> Array:
        """Nodal forces L B^T D strain, (..., elements, 12), for strains at this configuration."""
        return np.asarray((self._stress(strain)[..., None, :] @ self.B)[..., 0, :])

    def _stress(self, strain: Array) -> Array:
        return strain * (self.elements.stiffness * self.elements.length[:, None])

    def energy(self) -> Array:
        """Elastic energy of each element [J]."""
        return np.asarray(0.5 * (self._stress(self.strain) * self.strain).sum(axis=-1))

    def material_stiffness(self, rows: Array | None = None) -> Array:
        """Material stiffness L B^T D B, (..., elements, 12, 12); L B^T D rows if `rows` are passed."""
        rows = self.B if rows is None else rows
        weighted = rows * (self.elements.stiffness * self.elements.length[:, None])[..., None]
        return np.asarray(np.swapaxes(self.B, -1, -2) @ weighted)

    def geometric_stiffness(self, strain: Array) -> Array:
        """Geometric stiffness: derivative of B^T at constant stress, (..., elements, 12, 12).

        It is not symmetric, because rotations about world axes do not commute.
        """
        s, l, n, L = self._stress(strain), self.l[..., None, None], self.n, self.elements.length
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
        A, B = self.rotation_a, self.rotation_b
        At, Bt = np.swapaxes(A, -1, -2), np.swapaxes(B, -1, -2)
        result = np.empty((*n.shape[:-1], 12, 12))
        result[..., :3, :3] = result[..., 6:9, 6:9] = dd
        result[..., :3, 6:9] = result[..., 6:9, :3] = -dd
        for columns, rotation in ((slice(3, 6), A), (slice(9, 12), B)):
            mixed = dc @ rotation
            result[..., :3, columns], result[..., 6:9, columns] = -mixed, mixed
            back = np.swapaxes(mixed, -1, -2)
            result[..., columns, :3], result[..., columns, 6:9] = -back, back
        result[..., 3:6, 9:12] = At @ ab @ B
        result[..., 9:12, 3:6] = Bt @ np.swapaxes(ab, -1, -2) @ A
        for start, by, rotation, quaternion in ((3, self.by_a, A, self.a), (9, self.by_b, B, self.b)):
            by_quaternion = np.einsum("...ij,...i->...j", by, s)
            moment = np.einsum("...ji,...j->...i", rotation, by_quaternion)
            own = np.swapaxes(rotation, -1, -2) @ cc @ rotation
            own -= 0.25 * (by_quaternion * quaternion).sum(axis=-1)[..., None, None] * one
            result[..., start : start + 3, start : start + 3] = own - 0.5 * skew(moment)
        return result


def strain_rate_derivative(elements: Elements, p: Array, Q: Array, V: Array) -> Array:
    """Derivative of the strain rate B V over u1, t1, u2, t2, (..., elements, 6, 12).

    V: twists of nodes (..., nodes, 6). B is differenced along V; a term for non-commuting rotations is added.
    """
    sides = []
    for e in (_DIFFERENCE, -_DIFFERENCE):
        sides.append(
            CorotationalBeams(elements, p + e * V[..., :3], product(exponential(e * V[..., 3:]), Q)).B
        )
    result = (sides[0] - sides[1]) / (2 * _DIFFERENCE)
    B = (sides[0] + sides[1]) / 2
    for end, start in ((0, 3), (1, 9)):
        omega_x = skew(V[..., elements.ends[:, end], 3:])
        result[..., start : start + 3] += B[..., start : start + 3] @ omega_x
    return np.asarray(result)


def _quaternion_derivative(a: Array) -> Array:
    """Derivative of the quaternion a with respect to a rotation about world axes, (..., 4, 3)."""
    e = np.concatenate([np.zeros((3, 1)), np.eye(3)], axis=1) / 2
    return np.swapaxes(np.asarray((product_matrix(e) @ a[..., None, :, None])[..., 0]), -1, -2)
