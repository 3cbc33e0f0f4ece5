"""rikigaku (力学): the mechanics of robots from one description; exact formulas, native speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Before other modules: Ctrl-C may come while they are imported, and the files they come from are listed.
from rikigaku.core import interruption as _interruption  # noqa: F401
from rikigaku.core import source_fingerprint as _source_fingerprint  # noqa: F401

# isort: split
from rikigaku.compiler.kernel import set_threads
from rikigaku.core import errors
from rikigaku.core.errors import RikigakuError
from rikigaku.laws.law import Law
from rikigaku.model.geometry import ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joining import world
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.robot_model import Coupling, Frame, Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot, load

if TYPE_CHECKING:
    from rikigaku.contact import (
        Ball,
        Box,
        Capsule,
        Contact,
        ContactSystem,
        Cylinder,
        Friction,
        Guide,
        HeightField,
        HeightGrid,
        JointFriction,
        Plane,
        Rim,
        SolidCylinder,
        Sphere,
        Surface,
        Torus,
        Vertex,
        free_body,
        joint_stops,
        shape_contacts,
    )
    from rikigaku.identification import (
        Experiment,
        Identification,
        Motor,
        OnlineIdentification,
        Spring,
        excitation,
        identify,
        read_experiment,
    )
    from rikigaku.inverse_kinematics.target_kinds import (
        CenterOfMassTarget,
        ConfigurationTarget,
        LineTarget,
        LookAtTarget,
        OrientationTarget,
        PlaneTarget,
        PoseTarget,
        PositionTarget,
    )
    from rikigaku.rollout import Rollout, Sweep, sweep
    from rikigaku.simulation import (
        PD,
        ComputedTorque,
        Data,
        ForcePosition,
        GravityCompensation,
        Guard,
        LinearPolicy,
        NetworkPolicy,
        ResolvedAcceleration,
        Sampled,
        Solution,
        load_solution,
    )
    from rikigaku.simulation.simulate import simulate

__version__ = "0.1.0"

__all__ = [
    "PD",
    "Ball",
    "Box",
    "Capsule",
    "CenterOfMassTarget",
    "ComputedTorque",
    "ConfigurationTarget",
    "Contact",
    "ContactSystem",
    "Coupling",
    "Cylinder",
    "Data",
    "Experiment",
    "ForcePosition",
    "Formula",
    "Frame",
    "Friction",
    "GravityCompensation",
    "Guard",
    "Guide",
    "HeightField",
    "HeightGrid",
    "Identification",
    "Inertia",
    "Joint",
    "JointFriction",
    "Law",
    "Limits",
    "LineTarget",
    "LinearPolicy",
    "Link",
    "LookAtTarget",
    "Loop",
    "LoopEnd",
    "ModifiedDH",
    "Motor",
    "NetworkPolicy",
    "OnlineIdentification",
    "OrientationTarget",
    "Placement",
    "Plane",
    "PlaneTarget",
    "PoseTarget",
    "PositionTarget",
    "ResolvedAcceleration",
    "RikigakuError",
    "Rim",
    "Robot",
    "Rollout",
    "Sampled",
    "SolidCylinder",
    "Solution",
    "Sphere",
    "Spring",
    "StandardDH",
    "Surface",
    "Sweep",
    "Symbol",
    "Torus",
    "Vertex",
    "__version__",
    "errors",
    "excitation",
    "free_body",
    "identify",
    "joint_stops",
    "load",
    "load_solution",
    "read_experiment",
    "set_threads",
    "shape_contacts",
    "simulate",
    "sweep",
    "world",
]

# Imported at first access: most users model a robot without simulating it.
_LATER = {
    "rikigaku.contact": (
        "Ball",
        "Box",
        "Capsule",
        "Contact",
        "ContactSystem",
        "Cylinder",
        "Friction",
        "Guide",
        "HeightField",
        "HeightGrid",
        "JointFriction",
        "Plane",
        "Rim",
        "SolidCylinder",
        "Sphere",
        "Surface",
        "Torus",
        "Vertex",
        "free_body",
        "joint_stops",
        "shape_contacts",
    ),
    "rikigaku.inverse_kinematics.target_kinds": (
        "CenterOfMassTarget",
        "ConfigurationTarget",
        "LineTarget",
        "LookAtTarget",
        "OrientationTarget",
        "PlaneTarget",
        "PoseTarget",
        "PositionTarget",
    ),
    "rikigaku.rollout": ("Rollout", "Sweep", "sweep"),
    "rikigaku.identification": (
        "Experiment",
        "Identification",
        "Motor",
        "OnlineIdentification",
        "Spring",
        "excitation",
        "identify",
        "read_experiment",
    ),
    "rikigaku.simulation": (
        "PD",
        "ComputedTorque",
        "Data",
        "ForcePosition",
        "GravityCompensation",
        "Guard",
        "LinearPolicy",
        "NetworkPolicy",
        "ResolvedAcceleration",
        "Sampled",
        "Solution",
        "load_solution",
        "simulate",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            value = globals()[name] = getattr(import_module(module), name)
            return value
    if name in ("jax", "torch"):  # bridges, imported at first access, too
        return import_module(f"rikigaku.{name}")
    raise AttributeError(f"module 'rikigaku' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
