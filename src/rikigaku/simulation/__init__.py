"""Simulation: motion of robots in time, controllers, solutions."""

from rikigaku.hybrid.hybrid_system import Change, Event, Flow, Guard, Mode, Now, System
from rikigaku.hybrid.loop_projection import onto_loops
from rikigaku.hybrid.smooth_motion import FreeMotion
from rikigaku.simulation.actuation import Data, Sampled
from rikigaku.simulation.controllers import ComputedTorque
from rikigaku.simulation.force_position_control import ForcePosition
from rikigaku.simulation.gravity_compensation import GravityCompensation
from rikigaku.simulation.linear_policy import LinearPolicy
from rikigaku.simulation.network_policy import NetworkPolicy
from rikigaku.simulation.pd_control import PD
from rikigaku.simulation.resolved_acceleration import ResolvedAcceleration
from rikigaku.simulation.simulate import simulate
from rikigaku.simulation.solution import Solution
from rikigaku.simulation.solution_files import load_solution

__all__ = [
    "PD",
    "Change",
    "ComputedTorque",
    "Data",
    "Event",
    "Flow",
    "ForcePosition",
    "FreeMotion",
    "GravityCompensation",
    "Guard",
    "LinearPolicy",
    "Mode",
    "NetworkPolicy",
    "Now",
    "ResolvedAcceleration",
    "Sampled",
    "Solution",
    "System",
    "load_solution",
    "onto_loops",
    "simulate",
]
