"""Finite-element analysis of robots as assemblies of Timoshenko beams.

Inverse dynamics of rigid mechanisms, open and closed, from nodal forces; vibration, static deflection, motion
and inverse dynamics of mechanisms with flexible links.
"""

from rikigaku.fem.cut_joint_forces import Impulse
from rikigaku.fem.elastic import Elastic
from rikigaku.fem.flexible_inverse_dynamics import FlexibleResult
from rikigaku.fem.flexible_solution import FlexibleSolution
from rikigaku.fem.internal_forces import InternalForces
from rikigaku.fem.load_sharing import LeastNorm, Ratio, Weighted
from rikigaku.fem.loop_phases import Phases
from rikigaku.fem.mesh import Mesh
from rikigaku.fem.rigid_inverse_dynamics import Result
from rikigaku.fem.sampled_motion import Motion
from rikigaku.fem.static_deflection import Shape
from rikigaku.fem.vibration import DampedVibrationModes, VibrationModes

__all__ = [
    "DampedVibrationModes",
    "Elastic",
    "FlexibleResult",
    "FlexibleSolution",
    "Impulse",
    "InternalForces",
    "LeastNorm",
    "Mesh",
    "Motion",
    "Phases",
    "Ratio",
    "Result",
    "Shape",
    "VibrationModes",
    "Weighted",
]
