"""A valid call of every public callable, with all its arguments: what `test_bad_calls` starts from.

`recipes()` computes some results (a solution, a mesh, base parameters) whose methods are called too.
"""

import dataclasses
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from bad_values import Recipe

import rikigaku as rk
from rikigaku import rosam, simulation, space, trajectory
from rikigaku.export.languages import LANGUAGES, register_language
from rikigaku.fem import LeastNorm, Motion, Phases, Ratio, Weighted
from rikigaku.formats.state_conversion import to_mujoco, to_pinocchio
from rikigaku.laws.catalogue import laws_of
from rikigaku.laws.specialization import input_size
from rikigaku.model import states
from rikigaku.model.beam_section import Material, section
from rikigaku.model.joints.joint_types import JOINT_TYPES, joint_type, register_joint_type, remove_joint_type
from rikigaku.plotting import default_configuration, save_plot
from rikigaku.report import html_report, law_figures, report
from rikigaku.web.mathml import mathml
from rikigaku.web.model_document import PageDocument
from rikigaku.web.motions import recorded_motion
from rikigaku.web.page import page_html
from rikigaku.web.robot_document import robot_document
from rikigaku.web.visuals import file_visuals

matplotlib.use("Agg")

Q, V, A = np.array([0.3, 0.4]), np.array([0.1, -0.2]), np.array([0.5, 0.6])
T = np.linspace(0.0, 1.0, 5)
SHORT = 0.01  # [s], of motions


def torque(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.zeros(2)


@cache
def robots() -> dict[str, Any]:
    """Robots of the library, by the letter under which the recipes use them."""
    names = {"arm": "planar_2r", "five": "five_bar", "sat": "space_planar_2r", "loop": "rosam_loop"}
    return {key: rk.load(name) for key, name in names.items()}


def recipes(folder: Path, every_law: bool = True) -> tuple[Recipe, ...]:
    """All recipes; files are written to the folder.

    every_law: else those that compile quickly stand for all laws, which share one way of being called.
    """
    groups: tuple[Callable[[Path], Iterator[Recipe]], ...] = (
        _data,
        _contact,
        _trajectories,
        _controllers,
        _simulation,
        _rollouts,
        partial(_laws, every_law=every_law),
        _methods,
        _closed,
        _symbolic,
        _space,
        _rosam,
        _fem,
        _pictures,
        _model,
        _identification,
    )
    return tuple(recipe for group in groups for recipe in group(folder))


def _data(folder: Path) -> Iterator[Recipe]:
    """Constructors of a robot's parts, each in a whole robot: what a part accepts its robot must check."""
    yield Recipe("Formula.of", rk.Formula.of, ("2*x",))
    yield Recipe("Formula.symbol", rk.Formula.symbol, ("x",))
    yield Recipe("Formula.substitute", rk.Formula.of("x + 1").substitute, ({"x": rk.Formula.of(2)},))
    yield Recipe("Limits", _limited, (), {"lower": -1.0, "upper": 1.0, "velocity": 2.0, "effort": 3.0})
    keywords: dict[str, Any] = {
        "name": "j",
        "type": "revolute",
        "axis": (0, 0, 1),
        "second_axis": (1, 0, 0),
        "pitch": 0,
        "actuated": True,
        "limits": rk.Limits(),
        "viscous": 0.1,
        "coulomb": 0.1,
        "rotor": 0.1,
        "stiffness": 0.1,
        "rest": 0.0,
    }
    yield Recipe("Joint", _jointed, (), keywords)
    yield Recipe(
        "Inertia",
        _heavy,
        ("com", 1.0),
        {"position": (0, 0, 0), "tensor": (1, 0, 0, 1, 0, 1), "rpy": (0, 0, 0)},
    )
    yield Recipe("Placement", _placed(rk.Placement), (), {"xyz": (0, 0, 1), "rpy": (0, 0, 0)})
    dh = {"alpha": 0, "a": 0.5, "theta": 0, "d": 0}
    yield Recipe("ModifiedDH", _placed(rk.ModifiedDH), (), {**dh, "beta": 0, "b": 0})
    yield Recipe("StandardDH", _placed(rk.StandardDH), (), dh)
    body = rk.Inertia("com", 1.0, tensor=(1, 0, 0, 1, 0, 1))
    link = {"joint": rk.Joint("j"), "geometry": rk.Placement(), "inertia": body, "section": None}
    yield Recipe("Link", _linked, ("a", "base"), link)
    yield Recipe("Frame", _framed, ("tip", "a"), {"geometry": rk.Placement()})
    yield Recipe("Symbol", _with_symbol, ("L",), {"value": 0.5, "unit": "m"})
    yield Recipe("LoopEnd", _looped, ("b",), {"geometry": rk.Placement()})
    ends = rk.LoopEnd("a"), rk.LoopEnd("b")
    yield Recipe("Loop", lambda *args: _pair(loops=(rk.Loop(*args),)), ("cut", "revolute", *ends))
    yield Recipe(
        "Coupling",
        lambda *args, **k: _pair(couplings=(rk.Coupling(*args, **k),)),
        ("ja", "jb", 2),
        {"offset": 0},
    )
    parts = {
        "links": (rk.Link("a", "base", rk.Joint("j"), inertia=body),),
        "frames": (rk.Frame("tip", "a"),),
        "loops": (),
        "couplings": (),
        "independent": (),
        "symbols": (),
        "gravity": (0, 0, -9.81),
        "base": "base",
        "base_inertia": None,
        "source": "",
    }
    yield Recipe("Robot", rk.Robot, ("r",), parts)
    yield Recipe("Material", Material, ("steel", 2e11, 8e10, 7800.0, 0.01))
    yield Recipe(
        "section",
        section,
        (),
        {"tube": (0.1, 0.08), "material": "aluminium", "E": None, "G": None, "damping": 0.01},
    )
    law = {"name": "twice", "function": _twice, "inputs": ("q",), "outputs": ("y",), "summary": "Twice q."}
    more = {"group": "tree", "options": {}, "overrides": (), "singular": "", "matrix": False, "loops": False}
    yield Recipe("Law", lambda **k: robots()["arm"].law(rk.Law(**k))(Q), (), {**law, **more})
    yield Recipe(
        "load", rk.load, ("planar_2r",), {"free_base": False, "strict": False, "repair": None, "cut": ()}
    )
    yield Recipe("set_threads", _set_threads, (2,))


def _twice(mechanism: Any, q: Any) -> Any:
    return [x + x for x in q]


def _set_threads(count: Any) -> None:
    try:
        rk.set_threads(count)
    finally:
        rk.set_threads(1)


def _limited(**bounds: Any) -> rk.Robot:
    return rk.Robot("r", (rk.Link("a", "base", rk.Joint("j", limits=rk.Limits(**bounds))),))


def _jointed(**fields: Any) -> rk.Robot:
    return rk.Robot("r", (rk.Link("a", "base", rk.Joint(**fields)),))


def _heavy(*args: Any, **fields: Any) -> rk.Robot:
    return rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), inertia=rk.Inertia(*args, **fields)),))


