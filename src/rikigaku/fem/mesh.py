"""The mesh of a robot: `robot.fem()`."""

from collections.abc import Mapping

from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.validation import by_name, flag, number, numbers
from rikigaku.fem.body_kinematics import body_motion
from rikigaku.fem.elastic import Elastic
from rikigaku.fem.load_sharing import SharingRule
from rikigaku.fem.loop_phases import Phases
from rikigaku.fem.lumped_masses import MassRule
from rikigaku.fem.mesh_generation import layout
from rikigaku.fem.mesh_layout import Layout
from rikigaku.fem.motion_targets import target_motion
from rikigaku.fem.multipoint_constraints import Hinges
from rikigaku.fem.nodal_forces import Matrices, matrices, nodal_forces
from rikigaku.fem.rigid_inverse_dynamics import Method, Result, inverse_dynamics
from rikigaku.fem.sampled_motion import Motion, Target
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position


class Mesh:
    """Automatic beam mesh of a robot: inverse dynamics with rigid links, and `.elastic()` for flexible ones.

    Args:
        masses: extra point masses [kg] at loops, frames or joints, by name.
        spatial: whether the beams of a planar robot bend out of its plane, too.
    """

    def __init__(
        self, robot: RobotModel, masses: Mapping[str, float] | None = None, spatial: bool = False
    ) -> None:
        by_place = by_name("Masses", masses or {}, "masses={loop, frame or joint: kg}")
        kilograms = {name: number(f"The mass at {name!r} [kg]", m, least=0) for name, m in by_place.items()}
        self.layout: Layout = layout(robot, kilograms, flag("spatial", spatial))

    @property
    def robot(self) -> RobotModel:
        """The robot of the mesh."""
        return self.layout.robot

    @checked
    def motion(
        self, target: Target, t: ArrayLike | None = None, *, samples: int = 201, near: ArrayLike | None = None
    ) -> Motion:
        """Motion of all joints that satisfies a target; see `rikigaku.fem.motion_targets.target_motion`."""
        return target_motion(self.robot, target, t, samples=samples, near=near)

    @checked
    def inverse_dynamics(
        self,
        target: Target,
        t: ArrayLike | None = None,
        *,
        sharing: SharingRule = None,
        phases: Phases | None = None,
        method: Method = "exact",
        wrenches: Mapping[str, ArrayLike] | None = None,
        friction: bool = True,
        gravity: ArrayLike | None = None,
        samples: int = 201,
        near: ArrayLike | None = None,
    ) -> Result:
        """Torques of all joints for a target motion of the rigid mechanism, open or closed.

        Args:
            target, t, samples, near: the motion; see `motion`.
            sharing: load sharing of a redundantly actuated closed mechanism: the part of the mass at the cut
                node that the start link carries (0.8 is 4:1), a function of time, "least_norm",
                Weighted({joint: weight}), Ratio({loop: part}).
            phases: when loops are closed, if not always.
            method: "exact", f = M (a - g) with the target's acceleration; for planar mechanisms also
                "newmark", equation (3) of the paper with the target's v and a in each step, and "recursive",
                the same with its own v and a (marginally unstable).
            wrenches: {frame: (6,) or (samples, 6)} on the robot at a frame's origin, world axes.
            friction: False leaves out joint friction, and joint springs too (as in all laws).
            gravity: gravitational acceleration [m/s^2], the robot's own by default.
        Raises:
            WrongValue: if the actuation is redundant and no sharing rule is passed.
            NoValue: if the motion needs a force at a passive joint.
            CannotClose: if the motion leaves the workspace, or a loop open.
        """
        motion = self.motion(target, t, samples=samples, near=near)
        return inverse_dynamics(
            self.layout,
            motion,
            sharing=sharing,
            phases=phases,
            method=method,
            wrenches=wrenches,
            friction=friction,
            gravity=gravity,
        )

    @checked
    def elastic(
        self,
        elements: int = Elastic.elements,
        mass: MassRule = Elastic.mass,
        damping: tuple[float, float] = Elastic.damping,
        joint_stiffness: Mapping[str, float] | None = None,
        hinges: Hinges = Elastic.hinges,
        refined: bool = Elastic.refined,
    ) -> Elastic:
        """The mesh with its stiffness: vibration, deflection, motion and inverse dynamics; see `Elastic`."""
        return Elastic(self.layout, elements, mass, damping, joint_stiffness, hinges, refined)

    def mobility(self, q: ArrayLike | None = None) -> int:
        """Mobility at q: nullity of the stiffness of the paper's mesh (shifted integration points)."""
        return Elastic(self.layout, elements=2, hinges="integration").mobility(q)

    def matrices(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Matrices:
        """[L], [T] and {P} of one state, loops open, extra masses left out: tau = L @ (T @ P)."""
        nv, what = self.robot.nv, f"of robot {self.robot.name!r}"
        state = body_motion(
            self.layout.bodies,
            as_position(self.robot, q)[None],
            numbers(f"v {what}", v, (nv,))[None],
            numbers(f"a {what}", a, (nv,))[None],
        )
        return matrices(state, nodal_forces(state))

    def __repr__(self) -> str:
        plane = "in a plane" if self.layout.planar else "in space"
        sizes = {"node": self.layout.nodes, "beam": self.layout.beams, "loop": self.layout.ends}
        counts = ", ".join(f"{len(x)} {name}{'s' * (len(x) != 1)}" for name, x in sizes.items())
        return f"<Mesh of {self.robot.name!r}, {plane}: {counts}>"


@checked
def fem(robot: RobotModel, masses: Mapping[str, float] | None = None, *, spatial: bool = False) -> Mesh:
    """Finite-element mesh of the robot, for rigid and elastic analysis; see `rikigaku.fem.Mesh`.

    masses: extra point masses [kg] at loops, frames or joints, by name.
    spatial: whether the beams of a planar robot bend out of its plane, too.
    """
    return Mesh(robot, masses, spatial)
