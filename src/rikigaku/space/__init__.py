"""Robots in space: motion that keeps its momentum, lines and targets to follow, capture of a floating body.

The laws themselves (generalized Jacobian and inertia, torques, control) are laws of every robot with a free
base: `robot.generalized_jacobian(q, "hand")`.
"""

from rikigaku.space.capture import Captured, capture
from rikigaku.space.follow import Followed, follow
from rikigaku.space.measures import Singularity, dynamic_singularity, link_momenta, reaction_null_space
from rikigaku.space.motion import FloatingMotion, floating_motion
from rikigaku.space.rates import rate_motion
from rikigaku.space.targets import Approach, Line, MovingFrame, Wanted, coordinates_of, line

__all__ = [
    "Approach",
    "Captured",
    "FloatingMotion",
    "Followed",
    "Line",
    "MovingFrame",
    "Singularity",
    "Wanted",
    "capture",
    "coordinates_of",
    "dynamic_singularity",
    "floating_motion",
    "follow",
    "line",
    "link_momenta",
    "rate_motion",
    "reaction_null_space",
]