def _placed(geometry: Any) -> Callable[..., rk.Robot]:
    return lambda **fields: rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), geometry(**fields)),))


def _linked(*args: Any, **fields: Any) -> rk.Robot:
    return rk.Robot("r", (rk.Link(*args, **fields),))


def _framed(*args: Any, **fields: Any) -> rk.Robot:
    return rk.Robot("r", (rk.Link("a", "base", rk.Joint("j")),), frames=(rk.Frame(*args, **fields),))


def _with_symbol(*args: Any, **fields: Any) -> rk.Robot:
    link = rk.Link("a", "base", rk.Joint("j"), rk.Placement(("L", 0, 0)))
    return rk.Robot("r", (link,), symbols=(rk.Symbol(*args, **fields),))


def _pair(**fields: Any) -> rk.Robot:
    return rk.Robot(
        "r", (rk.Link("a", "base", rk.Joint("ja")), rk.Link("b", "base", rk.Joint("jb"))), **fields
    )


def _looped(*args: Any, **fields: Any) -> rk.Robot:
    return _pair(loops=(rk.Loop("cut", "revolute", rk.LoopEnd("a"), rk.LoopEnd(*args, **fields)),))


def _contact(folder: Path) -> Iterator[Recipe]:
    arm = robots()["arm"]
    yield Recipe("Surface", rk.Surface, ("z - 0.1*sin(x)",), {"belt": (0, 0, 0)})
    yield Recipe("Plane", rk.Plane, ((0, 0, 1), (0, 0, 0)), {"belt": (0, 0, 0)})
    yield Recipe("Sphere", rk.Sphere, (0.5, (0, 0, 0), False), {"belt": (0, 0, 0)})
    yield Recipe("Cylinder", rk.Cylinder, (0.5, (0, 0, 1), (0, 0, 0), False), {"belt": (0, 0, 0)})
    yield Recipe("Torus", rk.Torus, (0.5, 0.1, (0, 0, 1), (0, 0, 0), False), {"belt": (0, 0, 0)})
    yield Recipe("HeightField", rk.HeightField, ("0.1*sin(x)",), {"belt": (0, 0, 0)})
    grid = {"origin": (0.0, 0.0), "belt": (0, 0, 0)}
    yield Recipe("HeightGrid", rk.HeightGrid, (np.zeros((3, 4)), 0.1), grid)
    yield Recipe("Friction", rk.Friction, (0.2,), {"static": 0.3, "viscous": 1.0, "stribeck": 0.01})
    yield Recipe("Friction.coefficient", rk.Friction(0.2, 0.3, stribeck=0.1).coefficient, (0.1,))
    yield Recipe("JointFriction", rk.JointFriction, ("shoulder", 0.2), {"static": 0.3})
    more = {"friction": 0.2, "restitution": 0.5, "bilateral": False, "shape": rk.Ball(0.1)}
    yield Recipe("Contact", rk.Contact, ("hand", rk.Plane()), more)
    yield Recipe("Surface.on", rk.Plane().on, ("upper_arm",))
    yield Recipe("Vertex", rk.Vertex, ((0, 0, 0.1),))
    yield Recipe("Ball", rk.Ball, (0.1,), {"at": (0, 0, 0.1)})
    yield Recipe("Rim", rk.Rim, (0.1, "z"), {"at": (0, 0, 0.1), "edge": 0.01})
    yield Recipe("Capsule", rk.Capsule, (0.1, 0.5, "x"), {"at": (0, 0, 0.1)})
    yield Recipe("Box", rk.Box, (0.1, 0.5, 0.2), {"at": (0, 0, 0.1), "radius": 0.01})
    yield Recipe("SolidCylinder", rk.SolidCylinder, (0.1, 0.5, "x"), {"at": (0, 0, 0.1)})
    yield Recipe("free_body", rk.free_body, ("box", rk.Box(0.4, 0.3, 0.2), 3.0))
    placed = (arm, rk.Placement((1, 0, 0)))
    yield Recipe("world", rk.world, ([arm, placed],), {"name": "both"})
    several = {"friction": 0.2, "restitution": 0.5}
    yield Recipe("shape_contacts", rk.shape_contacts, ("hand", rk.Box(1, 1, 1), rk.Plane()), several)
    guide = {"keep": "z", "rotation": "free", "pose": np.eye(4), "translation": (0, 0, 0)}
    yield Recipe("Guide", rk.Guide, ("hand",), guide)
    yield Recipe(
        "Guide.here",
        rk.Guide.here,
        (arm, Q, "hand"),
        {"keep": "z", "rotation": "free", "translation": (0, 0, 0)},
    )
    yield Recipe("joint_stops", rk.joint_stops, (_stopped(),), {"restitution": 0.1})
    touching = rk.Contact("hand", rk.Plane(normal=(0, 1, 0), point=(0, -5, 0)), 0.2)
    keywords: dict[str, Any] = {"joints": (), "torque": None, "restitution": "newton"}
    yield Recipe("ContactSystem", rk.ContactSystem, (arm, [touching]), keywords)
    system = rk.ContactSystem(arm, [touching])
    yield Recipe("ContactSystem.state", system.state, (Q, V), {"t": 0.0})
    mode = (system.constraints, Q, V)
    yield Recipe("ContactSystem.forces", system.forces, mode, {"tau": A, "t": 0.0})
    yield Recipe("ContactSystem.joint_wrenches", system.joint_wrenches, mode, {"tau": A, "t": 0.0})
    yield Recipe("ContactSystem.extended_newton_euler", system.extended_newton_euler, (Q, V, A), {"t": 0.0})
    yield Recipe("ContactSystem.placed", system.placed, (Q,), {"closed": (), "t": 0.0})
    yield Recipe("ContactSystem.balanced", system.balanced, (Q,), {"closed": (), "t": 0.0})
    yield Recipe("ContactSystem.allowed_velocity", system.allowed_velocity, (Q, V), {"t": 0.0})


@cache
def _stopped() -> rk.Robot:
    return rk.Robot("r", (rk.Link("a", "base", rk.Joint("j", limits=rk.Limits(-1, 1))),))


