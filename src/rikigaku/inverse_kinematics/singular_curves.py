"""Curves of configurations through singular ones, followed along the null vector of the Jacobian, in batches.

At a singular pose such a curve is a family of solutions. Beside one (an arm whose axes are nearly parallel, a
pose near a singular one) a small error remains along the curve, and solutions are its zeros. Each step goes
along the null vector and returns to the pose by least-squares steps that leave the smallest singular value
out. Lengths have the reach as unit.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.found_configurations import wrapped
from rikigaku.inverse_kinematics.serial_arm import pose_and_jacobian, pose_differences

Indices = NDArray[np.int64]

STEP = 0.1  # arc length between samples [rad, reach]
_MOST_STEPS = 400
_HALVINGS = 9
_CORRECTIONS = 4
_LEAST = 1e-7  # singular value that a correction takes into account
_NULL = 1e-6  # singular values below this belong to the null space
_FARTHEST = 2.0  # displacement [reach] at which curves end


class SingularCurve(NamedTuple):
    """Configurations (m, n) in order; closed: the last one is followed by the first.

    remaining: (m,) error along the left null vector, with a continuous sign; zero on a family.
    """

    x: Array
    remaining: Array
    closed: bool


class OnCurves(NamedTuple):
    """Configurations (m, n), tangents (m, n), left null vectors (m, 6), errors (m, 6) that are left."""

    x: Array
    tangent: Array
    left: Array
    error: Array


class PoseEquations:
    """Links L_0 ... L_n, each (4, 4) or (m, 4, 4), and poses (m, 4, 4) of m configurations."""

    def __init__(self, links: Sequence[Array], revolute: Sequence[bool], H: Array) -> None:
        self.links, self.revolute, self.H = links, revolute, H

    def at(self, rows: Indices) -> "PoseEquations":
        links = [x if x.ndim == 2 else x[rows] for x in self.links]
        return PoseEquations(links, self.revolute, self.H[rows])

    def corrected(self, x: Array, tangent: Array) -> OnCurves:
        """Points near x on the curves; tangents in the direction of given ones."""
        n = x.shape[1]
        for k in range(_CORRECTIONS):
            X, J = pose_and_jacobian(self.links, self.revolute, x)
            e = pose_differences(X, self.H)
            U, sizes, Vt = np.linalg.svd(J)
            if k == _CORRECTIONS - 1:
                break
            parts = np.einsum("mij,mi->mj", U[:, :, : n - 1], e)
            parts = np.where(sizes[:, : n - 1] > _LEAST, parts / np.maximum(sizes[:, : n - 1], _LEAST), 0.0)
            step = np.einsum("mjk,mj->mk", Vt[:, : n - 1], parts)
            longest = np.abs(step).max(axis=1, keepdims=True)
            x = x + step * np.minimum(1.0, STEP / np.maximum(longest, 1e-300))
            if (longest < 1e-8).all():
                # the next error would be that of rounding
                e = e - np.einsum(
                    "mij,mj->mi", U[:, :, : n - 1], np.einsum("mij,mi->mj", U[:, :, : n - 1], e)
                )
                break
        null = np.where(sizes < _NULL, 1.0, 0.0)
        null[:, n - 1] = 1.0
        # where curves cross, the one goes on that turns least
        along = np.einsum("mjk,mj->mk", Vt, null * np.einsum("mjk,mk->mj", Vt, tangent))
        size = np.linalg.norm(along, axis=1, keepdims=True)
        return OnCurves(x, along / np.maximum(size, 1e-300), U[:, :, n - 1], e)


def followed(equations: PoseEquations, x: Array, tangent: Array) -> list[SingularCurve]:
    """The curves through configurations (m, n) with these tangents."""
    forth = _one_way(equations, x, tangent)
    rows = np.array([k for k, curve in enumerate(forth) if not curve.closed], dtype=np.int64)
    back = _one_way(equations.at(rows), x[rows], -tangent[rows])
    whole = list(forth)
    for k, other in zip(rows.tolist(), back, strict=True):
        own = forth[k]
        # both ways begin at the same configuration, whose left null vector has one sign
        whole[k] = SingularCurve(
            np.concatenate([other.x[:0:-1], own.x]),
            np.concatenate([other.remaining[:0:-1], own.remaining]),
            False,
        )
    return whole


def _one_way(equations: PoseEquations, first: Array, direction: Array) -> list[SingularCurve]:
    m = len(first)
    revolute = np.array(equations.revolute)
    begin = equations.corrected(first, direction)
    rows: list[list[Array]] = [[x] for x in begin.x]
    left = begin.left
    values: list[list[float]] = [[float(x)] for x in (begin.error * left).sum(axis=1)]
    closed = np.zeros(m, dtype=bool)
    active, x, t = np.arange(m), begin.x, begin.tangent
    for k in range(_MOST_STEPS):
        if not len(active):
            break
        new, good = _step(equations.at(active), x, t)
        good &= (np.abs(new.x) <= np.where(revolute, np.inf, _FARTHEST)).all(axis=1)
        gap = np.linalg.norm(wrapped(new.x - begin.x[active], revolute), axis=1)
        back = good & (k > 2) & (gap < 0.75 * STEP)
        closed[active[back]] = True
        going = good & ~back
        active, x, t = active[going], new.x[going], new.tangent[going]
        sign = np.where((new.left * left).sum(axis=1) < 0, -1.0, 1.0)
        left = (new.left * sign[:, None])[going]
        for place, own, value in zip(active, x, (new.error[going] * left).sum(axis=1), strict=True):
            rows[place].append(own)
            values[place].append(float(value))
    return [
        SingularCurve(np.array(x), np.array(v), bool(c)) for x, v, c in zip(rows, values, closed, strict=True)
    ]


def _step(equations: PoseEquations, x: Array, direction: Array) -> tuple[OnCurves, Mask]:
    """Points one step on, and which steps succeeded."""
    found, good = equations.corrected(x + STEP * direction, direction), np.zeros(len(x), dtype=bool)
    size, rows, new = STEP, np.arange(len(x)), found
    for k in range(_HALVINGS):
        guess = x[rows] + size * direction[rows]
        if k:
            new = equations.at(rows).corrected(guess, direction[rows])
        turned = (new.tangent * direction[rows]).sum(axis=1)
        fine = (np.linalg.norm(new.x - guess, axis=1) < 0.3 * size) & (turned > 0.8)
        for whole, part in zip(found, new, strict=True):
            whole[rows[fine]] = part[fine]
        good[rows[fine]] = True
        rows = rows[~fine]
        if not len(rows):
            break
        size /= 2
    return found, good
