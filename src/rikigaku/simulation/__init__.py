"""Motion in time."""

from rikigaku.simulation.closed import Motion, closed_motion
from rikigaku.simulation.controllers import ComputedTorque
from rikigaku.simulation.drives import Data, Sampled
from rikigaku.simulation.files import load_motion
from rikigaku.simulation.force_position import ForcePosition
from rikigaku.simulation.free import Free
from rikigaku.simulation.loops import onto_loops
from rikigaku.simulation.modes import Change, Event, Flow, Guard, Mode, Now, System
from rikigaku.simulation.pd import PD
from rikigaku.simulation.resolved import ResolvedAcceleration
from rikigaku.simulation.simulate import simulate
from rikigaku.simulation.solution import Solution

__all__ = [
    "PD",
    "Change",
    "ComputedTorque",
    "Data",
    "Event",
    "Flow",
    "ForcePosition",
    "Free",
    "Guard",
    "Mode",
    "Motion",
    "Now",
    "ResolvedAcceleration",
    "Sampled",
    "Solution",
    "System",
    "closed_motion",
    "load_motion",
    "onto_loops",
    "simulate",
]
