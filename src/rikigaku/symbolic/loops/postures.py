"""All closed postures for given positions of the independent joints, by the explicit relations."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.errors import MissingValue, UnknownName, WrongSize, WrongValue
from rikigaku.laws.loops import loop_facing, loop_residual
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.evaluation import Point
from rikigaku.symbolic.loops.values import bare, point_of, symbol_numbers

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.constraints import LoopConstraints

_CLOSED = 1e-8  # what a row may be off in a posture found by square roots


def postures(c: "LoopConstraints", independent: Any, symbols: Mapping[str, float]) -> np.ndarray:
    """Rows (count, nq); none where the loops cannot close. independent: {joint: position}.

    Raises:
        UnknownName, MissingValue, WrongValue, WrongSize: if these are not the independent joints.
    """
    robot = c.robot
    q: list[float | None] = [None] * robot.nq
    needed = [j.name for j in robot.joints if robot.v_slices[j.name].start in c.independent]
    if not isinstance(independent, Mapping):
        example = ", ".join(f"{name!r}: ..." for name in needed)
        raise WrongValue(f"Positions are given by the names of joints: {{{example}}}, not {independent!r}.")
    for name in independent:
        if name not in needed:
            raise UnknownName("independent joint", name, needed, f"robot {robot.name!r}")
    for name in needed:
        if name not in independent:
            raise MissingValue(f"The independent joint {name!r} has no position: give {{{name!r}: ...}}.")
        q[robot.q_slices[name]] = _position(robot, name, independent[name])
    found = _branches(c, point_of(c, q, None, None, symbols))
    mechanism = instantiate(bare(robot), FLOATS, symbol_numbers(robot, symbols))
    found = [x for x in found if _is_closed(mechanism, x)]
    return np.array(found, dtype=float).reshape(len(found), robot.nq)


def _branches(constraints: "LoopConstraints", point: Point, tolerance: float = 1e-9) -> list[list[float]]:
    """All closed postures at a point of floats that knows the independent coordinates (and symbols).

    Every branch of the explicit relations is tried, and kept where it is real and closes the loops.
    """
    relations, robot = constraints.explicit, constraints.robot
    found: list[list[float]] = []
    for signs in product(*((1, -1)[: relation.branches] for relation in relations)):
        trial = point.copy()
        with np.errstate(all="ignore"):
            for relation, sign in zip(relations, signs, strict=True):
                trial.learn(relation.generator, relation.solved(trial, sign))
            q = [float(trial.generator(f"q[{k}]")) for k in range(robot.nq)]
            rows = [abs(trial.value(row.formula)) for row in constraints.rows]
        if all(x < tolerance for x in rows) and not any(
            np.allclose(q, other, 0, tolerance) for other in found
        ):
            found.append(q)
    return found


def _position(robot: Robot, name: str, value: Any) -> list[float]:
    """Coordinates of a joint as floats, as many as it has."""
    try:
        found = np.atleast_1d(np.asarray(value, float))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not np.isfinite(found).all():
        raise WrongValue(f"The position of joint {name!r} is a number, not {value!r}.")
    size = robot.joint(name).nq
    if found.shape != (size,):
        raise WrongSize(f"Joint {name!r} has {size} coordinate{'s' * (size > 1)}; {found.shape} was given.")
    return [float(x) for x in found]


def _is_closed(mechanism: Mechanism, q: Sequence[float]) -> bool:
    """Whether all rows vanish at the posture itself, and no cut joint is closed the wrong way round."""
    gaps, facing = loop_residual(mechanism, q), loop_facing(mechanism, q)
    return bool(np.abs(gaps).max(initial=0) < _CLOSED and np.min(facing, initial=1) > 0)
