"""Solutions on curves that nearly are families: an arm with nearly parallel axes, at a nearly singular pose.

All eliminations are ill-conditioned there, and solutions far from each other have a singular value of J of
the size of the arm's deviations. The curve through one of them is followed; along it a small error remains,
and the solutions are its zeros.
"""

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
_REDUCTIONS = 40
_LOCATED = 1e-10  # [steps]


def zeros_on_curves(equations: PoseEquations, x: Array, group: Indices) -> tuple[Indices, Array]:
    """Solutions on the curves through configurations (m, n), and the index of the configuration of each.

    group: (m,) number of the pose; a curve through several configurations of a pose is followed once.
    """
    revolute = np.array(equations.revolute)
    begin = _beside(equations, x)
    left = np.nonzero(np.abs((begin.error * begin.left).sum(axis=1)) < _SMALL)[0]
    owners, zeros = [np.zeros(0, dtype=np.int64)], [x[:0]]
    while len(left):
        _, first = np.unique(group[left], return_index=True)  # one of each pose at once
        own = left[first]
        curves = followed(equations.at(own), begin.x[own], begin.tangent[own])
        for k, curve in zip(own, curves, strict=True):
            found = _zeros(equations.at(np.array([k])), curve, revolute)
            owners.append(np.full(len(found), k))
            zeros.append(found)
        left = np.delete(left, first)
        on = dict(zip(group[own].tolist(), curves, strict=True))
        away = [k for k in left if _distance(on[int(group[k])], x[k], revolute) > STEP]
        left = np.array(away, dtype=np.int64)
    return np.concatenate(owners), np.concatenate(zeros)


def _beside(equations: PoseEquations, x: Array) -> OnCurves:
    """Points of the curves beside configurations, at which the remaining error has a sign."""
    tangent = np.linalg.svd(pose_and_jacobian(equations.links, equations.revolute, x)[1])[2][:, -1]
    on = equations.corrected(x, tangent)
    return equations.corrected(on.x + _AWAY * on.tangent, on.tangent)


def _distance(curve: SingularCurve, x: Array, revolute: Mask) -> float:
    return float(np.linalg.norm(wrapped(curve.x - x, revolute), axis=1).min())


def _zeros(equations: PoseEquations, curve: SingularCurve, revolute: Mask) -> Array:
    """Zeros (k, n) of the error that remains along a curve."""
    x = np.concatenate([curve.x, curve.x[:1]]) if curve.closed else curve.x
    gap = wrapped(np.diff(x, axis=0), revolute)
    if not len(gap):
        return x[:0]
    size = np.abs(curve.remaining)
    if curve.closed:
        size = np.append(size, size[0])
    # near a least error there may be two zeros between samples
    least = np.nonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]))[0] + 1
    small = np.zeros(len(gap), dtype=bool)
    small[least], small[least - 1] = True, True
    small[[0, -1]] = True
    count = np.where(small, _PARTS, 1)
    place = np.repeat(np.arange(len(gap)), count)
    part = np.concatenate([np.arange(n) / n for n in count])
    a = x[place] + part[:, None] * gap[place]
    step = gap[place] / count[place][:, None]
    both = [equations.at(np.zeros(len(a), dtype=np.int64)).corrected(p, gap[place]) for p in (a, a + step)]
    sign = np.where((both[0].left * both[1].left).sum(axis=1) < 0, -1.0, 1.0)
    values = np.stack(
        [(both[0].error * both[0].left).sum(axis=1), sign * (both[1].error * both[1].left).sum(axis=1)]
    )
    own = np.nonzero((values[0] <= 0) != (values[1] <= 0))[0]
    if not len(own):
        return x[:0]
    return _located(equations, a[own], step[own], values[:, own], both[0].left[own])


def _located(equations: PoseEquations, a: Array, step: Array, values: Array, left: Array) -> Array:
    """Zeros between a and a + step (k, n) with these errors (2, k), by the Illinois method."""
    rows, same = np.arange(len(a)), equations.at(np.zeros(len(a), dtype=np.int64))
    ends, values = np.stack([np.zeros(len(a)), np.ones(len(a))]), values.copy()
    x = a
    for _ in range(_REDUCTIONS):
        part = (ends[0] * values[1] - ends[1] * values[0]) / (values[1] - values[0])
        new = same.corrected(a + part[:, None] * step, step)
        sign = np.where((new.left * left).sum(axis=1) < 0, -1.0, 1.0)
        x, value = new.x, sign * (new.error * new.left).sum(axis=1)
        side = ((value <= 0) == (values[1] <= 0)).astype(np.int64)
        done = np.abs(ends[side, rows] - part) < _LOCATED
        values[1 - side, rows] /= 2
        ends[side, rows], values[side, rows] = part, value
        if done.all():
            break
    return x
