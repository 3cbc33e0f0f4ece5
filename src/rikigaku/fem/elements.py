"""The linear Timoshenko beam with one integration point that may be shifted, in the plane and in space.

With node displacements u and rotations t the strains at s in [-1, 1] are

    stretch and shears  (u2 - u1)/l - t(s) x e,    t(s) = (1 - s)/2 t1 + (1 + s)/2 t2,
    twist and curvatures  (t2 - t1)/l,

and K = l B(s)^T D B(s). s = 0 is a plain beam (one point: it does not lock however thin it is). A hinge at
the start is s = +1, at the end s = -1, each with the stiffness about the hinge's axis taken away: the beam
then turns with its other end, and takes no moment about the axis.
Reference: Y. Toi, Shifted integration technique in one-dimensional plastic collapse analysis using linear and
cubic finite elements, Int. J. Numer. Methods Eng. 31 (1991).
"""

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.section import Stiffness

Array = NDArray[np.float64]


def skew(x: Array) -> Array:
    """[x x]."""
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def triad(e: Array, axis: Array) -> Array:
    """Columns e, t, n: along the beam, across it square to the joint's axis, and the part of that axis."""
    n = axis - (axis @ e) * e
    if np.linalg.norm(n) < 1e-6:  # a beam along its own joint's axis: any direction across
        n = np.eye(3)[int(np.argmin(np.abs(e)))]
        n = n - (n @ e) * e
    n = n / np.linalg.norm(n)
    return np.stack([e, np.cross(n, e), n], axis=1)


def strains(e: Array, length: float, s: float = 0.0) -> Array:
    """B(s), 6 x 12, world axes: stretch and shears (3), twist and curvatures (3) from u1, t1, u2, t2."""
    I, turn = np.eye(3), skew(e)  # -t x e = e x t
    B = np.zeros((6, 12))
    B[:3, :3], B[:3, 6:9] = -I / length, I / length
    B[:3, 3:6], B[:3, 9:] = (1 - s) / 2 * turn, (1 + s) / 2 * turn
    B[3:, 3:6], B[3:, 9:] = -I / length, I / length
    return B


def rigidity(stiffness: Stiffness, Q: Array, length: float, refined: bool = True) -> tuple[Array, Array]:
    """D of stretch and shears, and of twist and curvatures, 3 x 3 in world axes; Q: the beam's triad.

    refined: the shear stiffness softened to 1/kGA + l^2/(12 EI). It makes the nodal values of the linear beam
    those of the exact solution for loads at nodes (residual bending flexibility).
    Reference: R. H. MacNeal, A simple quadrilateral shell element, Computers & Structures 8 (1978).
    """
    shear = np.array([stiffness.shear_flat, stiffness.shear_upright])
    bending = np.array([stiffness.EI_flat, stiffness.EI_upright])
    if refined:
        shear = 1 / (1 / shear + length**2 / (12 * bending))
    force = Q @ np.diag([stiffness.EA, *shear]) @ Q.T
    moment = Q @ np.diag([stiffness.GJ, bending[1], bending[0]]) @ Q.T
    return force, moment


def released(moment: Array, axes: Array) -> Array:
    """The stiffness of twist and curvatures that takes no moment about the axes (3 x k, world)."""
    if not axes.size:
        return moment
    DA = moment @ axes
    return np.asarray(moment - DA @ np.linalg.pinv(axes.T @ DA) @ DA.T)


def beam_stiffness(e: Array, length: float, force: Array, moment: Array, s: float = 0.0) -> Array:
    """K = l B(s)^T D B(s), 12 x 12."""
    B = strains(e, length, s)
    return np.asarray(length * (B[:3].T @ force @ B[:3] + B[3:].T @ moment @ B[3:]))
