"""Smooth motion without contacts: of trees, and of closed robots brought back onto their loops."""

from dataclasses import dataclass
from functools import partial

from rikigaku.constraints.plan import closure
from rikigaku.laws.closed import Plan
from rikigaku.laws.closed_forward import closed_velocity, closing_step, loop_dynamics
from rikigaku.laws.forward import forward_dynamics
from rikigaku.laws.integration import integrate
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import Number
from rikigaku.simulation.loops import onto_loops
from rikigaku.simulation.modes import Array, Change, Event, Flow, Mode, Now, Numbers


@dataclass(frozen=True)
class Free:
    """A robot with nothing in its way; project: bring a closed one back onto its loops after each step."""

    robot: Robot
    project: bool = True

    @property
    def mode(self) -> Mode:
        """The one mode."""
        if not is_closed(self.robot):
            return Mode("free", "free", free_dynamics)
        plan = closure(self.robot).places
        motion, project = partial(loop_motion, plan), partial(onto_loops_once, plan)
        return Mode(
            "loops closed",
            f"loops {plan} {self.project}",
            motion,
            project=project if self.project else None,
        )

    def start(self, t: float, q: Array, v: Array) -> Change:
        if is_closed(self.robot):
            q, v = onto_loops(self.robot, q, v)
        return Change(self.mode, q, v)

    def after(self, event: Event) -> Change | None:
        return None


def is_closed(robot: Robot) -> bool:
    """Whether loops or gears tie its coordinates."""
    return bool(robot.loops or robot.couplings)


def viscous_power(mechanism: Mechanism, v: Numbers) -> Number:
    """Heat of the joints' viscous friction [W]."""
    return sum((body.viscous * v[k] * v[k] for body in mechanism.bodies for k in body.v), start=0)


def free_dynamics(mechanism: Mechanism, now: Now) -> Flow:
    """A tree under its joint forces, gravity and viscous friction."""
    return Flow(
        forward_dynamics(mechanism, now.q, now.v, now.tau), dissipated=viscous_power(mechanism, now.v)
    )


def loop_motion(plan: Plan, mechanism: Mechanism, now: Now) -> Flow:
    """A closed robot under forces in its joints."""
    return Flow(
        loop_dynamics(mechanism, now.q, now.v, now.tau, plan), dissipated=viscous_power(mechanism, now.v)
    )


def onto_loops_once(plan: Plan, mechanism: Mechanism, now: Now) -> tuple[Numbers, Numbers]:
    """One step of Newton's method for positions, then the nearest velocities: enough after a small step."""
    q = integrate(mechanism, now.q, closing_step(mechanism, now.q, plan))
    return q, closed_velocity(mechanism, q, now.v, plan)
