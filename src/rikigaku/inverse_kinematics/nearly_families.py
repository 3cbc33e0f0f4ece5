"""Solutions on curves that nearly are families: an arm with nearly parallel axes, at a nearly singular pose.

All eliminations are ill-conditioned there, and solutions far from each other have a singular value of J of
the size of the arm's deviations. The curve through one of them is followed; along it a small error remains,
and the solutions are its zeros.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.found_configurations import wrapped
from rikigaku.inverse_kinematics.serial_arm import pose_and_jacobian
from rikigaku.inverse_kinematics.singular_curves import STEP, OnCurves, PoseEquations, SingularCurve, followed

Indices = NDArray[np.int64]
_AWAY = 0.013  # [rad, reach]: distance from a configuration at which its curve is begun
_SMALL = 1e-6  # error [reach, rad] there; along other curves it is larger
_PARTS = 8  # of a step in which the error may have two zeros
_TOUCHING = 1e-13  # error [reach, rad] that may be a zero
_REDUCTIONS = 40
_LOCATED = 1e-9  # part of an interval


class CurveZeros(NamedTuple):
    """Solutions (k, n), indices (k,) of the configurations whose curves have them.

    unclear: indices of configurations whose curves end, or may have more solutions.
    on: (m,) configurations whose curves were followed.
    """

    owner: Indices
    x: Array
    unclear: Indices
    on: Mask


def zeros_on_curves(equations: PoseEquations, x: Array, group: Indices) -> CurveZeros:
    """Solutions on the curves through configurations (m, n).

    group: (m,) number of the pose; a curve through several configurations of a pose is followed once.
    """
    revolute = np.array(equations.revolute)
    begin = _beside(equations, x)
    on = np.asarray(np.abs((begin.error * begin.left).sum(axis=1)) < _SMALL)
    left = np.nonzero(on)[0]
    intervals, unclear = [], []
    while len(left):
        _, first = np.unique(group[left], return_index=True)  # one of each pose at once
        own = left[first]
        curves = followed(equations.at(own), begin.x[own], begin.tangent[own])
        intervals += [_intervals(k, curve, revolute) for k, curve in zip(own, curves, strict=True)]
        unclear += [int(k) for k, curve in zip(own, curves, strict=True) if not curve.closed]
        left = np.delete(left, first)
        known = dict(zip(group[own].tolist(), curves, strict=True))
        away = [_distance(known[int(group[k])], begin.x[k], revolute) > STEP for k in left]
        left = left[np.array(away, dtype=bool)]
    if not intervals:
        return CurveZeros(group[:0], x[:0], group[:0], on)
    parts = _Intervals(*(np.concatenate(part) for part in zip(*intervals, strict=True)))
    owner, zeros, touching = _zeros(equations, parts)
    return CurveZeros(owner, zeros, np.concatenate([np.array(unclear, dtype=np.int64), touching]), on)


def _beside(equations: PoseEquations, x: Array) -> OnCurves:
    """Points of the curves beside configurations, at which the remaining error has a sign."""
    tangent = np.linalg.svd(pose_and_jacobian(equations.links, equations.revolute, x)[1])[2][:, -1]
    on = equations.corrected(x, tangent)
    return equations.corrected(on.x + _AWAY * on.tangent, on.tangent)


def _distance(curve: SingularCurve, x: Array, revolute: Mask) -> float:
    return float(np.linalg.norm(wrapped(curve.x - x, revolute), axis=1).min())


class _Intervals(NamedTuple):
    """Parts of curves: indices of configurations (m,), begins (m, n), steps to the ends (m, n)."""

    owner: Indices
    begin: Array
    step: Array


def _intervals(owner: int, curve: SingularCurve, revolute: Mask) -> _Intervals:
    """Parts of a curve, short where the error is least: there may be two zeros between samples."""
    x, size = curve.x, np.abs(curve.remaining)
    if curve.closed:
        x, size = np.concatenate([x, x[:1]]), np.append(size, size[0])
    gap = wrapped(np.diff(x, axis=0), revolute)
    least = np.nonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]))[0] + 1
    count = np.ones(len(gap), dtype=np.int64)
    count[least] = count[least - 1] = count[:1] = count[-1:] = _PARTS
    place = np.repeat(np.arange(len(gap)), count)
    part = (np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)) / count[place]
    step = gap[place] / count[place][:, None]
    return _Intervals(np.full(len(place), owner), x[place] + part[:, None] * gap[place], step)


def _zeros(equations: PoseEquations, parts: _Intervals) -> tuple[Indices, Array, Indices]:
    """Zeros of the error within intervals by the Illinois method, and the owners of their intervals.

    The last are owners of intervals in which the error may touch zero without changing its sign.
    """
    own = equations.at(parts.owner)
    a, b = (own.corrected(x, parts.step) for x in (parts.begin, parts.begin + parts.step))
    values = np.stack([(a.error * a.left).sum(axis=1), (b.error * _directed(b.left, a.left)).sum(axis=1)])
    rows = np.nonzero((values[0] <= 0) != (values[1] <= 0))[0]
    size = np.abs(values)
    touching = parts.owner[
        (size.min(axis=0) < _TOUCHING) & (values[0] * values[1] > 0) & ~_beside_zero(rows, len(size[0]))
    ]
    owner, begin, step = parts.owner[rows], parts.begin[rows], parts.step[rows]
    values, left, x, place = values[:, rows], a.left[rows], a.x[rows], np.arange(len(rows))
    ends, before = np.stack([np.zeros(len(rows)), np.ones(len(rows))]), np.full(len(rows), np.inf)
    for _ in range(_REDUCTIONS):
        if not len(place):
            break
        (low, high), (u, v) = ends[:, place], values[:, place]
        part = (low * v - high * u) / (v - u)
        new = equations.at(owner[place]).corrected(begin[place] + part[:, None] * step[place], step[place])
        value = (new.error * _directed(new.left, left[place])).sum(axis=1)
        x[place] = new.x
        side = ((value <= 0) == (v <= 0)).astype(np.int64)
        values[1 - side, place] /= 2
        ends[side, place], values[side, place] = part, value
        going = (np.abs(part - before[place]) > _LOCATED) & (value != 0)
        before[place] = part
        place = place[going]
    return owner, x, touching


def _beside_zero(rows: Indices, count: int) -> Mask:
    """Intervals with one of these, or beside one."""
    near = np.zeros(count, dtype=bool)
    for k in (-1, 0, 1):
        near[np.clip(rows + k, 0, count - 1)] = True
    return near


def _directed(left: Array, other: Array) -> Array:
    """Vectors (m, 6) with signs that make them point as others do."""
    return np.where((left * other).sum(axis=1, keepdims=True) < 0, -left, left)
