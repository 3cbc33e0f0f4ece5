"""The posture a closed robot is at home in: regular, closed, within its limits, near the neutral one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.home import middle
from rikigaku.constraints.modes import within, wrapped
from rikigaku.constraints.plan import closure, places_of
from rikigaku.errors import CannotClose
from rikigaku.model.robot import Robot
from rikigaku.states import position_bounds, random_state
from rikigaku.symbolic.loops.closing import CLOSED, Closing
from rikigaku.symbolic.loops.consistent_state import consistent_state

Array = NDArray[np.float64]

REGULAR = 1e-3  # the smallest singular value that counts, of the largest, in a posture to start from
RANK = 1e-8  # below this part of the largest they count as zero
_SPREADS = (0.0, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0)  # [rad, m]: how far home may be from the neutral posture
_TARGETS, _STARTS = 4, 12


def independent_places(closing: Closing) -> tuple[int, ...]:
    """Places in v of the independent coordinates, as `closure` chooses them."""
    robot = closing.robot
    if robot.independent:
        return places_of(robot, robot.independent)
    if not robot.loops and not robot.couplings:
        return tuple(range(robot.nv))
    return closure(robot).places.independent


def home_posture(closing: Closing, independent: Sequence[int], rank: int, rng: np.random.Generator) -> Array:
    """The regular closed posture nearest to the middle of things."""
    robot = closing.robot
    like = middle(robot)
    held = _held(robot, independent)
    places = held or []
    free = [k for k in range(robot.nv) if k not in independent]
    lower, upper = position_bounds(robot)
    for spread in _SPREADS if held is not None else ():
        targets = like[places] + spread * rng.uniform(-1, 1, (_TARGETS if spread else 1, len(places)))
        targets = np.clip(targets, lower[places], upper[places])
        for target in targets:
            q = random_state(robot, rng, _STARTS).q
            q[0] = like
            q[:, places] = target
            found = _regular(closing, q, free, rank)
            if len(found):
                return _nearest(robot, wrapped(robot, found, places), like)
    for _ in range(_TARGETS):
        found = _regular(closing, random_state(robot, rng, 4 * _STARTS).q, None, rank)
        if len(found):
            return _nearest(robot, found, like)
    consistent_state(robot, rng, 64, closing.values)  # tells why the loops do not close
    raise CannotClose(
        f"Robot {robot.name!r}: every closed posture found is singular, or has not the mobility "
        f"{robot.nv - rank} of its independent joints. Give near=..., a regular closed posture."
    )


def _regular(closing: Closing, q: Array, free: Sequence[int] | None, rank: int) -> Array:
    found, residual, facing = closing.newton(q, free, steps=30)
    found = found[(np.abs(residual).max(axis=1, initial=0) < CLOSED) & facing]
    if not len(found):
        return found
    J = closing.at(found)[2]
    clear = clearness(J, rank) > REGULAR
    if free is not None:  # the coordinates that are held must decide the others
        clear &= clearness(J[:, :, list(free)], rank) > REGULAR
    return found[clear]


def clearness(J: Array, rank: int) -> Array:
    """The smallest singular value that counts, of the largest; 0 if more of them count than there should."""
    if not rank:
        return np.ones(len(J))
    s = np.linalg.svd(J, compute_uv=False)
    wrong = s[:, rank:].max(axis=1, initial=0) > RANK * s[:, 0]
    return np.where(wrong, 0.0, s[:, rank - 1] / np.maximum(s[:, 0], 1e-300))


def _nearest(robot: Robot, q: Array, like: Array) -> Array:
    inside = within(robot, q)
    q = q[inside] if inside.any() else q
    return np.asarray(q[int(np.argmin(np.linalg.norm(q - like, axis=1)))])


def _held(robot: Robot, independent: Sequence[int]) -> list[int] | None:
    """Places in q of the independent coordinates; None where they are parts of quaternions."""
    places = []
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        own = [k - v.start for k in range(v.start, v.stop) if k in independent]
        if own and joint.nq != joint.nv:
            return None
        places += [q.start + k for k in own]
    return places
