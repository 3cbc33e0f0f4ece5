"""Inverse dynamics of a flexible arm: the hand follows its path exactly, joints and torques are computed.

Driven by its joints, the tip of a flexible link answers the wrong way first: integrated forward, its inverse
grows without bound. The bounded answer exists and begins before the hand does (the links are bent in
advance). It is found for the whole motion at once: equations of motion at all times, second differences for
accelerations, unbent rest (under weight) well before and well after; one sparse system for each step of
Newton's method. References: E. Bayo, A finite-element approach to control the end-point motion of a
single-link flexible robot, J. Robotic Systems 4 (1987); G. Bastos, R. Seifried, O. Brüls, Inverse dynamics
of serial and parallel underactuated multibody systems using a DAE optimal control approach, Multibody Syst.
Dyn. 30 (2013).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import WrongValue
from rikigaku.fem import curves
from rikigaku.fem import inverse_dynamics as rigid_links
from rikigaku.fem.joint_forces import JointForces
from rikigaku.fem.joints import units
from rikigaku.fem.motion import Motion
from rikigaku.fem.outputs import outputs
from rikigaku.fem.postures import joint_state, rigid_state
from rikigaku.fem.progress import Clock, Progress
from rikigaku.fem.simulate import large_beams
from rikigaku.fem.simulated import Simulated
from rikigaku.fem.targets import check_kind, duration_of, target_motion
from rikigaku.fem.whole_motion import WholeMotion
from rikigaku.given import names_its_options, number

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleMotion(Simulated):
    """The motion found, and that of a rigid arm beside it.

    torques: (samples, nv); rigid_torques, rigid_q: of the same path with rigid links; path: of the frame,
    (samples, 3).
    """

    frame: str
    rigid_torques: Array
    rigid_q: Array

    @property
    def path(self) -> Array:
        """Where the frame goes, in the world."""
        return self.at(self.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of torques."""
        return coordinate_names(self.elastic.layout.robot)

    plot_torques = curves.plot_flexible

    def __repr__(self) -> str:
        apart = np.abs(self.torques - self.rigid_torques).max(axis=0, initial=0.0)
        unit = units(self.elastic.layout.robot)
        k = int(np.argmax(apart))
        return (
            f"<Motion of elastic {self.elastic.layout.robot.name!r} with {self.frame!r} on its path, "
            f"{len(self.t)} samples, {self.t[0]:g} to {self.t[-1]:g} s;\n torques differ from those of rigid "
            f"links by up to {apart[k]:.4g} {unit[k]} ({self.names[k]})>"
        )


@names_its_options
def inverse_dynamics(
    elastic: "Elastic",
    target: Any,
    frame: str,
    *,
    step: float = 2e-3,
    before: float | None = None,
    after: float | None = None,
    near: Any = None,
    slip_speed: float | None = None,
    progress: Progress | None = None,
) -> FlexibleMotion:
    """Joint motion and torques with which the frame makes the motion that rigid links would make.

    Args:
        target: trajectories as for the rigid arm: of joints, or {joint or frame: path}; from rest to rest.
        frame: what follows it, in as many directions as there are motors: those in which the rigid arm moves
            it; its place alone where that suffices (one to three motors), and how it is turned beyond that.
        step: of time [s]; before, after: rest added at both ends [s], a quarter of the motion if left out.
        near: a posture to begin from, where the target leaves a choice.
        slip_speed: over which Coulomb friction is smoothed, as in `rikigaku.fem.simulate.simulate`.
        progress: called with a line every two seconds (progress=print).
    Raises:
        WrongValue: if there are not as many motors as the mechanism has freedoms, or the arm is singular.
        NotConverged: if no bounded motion was found (often: step too long, or too little rest).
    """
    robot, layout = elastic.layout.robot, elastic.layout
    if isinstance(target, Motion):
        raise WrongValue(
            "A flexible arm follows paths (functions of time); a Motion is known at samples only."
        )
    check_kind(robot, target)
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
    guess = rigid_state(beams.joined, motion.q)
    followed = outputs(beams, frame, motion.q, guess)
    problem = WholeMotion(joints, followed, float(t[1] - t[0]), clock)
    rigid = rigid_links.inverse_dynamics(layout, motion)
    state, tau = problem.solved(guess, rigid.torques[:, problem.driven])
    rate = problem.rates(state)
    q, v = joint_state(beams.joined, state, beams.joined.placed(state), rate)
    torques = np.zeros_like(rigid.torques)
    torques[:, problem.driven] = tau
    return FlexibleMotion(elastic, beams, t, state, rate, q, v, torques, frame, rigid.torques, motion.q)
