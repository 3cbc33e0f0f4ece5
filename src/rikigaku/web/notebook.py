"""Robots in notebooks: live views where anywidget is installed, a picture and a table elsewhere."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.contact.surfaces import Surface
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, number, numbers, whole
from rikigaku.fem.flexible_solution import FlexibleSolution
from rikigaku.fem.static_deflection import Shape
from rikigaku.model.robot_tables import _repr_html_ as link_table_html
from rikigaku.plotting import default_configuration
from rikigaku.robot import Robot
from rikigaku.simulation.solution import Solution
from rikigaku.web.beam_meshes import beam_mesh, flexible_motion
from rikigaku.web.model_document import BeamMesh, Motion, NamedConfigurations, SurfaceMesh
from rikigaku.web.motions import recorded_motion
from rikigaku.web.robot_document import robot_document
from rikigaku.web.still_pictures import (
    configuration_picture,
    configurations_picture,
    flexible_picture,
    motion_picture,
    shape_picture,
)
from rikigaku.web.surface_meshes import surface_mesh
from rikigaku.web.visuals import file_visuals

if TYPE_CHECKING:
    from rikigaku.web.notebook_widget import RobotView

_MOST_GHOSTS = 64
_INSTALL = "Live views need anywidget. Install it: pip install 'rikigaku[notebook]'."


@checked
def view(
    robot: Robot,
    q: ArrayLike | None = None,
    *,
    names: Sequence[str] = (),
    surfaces: Sequence[Surface] = (),
    visuals: str | Path | None = None,
    height: int = 420,
    language: str = "en",
) -> "RobotView":
    """The robot in a notebook's cell, live: sliders, frames that can be dragged, layers.

    Args:
        q: joint positions (nq,), the default configuration if left out; or several (k, nq), as
            `inverse_kinematics(..., all=True).q` and `assemble(..., all=True)` return them: one is the
            robot's, the others are ghosts, and buttons choose. Of more than 64, evenly chosen ones are shown.
        names: of several configurations, shown on the buttons; their numbers if left out.
        surfaces: `rk.Plane()`, `rk.Sphere(...)`, `rk.Surface(...)`, drawn around the robot.
        visuals: the URDF or MJCF file whose boxes, cylinders, spheres and meshes are shown.
        height: of the picture [pixels]. language: "en" or "ja".
    Returns:
        A handle: `view.q = ...` moves the picture, `view.q` follows it.
    Raises:
        RikigakuError: if anywidget is not installed; the message names the extra. WrongSize: if q does not
            fit the robot.
    """
    rows = _rows(robot, q)
    if names and len(names) != len(rows):
        raise WrongSize(f"There are {len(rows)} configurations; {len(names)} names were given.")
    ghosts = [_named(rows, names)] if len(rows) > 1 else []
    still: Callable[[Array], bytes] = partial(configuration_picture, robot)
    if ghosts:
        shown = [str(names[k]) if names else str(k + 1) for k in range(len(rows))]
        still = lambda q: configurations_picture(robot, rows, shown)  # noqa: E731
    bound = robot.bind(**robot.declared_values) if robot.declared_values else robot
    drawn = [mesh for surface in surfaces if (mesh := _around(bound, surface, rows[0])) is not None]
    shapes = [] if visuals is None else file_visuals(robot, Path(visuals), meshes=True)[0]
    layers: dict[str, Any] = {"ghosts": ghosts, "surfaces": drawn, "visuals": shapes}
    return _widget(robot, rows[0], still, height, language, **layers)


@checked
def animated(
    solution: Solution, *, speed: float = 1.0, rate: float = 60.0, height: int = 420, language: str = "en"
) -> "RobotView":
    """The motion of a solution in a notebook's cell, with contacts, forces and surfaces.

    speed: 2 shows the motion twice as fast. rate: samples a second. Motions are played by the page alone.
    """
    speed = number("speed", speed, above=0)
    motion = _faster(recorded_motion(solution, "simulation.recorded", rate / speed), speed)
    still = lambda q: motion_picture(solution)  # noqa: E731
    return _widget(solution.robot, solution.q[0], still, height, language, motions=[motion])


@checked
def shape_view(shape: Shape, *, height: int = 420, language: str = "en") -> "RobotView":
    """A deflection, or vibration modes that move, in a notebook's cell."""
    vibrates = getattr(shape, "frequencies", None) is not None
    mesh = beam_mesh(shape, "viewer.vibrationModes" if vibrates else "viewer.deflection")
    robot = cast(Robot, shape.assembly.grid.layout.robot)
    still = lambda q: shape_picture(shape)  # noqa: E731
    return _widget(robot, np.array(mesh.q), still, height, language, beams=[mesh])


