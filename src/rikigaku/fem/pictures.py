"""Pictures of meshes: shapes, motions, internal forces. matplotlib is imported when drawing."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.elements import triads
from rikigaku.fem.grid import Grid, grid, plane_axes
from rikigaku.given import names_its_options, number, place, whole

if TYPE_CHECKING:
    from rikigaku.fem.linear import Shape
    from rikigaku.fem.result import Result
    from rikigaku.fem.simulated import Simulated

Array = NDArray[np.float64]

BAR, GHOST, FORCE = "#37474f", "#b0bec5", "#c62828"
UNITS = {"axial": "N", "shear": "N", "shear_upright": "N"}
_UPRIGHT = ("shear_upright", "bending_upright", "torsion")  # drawn along the joint's axis, the others across
_TALLEST = 0.18  # of the mechanism's size: the largest value drawn
_FLATTEST = 0.3  # of the longest side of a picture in space: the shortest


@names_its_options
def plot_internal(result: "Result", component: str = "bending", sample: int = 0, ax: Any = None) -> Any:
    """The mechanism at one sample, an internal force drawn across its beams to scale; returns the axes.

    Args:
        component: see `rikigaku.fem.internal.InternalForces`. In a plane what is above zero is drawn to the
            left of a beam seen from its inner end; in space towards t, and n if it is upright or torsion.
    """
    layout = result.layout
    values = result.internal_forces.component(component)
    sample = place("sample", sample, values.shape[1])
    values, net = values[:, sample], grid(layout, result.motion.q[sample])
    picture = _Picture(net, ax)
    places = picture.seen(net.places)
    largest = float(np.abs(values).max(initial=0.0))
    scale = _TALLEST * picture.size / largest if largest else 0.0
    for k, beam in enumerate(layout.beams):
        a, b = places[beam.start], places[beam.end]
        across = _across(net, k, component in _UPRIGHT) if picture.in_space else _left(b - a)
        edge = [a + scale * values[k, 0] * across, b + scale * values[k, 1] * across]
        picture.ribbon(np.array([a, *edge, b]))
        picture.line(np.array([a, b]), color=BAR, linewidth=3)
    picture.rails(places)
    unit = UNITS.get(component, "N m")
    title = f"{component}, largest {largest:.3g} {unit}, t = {result.t[sample]:.3g} s"
    return picture.done(title)


@names_its_options
def plot_shape(shape: "Shape", ax: Any = None, scale: float | None = None, mode: int = 0) -> Any:
    """The deformed mechanism over the undeformed one (grey); returns the axes.

    Args:
        scale: of the displacements; a tenth of the size for the largest if left out (the title says it).
        mode: which vibration, the slowest first, where there are several.
    """
    net = shape.assembly.grid
    u = shape.u[place("mode", mode, len(shape.u))] if shape.u.ndim == 3 else shape.u
    u = np.real(u)  # of damped ones where they are largest
    largest = float(np.linalg.norm(u, axis=1).max(initial=0.0))
    picture = _Picture(net, ax)
    factor = 0.1 * picture.size / largest if largest else 1.0
    factor = factor if scale is None else number("scale of the displacements", scale)
    picture.mechanism(net.places, GHOST, 2.0)
    picture.mechanism(net.places + factor * u, BAR, 2.5)
    title = f"displacements x {factor:.3g}"
    frequencies = getattr(shape, "frequencies", None)
    if frequencies is not None:
        title = f"vibration {mode % len(shape.u) + 1}: {frequencies[mode]:.4g} Hz"
    return picture.done(title)


@names_its_options
def plot_motion(motion: "Simulated", ax: Any = None, shapes: int = 9, frame: str | None = None) -> Any:
    """So many shapes of the mechanism over a motion, from light to dark, and the path of a frame."""
    picture, last = _Picture(motion.beams.assembly.grid, ax), len(motion.t) - 1
    for k in np.linspace(0, last, whole("shapes, how many are drawn,", shapes)).astype(int):
        picture.mechanism(motion.nodes[k], BAR, 2.0, alpha=0.15 + 0.85 * k / max(1, last))
    if frame is not None:
        picture.line(picture.seen(motion.at(frame)), color=FORCE, linewidth=1)
    return picture.done(f"{motion.t[0]:.3g} s (light) to {motion.t[-1]:.3g} s (dark)")


class _Picture:
    """Axes in the plane of a mechanism, or in space, all lengths in metres to one scale."""

    def __init__(self, net: Grid, ax: Any) -> None:
        self.net, self.in_space = net, net.layout.normal is None
        self.axes = _directions(net)
        self.size = float(np.ptp(net.places, axis=0).max(initial=0.0)) or 1.0
        self.corners: list[Array] = []
        self.ax = ax
        if ax is None:
            import matplotlib.pyplot as plt

            figure = plt.figure(figsize=(5.6, 5.0), layout="constrained")
            self.ax = figure.add_subplot(projection="3d" if self.in_space else None)

    def seen(self, places: Array) -> Array:
        """Places in the world in the axes of the picture."""
        return np.asarray(places @ self.axes.T)

    def line(self, places: Array, **style: Any) -> None:
        """Through places of the picture."""
        self.corners.append(places)
        self.ax.plot(*places.T, solid_capstyle="round", **style)

    def ribbon(self, outline: Array) -> None:
        """An area with an edge."""
        self.corners.append(outline)
        self.ax.plot(*outline.T, color=FORCE, linewidth=1)
        if not self.in_space:
            self.ax.fill(*outline.T, color=FORCE, alpha=0.18, linewidth=0)
            return
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

        self.ax.add_collection3d(Poly3DCollection([outline], facecolor=FORCE, alpha=0.3))

    def mechanism(self, places: Array, color: str, width: float, alpha: float = 1.0) -> None:
        """All beams with their nodes at these places in the world."""
        places = self.seen(places)
        for _, a, b in self.net.pieces:
            self.line(places[[a, b]], color=color, linewidth=width, alpha=alpha)
        self.rails(places, color, alpha)

    def rails(self, places: Array, color: str = BAR, alpha: float = 1.0) -> None:
        """Of slides that are out: rigid, dotted; nodes at places of the picture."""
        layout = self.net.layout
        pairs = [(layout.seat[i], layout.origin[i]) for i in layout.origin]
        for a, b in (*pairs, *layout.ends.values()):
            if np.linalg.norm(self.net.places[a] - self.net.places[b]) > 1e-9:
                self.ax.plot(*places[[a, b]].T, ":", color=color, linewidth=1.0, alpha=alpha)

    def done(self, title: str) -> Any:
        """The axes, named and to scale."""
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
        half = np.maximum(half, _FLATTEST * half.max())  # a flat robot still has three sides to read
        for name, m, h in zip("xyz", middle, half, strict=True):
            getattr(ax, f"set_{name}lim")(m - h, m + h)
            getattr(ax, f"{name}axis").set_major_locator(_ticks(h / half.max()))
        ax.set_box_aspect(half, zoom=0.88)  # room for the names of the axes
        ax.tick_params(labelsize=8)
        return ax


def _ticks(part: float) -> Any:
    """As many as there is room for on a side that is `part` of the longest."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(max(2, round(5 * part)))


