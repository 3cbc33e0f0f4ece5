"""Plots of a solution: curves over time, stick figures, animation. matplotlib is imported when needed."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.contact.surfaces import Surface
from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import RikigakuError, TooLarge, WrongSize, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.validation import number, whole
from rikigaku.core.value_text import short
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.plotting.axes import axes_of

if TYPE_CHECKING:
    from rikigaku.simulation.solution import Solution

_MOST_PICTURES = 10_000  # of an animation
_MOST_FIGURES = 1000  # side by side
_SHIFTING = ("free", "planar", "prismatic")  # joints of a base that is drawn without a link to the ground
_LABELS = {
    "q": "position [rad, m]",
    "v": "velocity [rad/s, m/s]",
    "a": "acceleration [rad/s², m/s²]",
    "tau": "force [N m, N]",
    "energy": "energy [J]",
}


@checked
def plot(solution: "Solution", *what: str) -> Any:
    """Curves over time, one axes for each of `what`: "q", "v", "a", "tau", "energy", or a mode's output.

    Returns matplotlib's figure. Changes of mode are grey lines.
    """
    pyplot = _pyplot()
    wanted = what or ("q", "v", "energy")
    known = [*_LABELS, *(name for name in solution.forces if name not in _LABELS)]
    for name in wanted:
        if name not in known:
            raise WrongValue(f"There is nothing named {name!r} to plot. Known: {', '.join(known)}.")
    figure, rows = pyplot.subplots(len(wanted), 1, sharex=True, squeeze=False, figsize=(8, 2.4 * len(wanted)))
    for ax, name in zip(rows[:, 0], wanted, strict=True):
        for label, y in _curves(solution, name):
            ax.plot(solution.t, y, label=label, linewidth=1.2)
        for n, k in enumerate(np.flatnonzero(np.diff(solution.mode_index))):
            style = {"label": "change of mode"} if n == 0 else {}
            ax.axvline(solution.t[k], color="0.8", linewidth=0.8, zorder=0, **style)
        ax.set_ylabel(_LABELS.get(name, name))
        columns = 1 + len(ax.get_legend_handles_labels()[1]) // 10
        ax.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.01, 0.5), ncols=columns)
    rows[-1, 0].set_xlabel("time [s]")
    figure.tight_layout()
    return figure


@checked
def animate(
    solution: "Solution",
    path: str | Path | None = None,
    *,
    fps: int = 25,
    speed: float = 1.0,
    **options: Any,
) -> Any:
    """An animation of the robot with matplotlib; written to a .gif file, atomically, if a path is given.

    Args:
        fps: frames per second. speed: 2 shows the motion twice as fast. options: those of `robot.plot`.
    """
    pyplot = _pyplot()
    from matplotlib.animation import FuncAnimation

    from rikigaku.plotting import plot as draw

    fps, speed = int(number("fps", whole("fps", fps), most=1000)), number("speed", speed, above=0)
    if path is not None and Path(path).suffix.lower() != ".gif":
        raise WrongValue(f"Animations are written as .gif; {str(path)!r} was given.")
    first, last = solution.records[0, 0], solution.records[-1, 1]
    count = (last - first) * fps / speed
    if count > _MOST_PICTURES:
        raise TooLarge(f"An animation of {count:.3g} pictures is too long: give less fps= or more speed=.")
    times = np.arange(first, last, speed / fps) if last > first else np.array([first])
    figure = pyplot.figure(figsize=(6.4, 5.6))
    ax = figure.add_axes((0, 0, 1, 0.97), projection="3d")
    box, shown = _box(solution), {"legend": False, "frames": False, "masses": False, **options}
    positions = solution.positions(times)

    def picture(k: int) -> list[Any]:
        ax.clear()
        draw(solution.robot, positions[k], ax, **shown)
        ax.set(xlim=box[0], ylim=box[1], zlim=box[2], title=f"{times[k]:.2f} s")
        return []

    film = FuncAnimation(figure, picture, frames=len(times), interval=1000 / fps)
    if path is not None:
        try:
            write_whole(Path(path), _gif(film, fps))
        finally:
            pyplot.close(figure)
    return film


def _gif(film: Any, fps: int) -> bytes:
    """The frames of an animation as a GIF; matplotlib's own writers would write into the file itself."""
    from matplotlib.animation import AbstractMovieWriter
    from PIL import Image

    class Frames(AbstractMovieWriter):
        def setup(self, fig: Any, outfile: Any, dpi: float | None = None) -> None:
            self.fig, self.outfile, self.dpi = fig, outfile, dpi or fig.dpi
            self.frames: list[Any] = []

        def grab_frame(self, **options: Any) -> None:
            pixels = io.BytesIO()
            self.fig.savefig(pixels, **{**options, "format": "rgba", "dpi": self.dpi})
            self.frames.append(Image.frombytes("RGBA", self.frame_size, pixels.getvalue()).convert("RGB"))

        def finish(self) -> None:
            pass

    writer, content = Frames(fps=fps), io.BytesIO()
    film.save("animation.gif", writer=writer)
    first, *others = writer.frames
    first.save(content, "GIF", save_all=True, append_images=others, duration=int(1000 / fps), loop=0)
    return content.getvalue()


