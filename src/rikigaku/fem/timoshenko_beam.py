"""Linear Timoshenko beam elements with one, possibly shifted, integration point, planar and spatial.

With node displacements u and rotations t the strains at s in [-1, 1] are

    stretch and shears  (u2 - u1)/l - t(s) x e,    t(s) = (1 - s)/2 t1 + (1 + s)/2 t2,
    twist and curvatures  (t2 - t1)/l,

and K = l B(s)^T D B(s). s = 0 is a plain element; with one point it does not lock, however thin it is. A
revolute joint at the start is s = +1, at the end s = -1, each with zero stiffness about the joint's axis: the
element then rotates with its other end and transmits no moment about the axis. All functions take arrays of
elements. Reference: Y. Toi, Shifted integration technique in one-dimensional plastic collapse analysis using
linear and cubic finite elements, Int. J. Numer. Methods Eng. 31 (1991).
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.fem.mesh_layout import Grid
from rikigaku.fem.quaternion_arrays import cross, of_matrix


def skew(x: Array) -> Array:
    """Matrix of the cross product, skew(x) y = x x y, (..., 3, 3)."""
    result = np.zeros((*x.shape, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    return result - np.swapaxes(result, -1, -2)


def triads(e: Array, axis: Array) -> Array:
    """Element axes e, t, n as columns (beams, 3, 3), for elements along unit vectors e (beams, 3).

    e along the element, n the component of the joint's axis perpendicular to e, t = n x e.
    """
    n = axis - (axis * e).sum(axis=-1, keepdims=True) * e
    parallel = np.linalg.norm(n, axis=-1) < 1e-6  # along its own joint's axis: any transverse direction
    other = np.eye(3)[np.argmin(np.abs(e[parallel]), axis=-1)]
    n[parallel] = other - (other * e[parallel]).sum(axis=-1, keepdims=True) * e[parallel]
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    return np.stack([e, cross(n, e), n], axis=-1)


def softened(stiffness: Array, length: Array) -> Array:
    """D (beams, 6) with the shear stiffness reduced to 1/(1/kGA + l^2/(12 EI)), residual bending flexibility.

    Nodal displacements of the linear element under nodal loads are then those of the exact solution.
    Order of D: EA, shear across and along the joint's axis, GJ, EI along and across.
    Reference: R. H. MacNeal, A simple quadrilateral shell element, Computers & Structures 8 (1978).
    """
    result = np.array(stiffness)
    result[:, 1:3] = 1 / (1 / stiffness[:, 1:3] + length[:, None] ** 2 / (12 * stiffness[:, [5, 4]]))
    return result


def released(moment: Array, axes: Array) -> Array:
    """Stiffness (3 x 3) of twist and curvatures with zero moment about the axes (3 x k, world)."""
    DA = moment @ axes
    return np.asarray(moment - DA @ np.linalg.pinv(axes.T @ DA) @ DA.T)


def strains(e: Array, length: Array, s: Array) -> Array:
    """B(s), (beams, 6, 12), world axes: stretch and shears, twist and curvatures of u1, t1, u2, t2."""
    inverse_length, e_x = np.eye(3) / length[:, None, None], skew(e)  # -t x e = e x t
    B = np.zeros((len(e), 6, 12))
    B[:, :3, :3], B[:, :3, 6:9] = -inverse_length, inverse_length
    B[:, :3, 3:6], B[:, :3, 9:] = ((1 + k * s)[:, None, None] / 2 * e_x for k in (-1, 1))
    B[:, 3:, 3:6], B[:, 3:, 9:] = -inverse_length, inverse_length
    return B


def beam_stiffness(e: Array, length: Array, force: Array, moment: Array, s: Array) -> Array:
    """K = l B(s)^T D B(s), (beams, 12, 12); D: force and moment (beams, 3, 3) in world axes."""
    B = strains(e, length, s)
    Bt = np.swapaxes(B, 1, 2)
    return np.asarray(
        length[:, None, None] * (Bt[..., :3] @ force @ B[:, :3] + Bt[..., 3:] @ moment @ B[:, 3:])
    )


@dataclass(frozen=True, eq=False)
class Elements:
    """Undeformed elements as arrays: end nodes (elements, 2), lengths, triads.

    triads: columns along the element, across it, and along the joint's axis.
    stiffness: D (elements, 6): EA, shear across and along the joint's axis, GJ, EI upright and flat.
    damping: time b of stress = D (strain + b strain rate), (elements,) [s].
    """

    ends: NDArray[np.intp]
    length: Array
    triads: Array
    stiffness: Array
    damping: Array

    @cached_property
    def quaternions(self) -> Array:
        """Quaternions of the triads, (elements, 4)."""
        return of_matrix(self.triads)


def beam_elements(
    grid: Grid,
    refined: bool,
    hinged: Collection[tuple[int, int]] = (),
    even: bool = False,
    damping: float = 0.0,
) -> Elements:
    """Elements of a grid.

    Args:
        refined: reduce the shear stiffness (`softened`), except beside joints modelled by integration points.
        hinged: (body, node) of those. even: unit stiffness, EA = kGA = 1, EI = GJ = l^2.
        damping: of links whose material has none [s].
    """
    ends = np.array([element[1:] for element in grid.elements], dtype=np.intp).reshape(-1, 2)
    beam = np.array([element[0] for element in grid.elements], dtype=np.intp)
    beams = grid.layout.beams
    body = np.array([b.body for b in beams], dtype=np.intp)[beam]
    along = grid.positions[ends[:, 1]] - grid.positions[ends[:, 0]]
    length = np.linalg.norm(along, axis=1)
    frames = triads(along / length[:, None], grid.R[body][:, :, 2])
    if even:
        square = length[:, None] ** 2
        stiffness = np.concatenate([np.ones((len(ends), 3)), np.repeat(square, 3, axis=1)], axis=1)
    else:
        by_beam = np.array([b.section.stiffness for b in beams]).reshape(-1, 6)
        stiffness = by_beam[beam][:, [0, 1, 2, 3, 5, 4]]
    if refined:
        plain = ~np.isin(ends, [node for _, node in hinged]).any(axis=1)
        stiffness[plain] = softened(stiffness[plain], length[plain])
    damping_times = [b.section.material.damping for b in beams]
    element_damping = np.array([damping if x is None else x for x in damping_times], dtype=np.float64)[beam]
    return Elements(ends, length, frames, stiffness, element_damping)
