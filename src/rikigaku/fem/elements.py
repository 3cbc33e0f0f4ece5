"""The linear Timoshenko beam with one integration point that may be shifted, in the plane and in space.

With node displacements u and rotations t the strains at s in [-1, 1] are

    stretch and shears  (u2 - u1)/l - t(s) x e,    t(s) = (1 - s)/2 t1 + (1 + s)/2 t2,
    twist and curvatures  (t2 - t1)/l,

and K = l B(s)^T D B(s). s = 0 is a plain beam (one point: it does not lock however thin it is). A hinge at
the start is s = +1, at the end s = -1, each with the stiffness about the hinge's axis taken away: the beam
then turns with its other end, and takes no moment about the axis. All functions take many beams at once.
Reference: Y. Toi, Shifted integration technique in one-dimensional plastic collapse analysis using linear and
cubic finite elements, Int. J. Numer. Methods Eng. 31 (1991).
"""

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.quaternions import cross

Array = NDArray[np.float64]


def skew(x: Array) -> Array:
    """[x x], (..., 3, 3)."""
    result = np.zeros((*x.shape, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    return result - np.swapaxes(result, -1, -2)


def triads(e: Array, axis: Array) -> Array:
    """Columns e, t, n of beams along unit vectors e (beams, 3), (beams, 3, 3).

    Along the beam, across it square to the joint's axis, and the part of that axis across.
    """
    n = axis - (axis * e).sum(axis=-1, keepdims=True) * e
    lost = np.linalg.norm(n, axis=-1) < 1e-6  # a beam along its own joint's axis: any direction across
    other = np.eye(3)[np.argmin(np.abs(e[lost]), axis=-1)]
    n[lost] = other - (other * e[lost]).sum(axis=-1, keepdims=True) * e[lost]
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    return np.stack([e, cross(n, e), n], axis=-1)


def softened(stiffness: Array, length: Array) -> Array:
    """D (beams, 6) with the shear stiffness softened to 1/kGA + l^2/(12 EI).

    It makes the nodal values of the linear beam those of the exact solution for loads at nodes (residual
    bending flexibility). Order of D: EA, shear across and along the joint's axis, GJ, EI along and across.
    Reference: R. H. MacNeal, A simple quadrilateral shell element, Computers & Structures 8 (1978).
    """
    result = np.array(stiffness)
    result[:, 1:3] = 1 / (1 / stiffness[:, 1:3] + length[:, None] ** 2 / (12 * stiffness[:, [5, 4]]))
    return result


def released(moment: Array, axes: Array) -> Array:
    """The stiffness (3 x 3) of twist and curvatures that takes no moment about the axes (3 x k, world)."""
    DA = moment @ axes
    return np.asarray(moment - DA @ np.linalg.pinv(axes.T @ DA) @ DA.T)


def strains(e: Array, length: Array, s: Array) -> Array:
    """B(s), (beams, 6, 12), world axes: stretch and shears, twist and curvatures from u1, t1, u2, t2."""
    each, turn = np.eye(3) / length[:, None, None], skew(e)  # -t x e = e x t
    B = np.zeros((len(e), 6, 12))
    B[:, :3, :3], B[:, :3, 6:9] = -each, each
    B[:, :3, 3:6], B[:, :3, 9:] = ((1 + k * s)[:, None, None] / 2 * turn for k in (-1, 1))
    B[:, 3:, 3:6], B[:, 3:, 9:] = -each, each
    return B


def beam_stiffness(e: Array, length: Array, force: Array, moment: Array, s: Array) -> Array:
    """K = l B(s)^T D B(s), (beams, 12, 12); D: force and moment (beams, 3, 3) in world axes."""
    B = strains(e, length, s)
    Bt = np.swapaxes(B, 1, 2)
    return np.asarray(
        length[:, None, None] * (Bt[..., :3] @ force @ B[:, :3] + Bt[..., 3:] @ moment @ B[:, 3:])
    )