@checked
def configurations(
    solution: "Solution",
    times: ArrayLike = 8,
    *,
    plane: str = "yz",
    apart: float | None = None,
    surfaces: Sequence[Surface] | None = None,
    ax: Any = None,
) -> Any:
    """Stick figures of the robot side by side, seen along one axis of the world; returns matplotlib's axes.

    Args:
        times: how many, evenly in time, or the times themselves [s].
        plane: the world's axes to the right and up, as "yz". apart: from one to the next [m]; 0 draws them
            over each other; found from the size of the robot if left out.
        surfaces: drawn in grey where they cut the plane; those of the contacts if left out.
    """
    if len(plane) != 2 or set(plane) - set("xyz"):
        raise WrongValue(f"A plane is two of the axes x, y, z, as in 'yz'; {plane!r} was given.")
    first, last = solution.records[0, 0], solution.records[-1, 1]
    t = floats("times", times)
    if t.ndim == 0:
        if not 1 <= t <= _MOST_FIGURES:
            raise WrongValue(
                f"times is how many, 1 to {_MOST_FIGURES}, or times [s]; {short(times)} was given."
            )
        t = np.linspace(first, last, int(t))
    if t.ndim != 1 or not 1 <= t.size <= _MOST_FIGURES:
        raise WrongSize(f"times are (m,), 1 to {_MOST_FIGURES} of them; shape {t.shape} was given.")
    robot: Any = solution.robot
    right, up = ("xyz".index(axis) for axis in plane)
    origins = robot.poses(solution.positions(t))[..., :3, 3]
    points = {name: origins[:, k][:, [right, up]] for k, name in enumerate(robot.frame_names)}
    solid = {link.name for link in robot.links if link.inertia is not None}
    loose = {link.name for link in robot.links if link.parent not in solid and link.joint.type in _SHIFTING}
    bars = [(points[link.parent], points[link.name]) for link in robot.links if link.name not in loose]
    bars += [(points[frame.link], points[frame.name]) for frame in robot.frames]
    ax = _pyplot().subplots(figsize=(12, 4.5))[1] if ax is None else axes_of(ax)
    bars = bars or [(points[link.name], points[link.name]) for link in robot.links]  # a point alone
    everything = np.concatenate([end for bar in bars for end in bar])
    size = max(float(np.ptp(everything, axis=0).max()), 0.1)
    apart = 0.5 * size if apart is None else apart
    depth = next(k for k in range(3) if k not in (right, up))
    around = [surface for done in solution.runs for surface in done.mode.surfaces]
    surfaces = list(dict.fromkeys(around)) if surfaces is None else surfaces
    for k, time in enumerate(t):
        shift = np.array([apart * k, 0.0])
        for start, end in bars:
            ax.plot(*(np.stack([start[k], end[k]]) + shift).T, "o-", color=f"C{k % 10}", markersize=2, lw=1.5)
        if apart:
            top = max((end[k] for bar in bars for end in bar), key=lambda point: float(point[1])) + shift
            ax.annotate(
                f"{time:.2f} s", top, (0, 6), textcoords="offset points", ha="center", fontsize="small"
            )
        own = np.concatenate([[start[k], end[k]] for start, end in bars])
        for surface in surfaces:
            _ground(ax, surface, plane, own, float(origins[k, :, depth].mean()), float(time), shift, size)
    ax.margins(0.05, 0.12)  # room for the times above the figures
    shifted = f", each figure shifted by {apart:.2g} m" if apart and len(t) > 1 else ""
    ax.set(aspect="equal", xlabel=f"{plane[0]} [m]{shifted}", ylabel=f"{plane[1]} [m]")
    return ax


def _ground(
    ax: Any, surface: Any, plane: str, points: Any, depth: float, t: float, shift: Any, size: float
) -> None:
    """The intersection of a surface with the plane of the picture, around one figure."""
    low, high = points.min(axis=0) - 0.25 * size, points.max(axis=0) + 0.25 * size
    right, up = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80))
    (across,) = set("xyz") - set(plane)
    at = {plane[0]: right, plane[1]: up, across: np.full_like(right, depth)}
    variables = surface.variables((at["x"], at["y"], at["z"]), t)
    C = np.broadcast_to(
        np.asarray(surface.formula.evaluate(FLOATS, variables), dtype=np.float64), right.shape
    )
    if C.min() < 0 < C.max():
        ax.contour(right + shift[0], up, C, levels=[0.0], colors="0.6", linewidths=1.0, zorder=0)


def _curves(solution: "Solution", name: str) -> list[tuple[str, Any]]:
    robot = solution.robot
    if name == "energy":
        kinetic, potential = solution.kinetic_energy, solution.potential_energy
        parts = [("kinetic", kinetic), ("potential", potential), ("dissipated", solution.dissipated)]
        return [
            *parts,
            ("sum less work", kinetic + potential + solution.dissipated - solution.work),
        ]
    values = {"q": solution.q, "v": solution.v}.get(name)
    x = solution.forces[name] if values is None else values
    slices = robot.q_slices if name == "q" else robot.v_slices
    if name not in _LABELS:
        rows = x.reshape(len(x), -1).T
        labels = solution.labels.get(name, tuple(f"{name} {k}" for k in range(len(rows))))
        return [(label, row) for label, row in zip(labels, rows, strict=True) if "(none)" not in label]
    return [
        (joint if at.stop - at.start == 1 else f"{joint} {k}", x[:, at.start + k])
        for joint, at in slices.items()
        for k in range(at.stop - at.start)
    ]


def _box(solution: "Solution") -> list[tuple[float, float]]:
    """A cube that contains every frame of the robot at all times."""
    robot: Any = solution.robot
    points = robot.poses(solution.q)[..., :3, 3].reshape(-1, 3)
    points = np.concatenate([points, np.zeros((1, 3))])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = max(float(np.ptp(points, axis=0).max()) / 2, 0.05) * 1.1
    return [(float(c - half), float(c + half)) for c in middle]


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise RikigakuError("Pictures need matplotlib. Install it: pip install matplotlib.") from error
    return pyplot
