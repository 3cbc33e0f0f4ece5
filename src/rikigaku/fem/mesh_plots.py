"""Plots of meshes with matplotlib: shapes, motions, internal forces, joint torques over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName
from rikigaku.core.types import Array
from rikigaku.core.validation import number, place, whole
from rikigaku.fem.mesh_layout import Grid, grid_at, plane_axes
from rikigaku.fem.nodal_forces import NEWTON, NEWTON_METRE, actuated, force_units
from rikigaku.fem.timoshenko_beam import triads
from rikigaku.plotting.axes import axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rikigaku.fem.flexible_inverse_dynamics import FlexibleResult
    from rikigaku.fem.flexible_solution import FlexibleSolution
    from rikigaku.fem.rigid_inverse_dynamics import Result
    from rikigaku.fem.static_deflection import Shape
    from rikigaku.model.robot_model import RobotModel

BAR, GHOST, FORCE = "#37474f", "#b0bec5", "#c62828"
UNITS = {"axial": "N", "shear": "N", "shear_upright": "N"}
_ALONG_AXIS = (
    "shear_upright",
    "bending_upright",
    "torsion",
)
_LARGEST_VALUE = 0.18  # of the mechanism's size: length of the largest value
_SHORTEST_SIDE = 0.3  # of the longest side of a spatial picture
IMPACT = "#c62828"
_AXES = {NEWTON_METRE: "torque [N m]", NEWTON: "force [N]"}


@checked
def plot_internal(
    result: "Result", component: str = "bending", sample: int = 0, ax: "Axes | None" = None
) -> "Axes":
    """The mechanism at one sample with an internal force drawn across its beams to scale; returns the axes.

    Args:
        component: see `fem.internal_forces.InternalForces`. In a plane, positive values are drawn to the left
            of a beam seen from its inner end; in space towards t, and towards n for upright components and
            torsion.
    """
    layout = result.layout
    values = result.internal_forces.component(component)
    sample = place("sample", sample, values.shape[1])
    values, grid = values[:, sample], grid_at(layout, result.motion.q[sample])
    picture = _Picture(grid, ax)
    positions = picture.projected(grid.positions)
    largest = float(np.abs(values).max(initial=0.0))
    scale = _LARGEST_VALUE * picture.size / largest if largest else 0.0
    for k, beam in enumerate(layout.beams):
        a, b = positions[beam.start], positions[beam.end]
        across = _across(grid, k, component in _ALONG_AXIS) if picture.in_space else _left(b - a)
        edge = [a + scale * values[k, 0] * across, b + scale * values[k, 1] * across]
        picture.ribbon(np.array([a, *edge, b]))
        picture.line(np.array([a, b]), color=BAR, linewidth=3)
    picture.prismatic_joints(positions)
    unit = UNITS.get(component, "N m")
    title = f"{component}, largest {largest:.3g} {unit}, t = {result.t[sample]:.3g} s"
    return picture.finish(title)


@checked
def plot_shape(shape: "Shape", ax: "Axes | None" = None, scale: float | None = None, mode: int = 0) -> "Axes":
    """The deformed mechanism over the undeformed one (grey); returns the axes.

    Args:
        scale: of the displacements; by default the largest is drawn as a tenth of the mechanism's size.
        mode: index of the vibration mode, lowest frequency first, where there are several.
    """
    grid = shape.assembly.grid
    u = shape.u[place("mode", mode, len(shape.u))] if shape.u.ndim == 3 else shape.u
    u = np.real(u)  # damped modes are scaled to be real at their largest component
    largest = float(np.linalg.norm(u, axis=1).max(initial=0.0))
    picture = _Picture(grid, ax)
    factor = 0.1 * picture.size / largest if largest else 1.0
    factor = factor if scale is None else number("scale of the displacements", scale)
    picture.mechanism(grid.positions, GHOST, 2.0)
    picture.mechanism(grid.positions + factor * u, BAR, 2.5)
    title = f"displacements x {factor:.3g}"
    frequencies = getattr(shape, "frequencies", None)
    if frequencies is not None:
        title = f"vibration {mode % len(shape.u) + 1}: {frequencies[mode]:.4g} Hz"
    return picture.finish(title)


@checked
def plot_motion(
    motion: "FlexibleSolution", ax: "Axes | None" = None, shapes: int = 9, frame: str | None = None
) -> "Axes":
    """Shapes of the mechanism over a motion, from light to dark, and the path of a frame; returns the axes.

    shapes: number of shapes drawn.
    """
    picture, last = _Picture(motion.beams.assembly.grid, ax), len(motion.t) - 1
    for k in np.linspace(0, last, whole("shapes, how many are drawn,", shapes)).astype(int):
        picture.mechanism(motion.nodes[k], BAR, 2.0, alpha=0.15 + 0.85 * k / max(1, last))
    if frame is not None:
        picture.line(picture.projected(motion.at(frame)), color=FORCE, linewidth=1)
    return picture.finish(f"{motion.t[0]:.3g} s (light) to {motion.t[-1]:.3g} s (dark)")


class _Picture:
    """Axes in the plane of a mechanism, or in space, with equal scales in metres."""

    def __init__(self, grid: Grid, ax: Any) -> None:
        self.grid, self.in_space = grid, grid.layout.normal is None
        self.axes = _directions(grid)
        self.size = float(np.ptp(grid.positions, axis=0).max(initial=0.0)) or 1.0
        self.corners: list[Array] = []
        self.ax: Any = ax if ax is None else axes_of(ax)
        if ax is None:
            import matplotlib.pyplot as plt

            figure = plt.figure(figsize=(5.6, 5.0), layout="constrained")
            self.ax = figure.add_subplot(projection="3d" if self.in_space else None)

    def projected(self, positions: Array) -> Array:
        """World positions in the axes of the picture."""
        return np.asarray(positions @ self.axes.T)

    def line(self, positions: Array, **style: Any) -> None:
        """Draw a line through positions of the picture."""
        self.corners.append(positions)
        self.ax.plot(*positions.T, solid_capstyle="round", **style)

    def ribbon(self, outline: Array) -> None:
        """Draw a filled outline."""
        self.corners.append(outline)
        self.ax.plot(*outline.T, color=FORCE, linewidth=1)
        if not self.in_space:
            self.ax.fill(*outline.T, color=FORCE, alpha=0.18, linewidth=0)
            return
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        self.ax.add_collection3d(Poly3DCollection([outline], facecolor=FORCE, alpha=0.3))

    def mechanism(self, positions: Array, color: str, width: float, alpha: float = 1.0) -> None:
        """Draw all elements with their nodes at these world positions."""
        positions = self.projected(positions)
        for _, a, b in self.grid.elements:
            self.line(positions[[a, b]], color=color, linewidth=width, alpha=alpha)
        self.prismatic_joints(positions, color, alpha)

    def prismatic_joints(self, positions: Array, color: str = BAR, alpha: float = 1.0) -> None:
        """Draw extended prismatic joints as dotted lines between nodes at positions of the picture."""
        for a, b in self.grid.rails:
            self.ax.plot(*positions[[a, b]].T, ":", color=color, linewidth=1.0, alpha=alpha)

    def finish(self, title: str) -> Any:
        """The axes with title, labels and equal scales."""
        ax = self.ax
        ax.set_title(title, fontsize=10)
        for name, row in zip("xyz", self.axes, strict=False):
            getattr(ax, f"set_{name}label")(_axis_name(row))
        if not self.in_space:
            ax.set_aspect("equal", adjustable="datalim")
            ax.grid(alpha=0.25)
            return ax
        drawn = np.concatenate([np.zeros((0, 3)), *self.corners])
        middle, half = (drawn.max(axis=0) + drawn.min(axis=0)) / 2, np.ptp(drawn, axis=0) / 2
        half = np.maximum(half, _SHORTEST_SIDE * half.max())  # a flat robot still gets readable axes
        for name, m, h in zip("xyz", middle, half, strict=True):
            getattr(ax, f"set_{name}lim")(m - h, m + h)
            getattr(ax, f"{name}axis").set_major_locator(_ticks(h / half.max()))
        ax.set_box_aspect(half, zoom=0.88)  # room for the names of the axes
        ax.tick_params(labelsize=8)
        return ax


def _ticks(part: float) -> Any:
    """Locator with as many ticks as fit on a side that is `part` of the longest."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(max(2, round(5 * part)))


