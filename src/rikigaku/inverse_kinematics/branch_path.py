"""One branch of configurations along a path of poses, with as few changes of branch as possible.

Dynamic programming over all configurations of each pose: a transition is continuous if no joint moves by more
than a given step; the sequence has the fewest transitions that are not, among those the fewest that exceed
the velocity limits, among those the latest changes, and among those the shortest way. So the arm stays on its
branch until that ends.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.joint_ranges import AT_LIMIT

_REVOLUTION = 2 * np.pi
_CHANGE = 1e10  # cost of a change of branch: more than any way
_FAST = 1e6  # cost of a step beyond the velocity limits
_EARLY = 10.0  # cost of a change for each pose after it: more than a step of all joints
_ROUNDING = 1e-9  # of a step at its limit [rad, m]


class Joints(NamedTuple):
    """Types and limits of the joints of a chain."""

    revolute: NDArray[np.bool_]
    lower: Array
    upper: Array


class BranchPath(NamedTuple):
    """Configuration of each pose (n, joints), NaN where there is none; poses that begin another branch.

    too_fast: poses that the velocity limits do not let the arm reach in time from the pose before.
    """

    q: Array
    changes: tuple[int, ...]
    too_fast: tuple[int, ...]


def branch_path(
    q: Array,
    usable: NDArray[np.bool_],
    start: Array | None,
    joints: Joints,
    largest_step: float,
    moves: Array | None = None,
) -> BranchPath:
    """The best sequence through configurations q (n, k, joints) of consecutive poses.

    start: configuration (joints,) that the first is nearest to; None: any.
    moves: what the velocity limits let each joint move between consecutive poses (n - 1, joints).
    """
    moves = np.full((max(len(q) - 1, 0), q.shape[-1]), np.inf) if moves is None else moves
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
        choice = _best(q[at:end], usable[at:end], own, joints.revolute, largest_step, moves[at : end - 1])
        path[at:end] = q[np.arange(at, end), choice]
        changes += [] if at == 0 else [at]
        changes += _unwrapped(path, at, end, joints, largest_step, own is not None)
        at = end
    with np.errstate(invalid="ignore"):  # a pose without configuration ends the motion: nothing is compared
        fast = (np.abs(np.diff(path, axis=0)) > moves + _ROUNDING).any(axis=1)
    return BranchPath(path, tuple(sorted(changes)), tuple(int(k) + 1 for k in np.nonzero(fast)[0]))


def _best(
    q: Array,
    usable: NDArray[np.bool_],
    start: Array | None,
    revolute: NDArray[np.bool_],
    largest_step: float,
    moves: Array,
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
        fast = (np.abs(gap) > moves[i - 1] + _ROUNDING).any(axis=-1)
        change = _CHANGE + _EARLY * (len(q) - i)
        cost = total[:, None] + np.linalg.norm(gap, axis=-1) + np.where(jump, change, _FAST * fast)
        cost = np.where(usable[i - 1][:, None] & usable[i][None], cost, np.inf)
        before.append(cost.argmin(axis=0))
        total = cost.min(axis=0)
    choice = [int(np.argmin(total))]
    for links in reversed(before):
        choice.append(int(links[choice[-1]]))
    return choice[::-1]


def _unwrapped(
    path: Array, first: int, end: int, joints: Joints, largest_step: float, begins_here: bool
) -> list[int]:
    """Make angles continuous where the limits allow it; the poses before which the arm must leave its way.

    After a change each joint takes the revolution that lasts longest within its limits, the nearest of equal
    ones: no other choice has fewer changes. begins_here: the first revolution is the one of the path.
    """
    gap = _difference(path[first + 1 : end], path[first : end - 1], joints.revolute)
    jumps = np.nonzero(np.abs(gap).max(axis=1, initial=0.0) > largest_step)[0] + 1
    changes, at, before = list[int](), 0, path[first].copy()
    while at < end - first:
        later = jumps[jumps > at]
        stop = int(later[0]) if len(later) else end - first
        smooth = path[first + at] + np.concatenate(
            [np.zeros((1, path.shape[1])), gap[at : stop - 1].cumsum(axis=0)]
        )
        own = path[first + at : first + stop]
        turns = np.where(joints.revolute, _REVOLUTION * np.round((smooth - own) / _REVOLUTION), 0.0)
        own, shift = own + turns, np.zeros(path.shape[1])
        lasting = np.full(path.shape[1], len(own))
        for j in range(path.shape[1]):
            values = _revolutions(own[0, j], j, joints) if at or not begins_here else np.zeros(1)
            moved = own[:, j] + values[:, None]
            beyond = (moved < joints.lower[j] - AT_LIMIT) | (moved > joints.upper[j] + AT_LIMIT)
            last = np.where(beyond.any(axis=1), beyond.argmax(axis=1), len(own))
            best = np.lexsort((np.abs(moved[:, 0] - before[j]), -last))[0]
            shift[j], lasting[j] = values[best], last[best]
        count = max(int(lasting.min(initial=len(own))), 1)
        path[first + at : first + at + count] = np.clip(own[:count] + shift, joints.lower, joints.upper)
        before = path[first + at + count - 1]
        at += count
        if at < end - first:
            changes.append(first + at)
    return changes


def _revolutions(x: float, j: int, joints: Joints) -> Array:
    """Multiples of 2 pi that keep the angle x of the j-th joint within its limits."""
    if not joints.revolute[j] or not np.isfinite(joints.upper[j] - joints.lower[j]):
        return np.zeros(1)
    low = np.ceil((joints.lower[j] - AT_LIMIT - x) / _REVOLUTION)
    high = np.floor((joints.upper[j] + AT_LIMIT - x) / _REVOLUTION)
    return np.arange(low, high + 1) * _REVOLUTION if low <= high else np.zeros(1)


def _difference(a: Array, b: Array, revolute: NDArray[np.bool_]) -> Array:
    gap = a - b
    return np.where(revolute, gap - _REVOLUTION * np.round(gap / _REVOLUTION), gap)
