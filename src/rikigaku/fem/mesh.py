"""A robot as an assembly of beams: `robot.fem()`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.elastic import Elastic
from rikigaku.fem.inverse_dynamics import Method, inverse_dynamics
from rikigaku.fem.kinematics import moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.masses import MassRule
from rikigaku.fem.meshing import layout
from rikigaku.fem.motion import Motion
from rikigaku.fem.phases import Phases
from rikigaku.fem.result import Result
from rikigaku.fem.targets import target_motion
from rikigaku.fem.ties import Hinges
from rikigaku.fem.torques import Matrices, matrices, nodal_forces
from rikigaku.given import by_name, names_its_options, number, numbers
from rikigaku.model.robot import Robot
from rikigaku.states import as_position

Array = NDArray[np.float64]


class Mesh:
    """The automatic mesh of a robot, rigid (inverse dynamics) and elastic (`.elastic()`).

    Args:
        masses: extra point masses [kg] at loops, frames or joints, by name.
    """

    def __init__(self, robot: Robot, masses: Mapping[str, float] | None = None) -> None:
        given = by_name("Masses", masses or {}, "masses={loop, frame or joint: kg}")
        kilograms = {name: number(f"The mass at {name!r} [kg]", m, least=0) for name, m in given.items()}
        self.layout: Layout = layout(robot, kilograms)

    @property
    def robot(self) -> Robot:
        """Whose mesh it is."""
        return self.layout.robot

    @names_its_options
    def motion(self, target: Any, t: Any = None, *, samples: int = 201, near: Any = None) -> Motion:
        """The motion of all joints that a target means; see `rikigaku.fem.targets.target_motion`."""
        return target_motion(self.robot, target, t, samples=samples, near=near)

    @names_its_options
    def inverse_dynamics(
        self,
        target: Any,
        t: Any = None,
        *,
        sharing: Any = None,
        phases: Phases | None = None,
        method: Method = "exact",
        wrenches: Mapping[str, Any] | None = None,
        friction: bool = True,
        gravity: Any = None,
        samples: int = 201,
        near: Any = None,
    ) -> Result:
        """Torques of all joints for a target motion of the rigid mechanism, open or closed.

        Args:
            target, t, samples, near: the motion; see `motion`.
            sharing: how motors share where a closed mechanism has more than it needs: a part of the mass at
                the cut node for the start link (0.8 is 4:1), a function of time, "least_norm",
                Weighted({joint: weight}), Ratio({loop: part}).
            phases: when loops are closed, if not always.
            method: "exact", f = M (a - g) with the target's acceleration; for mechanisms in a plane also
                "newmark", equation (3) of the paper with the target's v and a in each step, and "recursive",
                the same with its own (marginally unstable).
            wrenches: {frame: (6,) or (samples, 6)} on the robot at a frame's origin, world axes.
            friction: False leaves out friction of joints, and their springs too (as in all laws).
            gravity: acceleration of free fall [m/s^2], the robot's own if left out.
        Raises:
            WrongValue: if motors can share and no rule says how.
            NoValue: if a passive joint would have to push.
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

    @names_its_options
    def elastic(
        self,
        elements: int = Elastic.elements,
        mass: MassRule = Elastic.mass,
        damping: tuple[float, float] = Elastic.damping,
        joint_stiffness: Mapping[str, float] | None = None,
        hinges: Hinges = Elastic.hinges,
        refined: bool = Elastic.refined,
    ) -> Elastic:
        """The mesh with its stiffness: vibration, deflection, motion and torques; see `Elastic`."""
        return Elastic(self.layout, elements, mass, damping, joint_stiffness, hinges, refined)

    def mobility(self, q: Any = None) -> int:
        """Dimension of the null space of the stiffness of the paper's mesh, hinges by integration points."""
        return Elastic(self.layout, elements=2, hinges="integration").mobility(q)

    def matrices(self, q: Any, v: Any, a: Any) -> Matrices:
        """[L], [T] and {P} of one state, loops open, extra masses left out: tau = L @ (T @ P)."""
        q, nv = as_position(self.robot, q), self.robot.nv
        v, a = (numbers(f"{name} of robot {self.robot.name!r}", x, (nv,)) for name, x in (("v", v), ("a", a)))
        state = moving(self.layout.bodies, q[None], v[None], a[None])
        return matrices(state, nodal_forces(state))

    def __repr__(self) -> str:
        plane = "in a plane" if self.layout.planar else "in space"
        sizes = {"node": self.layout.nodes, "beam": self.layout.beams, "loop": self.layout.ends}
        counts = ", ".join(f"{len(x)} {name}{'s' * (len(x) != 1)}" for name, x in sizes.items())
        return f"<Mesh of {self.robot.name!r}, {plane}: {counts}>"
