"""Whether postures and motions keep loops closed and gears in mesh, in all their rows."""

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import CannotClose
from rikigaku.fem.loads import Problem
from rikigaku.laws.loops import ROWS
from rikigaku.model.robot import Robot
from rikigaku.structure import loop_rows

Array = NDArray[np.float64]

_OPEN = 1e-6  # [m, or sines of angles]: gap of a loop that counts as closed in a motion
_LOOSE = 1e-5  # the same in a posture of a flexible mechanism
_APART = 1e-6  # of the fastest joint, or of 1 rad/s (rad/s^2): how fast ends of a closed loop may part


class _Held(NamedTuple):
    """A loop or a gear: its name, its rows in the residual, its places among the axes that must face."""

    name: str
    rows: list[int]
    axes: list[int]

    @property
    def said(self) -> str:
        return self.name if self.name.startswith("gear of ") else f"loop {self.name!r}"


def _held(robot: Robot) -> list[_Held]:
    rows: dict[str, list[int]] = {}
    for k, row in enumerate(loop_rows(robot)):
        rows.setdefault(row.rpartition(": ")[0] or row, []).append(k)
    joints = {loop.name: loop.joint for loop in robot.loops}
    found, start = [], 0
    for name, places in rows.items():
        count = len(ROWS[joints[name]].facing) if name in joints else 0
        found.append(_Held(name, places, list(range(start, start + count))))
        start += count
    return found


def _gaps(robot: Robot, q: Array) -> list[tuple[_Held, Array]]:
    """Of each loop and gear how far it is open at each sample; 2 where it is closed the wrong way round."""
    if not (robot.loops or robot.couplings):
        return []
    laws, held = cast(Any, robot), _held(robot)
    residual = np.abs(laws.loop_residual(q))
    turned = laws.loop_facing(q) <= 0 if any(one.axes for one in held) else np.zeros((len(q), 0), dtype=bool)
    gaps = []
    for one in held:
        gap = residual[:, one.rows].max(axis=1, initial=0.0)
        gaps.append((one, np.where(turned[:, one.axes].any(axis=1) & (gap < _LOOSE), 2.0, gap)))
    return gaps


def _how(gap: float) -> str:
    return "closed the wrong way round (turned over)" if gap == 2.0 else f"open by {gap:.3g}"


def check_posture(robot: Robot, q: Array) -> None:
    """All loops are closed and face the right way.

    Raises:
        CannotClose: with the loop's name.
    """
    for one, gap in _gaps(robot, q[None]):
        if not gap[0] < _LOOSE:
            raise CannotClose(
                f"This posture leaves {one.said} of robot {robot.name!r} {_how(gap[0])}. "
                "Find one that closes it first: q = robot.assemble(...).",
                one.name,
            )


def check_closed(problem: Problem) -> None:
    """Where a loop is said to be closed, the motion must close it, and keep it so.

    At the instants of closing and opening themselves v and a may be those of either side.
    """
    robot, motion, phases = problem.layout.robot, problem.motion, problem.phases
    t, gaps = motion.t, _gaps(robot, motion.q)
    if not gaps:
        return
    J = cast(Any, robot).loop_jacobian(motion.q)
    bias = cast(Any, robot).loop_bias(motion.q, motion.v)
    rates = np.abs((J @ motion.v[..., None])[..., 0])
    pulls = np.abs((J @ motion.a[..., None])[..., 0] + bias)
    fast, hard = (np.abs(x).max(axis=1, initial=0.0) for x in (motion.v, motion.a))
    sizes = np.maximum(1.0, fast), np.maximum.reduce([np.ones_like(fast), hard, fast**2])
    for one, gap in gaps:
        closed = phases.is_closed(one.name, t)
        open_by = np.where(closed, gap, 0.0)
        k = int(np.argmax(open_by))
        if not open_by[k] < _OPEN:
            raise CannotClose(
                f"The motion leaves {one.said} of robot {robot.name!r} {_how(open_by[k])} at "
                f"t = {t[k]:.6g} s. Give paths of the independent joints (the others follow), or phases that "
                "say when it is closed.",
                one.name,
            )
        changes = [time for pair in phases.closed.get(one.name, ()) for time in pair]
        inside = closed & ~np.isin(t, changes)
        for what, values, size, unit in (
            ("velocities", rates, sizes[0], "m/s or rad/s"),
            ("accelerations", pulls, sizes[1], "m/s^2 or rad/s^2"),
        ):
            part = np.where(inside, values[:, one.rows].max(axis=1, initial=0.0) / size, 0.0)
            k = int(np.argmax(part))
            if not part[k] < _APART:
                raise CannotClose(
                    f"The {what} at t = {t[k]:.6g} s pull {one.said} of robot {robot.name!r} apart, by "
                    f"{part[k] * size[k]:.3g} {unit}. Give paths of the independent joints (the others "
                    "follow: v, a = robot.complete(q, v, a)), or phases that say when it is closed.",
                    one.name,
                )
