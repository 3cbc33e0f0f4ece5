"""Link mechanisms as assemblies of beams: inverse dynamics of rigid ones, open and closed; elastic ones."""

from rikigaku.fem.damped import DampedModes
from rikigaku.fem.elastic import Elastic
from rikigaku.fem.mesh import Mesh
from rikigaku.fem.motion import Motion
from rikigaku.fem.phases import Impulse, Phases
from rikigaku.fem.result import Result
from rikigaku.fem.sharing import LeastNorm, Ratio, Weighted

__all__ = [
    "DampedModes",
    "Elastic",
    "Impulse",
    "LeastNorm",
    "Mesh",
    "Motion",
    "Phases",
    "Ratio",
    "Result",
    "Weighted",
]
