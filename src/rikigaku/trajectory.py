"""Trajectories between configurations: polynomials of degree 3, 5, 7 and trapezoidal speed, at any times.

A trajectory is a small frozen object: `q, v, a = trajectory(t)` for times t [s] of any shape; the result has
the shape of t followed by that of q. Before the start and after the end the motion continues at the boundary
velocity: a motion from rest to rest is at rest there. Configurations are plain vectors (joints without
quaternions).
"""

from dataclasses import dataclass
from itertools import pairwise
from math import factorial, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.model.states import State

# Largest |ds/dx| and |d2s/dx2| of the rest-to-rest step s(x) from 0 to 1 over x in [0, 1], by degree: of
# 3x^2 - 2x^3; 10x^3 - 15x^4 + 6x^5; 35x^4 - 84x^5 + 70x^6 - 20x^7.
_PEAKS = {3: (3 / 2, 6.0), 5: (15 / 8, 10 / sqrt(3)), 7: (35 / 16, 84 * sqrt(5) / 25)}


class Trajectory(Protocol):
    """A motion q(t): its duration, and its state at any time."""

    @property
    def duration(self) -> float:
        """From start to end [s]."""

    def __call__(self, t: Any) -> State:
        """Positions, velocities and accelerations at times t [s]."""


@dataclass(frozen=True, eq=False)
class Polynomial:
    """q(t) = sum_k coefficients[k] x^k with x = t / duration; coefficients (degree + 1, ...)."""

    coefficients: Array
    duration: float

    def __call__(self, t: Any) -> State:
        t, T = _times(t), self.duration
        inside = np.clip(t, 0.0, T)
        parts = [_value(self.coefficients, inside / T, order) / T**order for order in range(3)]
        return _continued(t, inside, parts)


@dataclass(frozen=True, eq=False)
class Trapezoid:
    """Straight line with trapezoidal speed: acceleration over `rise` [s], constant speed, deceleration."""

    start: Array
    end: Array
    duration: float
    rise: float

    def __call__(self, t: Any) -> State:
        t = _times(t)
        T, rise = self.duration, self.rise
        x = np.clip(t, 0.0, T)
        speed = 1 / (T - rise)  # of s, which goes from 0 to 1
        before, after = np.minimum(x, rise), np.maximum(rise - (T - x), 0.0)
        s = speed * (x - before + before**2 / (2 * rise) - after**2 / (2 * rise))
        rate = speed * (before - after) / rise
        bend = speed / rise * ((x < rise) * 1.0 - (after > 0) * 1.0) * ((t >= 0) & (t <= T))
        distance = self.end - self.start
        shape = (..., *(None,) * distance.ndim)
        return State(self.start + s[shape] * distance, rate[shape] * distance, bend[shape] * distance)


@dataclass(frozen=True, eq=False)
class Sequence:
    """One trajectory after another."""

    pieces: tuple[Trajectory, ...]

    @property
    def duration(self) -> float:
        return sum(piece.duration for piece in self.pieces)

    def __call__(self, t: Any) -> State:
        t = _times(t)
        starts = np.cumsum([0.0, *(piece.duration for piece in self.pieces)])[:-1]
        which = np.clip(np.searchsorted(starts, t, side="right") - 1, 0, len(starts) - 1)
        samples = [piece(t - start) for piece, start in zip(self.pieces, starts, strict=True)]
        parts = []
        for values in zip(*samples, strict=True):
            index = which[(..., *(None,) * (values[0].ndim - t.ndim))]
            table, place = np.stack(values), np.broadcast_to(index, values[0].shape)
            parts.append(np.take_along_axis(table, place[None], axis=0)[0])
        return State(*parts)