def _trajectories(folder: Path) -> Iterator[Recipe]:
    ends = {"v0": V, "v1": V}
    yield Recipe("cubic", trajectory.cubic, (Q, V, 1.0), ends)
    yield Recipe("quintic", trajectory.quintic, (Q, V, 1.0), {**ends, "a0": A, "a1": A})
    yield Recipe("septic", trajectory.septic, (Q, V, 1.0), {**ends, "a0": A, "a1": A, "j0": A, "j1": A})
    limits = {"velocity": 1.0, "acceleration": [1.0, 2.0]}
    yield Recipe("quintic within limits", trajectory.quintic, (Q, V), limits)
    yield Recipe("trapezoid", trajectory.trapezoid, (Q, V), {**limits, "duration": 5.0})
    first, second = trajectory.cubic(Q, V, 1.0), trajectory.cubic(V, A, 1.0)
    yield Recipe("in_sequence", trajectory.in_sequence, (first, second))
    yield Recipe("Polynomial call", first, (0.5,))
    yield Recipe("Trapezoid call", trajectory.trapezoid(Q, V, **limits), (T,))
    yield Recipe("Sequence call", trajectory.in_sequence(first, second), (T,))


def _controllers(folder: Path) -> Iterator[Recipe]:
    arm = robots()["arm"]
    path = trajectory.quintic(Q, V, 1.0)
    points = trajectory.quintic([1.0, 0.5, 0.0], [1.0, 0.6, 0.0], 1.0)
    floor = rk.Contact("hand", rk.Plane(normal=(0, 1, 0)), 0.2)
    yield Recipe("PD", rk.PD, (arm, path, 10.0, [1.0, 1.0]), {"gravity": True})
    yield Recipe("PD of a configuration", rk.PD, (arm, Q, 10.0, 1.0))
    yield Recipe("ComputedTorque", rk.ComputedTorque, (arm, path, 10.0, [1.0, 1.0]))
    yield Recipe("GravityCompensation", rk.GravityCompensation, (arm,))
    layers = [(np.ones((3, 4)), np.zeros(3)), (np.ones((2, 3)), np.zeros(2))]
    yield Recipe("NetworkPolicy", rk.NetworkPolicy, (arm, layers, "relu", np.ones(4)))
    yield Recipe("LinearPolicy", rk.LinearPolicy, (arm, np.ones((2, 4)), [0.1, 0.2], np.zeros(4)))
    resolved = {"axes": "xy", "null_space_damping": 1.0}
    yield Recipe(
        "ResolvedAcceleration", rk.ResolvedAcceleration, (arm, "hand", [0.5, 0.5], 10.0, 1.0), resolved
    )
    forced = {"force": 10.0, "stiffness": 10.0, "damping": 1.0, "null_space_damping": 5.0}
    yield Recipe("ForcePosition", rk.ForcePosition, (arm, floor, points), forced)
    yield Recipe("Data", _with_torque(rk.Data), (T, np.zeros((5, 2))), {"between": "linear"})
    yield Recipe("Sampled", _with_torque(rk.Sampled), (torque, 0.002), long=(1,))


def _with_torque(kind: Callable[..., Any]) -> Callable[..., Any]:
    """The actuation and a simulation with it: what the constructor accepts must run."""
    return lambda *args, **k: rk.simulate(
        robots()["arm"], Q, V, kind(*args, **k), duration=SHORT, most_steps=50
    )


def _in_jax(law: Any, *args: Any, **keywords: Any) -> Any:
    return rk.jax.law(law)(*args, **keywords)


def _rollouts(folder: Path) -> Iterator[Recipe]:
    arm = robots()["arm"]
    keywords: dict[str, Any] = {
        "steps": 3,
        "dt": 1e-3,
        "method": "rk4",
        "parameters": {"m1": [1.0, 2.0]},
        "contacts": None,
        "stop": "q1 - 3",
        "every": 1,
        "start": 0.0,
        "out": None,
        "threads": 1,
    }
    yield Recipe("rollout", arm.rollout, (Q, V, np.zeros((3, 2, 2))), keywords)
    floor = rk.Contact("hand", rk.Plane(normal=(0, 1, 0), point=(0, -5, 0)), 0.2)
    yield Recipe(
        "rollout with contacts",
        arm.rollout,
        (Q, V),
        {"steps": 3, "dt": 1e-3, "contacts": [floor], "friction": [0.2]},
    )
    keywords = {"seed": 1, "executor": None, "retries": 0, "checkpoint": None, "progress": None}
    yield Recipe("sweep", rk.sweep, (_drawn, [1.0, 2.0]), keywords, long=("executor",))
    yield Recipe("Sweep.save", rk.sweep(_drawn, [1.0, 2.0]).save, (folder / "sweep.npz",))


def _drawn(item: Any, random: np.random.Generator) -> float:
    return float(random.random())


def _simulation(folder: Path) -> Iterator[Recipe]:
    arm, five = robots()["arm"], robots()["five"]
    keywords: dict[str, Any] = {
        "duration": SHORT,
        "start": 0.0,
        "events": {"e": lambda t, q, v: q[0]},
        "contacts": None,
        "joint_friction": None,
        "wrenches": {"hand": [0.0, 1.0, "sin(t)", 0.0, 0.0, 0.0]},
        "torque_limits": [5.0, 5.0],
        "system": None,
        "output": [0.0, 0.005],
        "method": "dop853",
        "step": 0.001,
        "rtol": 1e-8,
        "atol": 1e-10,
        "largest_step": 0.005,
        "most_steps": 50,
        "most_changes": 10,
        "progress": None,
    }
    yield Recipe("simulate", rk.simulate, (arm, Q, V, [0.1, 0.2]), keywords)
    floor = rk.Contact("hand", rk.Plane(normal=(0, 1, 0), point=(0, -5, 0)), 0.2)
    contact = {"contacts": [floor], "duration": SHORT, "most_steps": 50, "output": 0.005}
    yield Recipe("simulate with contacts", rk.simulate, (arm, Q, V, torque), contact)
    closed = five.assemble([0.3, 1.2])
    yield Recipe(
        "simulate with loops",
        rk.simulate,
        (five, closed, None, [0.1, 0.2]),
        {"duration": SHORT, "most_steps": 50},
    )
    stepping = {"duration": SHORT, "step": 0.002, "contacts": [floor], "method": "time_stepping"}
    yield Recipe("fixed steps", rk.simulate, (arm, Q, V, [0.1, 0.2]), stepping, long=("duration",))
    yield Recipe("onto_loops", simulation.onto_loops, (five, closed, np.zeros(five.nv)))
    yield Recipe("FreeMotion", simulation.FreeMotion, (arm,), {"project": True})
    guard = {"falling": True, "rising": False, "ends_mode": True, "slack": None}

    def with_guard(*args: Any, **k: Any) -> Any:
        return rk.simulate(arm, Q, V, duration=SHORT, events=[rk.Guard(*args, **k)], most_steps=50)

    yield Recipe("Guard", with_guard, ("g", lambda mechanism, now, flow: now.q[0] + 1), guard)
    solution = rk.simulate(arm, Q, V, duration=SHORT)
    file = folder / "solution.npz"
    solution.save(file)
    yield Recipe("Solution.at", solution.at, (0.005,))
    yield Recipe("Solution.positions", solution.positions, ([0.001, 0.005],))
    yield Recipe("Solution.plot", solution.plot, ("q", "v"))
    yield Recipe(
        "Solution.configurations",
        solution.configurations,
        (3,),
        {"plane": "xy", "apart": 0.5, "surfaces": (), "ax": None},
        long=(0,),
    )
    yield Recipe(
        "Solution.animate",
        solution.animate,
        (folder / "motion.gif",),
        {"fps": 25, "speed": 1.0, "frames": True},
    )
    yield Recipe("view", arm.view, (np.zeros(arm.nq),), {"height": 300, "language": "en"})
    yield Recipe("Solution.save", solution.save, (folder / "other.npz",))
    yield Recipe("load_solution", rk.load_solution, (file, arm))


