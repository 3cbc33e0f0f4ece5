"""The pieces beams are cut into, as arrays: what small vibrations and large motions know of each."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.elements import softened, triads
from rikigaku.fem.grid import Grid
from rikigaku.fem.quaternions import of_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """In the unbent posture: ends (pieces, 2) nodes, lengths, triads (columns along, across, joint's axis).

    stiffness: D (pieces, 6): EA, shear across and along the joint's axis, GJ, EI upright and flat.
    damping: time by which stress lags, stress = D (strain + damping times its rate), (pieces,) [s].
    """

    ends: NDArray[np.intp]
    length: Array
    triads: Array
    stiffness: Array
    damping: Array

    @cached_property
    def quaternions(self) -> Array:
        """Of the triads, (pieces, 4)."""
        return of_matrix(self.triads)


def pieces_of(
    net: Grid,
    refined: bool,
    hinged: Collection[tuple[int, int]] = (),
    even: bool = False,
    damping: float = 0.0,
) -> Pieces:
    """Of a grid.

    Args:
        refined: shear softened (`rikigaku.fem.elements.softened`), but beside hinges by integration points.
        hinged: (body, node) of those. even: all as stiff as long, EA = kGA = 1, EI = GJ = l^2.
        damping: of links whose material says nothing [s].
    """
    ends = np.array([piece[1:] for piece in net.pieces], dtype=np.intp).reshape(-1, 2)
    beam = np.array([piece[0] for piece in net.pieces], dtype=np.intp)
    beams = net.layout.beams
    body = np.array([one.body for one in beams], dtype=np.intp)[beam]
    along = net.places[ends[:, 1]] - net.places[ends[:, 0]]
    length = np.linalg.norm(along, axis=1)
    frames = triads(along / length[:, None], net.R[body][:, :, 2])
    if even:
        square = length[:, None] ** 2
        stiffness = np.concatenate([np.ones((len(ends), 3)), np.repeat(square, 3, axis=1)], axis=1)
    else:
        by_beam = np.array([one.section.stiffness for one in beams]).reshape(-1, 6)
        stiffness = by_beam[beam][:, [0, 1, 2, 3, 5, 4]]
    if refined:
        plain = ~np.isin(ends, [node for _, node in hinged]).any(axis=1)
        stiffness[plain] = softened(stiffness[plain], length[plain])
    lags = [one.section.material.damping for one in beams]
    lag = np.array([damping if x is None else x for x in lags], dtype=np.float64)[beam]
    return Pieces(ends, length, frames, stiffness, lag)
