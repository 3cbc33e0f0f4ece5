"""Stiffness, damping and mass of the whole mechanism in one posture, assembled sparse, joints as ties.

Every node of every link has displacements and rotations of its own; ties say which of them are one. All nodal
values are x = Z z: z holds the values that are free, among them the turning of every released joint. Z is the
matrix T of `rikigaku.fem.joined` in the posture.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.elements import beam_stiffness, released
from rikigaku.fem.grid import Grid, grid
from rikigaku.fem.joined import Joined
from rikigaku.fem.layout import Layout
from rikigaku.fem.masses import MassRule, node_masses
from rikigaku.fem.openness import check_posture
from rikigaku.fem.pieces import Pieces, pieces_of
from rikigaku.fem.ties import Hinges, tied
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Assembly:
    """K, C and M over the free values z, and Z with all nodal values x = Z z (u, t of each node, world axes).

    C is of what lags in the material, alpha M, and viscous friction of the joints that are free to turn.
    turning: how far each released joint turns, phi = turning @ z; forces tau in them act as turning.T @ tau.
    joints: the coordinate of v of each row of turning. springs: of those joints [N m/rad, N/m].
    """

    joined: Joined
    pieces: Pieces
    K: sparse.csr_array
    C: sparse.csr_array
    M: sparse.csr_array
    Z: sparse.csr_array
    springs: Array
    viscous: Array
    rotors: Array
    nodal_mass: sparse.csr_array  # of x, rotors left out
    nodal_stiffness: sparse.csr_array  # of x, springs left out
    alpha: float

    def __repr__(self) -> str:
        name, count = self.grid.layout.robot.name, len(self.grid.pieces)
        return f"<Assembly of {name!r} in a posture: {count} beams, {self.size} free values>"

    @property
    def grid(self) -> Grid:
        """The mesh in its posture."""
        return self.joined.grid

    @property
    def turning(self) -> sparse.csr_array:
        """Released joints over z."""
        return self.joined.turning.matrix

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
    damping: tuple[float, float] = (0.0, 0.0),
    joint_stiffness: dict[int, float] | None = None,
    even: bool = False,
) -> Assembly:
    """Stiffness, damping and mass of the mechanism in the posture q.

    Args:
        pieces: beams each segment is cut into.
        hinges: "integration": by the shifted integration point; "released": by rotations of their own.
        locked: coordinates of v whose joints are held.
        damping: (alpha, beta): forces alpha M v; beta of links whose material has no damping [1/s, s].
        joint_stiffness: of the drives [N m/rad], by coordinate of v; those joints are released.
        even: all beams as stiff as long (EA = kGA = 1, EI = GJ = l^2), joints without drives and friction.
    Raises:
        CannotClose: if the posture leaves a loop open.
    """
    check_posture(layout.robot, q)
    bodies = {k: body for body in layout.mechanism.bodies for k in body.v}
    given = {} if even else joint_stiffness or {}
    drives = {
        k: np.zeros(3)
        if even
        else np.array([given.get(k, 0.0) + body.stiffness, body.viscous, body.rotor], float)
        for k, body in bodies.items()
    }
    kept = {k for k in bodies if drives[k].any()}  # what acts in a turn needs its number, gears too
    kept |= {k for gear in layout.mechanism.gears for k in (gear.joint[1], gear.reference[1])}
    joined = Joined(tied(grid(layout, q, pieces), hinges, locked, kept))
    if not even:
        _check_bends(layout, joined)
    net, hinged = joined.grid, joined.ties.hinged
    alpha, beta = damping
    made = pieces_of(net, refined, hinged, even, beta)
    Z = joined.rows.matrix(joined.rows.values(joined.placed(joined.start)))
    nodal, stiff = node_masses(net, mass), _stiffness(net, made, hinged)
    whole, lag = _summed(net, made, stiff), _summed(net, made, made.damping[:, None, None] * stiff)
    springs, viscous, rotors = np.array([drives[k] for k in joined.joints]).reshape(-1, 3).T
    S = joined.turning.matrix
    K, C, M = (
        sparse.csr_array(Z.T @ A @ Z + S.T @ sparse.diags_array(x) @ S)
        for A, x in (
            (whole, springs),
            (lag + alpha * nodal, viscous),
            (nodal, rotors),
        )
    )
    return Assembly(joined, made, K, C, M, Z, springs, viscous, rotors, nodal, whole, alpha)


def _check_bends(layout: Layout, joined: Joined) -> None:
    robot = layout.robot
    for link in robot.links:
        if link.section is not None and layout.mechanism.frames[link.name][0] == WORLD:
            raise WrongValue(
                f"Link {link.name!r} is fixed to the ground, which does not bend, and has a section. Give it "
                "a joint and hold that (actuated, or by locked=...), or take its section away."
            )
    if not joined.size:
        raise WrongValue(
            f"Nothing of robot {robot.name!r} is left to move: no link has a length, and all joints are held "
            "(locked='none' frees them)."
        )


def _stiffness(net: Grid, pieces: Pieces, hinged: dict[tuple[int, int], Array]) -> Array:
    """Of each piece over its ends' values, (pieces, 12, 12)."""
    Q, D = pieces.triads, pieces.stiffness
    Qt = np.swapaxes(Q, 1, 2)
    force, moment = (Q @ (x[..., None] * Qt) for x in (D[:, :3], D[:, 3:]))
    s = np.zeros(len(Q))
    for k, ((beam, *_), ends) in enumerate(zip(net.pieces, pieces.ends.tolist(), strict=True)):
        for node, side in zip(ends[::-1], (-1.0, 1.0), strict=True):  # a hinge at the start goes first
            if (axes := hinged.get((net.layout.beams[beam].body, node))) is not None:
                s[k], moment[k] = side, released(moment[k], axes)
    return beam_stiffness(Q[:, :, 0], pieces.length, force, moment, s)


def _summed(net: Grid, pieces: Pieces, blocks: Array) -> sparse.csr_array:
    """Blocks of pieces over all nodal values."""
    places = (6 * pieces.ends[:, :, None] + np.arange(6)).reshape(-1, 12)
    rows, columns = np.repeat(places, 12, axis=1).ravel(), np.tile(places, 12).ravel()
    size = 6 * len(net.places)
    return sparse.csr_array((blocks.ravel(), (rows, columns)), shape=(size, size))
