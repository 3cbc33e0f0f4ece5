"""Solution of the motion of a flexible mechanism: shapes, joint coordinates, energies."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName
from rikigaku.core.types import Array
from rikigaku.core.validation import place
from rikigaku.fem import mesh_plots
from rikigaku.fem.flexible_forces import Beams
from rikigaku.fem.mpc_jacobian import NodePoses
from rikigaku.fem.multipoint_constraints import State
from rikigaku.fem.quaternion_arrays import logarithm
from rikigaku.fem.static_deflection import Shape

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleSolution:
    """Times, shapes and their rates.

    q, v: joint positions and velocities (samples, nq), (samples, nv); torques: (samples, nv).
    """

    elastic: "Elastic"
    beams: Beams
    t: Array
    state: State
    rate: Array
    q: Array
    v: Array
    torques: Array

    @cached_property
    def node_poses(self) -> NodePoses:
        """Poses of all nodes: p [m] (samples, nodes, 3), and rotations since the undeformed configuration."""
        return self.beams.kinematics.node_poses(self.state)

    @property
    def nodes(self) -> Array:
        """World positions of all nodes, (samples, nodes, 3) [m]."""
        return self.node_poses.p[:, : self.beams.count]

    @checked
    def at(self, frame: str) -> Array:
        """World position of a frame, (samples, 3) [m]."""
        layout = self.elastic.layout
        if frame not in layout.frames:
            raise UnknownName("frame", frame, layout.frames, "the mesh")
        return np.asarray(self.nodes[:, layout.frames[frame]])

    @property
    def energy(self) -> Array:
        """Kinetic, elastic and potential energy, (samples, 3) [J]; potential is zero at the start.

        Kinetic energy includes the rotors, elastic energy the joint springs and elastic transmissions.
        """
        from rikigaku.fem.flexible_forces import JointForces

        energies = self.beams.energies(self.node_poses, self.rate)
        joints = JointForces(self.elastic, self.beams, 1.0)
        joint_speeds = joints.joint_rates.rates(self.rate)
        energies[:, 0] += 0.5 * (joints.rotors * joint_speeds**2).sum(axis=1)
        energies[:, 1] += joints.energy(self.state)
        return energies

    @checked
    def shape(self, sample: int = -1) -> Shape:
        """Deformed shape at one sample: displacements since the undeformed configuration."""
        sample = place("sample", sample, len(self.t))
        u = self.nodes[sample] - self.beams.assembly.grid.positions
        return Shape(self.beams.assembly, u, logarithm(self.node_poses.Q[sample, : self.beams.count]))

    plot = mesh_plots.plot_motion

    def animate(self, **options: Any) -> Any:
        """The motion in a notebook's cell; see `rikigaku.web.notebook`."""
        return import_module("rikigaku.web.notebook").flexible_animated(self, **options)

    def __repr__(self) -> str:
        name, count = self.elastic.layout.robot.name, len(self.beams.assembly.grid.elements)
        return (
            f"<Motion of elastic {name!r}, {count} beams, {len(self.t)} samples, {self.t[0]:g} to "
            f"{self.t[-1]:g} s>"
        )
