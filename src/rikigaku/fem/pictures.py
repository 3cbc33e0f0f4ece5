"""Curves and pictures of meshes: torques, internal forces, shapes. matplotlib is imported when drawing."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.grid import Grid, grid, plane_axes

if TYPE_CHECKING:
    from rikigaku.fem.flexible import FlexibleMotion
    from rikigaku.fem.linear import Shape
    from rikigaku.fem.result import Result
    from rikigaku.fem.simulated import Simulated

Array = NDArray[np.float64]

BAR, GHOST, FORCE = "#37474f", "#b0bec5", "#c62828"
UNITS = {"axial": "N", "shear": "N", "shear_upright": "N"}


def plot_torques(result: "Result", ax: Any = None, joints: Any = None) -> Any:
    """Torque curves of all joints (or those named) over time; returns the axes."""
    ax = _axes(ax, (6.4, 4.0))
    for name in result.names if joints is None else joints:
        ax.plot(result.t, result.torque(name), label=name, linewidth=1.6)
    for blow in result.impulses:
        ax.axvline(blow.t, color=FORCE, linestyle=":", linewidth=1)
    return _labelled(ax, "time [s]", "torque [N m]", legend=True)


def plot_flexible(found: "FlexibleMotion", ax: Any = None) -> Any:
    """Torques with which the hand of the flexible arm follows, and those of the rigid arm (dashed)."""
    ax = _axes(ax, (6.4, 4.0))
    for k, joint in enumerate(found.elastic.layout.robot.joints):
        (line,) = ax.plot(found.t, found.torques[:, k], label=joint.name, linewidth=1.6)
        ax.plot(
            found.t, found.rigid_torques[:, k], "--", color=line.get_color(), label=f"{joint.name}, rigid"
        )
    return _labelled(ax, "time [s]", "torque [N m]", legend=True)


def plot_internal(
    result: "Result", component: str = "bending", sample: int = 0, ax: Any = None, **style: Any
) -> Any:
    """The mechanism at one sample, the component drawn across its beams to scale; returns the axes."""
    layout = result.layout
    net = grid(layout, result.motion.q[sample])
    values = result.internal_forces.component(component)[:, sample]
    axes = _directions(net)
    places = net.places @ axes.T
    ax = _axes(ax, (5.6, 5.0), planar=layout.planar)
    size = float(np.ptp(places, axis=0).max()) or 1.0
    largest = float(np.abs(values).max(initial=0.0))
    scale = 0.18 * size / largest if largest else 0.0
    for k, beam in enumerate(layout.beams):
        a, b = places[beam.start], places[beam.end]
        across = np.zeros_like(a)
        along = (b - a) / beam.length
        across[:2] = (-along[1], along[0]) if np.linalg.norm(along[:2]) > 1e-9 else (1.0, 0.0)
        edge = [a + scale * values[k, 0] * across, b + scale * values[k, 1] * across]
        outline = np.array([a, *edge, b])
        ax.plot(*outline.T, color=FORCE, linewidth=1)
        if layout.planar:
            ax.fill(*outline.T, color=FORCE, alpha=0.18, linewidth=0)
        ax.plot(*np.array([a, b]).T, color=BAR, linewidth=3, solid_capstyle="round")
    unit = UNITS.get(component, "N m")
    ax.set_title(f"{component}, largest {largest:.3g} {unit}, t = {result.t[sample]:.3g} s", fontsize=10)
    return _framed(ax, layout.planar)


def plot_shape(shape: "Shape", ax: Any = None, scale: float | None = None, mode: int = 0) -> Any:
    """The deformed mechanism over the undeformed one (grey).

    scale: of the displacements; a tenth of the size for the largest if left out (it is said in the title).
    """
    net = shape.assembly.grid
    u = np.real(shape.u[mode] if shape.u.ndim == 3 else shape.u)  # of damped ones where they are largest
    largest = float(np.linalg.norm(u, axis=1).max(initial=0.0))
    axes = _directions(net)
    size = float(np.ptp(net.places, axis=0).max()) or 1.0
    factor = scale if scale is not None else (0.1 * size / largest if largest else 1.0)
    ax = _axes(ax, (5.6, 5.0), planar=net.layout.planar)
    _draw(ax, net, net.places @ axes.T, GHOST, 2.0)
    _draw(ax, net, (net.places + factor * u) @ axes.T, BAR, 2.5)
    title = f"displacements x {factor:.3g}"
    frequencies = getattr(shape, "frequencies", None)
    if frequencies is not None:
        title = f"vibration {mode + 1}: {frequencies[mode]:.4g} Hz"
    ax.set_title(title, fontsize=10)
    return _framed(ax, net.layout.planar)


def plot_motion(motion: "Simulated", ax: Any = None, shapes: int = 9, frame: str | None = None) -> Any:
    """Shapes of the mechanism over a motion, from light to dark, and the path of a frame."""
    net = motion.beams.assembly.grid
    planar = net.layout.planar
    nodes = motion.nodes @ _directions(net).T
    ax = _axes(ax, (5.6, 5.0), planar=planar)
    for k in np.linspace(0, len(motion.t) - 1, shapes).astype(int):
        shade = 0.15 + 0.85 * k / max(1, len(motion.t) - 1)
        _draw(ax, net, nodes[k], BAR, 2.0, alpha=shade)
    if frame is not None:
        path = motion.at(frame) @ _directions(net).T
        ax.plot(*path.T, color=FORCE, linewidth=1)
    return _framed(ax, planar)


def _draw(ax: Any, net: Grid, places: Array, color: str, width: float, alpha: float = 1.0) -> None:
    for _, a, b in net.pieces:
        ax.plot(*places[[a, b]].T, color=color, linewidth=width, alpha=alpha, solid_capstyle="round")
    layout = net.layout  # slides that are out: rigid rails, dotted
    rails = [(layout.seat[i], layout.origin[i]) for i in layout.origin]
    for a, b in (*rails, *layout.ends.values()):
        if np.linalg.norm(net.places[a] - net.places[b]) > 1e-9:
            ax.plot(*places[[a, b]].T, ":", color=color, linewidth=1.0, alpha=alpha)


def _directions(net: Grid) -> Array:
    """Rows: the axes a picture is drawn in."""
    normal = net.layout.normal
    if normal is None:
        return np.eye(3)
    axes = plane_axes(normal)
    return np.asarray(
        axes * np.sign([row[np.argmax(np.abs(row))] for row in axes])[:, None]
    )  # x to the right


def _axes(ax: Any, size: tuple[float, float], planar: bool = True) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained").add_subplot(projection=None if planar else "3d")


def _labelled(ax: Any, x: str, y: str, legend: bool = False) -> Any:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(alpha=0.3)
    if legend:
        ax.legend(frameon=False, fontsize=8, ncols=2)
    return ax


def _framed(ax: Any, planar: bool) -> Any:
    if planar:
        ax.set_aspect("equal", adjustable="datalim")
        ax.grid(alpha=0.25)
    else:
        ax.set_aspect("equal")
    return ax