@checked
def flexible_animated(solution: FlexibleSolution, *, height: int = 420, language: str = "en") -> "RobotView":
    """The motion of flexible links in a notebook's cell."""
    robot = cast(Robot, solution.elastic.layout.robot)
    motion = flexible_motion(solution, "simulation.recorded")
    still = lambda q: flexible_picture(solution)  # noqa: E731
    return _widget(robot, solution.q[0], still, height, language, motions=[motion])


def _repr_html_(robot: Robot) -> str:
    """Picture and table of links, for notebooks without live views."""
    return f"<div>{_picture(robot)}{link_table_html(robot)}</div>"


def _repr_mimebundle_(robot: Robot, **options: Any) -> dict[str, Any]:
    """Rich display in notebooks: the live view where anywidget is installed, and picture and table."""
    bundle: dict[str, Any] = {"text/plain": repr(robot), "text/html": _repr_html_(robot)}
    if find_spec("anywidget") is None:
        return bundle
    try:
        own = view(robot).live_bundle()
    except RikigakuError:  # symbols without a value place the links
        return bundle
    return {**own, **bundle}


def _picture(robot: Robot) -> str:
    try:
        picture = configuration_picture(robot, default_configuration(robot))
    except RikigakuError:  # without matplotlib, or without values of lengths
        return ""
    data = base64.b64encode(picture).decode("ascii")
    return f'<img alt="{escape(robot.name)}" src="data:image/png;base64,{data}"><br>'


def _rows(robot: Robot, q: ArrayLike | None) -> Array:
    if q is None:
        return default_configuration(robot)[None]
    found = np.asarray(q, dtype=np.float64) if not isinstance(q, str) else np.zeros(0)
    if found.ndim == 2:
        if not len(found):
            raise WrongSize("A view shows one configuration or more; none was given.")
        return np.stack([numbers(f"q of {robot.name!r}", row, (robot.nq,)) for row in found])
    return numbers(f"q of {robot.name!r}", q, (robot.nq,))[None]


def _named(rows: Array, names: Sequence[str]) -> NamedConfigurations:
    """Configurations with their names, at most `_MOST_GHOSTS` of them, evenly chosen."""
    count = min(len(rows), _MOST_GHOSTS)
    chosen = np.unique(np.linspace(0, len(rows) - 1, count).round().astype(int))
    shown = [str(names[k]) if names else str(k + 1) for k in chosen]
    return NamedConfigurations("viewer.ghosts", shown, [[float(x) for x in rows[k]] for k in chosen])


def _around(robot: Robot, surface: Surface, q: Array) -> SurfaceMesh | None:
    if not isinstance(surface, Surface):
        raise WrongValue(f"surfaces are Plane(), Sphere(...) or Surface(...); {surface!r} was given.")
    places = robot.poses(q)[..., :3, 3]
    low, high = places.min(axis=0), places.max(axis=0)
    return surface_mesh(robot, surface, (low + high) / 2, max(float((high - low).max()), 0.2))


def _faster(motion: Motion, speed: float) -> Motion:
    return motion if speed == 1 else replace(motion, times=[t / speed for t in motion.times])


def _widget(
    robot: Robot,
    q: Array,
    still: Callable[[Array], bytes],
    height: int,
    language: str,
    *,
    motions: Sequence[Motion] = (),
    beams: Sequence[BeamMesh] = (),
    **layers: Any,
) -> "RobotView":
    choice("language", language, ("en", "ja"))
    height = whole("height of the picture [pixels]", height, 100)
    if find_spec("anywidget") is None:
        raise RikigakuError(_INSTALL)
    from rikigaku.web.notebook_widget import RobotView

    document = robot_document(robot, q, motions=motions, beams=beams, **layers)
    return RobotView(document, still, height, language)
