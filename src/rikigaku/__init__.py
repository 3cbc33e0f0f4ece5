"""rikigaku (力学): the mechanics of robots from one description; exact formulas, native speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rikigaku import methods as _methods  # noqa: F401 - gives Robot what it can do
from rikigaku import robot_laws as _robot_laws  # noqa: F401 - and its laws
from rikigaku.bound import set_threads
from rikigaku.errors import RikigakuError
from rikigaku.loading import load
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot, Symbol
from rikigaku.numbers.formula import Formula

if TYPE_CHECKING:
    from rikigaku.contact import (
        Contact,
        ContactSystem,
        Cylinder,
        Friction,
        Guide,
        HeightField,
        JointFriction,
        Plane,
        Sphere,
        Surface,
        Torus,
        joint_stops,
    )
    from rikigaku.simulation import (
        PD,
        ComputedTorque,
        Data,
        ForcePosition,
        Guard,
        ResolvedAcceleration,
        Sampled,
        Solution,
        load_motion,
    )
    from rikigaku.simulation.simulate import simulate

__version__ = "0.1.0"

__all__ = [
    "PD",
    "ComputedTorque",
    "Contact",
    "ContactSystem",
    "Coupling",
    "Cylinder",
    "Data",
    "ForcePosition",
    "Formula",
    "Frame",
    "Friction",
    "Guard",
    "Guide",
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
    "ResolvedAcceleration",
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
    "joint_stops",
    "load",
    "load_motion",
    "set_threads",
    "simulate",
]

# Loaded when first asked for: most who model a robot do not simulate it.
_LATER = {
    "rikigaku.contact": (
        "Contact",
        "ContactSystem",
        "Cylinder",
        "Friction",
        "Guide",
        "HeightField",
        "JointFriction",
        "Plane",
        "Sphere",
        "Surface",
        "Torus",
        "joint_stops",
    ),
    "rikigaku.simulation": (
        "PD",
        "ComputedTorque",
        "Data",
        "ForcePosition",
        "Guard",
        "ResolvedAcceleration",
        "Sampled",
        "Solution",
        "load_motion",
        "simulate",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            value = globals()[name] = getattr(import_module(module), name)
            return value
    raise AttributeError(f"module 'rikigaku' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