_WITH_METHODS = ("inverse_dynamics", "forward_dynamics", "jacobian", "mass_matrix", "pose")
_QUICK = ("pose", "jacobian", "mass_matrix", "inverse_dynamics", "kinetic_energy", "loop_residual")


def _bound_laws() -> Iterator[tuple[Any, dict[str, Any], tuple[Any, ...]]]:
    """Every law of a tree, of a closed and of a free-floating robot, with its options and arrays."""
    arm, five, sat = (robots()[name] for name in ("arm", "five", "sat"))
    sat_q, closed_q = np.array([0, 0, 0, 2.2, -2.0]), five.assemble([0.3, 1.2])
    keywords: dict[str, Any] = {
        "frame": "hand",
        "rows": "xy",
        "axes": "world",
        "angles": "zyx",
        "about": "com",
        "method": "auto",
        "friction": False,
        "joint_parameters": False,
        "gravity": [0.0, -9.81, 0.0],
        "wrenches": {"hand": [1.0, 0, 0, 0, 0, 0]},
    }
    groups = [
        (arm, arm, laws_of("tree"), Q),
        (five, five, laws_of("closed"), closed_q),
        (five, five.reduced, laws_of("reduced"), closed_q),
        (sat, sat.space, laws_of("space"), sat_q),
    ]
    for robot, owner, laws, q in groups:
        for name in laws:
            bound = getattr(owner, name)
            law = bound.law
            own = {key: x for key, x in keywords.items() if key in (*law.options, *law.overrides)}
            if "axes" in own and robot is sat:
                own["axes"] = "base"
            if robot is not arm and "wrenches" in own:
                own["wrenches"] = {"hand": np.zeros(6)}
            arrays = [np.full(input_size(robot, law, key), 0.1) for key in law.inputs]
            arrays = [q if key == "q" else x for key, x in zip(law.inputs, arrays, strict=True)]
            arrays = [
                space.coordinates_of(np.eye(4)) if k == "target" else x
                for k, x in zip(law.inputs, arrays, strict=True)
            ]
            yield bound, own, tuple(arrays)


def _fixed(bound: Any, arrays: tuple[Any, ...], **options: Any) -> Any:
    return bound.fix(**options)(*arrays)


def _laws(folder: Path, every_law: bool) -> Iterator[Recipe]:
    arm, loop = robots()["arm"], robots()["loop"]
    for bound, own, arrays in _bound_laws():
        name = bound.law.called
        if not every_law and name not in _QUICK:
            continue
        yield Recipe(name, bound, arrays, {**own, "out": None})
        if name in _WITH_METHODS and bound.robot is arm:
            options = {key: x for key, x in own.items() if key in bound.law.options}
            derivative = {**own, "wrt": ("q",), "packed": False, "order": 1, "out": None}
            yield Recipe(f"{name}.derivative", bound.derivative, arrays, derivative)
            yield Recipe(f"{name}.status", bound.status, arrays, own)
            yield Recipe(f"{name}.fix", partial(_fixed, bound, arrays), (), own)
            yield Recipe(f"{name}.program", bound.program, (), {"derivative": False, **options})
            yield Recipe(f"{name}.packing", bound.packing, (), {"wrt": ("q",), **options})
            limits = {"time_limit": 5.0, "progress": None, "cancel": None}
            yield Recipe(f"{name}.formulas", bound.formulas, (), {**limits, **options})
            yield Recipe(f"{name}.intermediates", bound.intermediates, (), options)
    second = {"wrt": ("q",), "order": 2, "gravity": [0.0, -9.0, 0.0], "m1": 1.5}
    yield Recipe("second derivative", arm.gravity_forces.derivative, (Q,), second)
    weighted = {"weights": [1.0, 2.0], "wrt": ("q", "m1"), "gravity": [0.0, -9.0, 0.0], "m1": 1.5}
    yield Recipe("gradient", arm.gravity_forces.gradient, (Q,), weighted)
    yield Recipe("tangent", arm.gravity_forces.tangent, (Q,), {"directions": {"q": V, "m1": 1.0}})
    along = {**weighted, "directions": {"q": V}}
    yield Recipe("hessian_product", arm.gravity_forces.hessian_product, (Q,), along)
    yield Recipe(
        "jax.law", partial(_in_jax, arm.gravity_forces), (Q,), {"gravity": [0.0, -9.0, 0.0], "m1": 1.5}
    )
    export = {"path": folder / "law.c", "name": "f", "derivative": False}
    yield Recipe("export", arm.mass_matrix.export, ("c",), export)
    yield Recipe(
        "export of a derivative",
        arm.jacobian.export,
        ("python", None, "g"),
        {"derivative": ("q",), "frame": "hand"},
    )
    symbols = dict.fromkeys(loop.free_symbols[:2], 0.5)
    yield Recipe("a law with symbols", loop.poses, (loop.neutral(),), {"symbols": symbols})
    yield Recipe("fix of symbols", lambda **k: loop.poses.fix(**k)(loop.neutral()), (), symbols)
    yield Recipe("register_language", _registered, ("lua", lambda export: "text"), {"ending": ".lua"})


def _registered(name: Any, *args: Any, **options: Any) -> None:
    register_language(name, *args, **options)
    del LANGUAGES[name]


