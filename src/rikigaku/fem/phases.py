"""Loops that close and open during one motion: when, how shared forces come and go, the blow of closing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.fem.layout import Layout
from rikigaku.fem.loops import Cut
from rikigaku.given import by_name, number, short, word

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Phases:
    """When loops are closed during a motion.

    Args:
        closed: {loop: [(from, to), ...]} [s]; loops not named are always closed, one with [] never.
        blend: time over which the shared force grows after closing and fades before opening [s].
        carrier: which link keeps the mass at the cut node while the loop is open: "start" or "end" (of the
            cut), for all loops or {loop: "end"}.
    """

    closed: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    blend: float = 0.0
    carrier: str | Mapping[str, str] = "start"

    def check(self, layout: Layout) -> None:
        """Names and times make sense."""
        for name, intervals in self.closed.items():
            if name not in layout.ends:
                raise UnknownName("loop", name, layout.ends, f"robot {layout.robot.name!r}")
            _check_pairs(name, intervals)
        number("blend [s]", self.blend, least=0)
        carriers = {"every loop": self.carrier} if isinstance(self.carrier, str) else self.carrier
        for name, carrier in by_name("Carriers", carriers, "carrier={loop: 'start' or 'end'}").items():
            if name not in ("every loop", *layout.ends):
                raise UnknownName("loop", name, layout.ends, f"robot {layout.robot.name!r}")
            word(f"carrier of the mass at the cut ({name})", carrier, ("start", "end"))

    def carried_by_end(self, loop: str) -> bool:
        """Whether the end link keeps the mass at the cut node."""
        return (self.carrier if isinstance(self.carrier, str) else self.carrier.get(loop, "start")) == "end"

    def weight(self, loop: str, t: Array) -> Array:
        """0 while the loop is open, 1 while it is closed, smooth in between (inside the closed phase)."""
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

    def is_closed(self, loop: str, t: Array) -> NDArray[np.bool_]:
        """At each time."""
        if loop not in self.closed:
            return np.ones(t.shape, dtype=bool)
        result = np.zeros(t.shape, dtype=bool)
        for start, end in self.closed[loop]:
            result |= (t >= start) & (t <= end)
        return result

    def closings(self, t: Array) -> list[tuple[float, str]]:
        """Times at which loops close during the motion."""
        found = [(a, name) for name, pairs in self.closed.items() for a, _ in pairs if t[0] < a <= t[-1]]
        return sorted(found)


@dataclass(frozen=True, eq=False)
class Impulse:
    """The blow when a loop closes with its ends still moving against each other, as of two lumps of clay.

    force, moment: impulse from the start link on the end link at the cut [N s, N m s], world axes.
    speed, spin: how fast the ends met and turned against each other [m/s, rad/s], along what the cut holds; 0
    for a loop that was closed before and takes its part of the blow.
    after: v of all joints just after; energy: kinetic energy lost [J]. Both are of the whole blow, the same
    for all loops it goes through.
    """

    t: float
    loop: str
    force: Array
    moment: Array
    speed: float
    spin: float
    after: Array
    energy: float


def impulses(
    t: float, cuts: Sequence[Cut], new: Collection[str], gears: Array, M: Array, v: Array
) -> list[Impulse]:
    """The blow that stops the ends: M (v+ - v) = -C L with C^T v+ = 0, for all closed loops and gears.

    Args:
        cuts: of all loops closed from then on; new: names of those that close; gears: their columns
            (nv, gears); M: mass matrix of the open mechanism.
    Returns:
        The part of each loop.
    """
    columns = np.concatenate([*(one.forces[0] for one in cuts), gears], axis=1)
    spread = np.linalg.solve(M, columns)
    L = np.linalg.lstsq(columns.T @ spread, columns.T @ v, rcond=1e-10)[0]
    after = v - spread @ L
    lost = 0.5 * float(v @ M @ v - after @ M @ after)
    found, start = [], 0
    for one in cuts:
        passed = L[start : start + one.count] @ one.wrenches[0]
        start += one.count
        met = one.forces[0].T @ v * (one.name in new)  # along unit forces and moments at right angles
        pushes = one.wrenches[0, :, :3].any(axis=1)
        speed, spin = (float(np.linalg.norm(met[rows])) for rows in (pushes, ~pushes))
        found.append(Impulse(t, one.name, passed[:3], passed[3:], speed, spin, after, lost))
    return found


def _check_pairs(loop: str, intervals: Any) -> None:
    """The phases of a loop are pairs of times, one after the other; the first may be -inf, the last inf."""
    try:
        pairs = [(float(a), float(b)) for a, b in intervals]
    except (TypeError, ValueError):
        pairs = [(np.nan, np.nan)]
    if not all(a < b for a, b in pairwise([time for pair in pairs for time in pair])):
        raise WrongValue(
            f"Phases of loop {loop!r} are pairs of times that increase, [(0.2, 0.6), ...] [s]; "
            f"{short(intervals)} was given."
        )


def _smooth(x: Any) -> Array:
    """3x^2 - 2x^3 between 0 and 1."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3 - 2 * x))
