"""Phases in which loops are closed during a motion, and validation that the motion satisfies the closures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.errors import CannotClose, UnknownName, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.core.validation import by_name, choice, number, short
from rikigaku.fem.body_kinematics import BodyMotion
from rikigaku.fem.mesh_layout import Layout
from rikigaku.fem.sampled_motion import Motion
from rikigaku.laws.closed.loop_equations import JOINT_EQUATIONS
from rikigaku.laws.structure import loop_rows
from rikigaku.model.robot_model import RobotModel

_MOTION_GAP = 1e-6  # [m, or sines of angles]: closure tolerance of a motion
_CONFIGURATION_GAP = 1e-5  # the same for a configuration of a flexible mechanism
_RATE = 1e-6  # closure tolerance of v and a, relative to the largest joint rate or 1


@dataclass(frozen=True, eq=False)
class Phases:
    """When loops are closed during a motion.

    Args:
        closed: {loop: [(from, to), ...]} [s]; loops not named are always closed, one with [] never.
        blend: time over which the shared force grows after closing and fades before opening [s].
        mass_on: which link keeps the mass at the cut node while the loop is open: "start" or "end" (of the
            cut), for all loops or {loop: "end"}.
    """

    closed: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    blend: float = 0.0
    mass_on: str | Mapping[str, str] = "start"

    def check(self, layout: Layout) -> None:
        """Check that the loops exist and the times are valid."""
        for name, intervals in by_name("Closed phases", self.closed, "{loop: [(from, to), ...]}").items():
            if name not in layout.ends:
                raise UnknownName("loop", name, layout.ends, f"robot {layout.robot.name!r}")
            _check_pairs(name, intervals)
        number("blend [s]", self.blend, least=0)
        choices = {"every loop": self.mass_on} if isinstance(self.mass_on, str) else self.mass_on
        for name, mass_on in by_name(
            "Choices of mass_on", choices, "mass_on={loop: 'start' or 'end'}"
        ).items():
            if name not in ("every loop", *layout.ends):
                raise UnknownName("loop", name, layout.ends, f"robot {layout.robot.name!r}")
            choice(f"mass_on, the link that keeps the mass at the cut ({name})", mass_on, ("start", "end"))

    def mass_on_end(self, loop: str) -> bool:
        """Whether the end link keeps the mass at the cut node."""
        return (self.mass_on if isinstance(self.mass_on, str) else self.mass_on.get(loop, "start")) == "end"

    def weight(self, loop: str, t: Array) -> Array:
        """0 while the loop is open, 1 while closed, with a smooth transition inside the closed phase."""
        if loop not in self.closed:
            return np.ones_like(t)
        result = np.zeros_like(t)
        for start, end in self.closed[loop]:
            inside = (t >= start) & (t <= end)
            if self.blend:
                rise = _smooth((t - start) / self.blend) if start > t[0] else np.ones_like(t)
                fall = _smooth((end - t) / self.blend) if end < t[-1] else np.ones_like(t)
                result = np.where(inside, np.minimum(rise, fall), result)
            else:
                result = np.where(inside, 1.0, result)
        return result

    def is_closed(self, loop: str, t: Array) -> Mask:
        """Whether the loop is closed at each time."""
        if loop not in self.closed:
            return np.ones(t.shape, dtype=bool)
        result = np.zeros(t.shape, dtype=bool)
        for start, end in self.closed[loop]:
            result |= (t >= start) & (t <= end)
        return result

    def closings(self, t: Array) -> list[tuple[float, str]]:
        """Times at which loops close during the motion, with their names."""
        found = [(a, name) for name, pairs in self.closed.items() for a, _ in pairs if t[0] < a <= t[-1]]
        return sorted(found)


def _check_pairs(loop: str, intervals: Any) -> None:
    """Check that the phases of a loop are increasing pairs of times; the first may be -inf, the last inf."""
    try:
        pairs = [(float(a), float(b)) for a, b in intervals]
    except (TypeError, ValueError):
        pairs = [(np.nan, np.nan)]
    if not all(a < b for a, b in pairwise([time for pair in pairs for time in pair])):
        raise WrongValue(
            f"Phases of loop {loop!r} are pairs of times that increase, [(0.2, 0.6), ...] [s]; "
            f"{short(intervals)} was given."
        )


def _smooth(x: Array) -> Array:
    """Smooth step 3x^2 - 2x^3, clipped to [0, 1]."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3 - 2 * x))


class Problem(NamedTuple):
    """An inverse-dynamics problem: a motion of a mesh and the phases of its loops."""

    layout: Layout
    motion: Motion
    state: BodyMotion
    phases: Phases
    friction: bool