def _left(way: Array) -> Array:
    """Square to a way in a plane, to its left."""
    return np.asarray(np.array([-way[1], way[0]]) / np.linalg.norm(way))


def _across(net: Grid, beam: int, upright: bool) -> Array:
    """t or n of a beam in space (`rikigaku.fem.elements.triads`)."""
    one = net.layout.beams[beam]
    e = (net.places[one.end] - net.places[one.start]) / one.length
    return triads(e[None], net.R[one.body][None, :, 2])[0, :, 2 if upright else 1]


def _directions(net: Grid) -> Array:
    """Rows: the axes a picture is drawn in."""
    normal = net.layout.normal
    if normal is None:
        return np.eye(3)
    axes = plane_axes(normal)
    # world axes point to the right and up
    return np.asarray(axes * np.sign([row[np.argmax(np.abs(row))] for row in axes])[:, None])


def _axis_name(row: Array) -> str:
    """x, y or z of the world, or how much of each."""
    if np.abs(row).max() > 1 - 1e-9:
        return f"{'xyz'[int(np.argmax(np.abs(row)))]} [m]"
    terms = [f"{x:+.2f} {name}" for name, x in zip("xyz", row, strict=True) if abs(x) > 1e-9]
    return f"{' '.join(terms).lstrip('+')} [m]"
