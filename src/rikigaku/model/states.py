"""States of a robot: the neutral one, random ones, and the bounds of q.

Couplings (gears) hold in these states. Loop closures are not solved: q and v are those of the spanning tree.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import TooLarge, UnknownName, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.core.validation import short, whole
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.number_kind import FLOATS

# Ranges of joints without limits: a whole revolution, +-0.5 m, and rates of +-1 rad/s or m/s.
FREE_ANGLE, FREE_LENGTH, FREE_RATE = math.pi, 0.5, 1.0
_MOST_STATES = 10**9  # of a batch


class State(NamedTuple):
    """Positions [rad, m], velocities and accelerations; the last axis of each runs over the joints."""

    q: Array
    v: Array
    a: Array


def neutral(robot: RobotModel) -> Array:
    """q with every coordinate zero, unit quaternions, and coupled joints as coupled (limits aside)."""
    q = [x for joint in robot.joints for x in joint_type(joint.type).neutral]
    return coupled(robot, np.array(q, dtype=np.float64))


def random_state(robot: RobotModel, rng: Any = None, size: int | tuple[int, ...] = ()) -> State:
    """Random q, v, a, uniform within the joint limits; quaternions uniform over all rotations.

    Args:
        rng: a NumPy generator, a seed, or None for a new state each time.
        size: shape of a batch of states, before the axis of the joints.

    Joints without limits: +-pi rad, +-0.5 m, +-1 rad/s or m/s. Accelerations within +-1 rad/s^2 or m/s^2.
    """
    rng = generator(rng)
    sizes = size if isinstance(size, tuple | list) else (size,)
    batch = [whole("size, of a batch of states,", n, least=0) for n in sizes]
    if math.prod(batch) > _MOST_STATES:
        raise TooLarge(
            f"A batch of {short(batch)} states does not fit into memory; at most {_MOST_STATES:g}."
        )
    lower, upper = position_bounds(robot)
    free = np.where(is_length(robot), FREE_LENGTH, FREE_ANGLE)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * free, -free))
    high = np.where(np.isfinite(upper), upper, low + 2 * free)
    q = low + (high - low) * rng.random((*batch, robot.nq))
    for joint in robot.joints:
        if (place := joint_type(joint.type).quaternion) is not None:
            start = robot.q_slices[joint.name].start + place
            four = rng.standard_normal((*batch, 4))
            q[..., start : start + 4] = four / np.linalg.norm(four, axis=-1, keepdims=True)
    rates = np.minimum(velocity_bounds(robot), 1e6)  # a larger limit means none
    v = np.where(rates == 1e6, FREE_RATE, rates) * rng.uniform(-1, 1, (*batch, robot.nv))
    a = rng.uniform(-1, 1, (*batch, robot.nv))
    return State(coupled(robot, q), coupled(robot, v, rates=True), coupled(robot, a, rates=True))


def generator(rng: Any) -> np.random.Generator:
    """NumPy's random generator: the argument itself, or a new one from a seed."""
    try:
        return np.random.default_rng(rng)
    except Exception:  # NumPy writes the repr of what it refuses, which may fail as well
        raise WrongValue(
            f"rng is a NumPy generator, a seed (a whole number, 0 or more) or None; {short(rng)} was given."
        ) from None


@checked
def position_bounds(robot: RobotModel) -> tuple[Array, Array]:
    """Lower and upper bounds of q [rad, m], infinite where a joint has none.

    The bounds of a coupling's reference joint keep its coupled joints within their limits, too. Limits of a
    coupled joint that no position of its reference satisfies bound that joint alone.
    """
    lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for joint in robot.joints:
        if joint.nq == 1:
            k, limits = robot.q_slices[joint.name].start, joint.limits
            lower[k] = -np.inf if limits.lower is None else limits.lower
            upper[k] = np.inf if limits.upper is None else limits.upper
    return _shared(robot, lower, upper)


@checked
def velocity_bounds(robot: RobotModel) -> Array:
    """Largest speed of each coordinate of v [rad/s, m/s], infinite where a joint has none.

    The bound of a coupling's reference joint respects the bounds of its coupled joints.
    """
    bounds = np.full(robot.nv, np.inf)
    for joint in robot.joints:
        if joint.limits.velocity is not None:
            bounds[robot.v_slices[joint.name]] = joint.limits.velocity
    return _shared(robot, -bounds, bounds, rates=True)[1]


def _shared(robot: RobotModel, lower: Array, upper: Array, rates: bool = False) -> tuple[Array, Array]:
    """Bounds of each reference joint within those of its coupled joints, and the latter's that follow."""
    slices = robot.v_slices if rates else robot.q_slices
    values, apart = robot.declared_values if robot.couplings else {}, list[int]()
    for _ in robot.couplings:  # couplings may be chained: as many passes reach every order
        for coupling in robot.couplings:
            own, other = slices[coupling.joint].start, slices[coupling.reference].start
            factor = coupling.multiplier.evaluate(FLOATS, values)
            offset = 0.0 if rates else coupling.offset.evaluate(FLOATS, values)
            if factor == 0:  # a constant coordinate, independent of the reference
                apart.append(own)
                continue
            ends = (lower[own] - offset) / factor, (upper[own] - offset) / factor
            low, high = max(lower[other], min(ends)), min(upper[other], max(ends))
            if low > high:
                apart.append(own)
            else:
                lower[other], upper[other] = low, high
    with np.errstate(invalid="ignore"):  # zero times infinity, of a constant coordinate
        first, second = coupled(robot, lower, rates), coupled(robot, upper, rates)
    low, high = np.minimum(first, second), np.maximum(first, second)
    low[apart], high[apart] = lower[apart], upper[apart]
    return low, high


def velocity_indices(robot: RobotModel, names: Sequence[str]) -> tuple[int, ...]:
    """Indices in v of the named joints."""
    known = [joint.name for joint in robot.joints]
    for name in names:
        if name not in known:
            raise UnknownName("moving joint", name, known, f"robot {robot.name!r}")
    return tuple(k for name in names for k in range(*robot.v_slices[name].indices(robot.nv)))


def is_length(robot: RobotModel) -> Mask:
    """For each number of q whether it is a length [m]; else it is an angle or part of a quaternion."""
    return np.array([flag for joint in robot.joints for flag in joint_type(joint.type).lengths], dtype=bool)


def coupled(robot: RobotModel, q: Array, rates: bool = False) -> Array:
    """q (or rates) with every coupled joint at ratio * reference + offset."""
    slices = robot.v_slices if rates else robot.q_slices
    result = np.array(q, dtype=np.float64)
    values = robot.declared_values if robot.couplings else {}
    for _ in robot.couplings:  # couplings may be chained: as many passes reach every order
        for coupling in robot.couplings:
            own, other = slices[coupling.joint], slices[coupling.reference]
            result[..., own] = coupling.multiplier.evaluate(FLOATS, values) * result[..., other]
            if not rates:
                result[..., own] += coupling.offset.evaluate(FLOATS, values)
    return result


def quaternion_errors(robot: RobotModel, q: Array) -> dict[str, Array]:
    """For each joint with a quaternion the deviation of its norm from 1, for every state of a batch."""
    errors = {}
    for joint in robot.joints:
        if (place := joint_type(joint.type).quaternion) is not None:
            part = q[..., robot.q_slices[joint.name]][..., place : place + 4]
            errors[joint.name] = np.abs(np.linalg.norm(part, axis=-1) - 1)
    return errors


def as_position(robot: RobotModel, q: Any) -> Array:
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
