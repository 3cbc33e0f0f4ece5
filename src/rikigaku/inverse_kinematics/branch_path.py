"""One branch of configurations along a path of poses, with as few changes of branch as possible.

Dynamic programming over all configurations of each pose: a transition is continuous if no joint moves by more
than a given step; the sequence has the fewest transitions that are not, and among those the shortest way.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array

_REVOLUTION = 2 * np.pi
_CHANGE = 1e6  # cost of a change of branch: more than any way


class Joints(NamedTuple):
    """Types and limits of the joints of a chain."""

    revolute: NDArray[np.bool_]
    lower: Array
    upper: Array


class BranchPath(NamedTuple):
    """Configuration of each pose (n, joints), NaN where there is none; poses that begin another branch."""

    q: Array
    changes: tuple[int, ...]


def branch_path(
    q: Array, usable: NDArray[np.bool_], start: Array | None, joints: Joints, largest_step: float
) -> BranchPath:
    """The best sequence through configurations q (n, k, joints) of consecutive poses.

    start: configuration (joints,) that the first is nearest to; None: any.
    """
    path, changes = np.full((len(q), q.shape[-1]), np.nan), list[int]()
    reachable = np.asarray(usable.any(axis=1), dtype=bool).reshape(len(q))
    at = 0
    while at < len(q):
        if not reachable[at]:
            at += 1
            continue
        rest = np.nonzero(~reachable[at:])[0]
        end = at + int(rest[0]) if len(rest) else len(q)
        own = start if at == 0 else None
        choice = _best(q[at:end], usable[at:end], own, joints.revolute, largest_step)
        path[at:end] = q[np.arange(at, end), choice]
        changes += [] if at == 0 else [at]
        changes += _unwrapped(path, at, end, joints, largest_step)
        at = end
    return BranchPath(path, tuple(sorted(changes)))


def _best(
    q: Array, usable: NDArray[np.bool_], start: Array | None, revolute: NDArray[np.bool_], largest_step: float
) -> list[int]:
    """Indices of the configurations of poses that can all be reached."""
    total = np.where(usable[0], 0.0, np.inf)
    if start is not None:  # the one nearest to the start is the first
        distance = np.linalg.norm(_difference(q[0], start, revolute), axis=-1)
        total[np.arange(len(total)) != np.where(usable[0], distance, np.inf).argmin()] = np.inf
    before = []
    for i in range(1, len(q)):
        gap = _difference(q[i][None], q[i - 1][:, None], revolute)
        jump = np.abs(gap).max(axis=-1, initial=0.0) > largest_step
        cost = total[:, None] + np.linalg.norm(gap, axis=-1) + np.where(jump, _CHANGE, 0.0)
        cost = np.where(usable[i - 1][:, None] & usable[i][None], cost, np.inf)
        before.append(cost.argmin(axis=0))
        total = cost.min(axis=0)
    choice = [int(np.argmin(total))]
    for links in reversed(before):
        choice.append(int(links[choice[-1]]))
    return choice[::-1]


def _unwrapped(path: Array, first: int, end: int, joints: Joints, largest_step: float) -> list[int]:
    """Make angles continuous where the limits allow it; the poses before which the arm must leave its way."""
    changes = []
    for i in range(first + 1, end):
        gap = _difference(path[i], path[i - 1], joints.revolute)
        smooth = path[i - 1] + gap
        inside = ((smooth >= joints.lower) & (smooth <= joints.upper)).all()
        if inside:
            path[i] = smooth
        if not inside or np.abs(gap).max(initial=0.0) > largest_step:
            changes.append(i)
    return changes


def _difference(a: Array, b: Array, revolute: NDArray[np.bool_]) -> Array:
    gap = a - b
    return np.where(revolute, gap - _REVOLUTION * np.round(gap / _REVOLUTION), gap)
