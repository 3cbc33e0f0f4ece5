"""States of a robot: the neutral one, random ones, and the bounds of q.

A joint that follows another (a coupling) follows it here too. Loop closures are not solved: q and v are those
of the spanning tree.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.errors import WrongValue
from rikigaku.given import short, whole
from rikigaku.model.joint import Joint
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS

Array = NDArray[np.float64]

# Where a joint has no limits: a whole turn, half a metre either way, and rates of 1 rad/s or m/s.
FREE_ANGLE, FREE_LENGTH, FREE_RATE = math.pi, 0.5, 1.0

_QUATERNION_START = {"spherical": 0, "free": 3}
_LENGTHS = {"prismatic": (True,), "planar": (True, True, False), "free": (True,) * 3 + (False,) * 4}


class State(NamedTuple):
    """Positions [rad, m], velocities and accelerations; the last axis of each runs over the joints."""

    q: Array
    v: Array
    a: Array


def neutral(robot: Robot) -> Array:
    """q with every coordinate zero, unit quaternions, and coupled joints where they follow (limits aside)."""
    q = np.zeros(robot.nq)
    for joint in robot.joints:
        if joint.type in _QUATERNION_START:
            q[robot.q_slices[joint.name].start + _QUATERNION_START[joint.type]] = 1.0
    return coupled(robot, q)


def random_state(robot: Robot, rng: Any = None, size: int | tuple[int, ...] = ()) -> State:
    """Random q, v, a, uniform within the joint limits; quaternions uniform over all rotations.

    Args:
        rng: a NumPy generator, a seed, or None for a new state each time.
        size: shape of a batch of states, before the axis of the joints.

    Joints without limits: a whole turn, +-0.5 m, +-1 rad/s or m/s. Accelerations within +-1 rad/s^2 or m/s^2.
    """
    rng = generator(rng)
    sizes = size if isinstance(size, tuple | list) else (size,)
    batch = [whole("size, of a batch of states,", n, least=0) for n in sizes]
    lower, upper = position_bounds(robot)
    free = np.where(is_length(robot), FREE_LENGTH, FREE_ANGLE)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * free, -free))
    high = np.where(np.isfinite(upper), upper, low + 2 * free)
    q = low + (high - low) * rng.random((*batch, robot.nq))
    for joint in robot.joints:
        if joint.type in _QUATERNION_START:
            start = robot.q_slices[joint.name].start + _QUATERNION_START[joint.type]
            four = rng.standard_normal((*batch, 4))
            q[..., start : start + 4] = four / np.linalg.norm(four, axis=-1, keepdims=True)
    rates = np.minimum(velocity_bounds(robot), 1e6)  # a limit beyond that is a way to say none
    v = np.where(rates == 1e6, FREE_RATE, rates) * rng.uniform(-1, 1, (*batch, robot.nv))
    a = rng.uniform(-1, 1, (*batch, robot.nv))
    return State(coupled(robot, q), coupled(robot, v, rates=True), coupled(robot, a, rates=True))


def generator(rng: Any) -> np.random.Generator:
    """NumPy's generator of random numbers: the one given, or a new one from a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise WrongValue(
            f"rng is a NumPy generator, a seed (a whole number, 0 or more) or None; {short(rng)} was given."
        ) from None


def position_bounds(robot: Robot) -> tuple[Array, Array]:
    """Lower and upper bounds of q [rad, m], infinite where a joint has none.

    A joint that others follow stays where they are within their limits, too. Limits of a follower that no
    position of its leader keeps are its own alone.
    """
    lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for joint in robot.joints:
        if joint.nq == 1:
            k, limits = robot.q_slices[joint.name].start, joint.limits
            lower[k] = -np.inf if limits.lower is None else limits.lower
            upper[k] = np.inf if limits.upper is None else limits.upper
    return _shared(robot, lower, upper)


def velocity_bounds(robot: Robot) -> Array:
    """Largest speed of each coordinate of v [rad/s, m/s], infinite where a joint has none.

    A joint that others follow is as fast as the slowest of them lets it be.
    """
    bounds = np.full(robot.nv, np.inf)
    for joint in robot.joints:
        if joint.limits.velocity is not None:
            bounds[robot.v_slices[joint.name]] = joint.limits.velocity
    return _shared(robot, -bounds, bounds, rates=True)[1]


def _shared(robot: Robot, lower: Array, upper: Array, rates: bool = False) -> tuple[Array, Array]:
    """Bounds that a leader has together with its followers, and the followers' as the leader's put them."""
    slices = robot.v_slices if rates else robot.q_slices
    values, apart = robot.declared_values if robot.couplings else {}, list[int]()
    for _ in robot.couplings:  # a joint may follow one that follows another: as many rounds settle any order
        for coupling in robot.couplings:
            own, other = slices[coupling.joint].start, slices[coupling.reference].start
            factor = coupling.multiplier.evaluate(FLOATS, values)
            offset = 0.0 if rates else coupling.offset.evaluate(FLOATS, values)
            if factor == 0:  # it stands still, wherever the other is
                apart.append(own)
                continue
            ends = (lower[own] - offset) / factor, (upper[own] - offset) / factor
            low, high = max(lower[other], min(ends)), min(upper[other], max(ends))
            if low > high:
                apart.append(own)
            else:
                lower[other], upper[other] = low, high
    with np.errstate(invalid="ignore"):  # zero times infinity, of a joint that stands still
        first, second = coupled(robot, lower, rates), coupled(robot, upper, rates)
    low, high = np.minimum(first, second), np.maximum(first, second)
    low[apart], high[apart] = lower[apart], upper[apart]
    return low, high


def is_length(robot: Robot) -> NDArray[np.bool_]:
    """For each number of q whether it is a length [m]; else it is an angle or part of a quaternion."""
    return np.array([flag for joint in robot.joints for flag in _is_length(joint)], dtype=bool)


def coupled(robot: Robot, q: Array, rates: bool = False) -> Array:
    """q (or rates) with every coupled joint where its reference puts it."""
    slices = robot.v_slices if rates else robot.q_slices
    result = np.array(q, dtype=np.float64)
    values = robot.declared_values if robot.couplings else {}
    for _ in robot.couplings:  # a joint may follow one that follows another: as many rounds settle any order
        for coupling in robot.couplings:
            own, other = slices[coupling.joint], slices[coupling.reference]
            result[..., own] = coupling.multiplier.evaluate(FLOATS, values) * result[..., other]
            if not rates:
                result[..., own] += coupling.offset.evaluate(FLOATS, values)
    return result


def quaternion_errors(robot: Robot, q: Array) -> dict[str, Array]:
    """For each joint with a quaternion how far its length is from 1, for every state of a batch."""
    errors = {}
    for joint in robot.joints:
        if joint.type in _QUATERNION_START:
            part = q[..., robot.q_slices[joint.name]][..., _QUATERNION_START[joint.type] :]
            errors[joint.name] = np.abs(np.linalg.norm(part, axis=-1) - 1)
    return errors


def as_position(robot: Robot, q: Any) -> Array:
    """q as an array (nq,), checked; the neutral one for None."""
    if q is None:
        return neutral(robot)
    array = floats(f"q of robot {robot.name!r}", q)
    if array.shape != (robot.nq,):
        raise WrongValue(
            f"q of robot {robot.name!r} is one array of {robot.nq} numbers; shape {array.shape} was given."
        )
    if not np.isfinite(array).all():
        raise WrongValue(f"q of robot {robot.name!r} must be finite; {array} was given.")
    return array


def _is_length(joint: Joint) -> tuple[bool, ...]:
    return _LENGTHS.get(joint.type, (False,) * joint.nq)