class _ClosureConstraint(NamedTuple):
    """A loop or a gear: its name, its rows in the closure residual, its indices among the alignments."""

    name: str
    rows: list[int]
    axes: list[int]

    @property
    def label(self) -> str:
        return self.name if self.name.startswith("gear of ") else f"loop {self.name!r}"


def _closure_constraints(robot: RobotModel) -> list[_ClosureConstraint]:
    rows: dict[str, list[int]] = {}
    for k, row in enumerate(loop_rows(robot)):
        rows.setdefault(row.rpartition(": ")[0] or row, []).append(k)
    joints = {loop.name: loop.joint for loop in robot.loops}
    found, start = [], 0
    for name, indices in rows.items():
        count = len(JOINT_EQUATIONS[joints[name]].aligned_axes) if name in joints else 0
        found.append(_ClosureConstraint(name, indices, list(range(start, start + count))))
        start += count
    return found


def _gaps(robot: RobotModel, q: Array) -> list[tuple[_ClosureConstraint, Array]]:
    """Closure residual of each loop and gear by sample; 2 where a cut joint has its axes reversed."""
    if not (robot.loops or robot.couplings):
        return []
    constraints = _closure_constraints(robot)
    residual = np.abs(bound_law(robot, "tree.loop_residual")(q))
    reversed_axes = np.zeros((len(q), 0), dtype=bool)
    if any(one.axes for one in constraints):
        reversed_axes = bound_law(robot, "tree.loop_alignment")(q) <= 0
    gaps = []
    for one in constraints:
        gap = residual[:, one.rows].max(axis=1, initial=0.0)
        gaps.append(
            (one, np.where(reversed_axes[:, one.axes].any(axis=1) & (gap < _CONFIGURATION_GAP), 2.0, gap))
        )
    return gaps


def _describe(gap: float) -> str:
    return "closed with its axes reversed" if gap == 2.0 else f"open by {gap:.3g}"


def check_configuration(robot: RobotModel, q: Array) -> None:
    """Check that all loops are closed with their axes aligned.

    Raises:
        CannotClose: with the loop's name.
    """
    for one, gap in _gaps(robot, q[None]):
        if not gap[0] < _CONFIGURATION_GAP:
            raise CannotClose(
                f"This configuration leaves {one.label} of robot {robot.name!r} {_describe(gap[0])}. "
                "Find one that closes it first: q = robot.assemble(...).",
                one.name,
            )


def check_closed(problem: Problem) -> None:
    """Check that q, v and a satisfy the closure of every loop while its phase says that it is closed.

    At the times of closing and opening v and a may be those of either side.
    """
    robot, motion, phases = problem.layout.robot, problem.motion, problem.phases
    t, gaps = motion.t, _gaps(robot, motion.q)
    if not gaps:
        return
    J = bound_law(robot, "tree.loop_jacobian")(motion.q)
    bias = bound_law(robot, "tree.loop_bias")(motion.q, motion.v)
    rates = np.abs((J @ motion.v[..., None])[..., 0])
    accelerations = np.abs((J @ motion.a[..., None])[..., 0] + bias)
    v_max, a_max = (np.abs(x).max(axis=1, initial=0.0) for x in (motion.v, motion.a))
    sizes = np.maximum(1.0, v_max), np.maximum.reduce([np.ones_like(v_max), a_max, v_max**2])
    for one, gap in gaps:
        closed = phases.is_closed(one.name, t)
        open_by = np.where(closed, gap, 0.0)
        k = int(np.argmax(open_by))
        if not open_by[k] < _MOTION_GAP:
            raise CannotClose(
                f"The motion leaves {one.label} of robot {robot.name!r} {_describe(open_by[k])} at "
                f"t = {t[k]:.6g} s. Give paths of the independent joints (the others follow), or phases that "
                "say when it is closed.",
                one.name,
            )
        changes = [time for pair in phases.closed.get(one.name, ()) for time in pair]
        inside = closed & ~np.isin(t, changes)
        for what, values, size, unit in (
            ("velocities", rates, sizes[0], "m/s or rad/s"),
            ("accelerations", accelerations, sizes[1], "m/s^2 or rad/s^2"),
        ):
            part = np.where(inside, values[:, one.rows].max(axis=1, initial=0.0) / size, 0.0)
            k = int(np.argmax(part))
            if not part[k] < _RATE:
                raise CannotClose(
                    f"The {what} at t = {t[k]:.6g} s pull {one.label} of robot {robot.name!r} apart, by "
                    f"{part[k] * size[k]:.3g} {unit}. Give paths of the independent joints (the others "
                    "follow: v, a = robot.complete(q, v, a)), or phases that say when it is closed.",
                    one.name,
                )
