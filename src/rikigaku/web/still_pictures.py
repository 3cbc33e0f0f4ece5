"""Still pictures of live views (png), for pages that show no widgets: stored notebooks, nbconvert, e-mail."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.fem.flexible_solution import FlexibleSolution
from rikigaku.fem.static_deflection import Shape
from rikigaku.plotting import save_configurations, save_plot
from rikigaku.plotting.robot_picture import need_matplotlib
from rikigaku.simulation.solution import Solution
from rikigaku.web.drawn_robot import drawn_robot

_DPI = 80
_MOST_BRANCHES = 8
_STILLS = 4  # of a motion
_MOST_MODES = 4
_SIDE = 3.6  # of the picture of one shape [inch]


def configuration_picture(robot: Any, q: Array) -> bytes:
    """The robot at q."""
    picture = io.BytesIO()
    save_plot(drawn_robot(robot), picture, q, dpi=_DPI)
    return picture.getvalue()


def configurations_picture(robot: Any, rows: Array, names: Sequence[str]) -> bytes:
    """Configurations (k, nq) side by side, with their names; of many, evenly chosen ones."""
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _MOST_BRANCHES)).round().astype(int))
    picture = io.BytesIO()
    save_configurations(drawn_robot(robot), picture, rows[chosen], [names[k] for k in chosen], dpi=_DPI)
    return picture.getvalue()


def motion_picture(solution: Solution) -> bytes:
    """The robot at four times of a motion, from its start to its end."""
    times = np.linspace(solution.t[0], solution.t[-1], _STILLS)
    picture = io.BytesIO()
    titles = [f"t = {t:.3g} s" for t in times]
    save_configurations(solution.robot, picture, solution.positions(times), titles, dpi=_DPI)
    return picture.getvalue()


def shape_picture(shape: Shape) -> bytes:
    """A deflection, or the first vibration modes side by side."""
    count = min(len(shape.u), _MOST_MODES) if shape.u.ndim == 3 else 1
    figure, places = _axes(shape.assembly.grid.layout.normal is None, count)
    for mode, ax in enumerate(places):
        shape.plot(ax, mode=mode)
    return _png(figure)


def flexible_picture(solution: FlexibleSolution) -> bytes:
    """Shapes of flexible links over a motion, from light to dark."""
    figure, (ax,) = _axes(solution.elastic.layout.normal is None, 1)
    solution.plot(ax)
    return _png(figure)


def _axes(spatial: bool, count: int) -> tuple[Any, list[Any]]:
    need_matplotlib()
    from matplotlib.figure import Figure

    columns = min(count, 2)
    lines = -(-count // columns)
    figure = Figure(figsize=(_SIDE * columns, _SIDE * lines), layout="constrained")
    projection = "3d" if spatial else None
    return figure, [figure.add_subplot(lines, columns, k + 1, projection=projection) for k in range(count)]


def _png(figure: Any) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, dpi=_DPI, format="png")
    return picture.getvalue()