def _methods(folder: Path) -> Iterator[Recipe]:
    arm, loop = robots()["arm"], robots()["loop"]
    yield Recipe("neutral", arm.neutral)
    yield Recipe("random_state", arm.random_state, (0, (2,)))
    yield Recipe("difference", arm.difference, (Q, V))
    symbols = dict.fromkeys(loop.free_symbols[:2], 0.5)
    yield Recipe("parameters", loop.parameters, (), {"joint_parameters": True, **symbols})
    yield Recipe("mass_pattern", arm.mass_pattern)
    yield Recipe("recognised_angles", arm.recognised_angles)
    yield Recipe("check_inertias", arm.check_inertias, (), {"strict": False, "repair": None})
    joint = arm.joints[0].name
    yield Recipe("lock", arm.lock, (joint, 0.5))
    locked = arm.lock(joint)
    yield Recipe("free", locked.free, (joint,), {"type": "revolute", "axis": (0, 0, 1), "pitch": None})
    yield Recipe(
        "on_free_base", arm.on_free_base, ("free",), {"name": "n", "ground": "world", "joint": "free_base"}
    )
    body = rk.Inertia("com", 1.0)
    attached = {"inertia": body, "name": "payload", "geometry": rk.Placement(), "frame": "grip"}
    yield Recipe("attach", arm.attach, ("hand",), attached)
    yield Recipe("join", arm.join, (arm, "hand"), {"prefix": "b_", "name": "two"})
    yield Recipe("bind", loop.bind, (), symbols)
    yield Recipe("with_gravity", arm.with_gravity, ((0, 0, -1),))
    yield Recipe("with_actuated", arm.with_actuated, ([joint],))
    yield Recipe(
        "regrouped",
        arm.regrouped,
        (),
        {"parameters": "numbers", "any_gravity": False, "loops": False, "near": None},
    )
    pose = arm.pose(Q, "hand")
    solver: dict[str, Any] = {"q0": Q, "tolerance": 1e-8, "iterations": 20, "restarts": 2, "rng": 0}
    yield Recipe(
        "inverse_kinematics", arm.inverse_kinematics, (pose, "hand"), solver, long=("iterations", "restarts")
    )
    panda = rk.load("panda")
    held = panda.pose([0.1, 0.2, 0.3, -1.5, 0.4, 1.2, 0.5], "hand")
    options: dict[str, Any] = {"parameter": "panda_joint7", "limits": True}
    yield Recipe("self_motion", panda.self_motion, (held, "hand"), options)
    yield from _targets(arm, pose)
    for name in ("link", "joint", "frame"):
        yield Recipe(
            name, getattr(arm, name), ({"link": arm.links[0].name, "joint": joint, "frame": "hand"}[name],)
        )
    yield Recipe("law", arm.law, (rk.Law("twice", _twice, ("q",), ("y",), "Twice q."),))
    yield Recipe("save", arm.bind(**arm.declared_values).save, (folder / "arm.urdf",))
    yield Recipe("position_bounds", states.position_bounds, (arm,))
    yield Recipe("velocity_bounds", states.velocity_bounds, (arm,))


def _targets(arm: Any, pose: Any) -> Iterator[Recipe]:
    """Targets of searches; each is used by one."""
    point = [0.3, 0.1, 0.2]
    kinds: dict[Any, dict[str, Any]] = {
        rk.PoseTarget: {"pose": pose},
        rk.PositionTarget: {"position": point},
        rk.OrientationTarget: {"rotation": np.eye(3)},
        rk.LineTarget: {"point": point, "direction": [0.0, 0.0, 1.0]},
        rk.PlaneTarget: {"point": point, "normal": [0.0, 0.0, 1.0]},
        rk.LookAtTarget: {"point": point},
        rk.CenterOfMassTarget: {"position": point, "axes": "xy"},
        rk.ConfigurationTarget: {"q": arm.neutral()},
    }

    def used(kind: Any) -> Callable[..., Any]:
        def search(**fields: Any) -> Any:
            return arm.inverse_kinematics([kind(**fields)], restarts=1, iterations=5)

        return search

    for kind, fields in kinds.items():
        frame = {"frame": "hand"} if "frame" in kind.__dataclass_fields__ else {}
        own = {**frame, **fields, "weight": 1.0, "priority": 0}
        yield Recipe(kind.__name__, used(kind), (), own)


def _closed(folder: Path) -> Iterator[Recipe]:
    five = robots()["five"]
    q = five.assemble([0.3, 1.2])
    yield Recipe("closure", five.closure, (), {"near": q})
    assembling = {"near": q, "path": False, "all": False, "strict": True}
    yield Recipe("assemble", five.assemble, ([0.3, 1.2],), assembling)
    yield Recipe("assembly_mode", five.assembly_mode, (q,))
    three = rk.load("three_rrr")
    yield Recipe("platform_poses", three.platform_poses, ([0.5, 0.5, 0.5],))
    yield Recipe("singularity", five.singularity, (q,), {"frame": "hand", "output": "pose"})
    v, a = five.complete(q, V, A)
    sharing: dict[str, Any] = {
        "weights": None,
        "ratios": None,
        "limits": None,
        "forces": None,
        "friction": True,
    }
    yield Recipe("actuation_forces", five.actuation_forces, (q, v, a), sharing)
    yield Recipe("loop_rows", five.loop_rows)
    yield Recipe("reduced.mass_matrix.derivative", five.reduced.mass_matrix.derivative, (q,), {"wrt": "q"})
    yield Recipe("tree.mass_matrix", five.tree.mass_matrix, (q,))


