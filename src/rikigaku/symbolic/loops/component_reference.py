"""Reference configuration of a closed robot: regular, closed, within its limits, near the neutral one."""

from collections.abc import Sequence

import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.closure.configuration_comparison import within_limits, wrapped
from rikigaku.closure.pivoting import regularity
from rikigaku.closure.reference_configuration import middle_configuration
from rikigaku.core.errors import CannotClose
from rikigaku.core.types import Array
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds, random_state, velocity_indices
from rikigaku.symbolic.loops.closed_configuration import consistent_state
from rikigaku.symbolic.loops.precise_closure import PreciseLoopEquations

REGULAR = 1e-3  # smallest over largest singular value of the loop Jacobian at the reference
_SPREADS = (0.0, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0)  # [rad, m]: distances from the neutral configuration
_TARGETS, _STARTS = 4, 12


def independent_places(equations: PreciseLoopEquations) -> tuple[int, ...]:
    """Indices in v of the independent coordinates, as `closure` chooses them."""
    robot = equations.robot
    if robot.independent:
        return velocity_indices(robot, robot.independent)
    if not robot.loops and not robot.couplings:
        return tuple(range(robot.nv))
    return closure(robot).structure.independent


def reference_configuration(
    equations: PreciseLoopEquations, independent: Sequence[int], rank: int, rng: np.random.Generator
) -> Array:
    """The regular closed configuration nearest to the middle of the joint limits."""
    robot = equations.robot
    like = middle_configuration(robot)
    linear = closure(robot).linear if robot.loops or robot.couplings else None
    held = _held(robot, independent)
    places = held or []
    free = [k for k in range(robot.nv) if k not in independent]
    lower, upper = position_bounds(robot)
    others: list[Array] = []  # in other assembly modes
    for spread in _SPREADS if held is not None else ():
        targets = like[places] + spread * rng.uniform(-1, 1, (_TARGETS if spread else 1, len(places)))
        targets = np.clip(targets, lower[places], upper[places])
        for target in targets:
            q = random_state(robot, rng, _STARTS).q
            q[0] = like
            q[:, places] = target
            if linear is not None:  # half of the starts near the assembly mode with linear relations
                q[::2] = linear.nearest(q[::2], places)
            found = _regular(equations, q, free, rank)
            if linear is not None and len(found) and (parallel := linear.hold(found)).any():
                return _nearest(robot, wrapped(robot, found[parallel], places), like)
            if len(found) and linear is None:
                return _nearest(robot, wrapped(robot, found, places), like)
            others += list(wrapped(robot, found, places))
    if others:
        return _nearest(robot, np.array(others), like)
    for _ in range(_TARGETS):
        found = _regular(equations, random_state(robot, rng, 4 * _STARTS).q, None, rank)
        if len(found):
            return _nearest(robot, found, like)
    consistent_state(robot, rng, 64, equations.values)  # raises if the loops do not close
    raise CannotClose(
        f"Robot {robot.name!r}: every closed configuration found is singular, or does not have the mobility "
        f"{robot.nv - rank} of its independent joints. Give near=..., a regular closed configuration."
    )


def _regular(equations: PreciseLoopEquations, q: Array, free: Sequence[int] | None, rank: int) -> Array:
    search = equations.newton(q, free, steps=30)
    found = search.q[search.closed]
    if not len(found):
        return found
    J = equations.jacobian(found)
    good = regularity(J, rank) > REGULAR
    if free is not None:  # the held coordinates must determine the others
        good &= regularity(J[:, :, list(free)], rank) > REGULAR
    return found[good]


def _nearest(robot: RobotModel, q: Array, like: Array) -> Array:
    inside = within_limits(robot, q)
    q = q[inside] if inside.any() else q
    return np.asarray(q[int(np.argmin(np.linalg.norm(q - like, axis=1)))])


def _held(robot: RobotModel, independent: Sequence[int]) -> list[int] | None:
    """Indices in q of the independent coordinates; None where they are parts of quaternions."""
    places = []
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        own = [k - v.start for k in range(v.start, v.stop) if k in independent]
        if own and joint.nq != joint.nv:
            return None
        places += [q.start + k for k in own]
    return places
