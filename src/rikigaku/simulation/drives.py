"""What drives the joints: nothing, data over time, a function, a controller, a sampled controller.

A drive gives the forces in all joints as a traced formula of the moment and of its inputs u; the inputs come
from native polynomials over time, from a call back into Python, or stand between samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import Number
from rikigaku.simulation.drive_formulas import TimeFormulas

Array = NDArray[np.float64]
Numbers = Sequence[Number]
Function = Callable[[float, Array, Array], Any]


class Pieces(NamedTuple):
    """Inputs as polynomials by segments: starts (s), coefficients (s, powers, size), highest power first."""

    starts: Array
    coefficients: Array

    def __call__(self, t: Array) -> Array:
        """Inputs at times t; on a boundary those of the segment after it."""
        which = np.clip(np.searchsorted(self.starts, t, side="right") - 1, 0, len(self.starts) - 1)
        x = (t - self.starts[which])[:, None]
        total = np.zeros((len(t), self.coefficients.shape[2]))
        for k in range(self.coefficients.shape[1]):
            total = total * x + self.coefficients[which, k]
        return total

    def within(self, start: float, end: float) -> "Pieces":
        """The segments that meet [start, end]."""
        first = max(int(np.searchsorted(self.starts, start, side="right")) - 1, 0)
        last = max(int(np.searchsorted(self.starts, end, side="left")), first + 1)
        return Pieces(self.starts[first:last], self.coefficients[first:last])


def side_by_side(first: Pieces, second: Pieces) -> Pieces:
    """Inputs of both, one after another, over the segments of either."""
    starts = np.union1d(first.starts, second.starts)
    rows = max(first.coefficients.shape[1], second.coefficients.shape[1])
    return Pieces(starts, np.concatenate([_begun_at(x, starts, rows) for x in (first, second)], axis=2))


def _begun_at(pieces: Pieces, starts: Array, rows: int) -> Array:
    """Coefficients of the same polynomials about other starts, padded to that many rows."""
    which = np.clip(np.searchsorted(pieces.starts, starts, side="right") - 1, 0, None)
    table = pieces.coefficients[which][:, ::-1]  # lowest power first
    shift, count = starts - pieces.starts[which], table.shape[1]
    result = np.zeros((len(starts), rows, table.shape[2]))
    for power in range(count):
        for k in range(power + 1):  # (x + d)^power, its part x^k
            part = comb(power, k) * shift ** (power - k)
            result[:, rows - 1 - k] += part[:, None] * table[:, power]
    return result


class Drive(Protocol):
    """What a simulation asks of a drive."""

    @property
    def identity(self) -> str:
        """What tells its formula from others: equal, and compiled code is shared."""

    @property
    def size(self) -> int:
        """Numbers of u."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """Numbers the formula reads at run time."""

    @property
    def pieces(self) -> Pieces | None:
        """Inputs over time, in native code."""

    @property
    def function(self) -> Function | None:
        """Inputs by a call into Python: at every stage, or every `period`."""

    @property
    def period(self) -> float | None:
        """[s], of a sampled drive."""

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        """Forces in all joints of the tree."""


@dataclass(frozen=True, eq=False)
class Forces:
    """Forces as inputs, in the joints at `places` of v."""

    nv: int
    places: tuple[int, ...]
    pieces: Pieces | None = None
    function: Function | None = None
    period: float | None = None
    parameters: tuple[float, ...] = ()

    @property
    def identity(self) -> str:
        return f"forces {self.nv} {self.places}" if self.size else "no forces"

    @property
    def size(self) -> int:
        return 0 if self.pieces is None and self.function is None else len(self.places)

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        result: list[Number] = [0] * self.nv
        for k, x in zip(self.places, u, strict=False):
            result[k] = x
        return result


@dataclass(frozen=True, eq=False)
class Data:
    """Forces given at times: `rk.Data(t, tau)`.

    Args:
        t: increasing times [s], (m,). tau: forces [N m, N], (m, n).
        between: "linear", "hold" (each value until the next time) or "cubic" (a natural spline).
    Before the first time and after the last the first and last values hold.
    """

    t: Any
    tau: Any
    between: str = "linear"

    def pieces(self) -> Pieces:
        t, x = np.asarray(self.t, dtype=np.float64), np.asarray(self.tau, dtype=np.float64)
        if t.ndim != 1 or x.ndim != 2 or len(t) != len(x) or len(t) < 2:
            raise WrongSize(
                f"Data over time take times (m,) and values (m, n), m at least 2; {t.shape} and {x.shape} "
                "were given."
            )
        if not (np.isfinite(t).all() and np.isfinite(x).all() and (np.diff(t) > 0).all()):
            raise WrongValue("Data over time must be finite, at times that increase.")
        if self.between == "hold":
            inner = x[:-1, None]
        elif self.between == "linear":
            inner = np.stack([np.diff(x, axis=0) / np.diff(t)[:, None], x[:-1]], axis=1)
        elif self.between == "cubic":
            from scipy.interpolate import CubicSpline

            inner = np.moveaxis(CubicSpline(t, x, bc_type="natural").c, 0, 1)
        else:
            raise WrongValue(f"Between data go 'linear', 'hold' or 'cubic'; {self.between!r} was given.")
        outer = np.zeros((1, *inner.shape[1:]))
        before, after = outer.copy(), outer.copy()
        before[0, -1], after[0, -1] = x[0], x[-1]
        starts = np.concatenate([[t[0] - 1.0], t])  # the first is constant: it may begin anywhere before
        return Pieces(starts, np.concatenate([before, inner, after]))


@dataclass(frozen=True, eq=False)
class Sampled:
    """A discrete controller: `rk.Sampled(function, period)` asks function(t, q, v) every period [s], and the
    forces stand until the next sample (zero-order hold)."""

    function: Function
    period: float


def asked(drive: Drive, t: float, q: Array, v: Array) -> Array:
    """Inputs by the user's function, checked."""
    assert drive.function is not None
    given = drive.function(t, q, v)
    if given is None:
        raise WrongSize(f"The torque function gives {drive.size} numbers; it gave None: does it return them?")
    u = floats("What the torque function gives", given)
    if u.shape != (drive.size,):
        raise WrongSize(f"The torque function gives {drive.size} numbers; it gave shape {u.shape}.")
    return u


