"""A motion of a flexible mechanism that was computed, and what it means."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName
from rikigaku.fem import pictures
from rikigaku.fem.beams import Beams
from rikigaku.fem.coordinates import State
from rikigaku.fem.linear import Shape
from rikigaku.fem.quaternions import logarithm
from rikigaku.fem.rows import Placed
from rikigaku.given import place

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Simulated:
    """Times, shapes and their rates.

    q, v: of the joints, as their hinges turn (samples, nq), (samples, nv); torques: (samples, nv).
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
    def placed(self) -> Placed:
        """All nodes: p [m] (samples, nodes, 3), and their rotations since the undeformed posture, Q and R."""
        return self.beams.joined.placed(self.state)

    @property
    def nodes(self) -> Array:
        """Places of all nodes in the world, (samples, nodes, 3) [m]."""
        return self.placed.p[:, : self.beams.count]

    def at(self, frame: str) -> Array:
        """Path of a frame in the world, (samples, 3)."""
        layout = self.elastic.layout
        if frame not in layout.frames:
            raise UnknownName("frame", frame, layout.frames, "the mesh")
        return np.asarray(self.nodes[:, layout.frames[frame]])

    @property
    def energy(self) -> Array:
        """Kinetic, elastic and potential energy, (samples, 3) [J]; potential is zero where it began.

        Rotors are in the kinetic energy, springs and drives that give in the elastic one.
        """
        from rikigaku.fem.joint_forces import JointForces

        energies = self.beams.energies(self.placed, self.rate)
        joints = JointForces(self.elastic, self.beams, 1.0)
        spin = joints.turning.rates(self.rate)
        energies[:, 0] += 0.5 * (joints.rotors * spin**2).sum(axis=1)
        energies[:, 1] += joints.energy(self.state)
        return energies

    def shape(self, sample: int = -1) -> Shape:
        """The deformed mechanism at one sample, to be drawn: displacements since the undeformed posture."""
        sample = place("sample", sample, len(self.t))
        u = self.nodes[sample] - self.beams.assembly.grid.places
        return Shape(self.beams.assembly, u, logarithm(self.placed.Q[sample, : self.beams.count]))

    plot = pictures.plot_motion

    def __repr__(self) -> str:
        name, count = self.elastic.layout.robot.name, len(self.beams.assembly.grid.pieces)
        return (
            f"<Motion of elastic {name!r}, {count} beams, {len(self.t)} samples, {self.t[0]:g} to "
            f"{self.t[-1]:g} s>"
        )
