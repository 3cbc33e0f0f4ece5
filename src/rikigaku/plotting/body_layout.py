"""Parts of a robot's picture, each fixed on a body of the mechanism: bars, joint seats, masses, frames.

A layout does not depend on the configuration. `skeleton` moves it to a configuration for matplotlib; the web
page moves it with the body poses of a compiled law.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from rikigaku.core.types import Array
from rikigaku.model.editing import link_geometry
from rikigaku.model.elementary_motions import Free, Shape
from rikigaku.model.formula_fields import formulas
from rikigaku.model.mechanism import WORLD, Mechanism, instantiate
from rikigaku.model.robot_model import Frame, RobotModel
from rikigaku.numbers.formula import ZERO
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class Seat:
    """The joint of a body: its pose on the parent body (z along its motion), its motion and shape."""

    kind: str
    shape: Shape
    parent: int
    pose: Array
    body: int
    q: range


@dataclass(frozen=True, eq=False)
class BodyMass:
    """Mass [kg], centre of mass [m] and inertia tensor about it [kg m^2], in the axes of the body."""

    body: int
    mass: float
    centre: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class BodyLayout:
    """Places on bodies (WORLD for the ground), in the frame of the body [m]; poses are 4 x 4."""

    mechanism: Mechanism
    bars: list[tuple[int, Array, Array]] = field(default_factory=list)
    seats: list[Seat] = field(default_factory=list)
    masses: list[BodyMass] = field(default_factory=list)
    frames: list[tuple[str, int, Array]] = field(default_factory=list)
    # joint type and the two ends (body, pose) of each cut joint
    closures: list[tuple[str, tuple[int, Array], tuple[int, Array]]] = field(default_factory=list)


def mechanism_of(robot: RobotModel) -> Mechanism:
    """The robot as floats, its symbols at their own values.

    Raises:
        MissingValue: if a symbol has none.
    """
    # friction, rotors, springs, masses and gravity are not drawn, so their symbols need no value
    known = robot.declared_values
    unknown = {place.partition(".")[0] for place, x in formulas(robot) if x.symbols - known.keys()}
    links = [link_geometry(link) if f"links[{k}]" in unknown else link for k, link in enumerate(robot.links)]
    gravity = (ZERO, ZERO, ZERO) if any(place.startswith("gravity") for place in unknown) else robot.gravity
    return instantiate(replace(robot, links=tuple(links), gravity=gravity), FLOATS, known)


def body_layout(robot: RobotModel) -> BodyLayout:
    """Bars, joints, masses, frames and cut joints of the robot on its bodies."""
    mechanism = mechanism_of(_with_loop_frames(robot))
    result = BodyLayout(mechanism)
    for i, body in enumerate(mechanism.bodies):
        pose = matrix_of(body.placement)
        result.seats.append(Seat(body.joint.name, body.joint.shape, body.parent, pose, i, body.q))
        if (m := float(body.inertia.m)) > 0:
            centre = np.array([float(h) for h in body.inertia.h]) / m
            about_origin = np.array(body.inertia.I, dtype=np.float64)
            steiner = m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
            result.masses.append(BodyMass(i, m, centre, about_origin - steiner))
    grounded = any(not isinstance(body.joint, Free) for body in mechanism.bodies if body.parent == WORLD)
    result.bars.extend(_bars(_with_loop_frames(robot), mechanism, result.masses))
    base = (robot.base,) if grounded or not mechanism.bodies else ()
    for name in (*base, *(frame.name for frame in robot.frames)):
        on, pose_on = mechanism.frames[name]
        result.frames.append((name, on, matrix_of(pose_on)))
    for loop in mechanism.loops:
        (start, X), (end, Y) = loop.start, loop.end
        result.closures.append((loop.joint, (start, matrix_of(X)), (end, matrix_of(Y))))
    return result


def matrix_of(pose: Pose) -> Array:
    """The homogeneous matrix as an array."""
    return np.array(pose.matrix(), dtype=np.float64)


def _with_loop_frames(robot: RobotModel) -> RobotModel:
    """The robot with a frame at both ends of every cut joint: bars lead there."""
    ends = [
        Frame(f"{loop.name} {side} {i}", end.link, end.geometry)
        for i, loop in enumerate(robot.loops)
        for side, end in (("start", loop.start), ("end", loop.end))
    ]
    return replace(robot, frames=(*robot.frames, *ends))


def _bars(
    robot: RobotModel, mechanism: Mechanism, masses: list[BodyMass]
) -> Iterator[tuple[int, Array, Array]]:
    """Bars from each link's frame to its joints, links and frames, or else to its centre of mass."""
    places = {name: (body, matrix_of(pose)[:3, 3]) for name, (body, pose) in mechanism.frames.items()}
    origin = np.zeros(3)
    bare = {body for body, _ in mechanism.frames.values()}
    for link in robot.links:
        own = [k for k, body in enumerate(mechanism.bodies) if body.name == link.name]
        parent, start = places[link.parent]
        seat = matrix_of(mechanism.bodies[own[0]].placement)[:3, 3] if own else places[link.name][1]
        if link.joint.type != "free":
            yield from _bar(parent, start, seat)
        if own:
            yield from _bar(own[-1], origin, places[link.name][1])
        bare.discard(parent)
    for frame in robot.frames:
        body, start = places[frame.link]
        yield from _bar(body, start, places[frame.name][1])
        bare.discard(body)
    for mass in masses:
        if mass.body in bare:
            yield from _bar(mass.body, origin, mass.centre)


def _bar(body: int, start: Array, end: Array) -> Iterator[tuple[int, Array, Array]]:
    if np.linalg.norm(end - start) > 1e-9:
        yield body, start, end
