"""Several configurations of a robot side by side, seen by one camera."""

from collections.abc import Sequence
from typing import Any

from rikigaku.core.types import Array
from rikigaku.model.robot_model import RobotModel
from rikigaku.plotting.robot_picture import TEXT, draw, need_matplotlib
from rikigaku.plotting.skeleton import Skeleton, skeleton

_COLUMNS = 4
_SIDE = 2.6  # of one picture with its title [inch]
_PICTURE = 0.9  # of its height; the title is above


def save_configurations(
    robot: RobotModel, path: Any, rows: Array, titles: Sequence[str], *, dpi: int = 80
) -> None:
    """Pictures of the configurations (k, nq) in one png, into an open file; at most four in a row."""
    need_matplotlib()
    from matplotlib.figure import Figure

    skeletons = [skeleton(robot, q) for q in rows]
    seen = Skeleton(
        bars=[bar for own in skeletons for bar in own.bars],
        joints=[joint for own in skeletons for joint in own.joints],
        frames=[frame for own in skeletons for frame in own.frames],
    )
    columns = min(len(rows), _COLUMNS)
    lines = -(-len(rows) // columns)
    figure = Figure(figsize=(_SIDE * columns, _SIDE * lines))
    places = [divmod(k, columns) for k in range(len(rows))]
    boxes = [(j / columns, 1 - (i + 1) / lines, 1 / columns, _PICTURE / lines) for i, j in places]
    # all axes before the first is drawn: a robot alone in its figure would fill it
    axes = [figure.add_axes(box, projection="3d") for box in boxes]
    for ax, own, title in zip(axes, skeletons, titles, strict=True):
        draw(ax, robot, own, seen, frames=False, masses=False)
        ax.set_title(title, color=TEXT, fontsize=9, y=0.97)
    figure.savefig(path, dpi=dpi, transparent=True, format="png")
