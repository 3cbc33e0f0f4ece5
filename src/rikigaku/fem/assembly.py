"""Stiffness and mass of the whole mechanism in one posture, assembled sparse, with joints as ties.

Every node of every link has displacements and rotations of its own; ties say which of them are one. All nodal
values are x = Z z: z holds the values that are free, among them the turning of every released joint. Z is the
matrix T of `rikigaku.fem.joined` in the posture.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.fem.elements import beam_stiffness, released, rigidity, triad
from rikigaku.fem.grid import Grid, grid
from rikigaku.fem.joined import Joined
from rikigaku.fem.layout import Layout
from rikigaku.fem.masses import MassRule, node_masses
from rikigaku.fem.openness import check_posture
from rikigaku.fem.ties import Hinges, tied
from rikigaku.model.section import Stiffness

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Assembly:
    """K and M over the free values z, and Z with all nodal values x = Z z (u, t of each node, world axes).

    turning: how far each released joint turns, phi = turning @ z; forces tau in them act as turning.T @ tau.
    joints: the coordinate of v of each row of turning. springs: of those joints [N m/rad, N/m].
    """

    joined: Joined
    K: sparse.csr_array
    M: sparse.csr_array
    Z: sparse.csr_array
    springs: Array
    rotors: Array
    nodal_mass: sparse.csr_array  # of x, rotors left out
    refined: bool

    @property
    def grid(self) -> Grid:
        """The mesh in its posture."""
        return self.joined.grid

    @property
    def turning(self) -> sparse.csr_array:
        """Released joints over z."""
        return self.joined.turning

    @property
    def joints(self) -> tuple[int, ...]:
        """Place in v of each row of turning."""
        return self.joined.joints

    @property
    def size(self) -> int:
        """Number of free values."""
        return self.joined.size


def assemble_beams(
    layout: Layout,
    q: Array,
    *,
    pieces: int = 1,
    hinges: Hinges = "released",
    locked: Collection[int] = (),
    refined: bool = True,
    mass: MassRule = "consistent",
    joint_stiffness: dict[int, float] | None = None,
    even: bool = False,
) -> Assembly:
    """Stiffness and mass of the mechanism in the posture q.

    Args:
        pieces: beams each segment is cut into.
        hinges: "integration": by the shifted integration point; "released": by rotations of their own.
        locked: coordinates of v whose joints are held.
        joint_stiffness: of the drives [N m/rad], by coordinate of v; those joints are released.
        even: all beams as stiff as long (EA = kGA = 1, EI = GJ = l^2), joints without springs and rotors.
    Raises:
        CannotClose: if the posture leaves a loop open.
    """
    check_posture(layout.robot, q)
    bodies = {k: body for body in layout.mechanism.bodies for k in body.v}
    drives = {} if even else joint_stiffness or {}
    springs = {k: 0.0 if even else drives.get(k, 0.0) + float(body.stiffness) for k, body in bodies.items()}
    rotors = {k: 0.0 if even else float(body.rotor) for k, body in bodies.items()}
    kept = {k for k in bodies if springs[k] or rotors[k]}  # what acts in a turn needs its number, gears too
    kept |= {k for gear in layout.mechanism.gears for k in (gear.joint[1], gear.reference[1])}
    joined = Joined(tied(grid(layout, q, pieces), hinges, locked, kept))
    net = joined.grid
    Z = joined.rows.matrix(joined.rows.values(joined.placed(joined.start)))
    nodal = node_masses(net, mass)
    stiff, heavy = (np.array([x[k] for k in joined.joints], dtype=np.float64) for x in (springs, rotors))
    S = joined.turning
    K, M = Z.T @ _stiffness(net, joined.ties.hinged, refined, even) @ Z, Z.T @ nodal @ Z
    K, M = (A + S.T @ sparse.diags_array(x) @ S for A, x in ((K, stiff), (M, heavy)))
    return Assembly(
        joined,
        sparse.csr_array(K),
        sparse.csr_array(M),
        Z,
        stiff,
        heavy,
        nodal,
        refined,
    )


def _stiffness(
    net: Grid, hinged: dict[tuple[int, int], Array], refined: bool, even: bool
) -> sparse.csr_array:
    rows, columns, values = [], [], []
    for k, i, j in net.pieces:
        beam = net.layout.beams[k]
        along = net.places[j] - net.places[i]
        length = float(np.linalg.norm(along))
        e = along / length
        axes = [hinged.get((beam.body, node), np.zeros((3, 0))) for node in (i, j)]
        s = 1.0 if axes[0].size else -1.0 if axes[1].size else 0.0
        Q = triad(e, net.R[beam.body][:, 2])
        stiffness = Stiffness(1, 1, 1, *3 * (length**2,)) if even else beam.section.stiffness
        force, moment = rigidity(stiffness, Q, length, refined and s == 0)
        for free in axes:
            moment = released(moment, free)
        block = beam_stiffness(e, length, force, moment, s)
        places = np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        rows.append(np.repeat(places, 12))
        columns.append(np.tile(places, 12))
        values.append(block.ravel())
    size = 6 * len(net.places)
    if not rows:
        return sparse.csr_array((size, size))
    return sparse.csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(size, size)
    )
