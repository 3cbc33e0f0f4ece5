"""Smooth motion without contacts: of trees, and of closed robots with projection onto their loops."""

from dataclasses import dataclass
from functools import partial

from rikigaku.closure.closure_plan import closure
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import Change, Event, Flow, Mode, Now
from rikigaku.hybrid.loop_projection import onto_loops
from rikigaku.laws.closed.closed_forward_dynamics import (
    loop_dynamics,
    loop_projected_velocity,
    loop_projection_step,
)
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure
from rikigaku.laws.tree.configuration_integration import integrate
from rikigaku.laws.tree.forward_dynamics import forward_dynamics
from rikigaku.laws.tree.newton_euler import viscous_power
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Numbers
from rikigaku.robot import Robot


@dataclass(frozen=True)
class FreeMotion:
    """A robot without contacts as a system of one mode.

    project: project the state of a closed robot onto its loops after each step.
    """

    robot: Robot
    project: bool = True

    @property
    def mode(self) -> Mode:
        """The one mode."""
        if not is_closed(self.robot):
            return Mode("free", "free", free_dynamics)
        plan = closure(self.robot).structure
        dynamics, project = partial(closed_dynamics, plan), partial(project_onto_loops, plan)
        return Mode(
            "loops closed",
            f"loops {plan} {self.project}",
            dynamics,
            project=project if self.project else None,
        )

    def start(self, t: float, q: Array, v: Array) -> Change:
        if is_closed(self.robot):
            q, v = onto_loops(self.robot, q, v)
        return Change(self.mode, q, v)

    def after(self, event: Event) -> Change | None:
        return None


def is_closed(robot: Robot) -> bool:
    """Whether the robot has loops or gears."""
    return bool(robot.loops or robot.couplings)


def free_dynamics(mechanism: Mechanism, now: Now) -> Flow:
    """Forward dynamics of a tree under joint forces, gravity and viscous friction."""
    return Flow(
        forward_dynamics(mechanism, now.q, now.v, now.tau), dissipated=viscous_power(mechanism, now.v)
    )


def closed_dynamics(plan: ClosureStructure, mechanism: Mechanism, now: Now) -> Flow:
    """Forward dynamics of a closed robot under forces in all joints."""
    return Flow(
        loop_dynamics(mechanism, now.q, now.v, now.tau, plan), dissipated=viscous_power(mechanism, now.v)
    )


def project_onto_loops(plan: ClosureStructure, mechanism: Mechanism, now: Now) -> tuple[Numbers, Numbers]:
    """Projection onto the loops after a small step: one Newton step for q, then the projection of v."""
    q = integrate(mechanism, now.q, loop_projection_step(mechanism, now.q, plan))
    return q, loop_projected_velocity(mechanism, q, now.v, plan)
