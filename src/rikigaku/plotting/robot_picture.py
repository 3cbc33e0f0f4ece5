"""A robot drawn with matplotlib: bars, joints by type, masses, frames, ground and loop closures."""

import io
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.types import Array
from rikigaku.core.value_text import short
from rikigaku.model import editing
from rikigaku.model.joints.joint_types import CUT_JOINTS
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position
from rikigaku.plotting.display_configuration import default_configuration
from rikigaku.plotting.picture_view import ground_height, has_ground, view_angles
from rikigaku.plotting.shaded_solids import Solids
from rikigaku.plotting.skeleton import Skeleton, skeleton

Color = tuple[float, float, float]

BAR: Color = (0.62, 0.68, 0.75)
JOINTS: dict[str, Color] = {
    "revolute": (0.91, 0.49, 0.20),
    "prismatic": (0.20, 0.52, 0.80),
    "helical": (0.25, 0.62, 0.47),
    "spherical": (0.83, 0.33, 0.42),
}
CLOSURE: Color = (0.53, 0.35, 0.80)
MASS: Color = (0.95, 0.77, 0.20)
TRIAD: tuple[Color, Color, Color] = ((0.84, 0.24, 0.24), (0.22, 0.62, 0.30), (0.22, 0.38, 0.84))
GROUND, TEXT = "#9aa5b1", "#6b7683"


@checked
def plot(
    robot: RobotModel,
    q: ArrayLike | None = None,
    ax: Any = None,
    frames: bool = True,
    masses: bool = True,
    legend: bool = True,
    **symbols: float,
) -> Any:
    """A picture of the robot at q; returns matplotlib's axes.

    Args:
        q: joint positions (nq,); a configuration within the limits, loops closed, if left out.
        ax: three-dimensional axes to draw into; new ones if left out.
        frames: draw the base and the named frames as triads (x red, y green, z blue), with their names.
        masses: mark the centres of mass, by size; legend: explain the colours.
        symbols: values of the robot's symbols, in place of its own.
    """
    need_matplotlib()
    robot = editing.bind(robot, **symbols)
    drawn = skeleton(robot, default_configuration(robot) if q is None else as_position(robot, q))
    if ax is None:
        ax = _new_axes()
    elif not hasattr(ax, "add_collection3d"):
        raise WrongValue(
            "A robot is drawn into three-dimensional axes, figure.add_subplot(projection='3d'); "
            f"{short(ax)} was given."
        )
    draw(ax, robot, drawn, drawn, frames=frames, masses=masses)
    if legend:
        _legend(ax, drawn, masses)
    ax.set_title(robot.name, color=TEXT, fontsize=11, pad=-6)
    return ax


