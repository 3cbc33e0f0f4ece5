"""Free-floating robots: motion that conserves momentum, targets for a frame to track, capture of a body.

The laws themselves (generalized Jacobian and inertia, dynamics, control) are laws of every robot with a free
base: `robot.space.generalized_jacobian(q, "hand")`.
"""

from rikigaku.space.capture import Captured, capture
from rikigaku.space.dynamic_singularity import (
    Singularity,
    dynamic_singularity,
    link_momenta,
    reaction_null_space,
)
from rikigaku.space.floating_motion import FloatingMotion, floating_motion, prescribed_motion
from rikigaku.space.frame_targets import Approach, Line, MovingFrame, TargetState, coordinates_of, line
from rikigaku.space.target_following import Followed, follow

__all__ = [
    "Approach",
    "Captured",
    "FloatingMotion",
    "Followed",
    "Line",
    "MovingFrame",
    "Singularity",
    "TargetState",
    "capture",
    "coordinates_of",
    "dynamic_singularity",
    "floating_motion",
    "follow",
    "line",
    "link_momenta",
    "prescribed_motion",
    "reaction_null_space",
]
