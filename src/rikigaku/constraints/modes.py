"""Assembly modes: postures told apart, angles brought into one turn, and those the exact equations give."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import CannotClose, NoFormula, TooLarge
from rikigaku.model.joint import Joint
from rikigaku.model.robot import Robot
from rikigaku.states import position_bounds

Array = NDArray[np.float64]

_SAME = 1e-6  # [rad, m]: postures nearer than this are one
_MOST_COORDINATES = 6  # for the exact equations: beyond, elimination takes long or fails


def wrapped(robot: Robot, q: Array, held: Sequence[int]) -> Array:
    """q with free angles within half a turn of the middle of their limits, quaternions with w >= 0."""
    result = np.array(q)
    lower, upper = position_bounds(robot)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle = np.where(both, (np.where(both, lower, 0.0) + np.where(both, upper, 0.0)) / 2, 0.0)
    for joint in robot.joints:
        places = robot.q_slices[joint.name]
        if joint.type in ("spherical", "free"):
            four = slice(places.stop - 4, places.stop)
            if four.start not in held:
                result[:, four] *= np.where(result[:, four.start : four.start + 1] < 0, -1.0, 1.0)
            continue
        for k in _angles(joint, places):
            if k not in held:
                away = result[:, k] - middle[k]
                result[:, k] -= 2 * np.pi * np.round(away / (2 * np.pi))
    return result


def within(robot: Robot, q: Array) -> NDArray[np.bool_]:
    """Which postures are within the joint limits."""
    lower, upper = position_bounds(robot)
    return np.asarray(((q >= lower - _SAME) & (q <= upper + _SAME)).all(axis=1))


def differences(robot: Robot, q: Array, other: Array) -> Array:
    """q - other, (..., nq), with whole turns of angles left out."""
    result = np.asarray(q - other, dtype=np.float64)
    angles = [k for joint in robot.joints for k in _angles(joint, robot.q_slices[joint.name])]
    result[..., angles] -= 2 * np.pi * np.round(result[..., angles] / (2 * np.pi))
    return result


def unlike(robot: Robot, q: Array) -> Array:
    """Those that differ from all before them."""
    kept = np.empty((0, robot.nq))
    for row in q:
        if np.abs(differences(robot, kept, row)).max(axis=1, initial=0.0).min(initial=np.inf) > _SAME:
            kept = np.vstack([kept, row])
    return kept


def exact_postures(
    robot: Robot, joints: tuple[str, ...], positions: Array, symbols: Mapping[str, float]
) -> Array | None:
    """All closed postures from the exact equations; None where these are not solved by square roots."""
    if robot.nv > _MOST_COORDINATES or any(joint.nq > 1 for joint in robot.joints):
        return None
    known = robot.__dict__.setdefault("_exact_modes", {})
    if joints not in known:
        from rikigaku.symbolic.loops.constraints import (
            loop_constraints,
        )  # algebra is for those who ask for it

        try:
            constraints = loop_constraints(robot, independent=joints)
            known[joints] = constraints if constraints.eliminated(time_limit=0) else None
        except (NoFormula, TooLarge, CannotClose):
            known[joints] = None
    if known[joints] is None:
        return None
    at = dict(zip(joints, positions.tolist(), strict=True))
    found = known[joints].postures(at, **symbols)
    held = [robot.q_slices[name].start for name in joints]
    return unlike(robot, wrapped(robot, np.asarray(found), held))


def _angles(joint: Joint, places: slice) -> list[int]:
    """Places in q of angles that may turn right round."""
    whole = {"revolute": (0,), "universal": (0, 1), "planar": (2,)}.get(joint.type, ())
    return [places.start + k for k in whole]