def _symbolic(folder: Path) -> Iterator[Recipe]:
    arm, five, loop = robots()["arm"], robots()["five"], robots()["loop"]
    options: dict[str, Any] = {
        "gravity": None,
        "joint_parameters": False,
        "method": "regressor",
        "tree": False,
        "near": None,
    }
    yield Recipe("base_parameters", arm.base_parameters, (), options)
    base = arm.base_parameters()
    yield Recipe("BaseParameters.matrix", base.matrix)
    yield Recipe("BaseParameters.base_values", base.base_values, (arm.parameters(),))
    yield Recipe(
        "BaseParameters.base_values of numbers", base.base_values, (list(arm.parameters().values()),)
    )
    yield Recipe("BaseParameters.full_values", base.full_values, (list(base.base_values()),))
    long = {"time_limit": 5.0, "progress": None, "cancel": threading.Event()}
    yield Recipe(
        "inverse_kinematics_formulas",
        arm.inverse_kinematics_formulas,
        ("hand",),
        {"target": None, "given": (), **long},
    )
    found = arm.inverse_kinematics_formulas("hand")
    yield Recipe("JointFormulas.solve", found.solve, (arm.pose(Q, "hand"),), {"tolerance": 1e-8})
    yield Recipe("JointFormulas.text", found.text, ("short",))
    yield Recipe("JointFormulas.latex", found.latex, ("short",))
    yield Recipe("JointFormulas.export", found.export, ("c",), {"path": folder / "ik.c", "name": "f"})
    yield Recipe("Branch.latex", found.branches[0].latex, ("short",))
    yield Recipe(
        "loop_constraints", five.loop_constraints, (), {"explicit": False, "independent": None, **long}
    )
    constraints = five.loop_constraints()
    yield Recipe(
        "LoopConstraints.configurations",
        constraints.configurations,
        ({"left_motor": 0.3, "right_motor": 1.2},),
    )
    yield Recipe(
        "LoopConstraints.export", constraints.export, ("c",), {"path": folder / "loop.c", "name": "f"}
    )
    yield Recipe("LoopConstraints.velocities", constraints.velocities, (None,))
    yield Recipe("LoopConstraints.accelerations", constraints.accelerations, (None, None))
    M = arm.mass_matrix.symbolic
    names = sorted(M[0, 0].names) if hasattr(M[0, 0], "names") else ["q1", "q2"]
    values = dict.fromkeys(names, 0.5)
    yield Recipe("Formulas.value", M.value, (), values)
    yield Recipe("Formulas.collect", M.collect, ([arm.joints[1].name],))
    yield Recipe("Formulas.diff", M.diff, (arm.joints[1].name,))
    yield Recipe("Formulas.text", M.text, ("short",))
    yield Recipe("Formulas.latex", M.latex, ("short",))
    yield Recipe("Formulas.subs", M.subs, (names[0], 0))
    yield Recipe("Formulas[...]", M.__getitem__, ((0, 0),))
    yield Recipe("ExactFormula.value", M[0, 0].value, (), values)
    yield Recipe("ExactFormula.diff", M[0, 0].diff, (arm.joints[1].name,))
    yield Recipe("ExactFormula.text", M[0, 0].text, ("short",))
    yield Recipe("ExactFormula.latex", M[0, 0].latex, ("short",))
    yield Recipe("ExactFormula.sympy", M[0, 0].sympy, (True,))
    yield Recipe("ExactFormula.subs", M[0, 0].subs, (names[0], 0))
    yield Recipe("ExactFormula.collect", M[0, 0].collect, ([arm.joints[1].name],))
    steps = arm.mass_matrix.intermediates()
    yield Recipe("Intermediates.value", steps.value, (), values)
    yield Recipe("Intermediates.collect", steps.collect, ("accelerations",))
    yield Recipe(
        "poses with symbols", loop.pose.formulas, ("hand",), {"time_limit": 5.0, loop.free_symbols[0]: 0.5}
    )