def draw(ax: Any, robot: RobotModel, drawn: Skeleton, seen: Skeleton, *, frames: bool, masses: bool) -> None:
    """Draw a skeleton; the camera and the ground are those of `seen`, which several pictures may share."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    solids = _solids(drawn, seen.size, frames)
    low, high = _limits(seen, robot)
    if has_ground(robot):
        lines = _grid(low, high)
        ax.add_collection3d(
            Line3DCollection(lines, colors=GROUND, linewidths=0.5, alpha=0.55, zorder=0, clip_on=False)
        )
    if len(solids.faces):
        colors = solids.colors
        faces = Poly3DCollection(
            solids.faces, facecolors=colors, edgecolors=colors, linewidths=0.15, zorder=2, clip_on=False
        )
        ax.add_collection3d(faces)
    for _, start, end in drawn.closures:
        ax.plot(
            *zip(start[:3, 3], end[:3, 3], strict=True),
            color=CLOSURE,
            linestyle="--",
            linewidth=1.6,
            zorder=3,
        )
    if masses and drawn.masses:
        _mark_masses(ax, drawn)
    if frames:
        _name_frames(ax, drawn)
    _view(ax, seen, low, high)


@checked
def save_plot(robot: RobotModel, path: Any, q: Any = None, *, dpi: int = 130, **options: Any) -> None:
    """The picture in a file (png, svg, pdf), written atomically; no window, whatever the backend.

    `path` may be an open file.
    """
    if not (isinstance(path, str | PathLike) or hasattr(path, "write")):
        raise WrongValue(
            f"A picture goes to the path of a file, or into an open one; {short(path)} was given."
        )
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 5.6))
    ax = figure.add_axes((0, 0, 1, 0.97), projection="3d")
    plot(robot, q, ax, **options)
    file = Path(path) if isinstance(path, str | PathLike) else None
    picture: Any = path if file is None else io.BytesIO()
    form = file.suffix.lower().removeprefix(".") if file is not None and file.suffix else "png"
    try:
        figure.savefig(picture, dpi=dpi, transparent=True, format=form)
    except (ValueError, OSError) as error:
        raise RikigakuError(f"The picture could not be written to {str(path)!r}: {error}") from error
    if file is not None:
        write_whole(file, picture.getvalue())


def need_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise RikigakuError("Pictures need matplotlib. Install it: pip install matplotlib.") from error
    except ValueError as error:  # of its settings
        raise RikigakuError(
            f"matplotlib does not start: {error}. Correct MPLBACKEND (agg, svg) or the file matplotlibrc."
        ) from error


def _new_axes() -> Any:
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(6.4, 5.6))
    return figure.add_axes((0, 0, 1, 0.97), projection="3d")


def _solids(drawn: Skeleton, size: float, frames: bool) -> Solids:
    solids = Solids()
    bar, hub = 0.009 * size, 0.0165 * size
    for start, end in drawn.bars:
        solids.tube(start, end, bar, BAR)
    for joint in drawn.joints:
        z, color = joint.axes[:, 2], JOINTS.get(joint.kind)
        if joint.shape == "cylinder":
            solids.tube(joint.place - 1.5 * hub * z, joint.place + 1.5 * hub * z, hub, color or BAR)
        if joint.shape == "box":
            # Draw a prismatic joint away from its origin, where another joint may be.
            middle = joint.place + (0.4 * joint.travel if np.linalg.norm(joint.travel) > 8 * hub else 0)
            solids.tube(joint.place, middle, bar, BAR)
            solids.box(middle, joint.axes, hub * np.array([0.9, 0.9, 1.7]), color or BAR)
            solids.tube(middle, joint.place + joint.travel, 0.6 * bar, color or BAR)
        if joint.shape == "ball":
            solids.ball(joint.place, 1.3 * hub, color or BAR)
        if joint.shape == "free body":
            solids.box(joint.place + joint.travel, joint.moved, hub * np.array([1.6, 1.6, 1.0]), BAR)
    for kind, start, _ in drawn.closures:
        place, z = start[:3, 3], start[:3, 2]
        cut = CUT_JOINTS[kind]
        if len(cut.rotation_axes) + len(cut.translation_axes) == 1:
            solids.tube(place - 1.3 * hub * z, place + 1.3 * hub * z, 0.9 * hub, CLOSURE)
        else:
            solids.ball(place, 1.2 * hub, CLOSURE)
    for _, pose in drawn.frames if frames else ():
        for axis, color in enumerate(TRIAD):
            solids.tube(pose[:3, 3], pose[:3, 3] + 0.075 * size * pose[:3, axis], 0.003 * size, color)
    return solids


def _mark_masses(ax: Any, drawn: Skeleton) -> None:
    places, masses = (np.array(x) for x in zip(*drawn.masses, strict=True))
    area = 12 + 110 * (masses / masses.max()) ** (2 / 3)
    ax.scatter(
        *places.T,
        s=area,
        color=MASS,
        edgecolors="#5f4b00",
        linewidths=0.8,
        alpha=0.75,
        depthshade=False,
        zorder=4,
    )


def _name_frames(ax: Any, drawn: Skeleton) -> None:
    if len(drawn.frames) > 9:
        return  # names would cover the robot
    for name, pose in drawn.frames:
        x, y, z = pose[:3, 3] + 0.025 * drawn.size
        ax.text(x, y, z, name, color=TEXT, fontsize=8, zorder=5)


def _limits(drawn: Skeleton, robot: RobotModel) -> tuple[Array, Array]:
    """The box that is shown; its bottom is the ground."""
    points = drawn.points if len(drawn.points) else np.zeros((1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    centre, half = (low + high) / 2, (high - low) / 2
    half = np.maximum(half + 0.06 * drawn.size, 0.26 * drawn.size)
    half[2] = (high - low)[2] / 2 + 0.04 * drawn.size
    low, high = centre - half, centre + half
    low[2] = ground_height(drawn, robot)
    return low, high


def _grid(low: Array, high: Array) -> list[list[tuple[float, float, float]]]:
    """Lines of the ground, a round number of metres apart."""
    raw = float(max(high[:2] - low[:2])) / 9
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * min((1, 2, 5, 10), key=lambda k: abs(k * power - raw))
    first, last = np.floor(low[:2] / step) * step, np.ceil(high[:2] / step) * step
    z, lines = float(low[2]), []
    for x in np.arange(first[0], last[0] + step / 2, step):
        lines.append([(x, first[1], z), (x, last[1], z)])
    for y in np.arange(first[1], last[1] + step / 2, step):
        lines.append([(first[0], y, z), (last[0], y, z)])
    return lines


def _view(ax: Any, drawn: Skeleton, low: Array, high: Array) -> None:
    """Equal scales, no box; flat robots are seen from their flat side."""
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set_axis_off()
    ax.computed_zorder = False
    points = drawn.points
    elevation, azimuth = view_angles(points)
    ax.view_init(elevation, azimuth)
    _fit(ax, points, low, high)


def _fit(ax: Any, points: Array, low: Array, high: Array) -> None:
    """Zoom and shift until the robot fills the picture, below the title and above the legend."""
    from mpl_toolkits.mplot3d import proj3d

    corners = (
        np.array(np.meshgrid(*zip(points.min(axis=0), points.max(axis=0), strict=True))).reshape(3, -1).T
    )
    seen = np.vstack([points, [corner for corner in corners if corner[2] == corners[:, 2].min()]])
    zoom, centre, extent = 1.0, (low + high) / 2, high - low
    for _ in range(4):
        ax.set_box_aspect(extent.copy(), zoom=zoom)  # matplotlib scales the array it is given
        ax.set(**{f"{k}lim": (c - e / 2, c + e / 2) for k, c, e in zip("xyz", centre, extent, strict=True)})
        ax.apply_aspect()
        projection = ax.get_proj()

        def pixels(where: Array, projection: Any = projection) -> Array:
            x, y, _ = proj3d.proj_transform(*where.T, projection)
            return np.asarray(ax.transData.transform(np.column_stack([x, y])))

        spots, frame = pixels(seen), ax.figure.bbox if len(ax.figure.axes) == 1 else ax.bbox
        middle = np.array([frame.x0 + 0.5 * frame.width, frame.y0 + 0.52 * frame.height])
        room = np.array([0.78 * frame.width, 0.76 * frame.height])
        # Derivative of pixels with respect to world positions; the least shift that centres the robot.
        slopes = (pixels(centre + 1e-3 * extent.max() * np.eye(3)) - pixels(centre[None])) / (
            1e-3 * extent.max()
        )
        centre = centre + np.linalg.pinv(slopes.T) @ ((spots.max(axis=0) + spots.min(axis=0)) / 2 - middle)
        zoom *= float(np.min(room / np.maximum(np.ptp(spots, axis=0), 1e-9)))
        zoom = min(zoom, 20.0)


def _legend(ax: Any, drawn: Skeleton, masses: bool) -> None:
    from matplotlib.lines import Line2D

    def dot(color: Color, label: str, marker: str) -> Any:
        return Line2D([], [], linestyle="", marker=marker, markersize=7, color=color, label=label)

    shapes = {joint.kind: joint.shape for joint in drawn.joints}
    marks = {kind: "s" if shape == "box" else "o" for kind, shape in shapes.items()}
    entries = [dot(color, kind, marks[kind]) for kind, color in JOINTS.items() if kind in marks]
    if drawn.closures:
        entries.append(Line2D([], [], color=CLOSURE, linestyle="--", marker="o", label="loop closure"))
    if masses and drawn.masses:
        entries.append(dot(MASS, "centre of mass", "o"))
    if entries:
        ax.legend(
            handles=entries,
            loc="lower center",
            ncols=len(entries),
            fontsize=8,
            frameon=False,
            labelcolor=TEXT,
        )
