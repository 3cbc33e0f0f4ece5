"""The document of a robot: its picture on bodies, coordinates with limits, loops, and laws as WebAssembly."""

import base64
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, numbers
from rikigaku.export.wasm_module import wasm_module
from rikigaku.laws.display_names import input_names
from rikigaku.model.elementary_motions import ElementaryJoint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.states import position_bounds
from rikigaku.numbers.program import Program
from rikigaku.plotting import default_configuration
from rikigaku.plotting.body_layout import BodyLayout, BodyMass, body_layout, matrix_of
from rikigaku.plotting.picture_view import ground_height, has_ground, view_angles
from rikigaku.plotting.skeleton import skeleton
from rikigaku.robot import Robot
from rikigaku.web.model_document import (
    SCHEMA,
    Bar,
    BeamMesh,
    ClosureRecord,
    Coordinate,
    FrameRecord,
    JointRecord,
    LoopRecord,
    MassPoint,
    Motion,
    NamedConfigurations,
    RobotDocument,
    Seat,
    StateNames,
    SurfaceMesh,
    Visual,
)
from rikigaku.web.page_laws import draggable_frames, page_programs

PageLaws = Literal["none", "kinematics", "all"]


@checked
def robot_document(
    robot: Robot,
    q: Array | None = None,
    *,
    visuals: Sequence[Visual] = (),
    ghosts: Sequence[NamedConfigurations] = (),
    motions: Sequence[Motion] = (),
    surfaces: Sequence[SurfaceMesh] = (),
    beams: Sequence[BeamMesh] = (),
    laws: PageLaws = "all",
    programs: Mapping[str, Program] = MappingProxyType({}),
) -> RobotDocument:
    """The document of the robot at q (its default configuration if left out).

    Args:
        laws: which laws the page evaluates: "none" shows one configuration, "kinematics" moves the picture.
        programs: further functions of q that the page evaluates, by name.
    Raises:
        MissingValue: if symbols without a value place the links.
    """
    robot = robot.bind(**robot.declared_values) if robot.declared_values else robot
    choice("laws", laws, get_args(PageLaws))
    layout = body_layout(robot)
    q = default_configuration(robot) if q is None else numbers(f"q of {robot.name!r}", q, (robot.nq,))
    frames = draggable_frames(robot)
    own = page_programs(robot, frames, dynamics=laws == "all") if laws != "none" else {}
    programs = {**own, **programs}
    drawn = skeleton(robot, q)
    points = drawn.points if len(drawn.points) else np.zeros((1, 3))
    gravity = [float(g) if g.is_number else 0.0 for g in robot.gravity]
    return RobotDocument(
        schema=SCHEMA,
        name=robot.name,
        nq=robot.nq,
        nv=robot.nv,
        gravity=gravity,
        q=_listed(q),
        size=drawn.size,
        centre=_listed((points.min(axis=0) + points.max(axis=0)) / 2),
        view=_view(points),
        ground=ground_height(drawn, robot) if has_ground(robot) else None,
        coordinates=_coordinates(robot),
        joints=_joints(robot),
        bodies=[body.name for body in layout.mechanism.bodies],
        bars=[Bar(body, _listed(start), _listed(end)) for body, start, end in layout.bars],
        seats=[
            Seat(seat.kind, seat.shape, seat.parent, _pose(seat.pose), seat.body, seat.q.start)
            for seat in layout.seats
        ],
        masses=[_mass(mass) for mass in layout.masses],
        frames=_frames(layout, frames, programs.keys()),
        closures=[
            ClosureRecord(loop.name, kind, start[0], _pose(start[1]), end[0], _pose(end[1]))
            for loop, (kind, start, end) in zip(robot.loops, layout.closures, strict=True)
        ],
        visuals=list(visuals),
        loops=_loops(robot),
        names=_names(robot),
        wasm=base64.b64encode(wasm_module(programs)).decode("ascii") if programs else "",
        ghosts=list(ghosts),
        motions=list(motions),
        surfaces=list(surfaces),
        beams=list(beams),
    )


def _listed(values: Array) -> list[float]:
    return [float(x) for x in values]


def _pose(matrix: Array) -> list[float]:
    return _listed(matrix[:3].ravel())


def _coordinates(robot: Robot) -> list[Coordinate]:
    lower, upper = position_bounds(robot)
    names, found = _names(robot).q, []
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
        kinds = [kind for motion, _ in joint_type(joint.type).motions for kind in _kinds(motion)]
        places, place = [], v
        for kind in kinds:
            places.append(-1 if kind == "quaternion" else place)
            place += kind != "quaternion"
        for i, kind in enumerate(kinds):
            low, high = float(lower[q + i]), float(upper[q + i])
            found.append(
                Coordinate(
                    names[q + i],
                    joint.name,
                    kind,  # type: ignore[arg-type]
                    low if np.isfinite(low) and kind != "quaternion" else None,
                    high if np.isfinite(high) and kind != "quaternion" else None,
                    places[i],
                )
            )
    return found


def _kinds(motion: type[ElementaryJoint]) -> tuple[str, ...]:
    return motion.coordinates


def _joints(robot: Robot) -> list[JointRecord]:
    return [
        JointRecord(
            joint.name,
            joint.type,
            robot.q_slices[joint.name].start,
            joint.nq,
            robot.v_slices[joint.name].start,
            joint.nv,
            joint.actuated,
        )
        for joint in robot.joints
    ]


def _mass(mass: BodyMass) -> MassPoint:
    """Semi-axes of the homogeneous ellipsoid: a_x^2 = 5/2 (I_y + I_z - I_x) / m, and so on."""
    moments, axes = np.linalg.eigh(mass.inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    squares = 2.5 * (moments.sum() - 2 * moments) / mass.mass
    scale = max(float(np.abs(squares).max()), 1e-300)
    radii = None if (squares < -1e-9 * scale).any() else _listed(np.sqrt(np.maximum(squares, 0)))
    return MassPoint(mass.body, mass.mass, _listed(mass.centre), _listed(axes.ravel()), radii)


def _frames(layout: BodyLayout, dragged: Sequence[str], laws: Collection[str]) -> list[FrameRecord]:
    shown = {name: (body, pose) for name, body, pose in layout.frames}
    for name in dragged:
        body, pose = layout.mechanism.frames[name]
        shown.setdefault(name, (body, matrix_of(pose)))

    def law(name: str) -> str:
        own = f"jacobian_{dragged.index(name)}" if name in dragged else ""
        return own if own in laws else ""

    return [FrameRecord(name, body, _pose(pose), law(name)) for name, (body, pose) in shown.items()]


def _loops(robot: Robot) -> LoopRecord | None:
    if not (robot.loops or robot.couplings):
        return None
    try:
        plan = closure(robot)
    except RikigakuError:  # the loops do not close
        return None
    structure = plan.structure
    return LoopRecord(
        list(structure.equations),
        list(structure.independent),
        list(structure.dependent),
        list(structure.actuated),
        plan.mobility,
        plan.redundancy,
    )


def _names(robot: Robot) -> StateNames:
    names = input_names(robot)
    q, v, tau = (
        [names[f"{what}[{k}]"] for k in range(size)]
        for what, size in (("q", robot.nq), ("v", robot.nv), ("tau", robot.nv))
    )
    return StateNames(q, v, tau)


def _view(points: Array) -> list[float]:
    """Direction from the robot to the camera."""
    elevation, azimuth = np.radians(view_angles(points))
    flat = np.cos(elevation)
    return [float(flat * np.cos(azimuth)), float(flat * np.sin(azimuth)), float(np.sin(elevation))]
