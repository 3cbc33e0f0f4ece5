"""Curves of joint forces over time: torques of hinges, forces of slides."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName
from rikigaku.fem.joints import FORCE, MOMENT, driven, units
from rikigaku.given import names_its_options

if TYPE_CHECKING:
    from rikigaku.fem.flexible import FlexibleMotion
    from rikigaku.fem.result import Result
    from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

BLOW = "#c62828"
_AXES = {MOMENT: "torque [N m]", FORCE: "force [N]"}


@names_its_options
def plot_torques(result: "Result", ax: Any = None, joints: Sequence[str] | None = None) -> Any:
    """Torques [N m] and forces [N] of the motors over time; those of slides have an axis of their own.

    Args:
        joints: names of those to draw; all that are driven if left out (passive ones give nothing).
    Returns:
        The axes, of hinges if there are both.
    """
    axes = _Curves(result.layout.robot, result.names, joints, ax)
    for k in axes.chosen:
        axes.draw(k, result.t, result.torques[:, k])
    for blow in result.impulses:
        axes.first.axvline(blow.t, color=BLOW, linestyle=":", linewidth=1)
    return axes.done()


@names_its_options
def plot_flexible(found: "FlexibleMotion", ax: Any = None, joints: Sequence[str] | None = None) -> Any:
    """What the motors of the flexible arm give, and those of the rigid one (dashed); see `plot_torques`."""
    axes = _Curves(found.elastic.layout.robot, found.names, joints, ax)
    for k in axes.chosen:
        color = axes.draw(k, found.t, found.torques[:, k])
        axes.draw(k, found.t, found.rigid_torques[:, k], ", rigid", linestyle="--", color=color)
    return axes.done()


class _Curves:
    """Axes for torques on the left and, where there are both, for forces on the right."""

    def __init__(self, robot: "Robot", names: Sequence[str], joints: Sequence[str] | None, ax: Any) -> None:
        import matplotlib.pyplot as plt

        given = [joints] if isinstance(joints, str) else joints
        for name in given or ():
            if name not in names:
                raise UnknownName("joint", name, names, f"robot {robot.name!r}")
        motors = np.flatnonzero(driven(robot)).tolist()
        self.names, self.units = names, units(robot)
        self.chosen = motors if given is None else [names.index(name) for name in given]
        self.first = ax if ax is not None else plt.figure(figsize=(6.4, 4.0), layout="constrained").subplots()
        kinds = [unit for unit in (MOMENT, FORCE) if unit in {self.units[k] for k in self.chosen}]
        self.axes: dict[str, Any] = dict(zip(kinds, (self.first, None), strict=False))
        if len(kinds) == 2:
            self.axes[FORCE] = self.first.twinx()
        for unit, one in self.axes.items():
            one.set_ylabel(_AXES[unit])

    def draw(self, k: int, t: Array, y: Array, also: str = "", **style: Any) -> Any:
        """One curve; its colour."""
        unit = self.units[k]
        shown = f"{self.names[k]}{also}" + (f" [{unit}]" if len(self.axes) == 2 else "")
        color = f"C{self.chosen.index(k) % 10}"  # one cycle for both axes
        style = {"color": color, "linewidth": 1.6, **style}
        (line,) = self.axes[unit].plot(t, y, label=shown, **style)
        return line.get_color()

    def done(self) -> Any:
        self.first.set_xlabel("time [s]")
        self.first.grid(alpha=0.3)
        lines = [line for one in self.axes.values() for line in one.get_lines() if line.get_label()[0] != "_"]
        if lines:
            top = list(self.axes.values())[-1]  # drawn last: not hidden by the curves of the other
            top.legend(handles=lines, frameon=False, fontsize=8, ncols=2)
        return self.first
