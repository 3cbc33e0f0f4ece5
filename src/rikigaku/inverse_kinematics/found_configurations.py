"""Configurations of an arm of six joints at several poses, as a list and as a table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask

Indices = NDArray[np.int64]


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