def _left(direction: Array) -> Array:
    """Unit vector perpendicular to a direction in a plane, to its left."""
    return np.asarray(np.array([-direction[1], direction[0]]) / np.linalg.norm(direction))


def _across(grid: Grid, beam: int, upright: bool) -> Array:
    """Axis t or n of a beam in space (`rikigaku.fem.timoshenko_beam.triads`)."""
    one = grid.layout.beams[beam]
    e = (grid.positions[one.end] - grid.positions[one.start]) / one.length
    return triads(e[None], grid.R[one.body][None, :, 2])[0, :, 2 if upright else 1]


def _directions(grid: Grid) -> Array:
    """Axes of the picture as rows."""
    normal = grid.layout.normal
    if normal is None:
        return np.eye(3)
    axes = plane_axes(normal)
    # world axes point to the right and up
    return np.asarray(axes * np.sign([row[np.argmax(np.abs(row))] for row in axes])[:, None])


def _axis_name(row: Array) -> str:
    """Label of an axis: x, y or z of the world, or its components."""
    if np.abs(row).max() > 1 - 1e-9:
        return f"{'xyz'[int(np.argmax(np.abs(row)))]} [m]"
    terms = [f"{x:+.2f} {name}" for name, x in zip("xyz", row, strict=True) if abs(x) > 1e-9]
    return f"{' '.join(terms).lstrip('+')} [m]"


