"""A motion by `rk.simulate`: forces as formulas, controllers, contacts, gravity or space; curves, events."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.friction_law import Friction
from rikigaku.contact.joint_stop import joint_stops
from rikigaku.contact.surfaces import Cylinder, HeightField, Plane, Sphere, Surface
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.laws.display_names import input_names
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.robot import Robot
from rikigaku.simulation.controllers import ComputedTorque
from rikigaku.simulation.gravity_compensation import GravityCompensation
from rikigaku.simulation.pd_control import PD
from rikigaku.simulation.simulate import actuated_coordinates, simulate
from rikigaku.simulation.solution import Solution
from rikigaku.simulation.state_formulas import StateFormulas
from rikigaku.studio.plot_records import EventRecord, PlotRecord, event_records, plot_record
from rikigaku.studio.tasks.bound_robot import with_values
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.trajectory import quintic
from rikigaku.web.model_document import Motion, RobotDocument
from rikigaku.web.motions import recorded_motion
from rikigaku.web.robot_document import robot_document

ControllerKind = Literal["none", "pd", "computed torque", "gravity compensation"]
SurfaceKind = Literal["plane", "sphere", "cylinder", "height", "formula"]
MethodKind = Literal["dop853", "radau", "time_stepping"]

_RATE = 60.0  # samples of the motion a second
_MOST_SAMPLES = 6000
_BASE_RADIUS = 0.15  # of a base without inertia that floats [m]


@dataclass(frozen=True)
class ControllerRequest:
    """A controller beside the formulas. target: of the actuated coordinates; duration: of the way there [s].

    stiffness, damping: [N m/rad, N m s/rad] of PD, [1/s^2, 1/s] of computed torque.
    """

    kind: ControllerKind
    target: list[float]
    stiffness: float
    damping: float
    duration: float


@dataclass(frozen=True)
class ContactRequest:
    """A frame on a surface.

    normal: of a plane, axis of a cylinder. point: on the plane or axis, centre of a sphere. formula: height
    f(x, y, t), or C(x, y, z, t) that is positive where the frame may be. static: coefficient, 0 for that of
    sliding.
    """

    frame: str
    surface: SurfaceKind
    normal: list[float]
    point: list[float]
    radius: float
    formula: str
    friction: float
    static: float
    restitution: float
    bilateral: bool


@dataclass(frozen=True)
class SimulationRequest:
    """A motion from q and v (all coordinates of the robot in the file).

    torques: one formula of t, positions and velocities for each actuated coordinate of a closed robot, or for
    each of v. gravity [m/s^2]. free_base: the base floats, at rest at first; a
    base without inertia is then a ball of base_mass [kg].
    stops: joint limits are hard stops. joint_friction: Coulomb friction of the joints.
    torque_limits: the effort limits of the file. typical: symbols without a value take typical ones.
    """

    q: list[float]
    v: list[float]
    duration: float
    torques: list[str]
    gravity: list[float]
    controller: ControllerRequest
    contacts: list[ContactRequest]
    free_base: bool
    base_mass: float
    stops: bool
    joint_friction: bool
    torque_limits: bool
    typical: bool
    method: MethodKind
    step: float


@dataclass(frozen=True)
class EnergyAudit:
    """Energy balance [J]; relative: error by the largest kinetic energy."""

    start: float
    end: float
    work: float
    dissipated: float
    error: float
    relative: float


@dataclass(frozen=True)
class SimulationResult:
    """status: "done", or why the motion ended early. document: the robot on a free base, if it was freed."""

    status: str
    done: bool
    motion: Motion
    plots: list[PlotRecord]
    events: list[EventRecord]
    more_events: int
    audit: EnergyAudit
    residual: float
    steps: int
    notes: list[str]
    document: RobotDocument | None


def simulation(robot: Robot, arguments: SimulationRequest) -> SimulationResult:
    """The motion, sampled for the page."""
    robot = with_values(robot, arguments.typical).with_gravity(arguments.gravity)
    q = numbers(f"q of {robot.name!r}", arguments.q, (robot.nq,))
    v = numbers(f"v of {robot.name!r}", arguments.v, (robot.nv,))
    document = None
    if arguments.free_base:
        own = robot.nq, robot.nv
        robot = _freed(robot, arguments)
        q = np.concatenate([robot.neutral()[: robot.nq - own[0]], q])
        v = np.concatenate([np.zeros(robot.nv - own[1]), v])
        document = robot_document(robot, q)
    torque = _torque(robot, q, arguments)
    solution = simulate(
        robot,
        q,
        v,
        torque,
        duration=arguments.duration,
        contacts=_contacts(robot, arguments),
        joint_friction=arguments.joint_friction or None,
        torque_limits=True if arguments.torque_limits else None,
        method=arguments.method,
        step=arguments.step if arguments.method == "time_stepping" else None,
        progress=progress,
    )
    progress("plots")
    return simulation_result(solution, document)


def simulation_result(solution: Solution, document: RobotDocument | None = None) -> SimulationResult:
    """A solution as data of the page."""
    span = float(solution.t[-1] - solution.t[0])
    audit = solution.energy_audit()
    events = event_records(solution)
    return SimulationResult(
        solution.status,
        solution.done,
        recorded_motion(solution, "", min(_RATE, _MOST_SAMPLES / max(span, 1e-9))),
        solution_plots(solution),
        events,
        len(solution.events) - len(events),
        EnergyAudit(*(float(x) for x in audit)),
        float(np.max(solution.residual, initial=0.0)),
        int(solution.statistics.get("steps", 0)),
        list(solution.notes)[:20],
        document,
    )


def solution_plots(solution: Solution) -> list[PlotRecord]:
    """Positions, velocities, forces, energies and contact forces over time."""
    names = input_names(solution.robot)

    def plot(title: str, unit: str, what: str, columns: Array) -> PlotRecord:
        labels = [names[f"{what}[{k}]"] for k in range(columns.shape[1])]
        return plot_record(title, unit, solution.t, dict(zip(labels, columns.T, strict=True)))

    kinetic, potential = solution.kinetic_energy, solution.potential_energy
    energies = {
        "simulation.kinetic": kinetic,
        "simulation.potential": potential,
        "simulation.total": kinetic + potential,
        "simulation.balance": kinetic + potential + solution.dissipated - solution.work,
    }
    found = [
        plot("simulation.positions", "rad, m", "q", solution.q),
        plot("simulation.velocities", "rad/s, m/s", "v", solution.v),
        plot("simulation.forces", "N m, N", "tau", solution.tau),
        plot_record("simulation.energy", "J", solution.t, energies),
    ]
    labels = solution.labels.get("forces", ())
    ending = " normal force [N]"
    forces = {label.removesuffix(ending): k for k, label in enumerate(labels) if label.endswith(ending)}
    if forces:
        values = np.asarray(solution.forces["forces"])
        curves = {name: values[:, k] for name, k in forces.items()}
        found.append(plot_record("simulation.normalForces", "N", solution.t, curves))
    return found


def _freed(robot: Robot, arguments: SimulationRequest) -> Robot:
    """The robot on a free joint; a base without inertia becomes a ball of the requested mass."""
    if arguments.controller.kind not in ("none", "pd"):
        raise WrongValue(
            f"A robot that floats takes no {arguments.controller.kind}: choose PD, or formulas of the forces."
        )
    if robot.base_inertia is None:
        moment = 0.4 * arguments.base_mass * _BASE_RADIUS**2
        tensor = (moment, 0, 0, moment, 0, moment)
        robot = replace(robot, base_inertia=Inertia("com", arguments.base_mass, (0, 0, 0), tensor))
    return robot.on_free_base()


def _torque(robot: Robot, q: Array, arguments: SimulationRequest) -> Any:
    """The sum of formulas and controller; None if there is neither."""
    parts: list[Any] = []
    if any(text.strip() for text in arguments.torques):
        own = [text.strip() or "0" for text in arguments.torques]
        base = len(actuated_coordinates(robot)) - len(own) if arguments.free_base else 0
        parts.append(StateFormulas(robot, ["0"] * base + own))
    if arguments.controller.kind != "none":
        parts.append(_controller(robot, q, arguments.controller, arguments.free_base))
    return sum(parts[1:], parts[0]) if parts else None


def _controller(robot: Robot, q: Array, request: ControllerRequest, floats: bool) -> Any:
    if request.kind == "gravity compensation":
        return GravityCompensation(robot)
    start = _actuated_positions(robot, q)
    target = numbers("The target of the controller", request.target, start.shape)
    path: Any = quintic(start, target, request.duration) if request.duration > 0 else target
    if request.kind == "computed torque":
        return ComputedTorque(robot, path, request.stiffness, request.damping)
    return PD(robot, path, request.stiffness, request.damping, gravity=not (floats or is_closed(robot)))


def _actuated_positions(robot: Robot, q: Array) -> Array:
    places = [robot.q_slices[joint.name] for joint in robot.joints if joint.actuated and joint.nq == joint.nv]
    return np.concatenate([q[place] for place in places]) if places else np.zeros(0)


def _contacts(robot: Robot, arguments: SimulationRequest) -> Any:
    found: list[Any] = [
        Contact(
            one.frame,
            _surface(one),
            Friction(one.friction, static=one.static or None),
            one.restitution,
            one.bilateral,
        )
        for one in arguments.contacts
    ]
    if arguments.stops:
        found += joint_stops(robot)
    return found or None


def _surface(request: ContactRequest) -> Surface:
    kind = request.surface
    if kind == "plane":
        return Plane(tuple(request.normal), tuple(request.point))
    if kind == "sphere":
        return Sphere(request.radius, tuple(request.point))
    if kind == "cylinder":
        return Cylinder(request.radius, tuple(request.normal), tuple(request.point))
    if kind == "height":
        return HeightField(request.formula)
    return Surface(request.formula)
