"""Elastic analysis of a mesh: vibration, static deflection, motion and inverse dynamics of flexible links."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.validation import by_name, choice, flag, number, numbers, short, whole
from rikigaku.fem import flexible_inverse_dynamics, generalized_alpha
from rikigaku.fem.lumped_masses import MassRule
from rikigaku.fem.matrix_assembly import Assembly, assemble_beams
from rikigaku.fem.mesh_layout import Layout
from rikigaku.fem.multipoint_constraints import Hinges, coupled_by_gears
from rikigaku.fem.static_deflection import Shape, deflection, mobility
from rikigaku.fem.vibration import DampedVibrationModes, VibrationModes, damped_modes, modes
from rikigaku.model.states import as_position, velocity_indices

Locked = str | Sequence[str]


@dataclass(frozen=True, eq=False, repr=False)
class Elastic:
    """A mesh with its stiffness, damping and distributed mass.

    Args:
        elements: beam elements per link of two segments, an even number (2 in the paper).
        mass: mass distribution of the links: "consistent" (along the beams, mass matrix of linear shape
            functions), "lumped" (along the beams, at the nodes), "centre" (all at the centre of mass, as in
            the paper).
        damping: (alpha, beta) [1/s, s] of Rayleigh damping: forces alpha M v, and beta times the strain rate
            in links whose material has no damping of its own. Viscous joint friction acts as well.
        joint_stiffness: elasticity of the actuated joints' transmissions {joint: N m/rad or N/m}.
        hinges: "released" (each joint has a coordinate of its own), or "integration" (shifted integration
            point of the adjacent element, as in the paper; vibration and mobility only).
        refined: shear stiffness reduced so that nodal displacements under nodal loads equal those of the
            exact beam; False: plain linear elements.
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
                f"A link is divided into an even number of beams, 2 or more; {self.elements} was given."
            )
        choice("mass rule", self.mass, ("consistent", "lumped", "centre"))
        choice("kind of hinges", self.hinges, ("released", "integration"))
        flag("refined", self.refined)
        damping = numbers("Damping, (alpha, beta) [1/s, s],", self.damping, (2,))
        if (damping < 0).any():
            raise WrongValue(f"Damping is (alpha, beta), not negative; {self.damping} was given.")
        robot = self.layout.robot
        stiffnesses = by_name("Stiffnesses", self.joint_stiffness or {}, "joint_stiffness={joint: N m/rad}")
        for name, stiffness in stiffnesses.items():
            if name not in robot.v_slices:
                raise UnknownName("moving joint", name, robot.v_slices, f"robot {robot.name!r}")
            number(f"The stiffness of joint {name!r} [N m/rad]", stiffness, above=0)

    @checked
    def assembly(self, q: ArrayLike | None = None, locked: Locked = "none") -> Assembly:
        """Sparse stiffness K, damping C, mass M and multipoint constraints at a configuration.

        locked: "motors" (actuated joints held), "all", "none", or names of joints. A gear holds both of its
            joints if one is held.
        """
        return self._assembled(q, locked)

    def _assembled(self, q: ArrayLike | None, locked: Locked = "none", even: bool = False) -> Assembly:
        robot, gears = self.layout.robot, self.layout.mechanism.gears
        springs = {
            k: float(x)
            for name, x in (self.joint_stiffness or {}).items()
            for k in velocity_indices(robot, [name])
        }
        held = coupled_by_gears(self._locked(locked), gears) - coupled_by_gears(springs, gears)
        return assemble_beams(
            self.layout,
            as_position(robot, q),
            elements_per_beam=self.elements // 2,
            hinges=self.hinges,
            locked=held,
            refined=self.refined,
            mass=self.mass,
            damping=self.damping,
            joint_stiffness=springs,
            even=even,
        )

    def _locked(self, locked: Locked) -> tuple[int, ...]:
        robot = self.layout.robot
        names = [joint.name for joint in robot.joints]
        locked = locked if isinstance(locked, str) or not isinstance(locked, Iterable) else list(locked)
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
        return velocity_indices(robot, chosen)

    @checked
    def mobility(self, q: ArrayLike | None = None) -> int:
        """Mobility of the mechanism: dimension of the null space of its stiffness with all joints free."""
        return mobility(self._assembled(q, even=True))

    @checked
    def modes(self, q: ArrayLike | None = None, count: int = 6, locked: Locked = "motors") -> VibrationModes:
        """Natural frequencies [Hz] and vibration modes at a configuration q (the neutral one by default).

        count: number of vibration modes, lowest frequency first. locked: joints that are held, as in
        `assembly`.
        """
        return modes(self.assembly(q, locked), count)

    @checked
    def damped_modes(
        self, q: ArrayLike | None = None, count: int = 6, locked: Locked = "motors"
    ) -> DampedVibrationModes:
        """Eigenvalues, frequencies and damping ratios of damped vibration; see `DampedVibrationModes`."""
        return damped_modes(self.assembly(q, locked), count)

    @checked
    def deflection(
        self,
        q: ArrayLike | None = None,
        loads: Mapping[str, ArrayLike] | None = None,
        gravity: ArrayLike | None = None,
        locked: Locked = "motors",
    ) -> Shape:
        """Static deflection under weight and loads, for small displacements: K z = f.

        Args:
            q: the configuration, the neutral one by default.
            loads: {frame: force (3) or wrench (6)} [N, N m], world axes.
            gravity: gravitational acceleration [m/s^2], the robot's own by default; (0, 0, 0) for none.
            locked: joints that are held, as in `assembly`.
        """
        return deflection(self.assembly(q, locked), loads, gravity)

    simulate = generalized_alpha.simulate
    inverse_dynamics = flexible_inverse_dynamics.inverse_dynamics

    def __repr__(self) -> str:
        layout = self.layout
        count, plane = len(layout.beams) * (self.elements // 2), "in a plane" if layout.planar else "in space"
        alpha, beta = self.damping
        return (
            f"<Elastic mesh of {layout.robot.name!r}, {plane}: {count} beams, {self.mass} mass, "
            f"damping ({alpha:g}, {beta:g})>"
        )