@checked
def plot_torques(result: "Result", ax: "Axes | None" = None, joints: Sequence[str] | None = None) -> "Axes":
    """Torques [N m] and forces [N] of the motors over time; forces have an axis of their own.

    Args:
        joints: names of the joints to draw; all actuated ones by default (passive ones have zero torque).
    Returns:
        The axes, of the torques if there are both.
    """
    axes = _Curves(result.layout.robot, result.names, joints, ax)
    for k in axes.chosen:
        axes.draw(k, result.t, result.torques[:, k])
    for impact in result.impulses:
        axes.first.axvline(impact.t, color=IMPACT, linestyle=":", linewidth=1)
    return axes.finish()


@checked
def plot_flexible(
    found: "FlexibleResult", ax: "Axes | None" = None, joints: Sequence[str] | None = None
) -> "Axes":
    """Motor torques with flexible links, and with rigid links (dashed); see `plot_torques`."""
    axes = _Curves(found.elastic.layout.robot, found.names, joints, ax)
    for k in axes.chosen:
        color = axes.draw(k, found.t, found.torques[:, k])
        axes.draw(k, found.t, found.rigid_torques[:, k], ", rigid", linestyle="--", color=color)
    return axes.finish()


class _Curves:
    """Axes for torques on the left and, where there are both, for forces on the right."""

    def __init__(
        self, robot: "RobotModel", names: Sequence[str], joints: Sequence[str] | None, ax: Any
    ) -> None:
        import matplotlib.pyplot as plt

        requested = [joints] if isinstance(joints, str) else None if joints is None else list(joints)
        for name in requested or ():
            if name not in names:
                raise UnknownName("joint", name, names, f"robot {robot.name!r}")
        motors = np.flatnonzero(actuated(robot)).tolist()
        self.names, self.units = names, force_units(robot)
        self.chosen = motors if requested is None else [names.index(name) for name in requested]
        figure = plt.figure(figsize=(6.4, 4.0), layout="constrained") if ax is None else None
        self.first = axes_of(ax) if figure is None else figure.subplots()
        kinds = [unit for unit in (NEWTON_METRE, NEWTON) if unit in {self.units[k] for k in self.chosen}]
        self.axes: dict[str, Any] = dict(zip(kinds, (self.first, None), strict=False))
        if len(kinds) == 2:
            self.axes[NEWTON] = self.first.twinx()
        for unit, one in self.axes.items():
            one.set_ylabel(_AXES[unit])

    def draw(self, k: int, t: Array, y: Array, also: str = "", **style: Any) -> Any:
        """Draw one curve; returns its colour."""
        unit = self.units[k]
        shown = f"{self.names[k]}{also}" + (f" [{unit}]" if len(self.axes) == 2 else "")
        color = f"C{self.chosen.index(k) % 10}"  # one cycle for both axes
        style = {"color": color, "linewidth": 1.6, **style}
        (line,) = self.axes[unit].plot(t, y, label=shown, **style)
        return line.get_color()

    def finish(self) -> Any:
        self.first.set_xlabel("time [s]")
        self.first.grid(alpha=0.3)
        lines = [line for one in self.axes.values() for line in one.get_lines() if line.get_label()[0] != "_"]
        if lines:
            top = list(self.axes.values())[-1]  # drawn last: not hidden by the curves of the other
            top.legend(handles=lines, frameon=False, fontsize=8, ncols=2)
        return self.first
