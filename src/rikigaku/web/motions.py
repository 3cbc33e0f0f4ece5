"""Recorded motions for pages: a solution of `simulate` at equal times, with contacts and surfaces."""

from typing import Any

import numpy as np

from rikigaku.contact.surfaces import Surface
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import TooLarge, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import is_number
from rikigaku.laws.contact.contact_geometry import Limit
from rikigaku.laws.contact.contact_shapes import Ball, Box, Capsule, Rim, Solid
from rikigaku.laws.contact.relative_motion import ContactSides
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.plotting.body_layout import matrix_of, mechanism_of
from rikigaku.simulation.solution import Solution
from rikigaku.web.model_document import ContactTrack, Motion, SurfaceMesh, Visual, VisualShape
from rikigaku.web.surface_meshes import rounded, surface_mesh

_MOST_SAMPLES = 20_000
_GREY = (0.66, 0.70, 0.75)


@checked
def recorded_motion(solution: Solution, title: str, rate: float = 60.0) -> Motion:
    """The motion of a solution at `rate` samples a second, for `report(..., motions=[...])`.

    Contact points, contact forces and surfaces are recorded too; a solution read from a file has none.

    Raises:
        WrongValue: if the rate is not positive. TooLarge: beyond 20 000 samples.
    """
    if not is_number(rate) or rate <= 0:
        raise WrongValue(f"rate is a positive number of samples a second; {rate!r} was given.")
    start, end = float(solution.t[0]), float(solution.t[-1])
    count = max(1, round((end - start) * rate))
    if count > _MOST_SAMPLES:
        raise TooLarge(f"A motion of {count} samples is too long for a page; give a rate below {rate:g}.")
    times = np.linspace(start, end, count + 1)
    q = solution.positions(times)
    rows = [[float(x) for x in row] for row in q]
    surfaces, shapes = _surfaces(solution, times, q), _shapes(solution)
    since = [float(t - start) for t in times]
    return Motion(title, since, rows, _contacts(solution, times, q), surfaces, shapes)


def _points(solution: Solution) -> tuple[Any, ...]:
    """The contacts as data of the laws, in the order of the columns of "forces"."""
    return next((run.mode.contacts for run in solution.runs if run.mode.contacts), ())


def _contacts(solution: Solution, times: Array, q: Array) -> list[ContactTrack]:
    points = _points(solution)
    shown = [k for k, point in enumerate(points) if not isinstance(point, Limit)]
    if not shown:
        return []
    symbols = dict.fromkeys(solution.robot.free_symbols, 1.0)
    mechanism = instantiate(solution.robot, FLOATS, symbols)
    columns = list(q.T)
    poses = world_poses(mechanism, columns)
    forces = np.nan_to_num(solution.forces_at(times)["forces"])
    labels = solution.labels["forces"]
    found = []
    for k in shown:
        place = ContactSides(mechanism, poses, points[k], times).contact_point
        track = np.stack([np.broadcast_to(np.asarray(x, float), times.shape) for x in place], axis=-1)
        name = labels[4 * k].removesuffix(" force x [N]")
        found.append(ContactTrack(name, rounded(track), rounded(forces[:, 4 * k : 4 * k + 3])))
    return found


def _surfaces(solution: Solution, times: Array, q: Array) -> list[SurfaceMesh]:
    found = dict.fromkeys(
        point.surface
        for point in _points(solution)
        if not isinstance(point, Limit) and isinstance(point.surface, Surface)
    )
    if not found:
        return []
    robot: Any = solution.robot
    places = robot.poses(q)[..., :3, 3].reshape(-1, 3)
    low, high = places.min(axis=0), places.max(axis=0)
    size = 0.75 * max(float((high - low).max()), 0.2)
    meshes = (surface_mesh(robot, one, (low + high) / 2, size, tuple(times)) for one in found)
    return [mesh for mesh in meshes if mesh is not None]


def _shapes(solution: Solution) -> list[Visual]:
    """Balls, capsules, boxes and rims of the contacts, on their bodies."""
    frames = mechanism_of(solution.robot).frames
    found: dict[tuple[str, Any], None] = {}
    for point in (one for one in _points(solution) if not isinstance(one, Limit)):
        if point.shape is not None:
            found[point.frame, point.shape] = None
        if isinstance(point.surface, Solid):
            found[point.surface.body, point.surface.shape] = None
    visuals = []
    for frame, shape in found:
        body, on_body = frames[frame]
        for kind, size, place in _solids(shape):
            visuals.append(Visual(body, kind, _listed(matrix_of(on_body) @ place), size, [*_GREY], None))
    return visuals


def _solids(shape: Any) -> list[tuple[VisualShape, list[float], Array]]:
    """Shapes of the picture with their sizes and poses (4 x 4) in the axes of the contact's frame."""
    place = np.eye(4)
    if isinstance(shape, Ball | Box | Capsule | Rim):
        place[:3, 3] = shape.at
    if isinstance(shape, Ball):
        return [("sphere", [shape.radius], place)]
    if isinstance(shape, Box):
        return [("box", [edge + 2 * shape.radius for edge in (shape.x, shape.y, shape.z)], place)]
    if isinstance(shape, Capsule):
        ends = [solid for end in shape.ends for solid in _solids(end)]
        return [("cylinder", [shape.radius, shape.length], place @ _along(shape.axis)), *ends]
    if isinstance(shape, Rim):
        width = max(2 * shape.edge, 0.08 * shape.radius)
        return [("cylinder", [shape.radius + shape.edge, width], place @ _along(shape.axis))]
    return []  # a vertex


def _along(axis: str) -> Array:
    """The rotation of z onto an axis of the frame."""
    turned = np.eye(4)
    turned[:3, :3] = np.roll(np.eye(3), "zxy".index(axis), axis=0)
    return turned


def _listed(pose: Array) -> list[float]:
    return [float(x) for x in pose[:3].ravel()]