def _space(folder: Path) -> Iterator[Recipe]:
    sat = robots()["sat"]
    q, v, momentum = np.array([0, 0, 0, 2.2, -2.0]), np.zeros(5), np.zeros(6)
    start = sat.pose(q, "hand")
    motion: dict[str, Any] = {"times": [0.0, 0.1], "tolerance": 1e-8, "breaks": (), "most_steps": 50}
    run = (sat, q, v, 0.1, lambda t, q, v: np.zeros(2))
    yield Recipe("floating_motion", space.floating_motion, run, {"wrenches": lambda t, q, v: {}, **motion})
    prescribed = (sat, q, lambda t, q: V, 0.1)
    yield Recipe("prescribed_motion", space.prescribed_motion, prescribed, {"momentum": momentum, **motion})
    yield Recipe(
        "line", space.line, (start, start[:3, 3] + [0, -0.1, 0]), {"velocity": 0.8, "acceleration": 0.4}
    )
    line = space.line(start, start[:3, 3] + [0, -0.1, 0], velocity=0.8, acceleration=0.4)
    yield Recipe("Line call", line, (0.1,))
    following: dict[str, Any] = {
        "v": v,
        "rows": "xy",
        "gains": (20.0, 100.0),
        "controller": "acceleration",
        "min_singular_value": 1e-3,
        **motion,
    }
    yield Recipe("follow", space.follow, (sat, q, line, "hand", 0.1), following)
    yield Recipe("dynamic_singularity", space.dynamic_singularity, (sat, q, "hand"), {"rows": "xy"})
    yield Recipe("link_momenta", space.link_momenta, (sat, q, v))
    yield Recipe("reaction_null_space", space.reaction_null_space, (sat, q), {"translation": False})
    yield Recipe("coordinates_of", space.coordinates_of, (start,))
    moving = space.MovingFrame(sat, q, v, "hand", 0.1)
    yield Recipe("MovingFrame", space.MovingFrame, (sat, q, v, "hand", 0.1), {"spacing": 0.01}, long=(4,))
    yield Recipe("MovingFrame.state", moving.state, (0.05,))
    yield Recipe("MovingFrame call", moving, (0.05,))
    yield Recipe("Approach.start", space.Approach.start, (start, moving, 0.1))
    approach = space.Approach.start(start, moving, 0.1)
    yield Recipe("Approach call", approach, (0.05,))
    other = rk.load("space_target")
    sat6 = rk.load("space_arm_6")
    q6 = sat6.neutral()
    q6[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    body = space.coordinates_of(sat6.pose(q6, "hand") @ np.linalg.inv(other.pose(other.neutral(), "grip")))
    caught = (sat6, q6, np.zeros(12), "hand", other, body, [0, 0, 0.02, 0, 0.01, 0], "grip")
    yield Recipe("capture", space.capture, caught, {"prefix": "target_"})


def _identification(folder: Path) -> Iterator[Recipe]:
    arm = robots()["arm"]
    arm = arm.bind(**arm.declared_values)
    t = np.linspace(0.0, 10.0, 1000)
    q = np.stack([np.sin(t) + 0.3 * np.sin(2.3 * t), np.cos(1.7 * t) + 0.4 * np.sin(0.9 * t)], axis=1)
    v, a = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    tau = np.asarray(arm.inverse_dynamics(q, v, a)) + 0.1 * v + 0.2 * np.sign(v)
    tau += 0.01 * np.random.default_rng(0).normal(size=q.shape)
    last = arm.links[-1].name
    yield Recipe("Experiment", rk.Experiment, (t, q, tau), {"v": v, "load": {last: 0.1}, "name": "run"})
    motor = {arm.joints[0].name: 1.0, arm.joints[1].name: 1.0}
    yield Recipe("Motor", rk.Motor, ("both", motor))
    path = folder / "run.npz"
    np.savez(path, t=t, q=q, tau=tau)
    yield Recipe("read_experiment", rk.read_experiment, (path,), {"columns": None, "load": None})
    data = rk.Experiment(t, q, tau)
    options: dict[str, Any] = {
        "held_out": 0.25,
        "joint_parameters": ("viscous", "coulomb"),
        "offsets": False,
        "motors": (),
        "gains": None,
        "cutoff": None,
        "rate": None,
        "still": 0.02,
        "loss": "squares",
        "consistent": False,
        "prior_weight": 1.0,
        "check_signs": True,
    }
    yield Recipe("identify", rk.identify, (arm, data, None), options)
    yield Recipe("Spring", rk.Spring, ("balance", "base", last))
    online = {"noise": 0.1, "forgetting": 1.0, "prior_error": 1.0, "offsets": True}
    yield Recipe("OnlineIdentification", rk.OnlineIdentification, (arm,), online)
    found = rk.identify(arm, data, consistent=False)
    yield Recipe("Identification.predict", found.predict, (q[0], v[0], a[0]))
    limits: dict[str, Any] = {"velocity": 1.0, "acceleration": 5.0, "torque": None, "seed": 0}
    made = (arm, 5.0, 2)
    yield Recipe("excitation", rk.excitation, made, {"objective": "condition", "iterations": 1, **limits})
    yield Recipe("Excitation call", rk.excitation(*made, iterations=0), (0.1,))


def _rosam(folder: Path) -> Iterator[Recipe]:
    arm, loop = robots()["arm"], robots()["loop"]
    data = rosam.robot_data(arm)
    yield Recipe("robot_data", rosam.robot_data, (arm,))
    yield Recipe("robot_from_data", rosam.robot_from_data, (data,))
    yield Recipe("robot_from_data of a table", rosam.robot_from_data, (data.table(),))
    for key in data.table():
        table = data.table()
        yield Recipe(
            f"the entry {key} of RobotData",
            lambda x, k=key, t=table: rosam.robot_from_data({**t, k: x}),
            (table[key],),
        )
    yield Recipe(
        "RobotData",
        rosam.RobotData,
        ("serial", 1, data.BranchInfo),
        {"General": data.General, "gravity": (0, 0, -1)},
    )
    link = {
        "m": 1,
        "ms": (0, 0, 0),
        "In": (1, 0, 0, 1, 0, 1),
        "Actuated": True,
        "variable": "x",
        "name": "n",
        "viscous": 0,
    }
    yield Recipe("LinkInfo", _rosam_robot, ("R", (0, 0, "x", 0)), link)
    poses = (
        "Make_q",
        "Make_T",
        "Make_R",
        "Make_p",
        "Make_T0",
        "Make_R0",
        "Make_p0",
        "Make_B",
        "Make_TBase",
        "Make_RBase",
        "Make_pBase",
    )
    for name in poses:
        yield Recipe(name, getattr(rosam, name), (arm,))
    for name in ("Make_Ja", "Make_r", "Make_Dr", "Make_DDr"):
        yield Recipe(name, getattr(rosam, name), (arm,), {"branch": 1, "angles": "zyx"})
    yield Recipe("Make_Jw", rosam.Make_Jw, (arm,), {"branch": 1})
    yield Recipe("Make_Serial", rosam.Make_Serial, (arm, 1))
    yield Recipe("EulerAn", rosam.EulerAn, (np.eye(3),), {"angles": "zyx"})
    yield Recipe("EulerOr", rosam.EulerOr, (0.1, 0.2, 0.3), {"angles": "zyx"})
    yield Recipe("Make_Thand", rosam.Make_Thand, (0.1, 0.2, 0.3, 0.1, 0.2, 0.3), {"angles": "zyx"})
    hand = arm.pose(Q, "hand")
    yield Recipe("Make_InvKine", rosam.Make_InvKine, (arm, hand), {"branch": 1, "time_limit": 5.0})
    yield Recipe("Make_ODP", rosam.Make_ODP, (arm,))
    yield Recipe("Make_MDP1", rosam.Make_MDP1, (arm,), {"tree": False, "joint_parameters": False})
    parameters, none = rosam.Make_ODP(arm), [0] * 6
    tau = rosam.Make_InvDyn(arm, "Dq", "DDq", none)
    model = rosam.Make_DiffModel(tau, ["q1", "q2"])
    yield Recipe("Make_InvDyn", rosam.Make_InvDyn, (arm, "Dq", "DDq", none, 2), {"branch": 1})
    yield Recipe("Make_DiffModel", rosam.Make_DiffModel, (tau, ["q1", "q2"]))
    yield Recipe("DifferentialModel", model.sympy, ())
    yield Recipe("Make_MDP2", rosam.Make_MDP2, (arm, model, parameters, None, ["q1", "q2"]))
    yield Recipe("mdp_lists", rosam.mdp_lists, (rosam.Make_MDP2(arm, model, parameters),))
    constraints = rosam.Make_LoopCnd(loop)
    yield Recipe("Make_LoopCnd", rosam.Make_LoopCnd, (loop, "grobner"))
    yield Recipe("LoopCnd", constraints.combined, ())
    yield Recipe("combine", rosam.combine, ([constraints],))
    yield Recipe("Make_JCnd", rosam.Make_JCnd, (loop, constraints))
    for name in ("Get_Mmatrix", "Get_Cvterm", "Get_Cmatrix", "Get_Gterm"):
        yield Recipe(name, getattr(rosam, name), (arm,), {"tree": False, "cnd": None})


def _rosam_robot(*args: Any, **fields: Any) -> rk.Robot:
    branch = rosam.BranchInfo((rosam.LinkInfo(*args, **fields),))
    return rosam.robot_from_data(rosam.RobotData("serial", 1, {1: branch}))


def _fem(folder: Path) -> Iterator[Recipe]:
    arm, five = robots()["arm"], robots()["five"]
    yield Recipe("fem", five.fem, (), {"masses": {"cut": 1.0}})
    mesh, own = five.fem(), arm.fem()
    path = trajectory.quintic([0.0, 0.55], [0.05, 0.6], 1.0)
    target = {"hand": path}
    yield Recipe("Mesh.motion", mesh.motion, (target,), {"t": T, "samples": 5, "near": None})
    q = five.assemble([0.3, 1.2])
    v, a = five.complete(q, V, A)
    options: dict[str, Any] = {
        "t": T,
        "sharing": None,
        "phases": None,
        "method": "exact",
        "wrenches": None,
        "friction": True,
        "gravity": [0, 0, -9.81],
        "samples": 5,
        "near": None,
    }
    yield Recipe("Mesh.inverse_dynamics", mesh.inverse_dynamics, (target,), options)
    yield Recipe("Ratio", lambda x: mesh.inverse_dynamics(target, T, sharing=Ratio(x)), ({"cut": 0.5},))
    yield Recipe(
        "Weighted", lambda x: mesh.inverse_dynamics(target, T, sharing=Weighted(x)), ({"left_motor": 2.0},)
    )
    yield Recipe("LeastNorm", LeastNorm)
    phases = {"closed": {"cut": [(0.0, 1.0)]}, "blend": 0.1, "mass_on": "start"}
    yield Recipe("Phases", lambda **k: mesh.inverse_dynamics(target, T, phases=Phases(**k)), (), phases)
    sampled = np.stack([q, q]), np.stack([v, v]), np.stack([a, a])
    yield Recipe("Motion", Motion, (five, [0.0, 1.0], *sampled), {"path": None})
    yield Recipe("Mesh.mobility", mesh.mobility, (q,))
    yield Recipe("Mesh.matrices", mesh.matrices, (q, v, a))
    elastic_options = {
        "elements": 2,
        "mass": "consistent",
        "damping": (0.0, 0.0),
        "joint_stiffness": {arm.joints[0].name: 100.0},
        "hinges": "released",
        "refined": True,
    }
    yield Recipe("Mesh.elastic", own.elastic, (), elastic_options, long=("elements",))
    elastic = own.elastic(elements=2)
    yield Recipe("Elastic.mobility", elastic.mobility, (Q,))
    yield Recipe("Elastic.modes", elastic.modes, (Q,), {"count": 2, "locked": "motors"})
    yield Recipe("Elastic.damped_modes", elastic.damped_modes, (Q,), {"count": 2, "locked": "motors"})
    deflection = {"loads": {"hand": [0, -1.0, 0]}, "gravity": [0, -9.81, 0], "locked": "motors"}
    yield Recipe("Elastic.deflection", elastic.deflection, (Q,), deflection)
    bending = {
        "duration": 0.004,
        "step": 0.002,
        "torque": torque,
        "rho": 1.0,
        "rest": False,
        "locked": "none",
        "every": 1,
        "slip_speed": None,
        "progress": None,
    }
    yield Recipe("Elastic.simulate", elastic.simulate, (Q, V), bending, long=("duration",))
    flexible = {"step": 0.05, "before": 0.1, "after": 0.1, "near": None, "slip_speed": None, "progress": None}
    joints = trajectory.quintic(Q, V, 0.2)
    yield Recipe(
        "Elastic.inverse_dynamics",
        elastic.inverse_dynamics,
        (joints, "hand"),
        flexible,
        long=("before", "after"),
    )
    solution = elastic.simulate(Q, V, duration=0.004, step=0.002)
    yield Recipe("FlexibleSolution.at", solution.at, ("hand",))
    yield Recipe("FlexibleSolution.shape", solution.shape, (0,))
    yield Recipe(
        "FlexibleSolution.plot",
        solution.plot,
        (),
        {"ax": None, "shapes": 2, "frame": "hand"},
        long=("shapes",),
    )
    shape = elastic.deflection(Q)
    yield Recipe("Shape.at", shape.at, ("hand",))
    yield Recipe("Shape.plot", shape.plot, (), {"ax": None, "scale": 1.0, "mode": 0})
    result = mesh.inverse_dynamics(target, T)
    yield Recipe("Result.torque", result.torque, ("left_motor",))
    yield Recipe("Result.plot", result.plot, (), {"ax": None, "joints": ["left_motor"]})
    yield Recipe("Result.plot_internal", result.plot_internal, ("bending", 0), {"ax": None})
    yield Recipe("InternalForces.along", result.internal_forces.along, ("left_arm", "bending", 0))
    yield Recipe("InternalForces.component", result.internal_forces.component, ("bending",))


def _pictures(folder: Path) -> Iterator[Recipe]:
    arm = robots()["arm"]
    options = {"q": Q, "ax": None, "frames": True, "masses": True, "legend": True}
    yield Recipe("plot", arm.plot, (), options)
    yield Recipe("default_configuration", default_configuration, (arm,))
    yield Recipe(
        "save_plot", save_plot, (arm, folder / "arm.png"), {"q": Q, "dpi": 30, "legend": False}, long=("dpi",)
    )
    yield Recipe("law_figures", law_figures, (arm, Q), {"progress": None, "names": ["pose"]})
    options = {"warnings": ("w",), "version": "1", "time_limit": 1.0, "laws": ["pose"], "progress": None}
    empty = {"visuals": (), "motions": ()}
    yield Recipe("report", report, (arm, Q), {**options, **empty}, long=("time_limit",))
    page = report(arm, Q, laws=["pose"], time_limit=1.0)
    yield Recipe("html_report", html_report, (page,), {"language": "ja"})
    yield Recipe("robot_document", robot_document, (arm,), {"q": Q, "ghosts": (), "laws": "all", **empty})
    fall = rk.simulate(arm, Q, V, duration=SHORT)
    yield Recipe("recorded_motion", recorded_motion, (fall, "fall"), {"rate": 30.0}, long=("rate",))
    yield Recipe("mathml", mathml, ("a_{1} + b",), {"display": True})
    document = PageDocument(1, "report", "en", None)
    yield Recipe("page_html", page_html, ("title", "<p>body</p>", document))
    yield Recipe("file_visuals", file_visuals, (arm, folder / "arm.toml"), {"meshes": False})


_HINGE = dataclasses.replace(joint_type("revolute"), name="hinge")


def _registered_type(type_: Any) -> None:
    register_joint_type(type_)
    remove_joint_type(type_.name)


def _removed_type(name: Any) -> None:
    register_joint_type(_HINGE)
    try:
        remove_joint_type(name)
    finally:
        JOINT_TYPES.pop("hinge", None)


def _model(folder: Path) -> Iterator[Recipe]:
    arm = robots()["arm"]
    yield Recipe("joint_type", joint_type, ("revolute",))
    yield Recipe("register_joint_type", _registered_type, (_HINGE,))
    yield Recipe("remove_joint_type", _removed_type, ("hinge",))
    layout = to_pinocchio(arm, _pinocchio_model(), {})
    yield Recipe("to_pinocchio", to_pinocchio, (arm, _pinocchio_model()), {"names": {}})
    yield Recipe("to_mujoco", to_mujoco, (arm, _mujoco_model()), {"names": {}})
    for name in ("q", "from_q", "velocity_map"):
        yield Recipe(f"Layout.{name}", getattr(layout, name), (Q,))
    for name in ("v", "from_v", "tau", "from_tau"):
        yield Recipe(f"Layout.{name}", getattr(layout, name), (Q, V))
    for name in ("a", "from_a"):
        yield Recipe(f"Layout.{name}", getattr(layout, name), (Q, V, A))


@cache
def _pinocchio_model() -> Any:
    import pinocchio

    model = pinocchio.Model()
    parent = 0
    for joint in robots()["arm"].joints:
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), pinocchio.SE3.Identity(), joint.name)
    return model


@cache
def _mujoco_model() -> Any:
    import mujoco

    first, second = (joint.name for joint in robots()["arm"].joints)
    body = '<body><geom size="1"/><joint name="{}" axis="0 0 1"/>{}</body>'
    bodies = body.format(first, body.format(second, ""))
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
