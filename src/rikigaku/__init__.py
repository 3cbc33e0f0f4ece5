"""rikigaku (力学): the mechanics of robots from one description; exact formulas, native speed."""

from rikigaku import methods as _methods  # noqa: F401 - gives Robot what it can do
from rikigaku.bound import set_threads
from rikigaku.contact import (
    Contact,
    ContactSystem,
    Cylinder,
    Friction,
    HeightField,
    JointFriction,
    Plane,
    Sphere,
    Surface,
    Torus,
)
from rikigaku.errors import RikigakuError
from rikigaku.loading import load
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot, Symbol
from rikigaku.numbers.formula import Formula
from rikigaku.simulation import PD, ComputedTorque, Data, Guard, Sampled, Solution, load_motion, simulate

__version__ = "0.1.0"

__all__ = [
    "PD",
    "ComputedTorque",
    "Contact",
    "ContactSystem",
    "Coupling",
    "Cylinder",
    "Data",
    "Formula",
    "Frame",
    "Friction",
    "Guard",
    "HeightField",
    "Inertia",
    "Joint",
    "JointFriction",
    "Limits",
    "Link",
    "Loop",
    "LoopEnd",
    "ModifiedDH",
    "Placement",
    "Plane",
    "RikigakuError",
    "Robot",
    "Sampled",
    "Solution",
    "Sphere",
    "StandardDH",
    "Surface",
    "Symbol",
    "Torus",
    "__version__",
    "load",
    "load_motion",
    "set_threads",
    "simulate",
]
