"""rikigaku (力学): the mechanics of robots from one description; exact formulas, native speed."""

from rikigaku import methods as _methods  # noqa: F401 - gives Robot what it can do
from rikigaku.bound import set_threads
from rikigaku.errors import RikigakuError
from rikigaku.loading import load
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot, Symbol
from rikigaku.numbers.formula import Formula

__version__ = "0.1.0"

__all__ = [
    "Coupling",
    "Formula",
    "Frame",
    "Inertia",
    "Joint",
    "Limits",
    "Link",
    "Loop",
    "LoopEnd",
    "ModifiedDH",
    "Placement",
    "RikigakuError",
    "Robot",
    "StandardDH",
    "Symbol",
    "__version__",
    "load",
    "set_threads",
]