@checked
def cubic(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    v0: ArrayLike = 0.0,
    v1: ArrayLike = 0.0,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Polynomial:
    """Degree 3: positions and velocities at both ends. From rest to rest the acceleration jumps at the ends.

    Args:
        start, end: configurations [rad, m], numbers or (n,).
        duration: [s]; or leave it out and give velocity= and/or acceleration= limits, numbers or (n,): the
            shortest duration that keeps them (from rest to rest).
    """
    return _polynomial(start, end, duration, [v0], [v1], velocity, acceleration)


@checked
def quintic(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    v0: ArrayLike = 0.0,
    v1: ArrayLike = 0.0,
    a0: ArrayLike = 0.0,
    a1: ArrayLike = 0.0,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Polynomial:
    """Degree 5: positions, velocities and accelerations at both ends. Arguments as in `cubic`."""
    return _polynomial(start, end, duration, [v0, a0], [v1, a1], velocity, acceleration)


@checked
def septic(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None = None,
    *,
    v0: ArrayLike = 0.0,
    v1: ArrayLike = 0.0,
    a0: ArrayLike = 0.0,
    a1: ArrayLike = 0.0,
    j0: ArrayLike = 0.0,
    j1: ArrayLike = 0.0,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Polynomial:
    """Degree 7: positions, velocities, accelerations and jerks at both ends. Arguments as in `cubic`."""
    return _polynomial(start, end, duration, [v0, a0, j0], [v1, a1, j1], velocity, acceleration)


@checked
def trapezoid(
    start: ArrayLike,
    end: ArrayLike,
    *,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    duration: float | None = None,
) -> Trapezoid:
    """The quickest straight motion from rest to rest within the limits; all joints start and arrive together.

    Args:
        velocity, acceleration: limits [rad/s, m/s; per s], positive numbers or (n,); infinite for none, but
            some joint that moves has a finite acceleration.
        duration: optional, longer than the shortest [s]; the accelerations remain the largest allowed.
    """
    q0, q1 = _configurations(start, end)
    v, a = _limit("velocity", velocity, q0), _limit("acceleration", acceleration, q0)
    distance = np.abs(q1 - q0)
    if not distance.any():
        T = number("A duration [s]", 1.0 if duration is None else duration, above=0)
        return Trapezoid(q0, q1, T, T / 2)
    with np.errstate(divide="ignore"):
        # limits of ds/dt and d2s/dt2 of the path parameter s, which goes from 0 to 1
        top, steepest = float(np.min(v / distance)), float(np.min(a / distance))
    if not np.isfinite(steepest):
        raise WrongValue(
            f"Acceleration limits of {a} let the speed jump. Give a moving joint a finite limit."
        )
    peak = sqrt(steepest)  # largest ds/dt of a motion without a constant-speed part
    shortest = 2 / peak if peak <= top else 1 / top + top / steepest
    T = shortest if duration is None else number("A duration [s]", duration, above=0)
    if shortest * (1 - 1e-12) > T:
        raise WrongValue(
            f"A duration of {T:g} s violates the limits; the shortest within them is {shortest:g} s."
        )
    # rise t1 with steepest * t1 * (T - t1) = 1: the smaller root from the larger avoids cancellation
    rise = 1 / steepest / (T / 2 * (1 + sqrt(max(1 - 4 / steepest / T / T, 0.0))))
    return Trapezoid(q0, q1, T, rise)


@checked
def in_sequence(*pieces: Trajectory) -> Sequence:
    """One trajectory after another, each starting where the one before ends."""
    if not pieces:
        raise WrongValue("A sequence needs at least one trajectory.")
    for k, (first, second) in enumerate(pairwise(pieces)):
        arrival, departure = first(first.duration).q, second(0.0).q
        if arrival.shape != departure.shape or not np.allclose(arrival, departure, rtol=1e-9, atol=1e-9):
            raise WrongValue(f"Piece {k} ends at {arrival}, but piece {k + 1} starts at {departure}.")
    return Sequence(tuple(pieces))


def _polynomial(
    start: ArrayLike,
    end: ArrayLike,
    duration: float | None,
    first: list[ArrayLike],
    last: list[ArrayLike],
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
) -> Polynomial:
    q0, q1 = _configurations(start, end)
    ends = [[q0, *(_like(x, q0) for x in first)], [q1, *(_like(x, q0) for x in last)]]
    degree = 2 * len(ends[0]) - 1
    if duration is None:
        if any(np.any(x) for side in ends for x in side[1:]):
            raise WrongValue("Limits give a duration from rest to rest only. Give duration=... [s].")
        T = _shortest(q0, q1, degree, velocity, acceleration)
    else:
        T = number("A duration [s]", duration, above=0)
        if velocity is not None or acceleration is not None:
            raise WrongValue("Give a duration or limits (velocity, acceleration), not both.")
    return Polynomial(_coefficients(ends, T), T)


def _shortest(
    q0: Array, q1: Array, degree: int, velocity: ArrayLike | None, acceleration: ArrayLike | None
) -> float:
    """The shortest duration of the rest-to-rest polynomial within the limits [s]."""
    if velocity is None and acceleration is None:
        raise WrongValue(
            "The motion has no duration. Give duration=... [s], or velocity= or acceleration= limits."
        )
    distance, (speed, bend), T = np.abs(q1 - q0), _PEAKS[degree], 0.0
    if velocity is not None:
        T = float(np.max(speed * distance / _limit("velocity", velocity, q0)))
    if acceleration is not None:
        T = max(T, sqrt(float(np.max(bend * distance / _limit("acceleration", acceleration, q0)))))
    return T or 1.0  # no distance: any duration keeps the limits


def _coefficients(ends: list[list[Array]], T: float) -> Array:
    """Coefficients over x = t/T with the given derivatives at both ends: one small linear system."""
    count = len(ends[0])
    matrix, right = np.zeros((2 * count, 2 * count)), []
    for side, x in enumerate((0.0, 1.0)):
        for order in range(count):
            for k in range(order, 2 * count):
                matrix[side * count + order, k] = factorial(k) / factorial(k - order) * x ** (k - order)
            with np.errstate(over="ignore", invalid="ignore"):
                right.append(np.ravel(ends[side][order]) * np.float64(T) ** order)
    solved: Array = np.linalg.solve(matrix, np.array(right)).astype(np.float64)
    if not np.isfinite(solved).all():
        raise WrongValue(f"No finite polynomial has these ends and the duration {T:g} s: they are too large.")
    return solved.reshape(2 * count, *ends[0][0].shape)


def _value(coefficients: Array, x: Array, order: int) -> Array:
    """The order-th derivative with respect to x, by Horner's rule."""
    shape = (..., *(None,) * (coefficients.ndim - 1))
    result = np.zeros((*x.shape, *coefficients.shape[1:]))
    for k in range(len(coefficients) - 1, order - 1, -1):
        result = result * x[shape] + factorial(k) / factorial(k - order) * coefficients[k]
    return result


def _continued(t: Array, inside: Array, parts: list[Array]) -> State:
    """The state, continued beyond the ends at the boundary velocity, without acceleration."""
    q, v, a = parts
    over = (t - inside)[(..., *(None,) * (q.ndim - t.ndim))]
    return State(q + over * v, v, np.where(over == 0, a, 0.0))


def _times(t: ArrayLike) -> Array:
    return floats("A trajectory at times [s]", t)


def _configurations(start: ArrayLike, end: ArrayLike) -> tuple[Array, Array]:
    q0, q1 = floats("The start of a motion", start), floats("The end of a motion", end)
    if q0.shape != q1.shape:
        raise WrongSize(f"Start and end must have one shape; {q0.shape} and {q1.shape} were given.")
    if not (np.isfinite(q0).all() and np.isfinite(q1).all()):
        raise WrongValue("Start and end must be finite numbers.")
    return q0, q1


def _like(x: ArrayLike, q: Array) -> Array:
    array = floats("A boundary value", x)
    if array.ndim and array.shape != q.shape:
        raise WrongSize(f"A boundary value has the shape {array.shape}; the configurations have {q.shape}.")
    if not np.isfinite(array).all():
        raise WrongValue(f"Boundary values must be finite; {array} was given.")
    return np.broadcast_to(array, q.shape)


def _limit(what: str, x: ArrayLike, q: Array) -> Array:
    array = floats(f"The {what} limit", x)
    if array.ndim and array.shape != q.shape:
        raise WrongSize(f"The {what} limits have the shape {array.shape}; the configurations have {q.shape}.")
    if not (array > 0).all():
        raise WrongValue(f"{what.capitalize()} limits must be positive; {array} was given.")
    return array
