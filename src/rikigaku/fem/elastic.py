"""Elastic links: `mesh.elastic()` keeps stiffness and damping: vibration, deflection, motion, torques."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.fem import flexible, simulate
from rikigaku.fem.assembly import Assembly, assemble_beams
from rikigaku.fem.coordinates import geared
from rikigaku.fem.damped import DampedModes, damped_modes
from rikigaku.fem.layout import Layout
from rikigaku.fem.linear import Modes, Shape, deflection, mobility, modes
from rikigaku.fem.masses import MassRule
from rikigaku.fem.ties import Hinges
from rikigaku.given import by_name, flag, names_its_options, number, numbers, short, whole, word
from rikigaku.states import as_position

Array = NDArray[np.float64]
Locked = str | Sequence[str]


@dataclass(frozen=True, eq=False, repr=False)
class Elastic:
    """A mesh with its stiffness.

    Args:
        elements: beams a link of two segments is cut into, an even number (2: the paper's).
        mass: where links have their mass: "consistent" (along beams, with the matrix of linear beams),
            "lumped" (along beams, at nodes), "centre" (all of it at the centre of mass, as in the paper).
        damping: (alpha, beta) [1/s, s]: forces alpha M v, and beta times the rate of bending in links whose
            material has no damping of its own. Viscous friction of joints acts as well.
        joint_stiffness: of drives {joint: N m/rad or N/m}; those joints give under load.
        hinges: "released" (joints turn by coordinates of their own), or by the "integration" point of the
            beam beside them, as in the paper (small vibrations and mobility only).
        refined: shear softened so that loads at nodes displace nodes as those of the exact beam; False: plain
            linear beams.
    """

    layout: Layout
    elements: int = 8
    mass: MassRule = "consistent"
    damping: tuple[float, float] = (0.0, 0.0)
    joint_stiffness: Mapping[str, float] | None = None
    hinges: Hinges = "released"
    refined: bool = True

    def __post_init__(self) -> None:
        if whole("elements, an even number of beams a link,", self.elements, 2) % 2:
            raise WrongValue(
                f"A link is cut into an even number of beams, 2 or more; {self.elements} was given."
            )
        word("mass rule", self.mass, ("consistent", "lumped", "centre"))
        word("kind of hinges", self.hinges, ("released", "integration"))
        flag("refined", self.refined)
        damping = numbers("Damping, (alpha, beta) [1/s, s],", self.damping, (2,))
        if (damping < 0).any():
            raise WrongValue(f"Damping is (alpha, beta), not negative; {self.damping} was given.")
        robot = self.layout.robot
        given = by_name("Stiffnesses", self.joint_stiffness or {}, "joint_stiffness={joint: N m/rad}")
        for name, stiffness in given.items():
            if name not in robot.v_slices:
                raise UnknownName("moving joint", name, robot.v_slices, f"robot {robot.name!r}")
            # joints that do not give are locked
            number(f"The stiffness of joint {name!r} [N m/rad]", stiffness, above=0)

    @names_its_options
    def assembly(self, q: Any = None, locked: Locked = "none") -> Assembly:
        """Stiffness K, damping C, mass M and ties in a posture, sparse.

        locked: "motors" (driven joints held), "all", "none", or names of joints. A gear holds both of its
            joints if one is held.
        """
        return self._assembled(q, locked)

    def _assembled(self, q: Any, locked: Locked = "none", even: bool = False) -> Assembly:
        robot, gears = self.layout.robot, self.layout.mechanism.gears
        springs = {
            k: float(x)
            for name, x in (self.joint_stiffness or {}).items()
            for k in range(*robot.v_slices[name].indices(robot.nv))
        }
        held = geared(self._locked(locked), gears) - geared(springs, gears)
        return assemble_beams(
            self.layout,
            as_position(robot, q),
            pieces=self.elements // 2,
            hinges=self.hinges,
            locked=held,
            refined=self.refined,
            mass=self.mass,
            damping=self.damping,
            joint_stiffness=springs,
            even=even,
        )

    def _locked(self, locked: Locked) -> list[int]:
        robot = self.layout.robot
        names = [joint.name for joint in robot.joints]
        if locked == "none":
            chosen: list[str] = []
        elif locked == "all":
            chosen = names
        elif locked == "motors":
            chosen = [joint.name for joint in robot.joints if joint.actuated]
        elif isinstance(locked, str):
            chosen = [locked]
        elif isinstance(locked, Iterable):
            chosen = list(locked)
        else:
            raise WrongValue(
                f"locked is 'motors', 'all', 'none', or names of joints; {short(locked)} was given."
            )
        for name in chosen:
            if name not in names:
                raise UnknownName("moving joint", name, names, f"robot {robot.name!r}")
        return [k for name in chosen for k in range(*robot.v_slices[name].indices(robot.nv))]

    @names_its_options
    def mobility(self, q: Any = None) -> int:
        """Ways the mechanism moves without bending: the null space of its stiffness, joints free."""
        return mobility(self._assembled(q, even=True))

    @names_its_options
    def modes(self, q: Any = None, count: int = 6, locked: Locked = "motors") -> Modes:
        """Natural frequencies [Hz] and shapes in a posture q (the neutral one if left out).

        count: how many, the slowest first. locked: joints that are held, as in `assembly`.
        """
        return modes(self.assembly(q, locked), count)

    @names_its_options
    def damped_modes(self, q: Any = None, count: int = 6, locked: Locked = "motors") -> DampedModes:
        """Rates, frequencies and damping ratios of vibrations that die away; see `DampedModes`."""
        return damped_modes(self.assembly(q, locked), count)

    @names_its_options
    def deflection(
        self,
        q: Any = None,
        loads: Mapping[str, Any] | None = None,
        gravity: Any = None,
        locked: Locked = "motors",
    ) -> Shape:
        """How far the links bend under their weight and loads, for small bending.

        Args:
            q: the posture, the neutral one if left out.
            loads: {frame: force (3) or wrench (6)} [N, N m], world axes.
            gravity: acceleration of free fall [m/s^2], the robot's own if left out; (0, 0, 0) for none.
            locked: joints that are held, as in `assembly`.
        """
        return deflection(self.assembly(q, locked), loads, gravity)

    simulate = simulate.simulate
    inverse_dynamics = flexible.inverse_dynamics

    def __repr__(self) -> str:
        layout = self.layout
        count, plane = len(layout.beams) * (self.elements // 2), "in a plane" if layout.planar else "in space"
        alpha, beta = self.damping
        return (
            f"<Elastic mesh of {layout.robot.name!r}, {plane}: {count} beams, {self.mass} mass, "
            f"damping ({alpha:g}, {beta:g})>"
        )
