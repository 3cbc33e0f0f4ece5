"""Configurations of an arm of six joints at several poses, as a list and as a table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.pose_newton import MOST

Indices = NDArray[np.int64]

# Projection of a configuration to a number, to find equal ones; irrational, so that others rarely coincide.
_PROJECTION = np.sin(np.arange(1, 13) * np.sqrt(3))


class ArmConfigurations(NamedTuple):
    """q (n, 16, 6), residual [reach, rad], multiplicity and family (n, 16); NaN and 0 where there is none.

    multiplicity: 2 where two solutions coincide. family: dimension of the family of solutions, 0: isolated.
    complete: (n,) False where configurations may be missing.
    """

    q: Array
    residual: Array
    multiplicity: Indices
    family: Indices
    complete: Mask


class Found(NamedTuple):
    """Configurations of all poses, ordered by pose: index of the pose, q, residual, smallest pivot."""

    pose: Indices
    q: Array
    residual: Array
    pivot: Array


def joined(first: Found, second: Found) -> Found:
    pose = np.concatenate([first.pose, second.pose])
    q, residual, pivot = (np.concatenate(x) for x in zip(first[1:], second[1:], strict=True))
    return Found(pose, q, residual, pivot)


def kept(found: Found, rows: Mask) -> Found:
    return Found(found.pose[rows], found.q[rows], found.residual[rows], found.pivot[rows])


def nothing() -> Found:
    return Found(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros(0), np.zeros(0))


def wrapped(x: Array, revolute: Mask) -> Array:
    """Angles between -pi and pi; displacements as they are."""
    return np.asarray(x - np.where(revolute, 2 * np.pi * np.round(x / (2 * np.pi)), 0.0))


def distinct(found: Found, revolute: Mask, equal: float) -> tuple[Found, Indices]:
    """The configurations without repetitions (closer than equal), and the poses that had some."""
    q = found.q
    # continuous functions of angles, cheaper than sines: their distances from 0 and from a quarter
    quarter = q - 0.5 * np.pi
    quarter = np.where(quarter < -np.pi, quarter + 2 * np.pi, quarter)
    near = np.where(revolute, np.abs(q), q) @ _PROJECTION[:6]
    key = near + np.where(revolute, np.abs(quarter), 0.0) @ _PROJECTION[6:]
    order = np.lexsort((key, found.pose))
    drop = np.zeros(len(q), dtype=bool)
    for lag in (1, 2):  # two other configurations between equal ones are improbable
        a, b = order[:-lag], order[lag:]
        near = (found.pose[a] == found.pose[b]) & (np.abs(key[a] - key[b]) < 10 * equal)
        if near.any():
            a, b = a[near], b[near]
            gap = wrapped(q[a] - q[b], revolute)
            drop[b[(np.abs(gap) < equal).all(axis=1)]] = True
    if not drop.any():
        return found, found.pose[:0]
    return kept(found, ~drop), found.pose[drop]


def tabulated(
    n: int, found: Found, multiplicity: Indices, family: Indices, complete: Mask, units: Array
) -> ArmConfigurations:
    """Configurations as arrays, one row for each pose; units (6,) of the joints."""
    order = np.argsort(found.pose, kind="stable")
    own = found.pose[order]
    rank = np.arange(len(own)) - np.searchsorted(own, own)
    q, residual = np.full((n, MOST, 6), np.nan), np.full((n, MOST), np.nan)
    count, dimension = np.zeros((n, MOST), dtype=np.int64), np.zeros((n, MOST), dtype=np.int64)
    if (rank >= MOST).any():  # samples of a family may be more
        listed = rank < MOST
        complete[own[~listed]] = False
        order, own, rank = order[listed], own[listed], rank[listed]
    q[own, rank] = found.q[order] * units
    residual[own, rank], count[own, rank] = found.residual[order], multiplicity[order]
    dimension[own, rank] = family[order]
    return ArmConfigurations(q, residual, count, dimension, complete)
