"""Inverse dynamics of a flexible arm: joint motion and torques with which a frame tracks its path exactly.

From joint torque to tip motion a flexible link is non-minimum phase, so integrating the inverse forward in
time diverges. A bounded, non-causal solution exists: it starts before the tip moves, because the links must
bend in advance. It is the solution of a boundary-value problem over the whole motion with rest (static
equilibrium) well before and well after it. References: E. Bayo, A finite-element approach to control the
end-point motion of a single-link flexible robot, J. Robotic Systems 4 (1987); G. Bastos, R. Seifried, O.
Brüls, Inverse dynamics of serial and parallel underactuated multibody systems using a DAE optimal control
approach, Multibody Syst. Dyn. 30 (2013).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.progress import Clock, Progress
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.fem import mesh_plots
from rikigaku.fem import rigid_inverse_dynamics as rigid_links
from rikigaku.fem.boundary_value_problem import BoundaryValueProblem, tracked_outputs
from rikigaku.fem.flexible_configuration import joint_state, rigid_state
from rikigaku.fem.flexible_forces import JointForces
from rikigaku.fem.flexible_solution import FlexibleSolution
from rikigaku.fem.generalized_alpha import large_beams
from rikigaku.fem.motion_targets import check_target, duration_of, target_motion
from rikigaku.fem.nodal_forces import force_units
from rikigaku.fem.sampled_motion import Motion, Target

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleResult(FlexibleSolution):
    """Result of flexible inverse dynamics, beside that of rigid links.

    torques: (samples, nv); rigid_torques, rigid_q: torques and joint positions of rigid links on the same
    path; path: of the frame, (samples, 3).
    """

    frame: str
    rigid_torques: Array
    rigid_q: Array

    @property
    def path(self) -> Array:
        """World position of the frame, (samples, 3) [m]."""
        return self.at(self.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of torques."""
        return coordinate_names(self.elastic.layout.robot)

    plot_torques = mesh_plots.plot_flexible

    def __repr__(self) -> str:
        difference = np.abs(self.torques - self.rigid_torques).max(axis=0, initial=0.0)
        unit = force_units(self.elastic.layout.robot)
        k = int(np.argmax(difference))
        return (
            f"<Motion of elastic {self.elastic.layout.robot.name!r} with {self.frame!r} on its path, "
            f"{len(self.t)} samples, {self.t[0]:g} to {self.t[-1]:g} s;\n torques differ from those of rigid "
            f"links by up to {difference[k]:.4g} {unit[k]} ({self.names[k]})>"
        )


@checked
def inverse_dynamics(
    elastic: "Elastic",
    target: Target,
    frame: str,
    *,
    step: float = 2e-3,
    before: float | None = None,
    after: float | None = None,
    near: ArrayLike | None = None,
    slip_speed: float | None = None,
    progress: Progress | None = None,
) -> FlexibleResult:
    """Joint motion and torques with which the frame makes the motion that it would make with rigid links.

    Args:
        target: trajectories as for rigid links: of joints, or {joint or frame: path}; from rest to rest.
        frame: tracked in as many directions as there are motors, those in which rigid links move it: its
            position alone where that suffices (one to three motors), and its orientation beyond that.
        step: time step [s]; before, after: rest added at both ends [s], a quarter of the motion by default.
        near: configuration to start from, where the target leaves a choice.
        slip_speed: of smoothed Coulomb friction, as in `rikigaku.fem.generalized_alpha.simulate`.
        progress: called with a line every two seconds (progress=print).
    Raises:
        WrongValue: if the number of motors differs from the mobility, or the arm is singular.
        NotConverged: if no bounded motion is found (often: step too long, or too little rest).
    """
    robot, layout = elastic.layout.robot, elastic.layout
    if isinstance(target, Motion):
        raise WrongValue(
            "A flexible arm follows paths (functions of time); a Motion is known at samples only."
        )
    check_target(robot, target)
    duration = duration_of(target)
    step, clock = number("step [s]", step, above=0), Clock(progress)
    before, after = (
        duration / 4 if x is None else number(f"{name} [s]", x, above=0)
        for name, x in (("before", before), ("after", after))
    )
    count = max(8, round((before + duration + after) / step))
    t = np.linspace(-before, duration + after, count + 1)
    motion = target_motion(robot, target, t, near=near)
    if np.abs(motion.v[[0, -1]]).max() > 1e-9:
        raise WrongValue("The path must begin and end at rest.")
    beams = large_beams(elastic, motion.q[0])
    joints = JointForces(elastic, beams, slip_speed)
    rigid_shape = rigid_state(beams.kinematics, motion.q)
    outputs = tracked_outputs(beams, frame, motion.q, rigid_shape)
    problem = BoundaryValueProblem(joints, outputs, float(t[1] - t[0]), clock)
    rigid = rigid_links.inverse_dynamics(layout, motion)
    state, tau = problem.solve(rigid_shape, rigid.torques[:, problem.actuated])
    rate = problem.rates(state)
    q, v = joint_state(beams.kinematics, state, beams.kinematics.node_poses(state), rate)
    torques = np.zeros_like(rigid.torques)
    torques[:, problem.actuated] = tau
    return FlexibleResult(elastic, beams, t, state, rate, q, v, torques, frame, rigid.torques, motion.q)