def drive_of(nv: int, places: Sequence[int], torque: Any) -> Drive:
    """The drive that `simulate(torque=...)` means.

    Raises:
        WrongSize, WrongValue: saying what may be given.
    """
    count, at = len(places), tuple(places)
    if torque is None:
        return Forces(nv, at)
    if isinstance(torque, Data):
        pieces = torque.pieces()
        if pieces.coefficients.shape[2] != count:
            given = pieces.coefficients.shape[2]
            raise WrongSize(f"Forces take {count} numbers at a time; {given} columns were given.")
        return Forces(nv, at, pieces)
    if isinstance(torque, Sampled):
        if not (np.isfinite(torque.period) and torque.period > 0):
            raise WrongValue(f"A sampling period is positive [s]; {torque.period} was given.")
        return Forces(nv, at, function=torque.function, period=float(torque.period))
    if hasattr(torque, "forces") and hasattr(torque, "identity"):
        return cast(Drive, torque)
    if callable(torque):
        return Forces(nv, at, function=torque)
    if isinstance(torque, Sequence) and any(isinstance(x, (str, Formula)) for x in torque):
        return cast(Drive, TimeFormulas(nv, at, tuple(Formula.of(x) for x in torque)))
    constant = floats("torque", torque)
    if constant.shape != (count,):
        raise WrongSize(
            f"torque takes {count} numbers, one a driven coordinate; shape {constant.shape} was given. "
            "Forces over time are rk.Data(t, tau), formulas of t, a function (t, q, v) -> tau, a controller."
        )
    if not np.isfinite(constant).all():
        raise WrongValue(f"torque must be finite; {constant} was given.")
    return Forces(nv, at, Pieces(np.array([0.0]), constant[None, None]))


def periods(t: float, period: float) -> float:
    """How many whole periods have passed at t."""
    return float(np.floor(t / period * (1 + 1e-12) + 1e-12))


def due(last: float, t: float, period: float) -> bool:
    """Whether a controller asked last at that time is to be asked again: samples are at whole periods."""
    return last < periods(t, period) * period * (1 - 1e-12)
