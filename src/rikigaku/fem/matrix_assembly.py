"""Sparse stiffness, damping and mass matrices at one configuration, with joints as multipoint constraints.

Every node of every link has its own displacement and rotation; multipoint constraints relate them. All nodal
values are x = Z z, where z are the independent coordinates, among them those of the released joints, and Z is
the Jacobian T of `rikigaku.fem.mpc_kinematics` at the configuration. The matrices are Z^T A Z.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.fem.loop_phases import check_configuration
from rikigaku.fem.lumped_masses import MassRule, node_masses
from rikigaku.fem.mesh_layout import Grid, Layout, grid_at
from rikigaku.fem.mpc_kinematics import MeshKinematics
from rikigaku.fem.multipoint_constraints import Hinges, multipoint_constraints
from rikigaku.fem.timoshenko_beam import Elements, beam_elements, beam_stiffness, released
from rikigaku.model.mechanism import WORLD


@dataclass(frozen=True, eq=False, repr=False)
class Assembly:
    """K, C and M over the coordinates z, and Z with all nodal values x = Z z (u, t of each node, world axes).

    C contains material damping, alpha M, and viscous friction of the released joints. joint_rates: S with the
    joint displacements phi = S z; joint forces tau act as S^T tau. joints: the index in v of each row of S.
    springs: stiffness of those joints [N m/rad, N/m].
    """

    kinematics: MeshKinematics
    elements: Elements
    K: sparse.csr_array
    C: sparse.csr_array
    M: sparse.csr_array
    Z: sparse.csr_array
    springs: Array
    viscous: Array
    rotors: Array
    nodal_mass: sparse.csr_array  # over x, without rotors
    nodal_stiffness: sparse.csr_array  # over x, without springs
    alpha: float

    def __repr__(self) -> str:
        name, count = self.grid.layout.robot.name, len(self.grid.elements)
        return f"<Assembly of {name!r} at a configuration: {count} beams, {self.size} coordinates>"

    @property
    def grid(self) -> Grid:
        """The mesh at its configuration."""
        return self.kinematics.grid

    @property
    def joint_rates(self) -> sparse.csr_array:
        """Displacements of the released joints over z."""
        return self.kinematics.joint_rates.matrix

    @property
    def joints(self) -> tuple[int, ...]:
        """Index in v of each row of `joint_rates`."""
        return self.kinematics.joints

    @property
    def size(self) -> int:
        """Number of coordinates z."""
        return self.kinematics.size


def assemble_beams(
    layout: Layout,
    q: Array,
    *,
    elements_per_beam: int = 1,
    hinges: Hinges = "released",
    locked: Collection[int] = (),
    refined: bool = True,
    mass: MassRule = "consistent",
    damping: tuple[float, float] = (0.0, 0.0),
    joint_stiffness: dict[int, float] | None = None,
    even: bool = False,
) -> Assembly:
    """Stiffness, damping and mass of the mechanism at the configuration q.

    Args:
        elements_per_beam: number of elements each beam is divided into.
        hinges: "integration": by the shifted integration point; "released": by coordinates of their own.
        locked: indices in v of the joints that are held.
        damping: (alpha, beta): forces alpha M v; beta of links whose material has no damping [1/s, s].
        joint_stiffness: of elastic transmissions [N m/rad], by index in v; those joints are released.
        even: unit stiffness for all beams (EA = kGA = 1, EI = GJ = l^2), joints without springs and friction.
    Raises:
        CannotClose: if the configuration leaves a loop open.
    """
    check_configuration(layout.robot, q)
    bodies = {k: body for body in layout.mechanism.bodies for k in body.v}
    motor_stiffness = {} if even else joint_stiffness or {}
    joint_parameters = {
        k: np.zeros(3)
        if even
        else np.array([motor_stiffness.get(k, 0.0) + body.stiffness, body.viscous, body.rotor], float)
        for k, body in bodies.items()
    }
    # Springs, friction, rotors and gears act on a joint coordinate, so those joints are released.
    released_joints = {k for k in bodies if joint_parameters[k].any()}
    released_joints |= {k for gear in layout.mechanism.gears for k in (gear.joint[1], gear.reference[1])}
    kinematics = MeshKinematics(
        multipoint_constraints(grid_at(layout, q, elements_per_beam), hinges, locked, released_joints)
    )
    if not even:
        _check_flexible(layout, kinematics)
    grid, hinged = kinematics.grid, kinematics.constraints.hinged
    alpha, beta = damping
    elements = beam_elements(grid, refined, hinged, even, beta)
    Z = kinematics.jacobian.matrix(kinematics.jacobian.values(kinematics.node_poses(kinematics.undeformed)))
    nodal, blocks = node_masses(grid, mass), _stiffness(grid, elements, hinged)
    stiffness, damped_stiffness = (
        _assembled(grid, elements, blocks),
        _assembled(grid, elements, elements.damping[:, None, None] * blocks),
    )
    springs, viscous, rotors = np.array([joint_parameters[k] for k in kinematics.joints]).reshape(-1, 3).T
    S = kinematics.joint_rates.matrix
    K, C, M = (
        sparse.csr_array(Z.T @ A @ Z + S.T @ sparse.diags_array(x) @ S)
        for A, x in (
            (stiffness, springs),
            (damped_stiffness + alpha * nodal, viscous),
            (nodal, rotors),
        )
    )
    return Assembly(kinematics, elements, K, C, M, Z, springs, viscous, rotors, nodal, stiffness, alpha)


def _check_flexible(layout: Layout, kinematics: MeshKinematics) -> None:
    robot = layout.robot
    for link in robot.links:
        if link.section is not None and layout.mechanism.frames[link.name][0] == WORLD:
            raise WrongValue(
                f"Link {link.name!r} is fixed to the ground, which does not bend, and has a section. Give it "
                "a joint and hold that (actuated, or by locked=...), or take its section away."
            )
    if not kinematics.size:
        raise WrongValue(
            f"Nothing of robot {robot.name!r} is left to move: no link has a length, and all joints are held "
            "(locked='none' frees them)."
        )


def _stiffness(grid: Grid, elements: Elements, hinged: dict[tuple[int, int], Array]) -> Array:
    """Stiffness of each element over the values of its ends, (elements, 12, 12)."""
    Q, D = elements.triads, elements.stiffness
    Qt = np.swapaxes(Q, 1, 2)
    force, moment = (Q @ (x[..., None] * Qt) for x in (D[:, :3], D[:, 3:]))
    s = np.zeros(len(Q))
    for k, ((beam, *_), ends) in enumerate(zip(grid.elements, elements.ends.tolist(), strict=True)):
        for node, side in zip(ends[::-1], (-1.0, 1.0), strict=True):  # a joint at the start takes precedence
            if (axes := hinged.get((grid.layout.beams[beam].body, node))) is not None:
                s[k], moment[k] = side, released(moment[k], axes)
    return beam_stiffness(Q[:, :, 0], elements.length, force, moment, s)


def _assembled(grid: Grid, elements: Elements, blocks: Array) -> sparse.csr_array:
    """Sparse sum of element blocks over all nodal values."""
    indices = (6 * elements.ends[:, :, None] + np.arange(6)).reshape(-1, 12)
    rows, columns = np.repeat(indices, 12, axis=1).ravel(), np.tile(indices, 12).ravel()
    size = 6 * len(grid.positions)
    return sparse.csr_array((blocks.ravel(), (rows, columns)), shape=(size, size))
