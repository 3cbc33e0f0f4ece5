"""Which coordinates an assembly holds, and where: what a caller may give, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import floats
from rikigaku.constraints.plan import ClosurePlan, check_deciding, closure, equations_of, places_of
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.states import as_position

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Held:
    """Held coordinates: names of joints, places in v and in q, and positions (..., places)."""

    joints: tuple[str, ...]
    v: list[int]
    q: list[int]
    positions: Array

    @property
    def batch(self) -> tuple[int, ...]:
        """Shape of the batch of positions."""
        return self.positions.shape[:-1]


def held_coordinates(robot: Robot, given: Any) -> Held:
    """Positions in the order of the independent coordinates, or {joint: positions} of any that serve."""
    plan = closure(robot)
    if not plan.mobility and np.size(given if not isinstance(given, Mapping) else tuple(given)):
        raise WrongValue(
            f"Robot {robot.name!r} cannot move: its loops leave mobility 0, so no joint is free to be held. "
            "robot.closure().samples are postures it closes in."
        )
    if isinstance(given, Mapping):
        joints = tuple(given)
        v_places = places_of(robot, joints)
        _check(plan, joints, v_places)
        q_places = [k for name in joints for k in range(*robot.q_slices[name].indices(robot.nq))]
        positions = _joined(robot, given)
    else:
        joints, v_places, q_places = _own(plan)
        positions = floats(f"the positions of {', '.join(joints)}", given)
    if positions.ndim == 0 or positions.shape[-1] != len(q_places):
        raise WrongSize(
            f"Positions of {', '.join(joints)} of robot {robot.name!r} are {len(q_places)} numbers; an array "
            f"of shape {positions.shape} was given."
        )
    if not np.isfinite(positions).all():
        raise WrongValue(f"Positions of {', '.join(joints)} must be finite.")
    return Held(joints, list(v_places), q_places, positions)


def starting_posture(robot: Robot, near: Any) -> Array:
    """A posture, or a batch of them, to start from."""
    array = floats(f"near of robot {robot.name!r}", near)
    if array.ndim == 1:
        return as_position(robot, array)
    if array.ndim == 0 or array.shape[-1] != robot.nq:
        raise WrongSize(
            f"near of robot {robot.name!r} ends in an axis of {robot.nq}; {array.shape} was given."
        )
    return array


def _check(plan: ClosurePlan, joints: tuple[str, ...], places: tuple[int, ...]) -> None:
    robot = plan.robot
    if len(set(places)) != plan.mobility:
        raise WrongSize(
            f"Robot {robot.name!r} has mobility {plan.mobility}; the joints given ({', '.join(joints)}) have "
            f"{len(places)} coordinates."
        )
    J = equations_of(robot).jacobian(plan.samples)
    check_deciding(robot, J[:, plan.places.rows], places)


def _joined(robot: Robot, given: Mapping[str, Any]) -> Array:
    """The positions of several joints side by side; those of one coordinate need no axis of their own."""
    parts = []
    for name, x in given.items():
        array = floats(f"the position of joint {name!r}", x)
        size = robot.joint(name).nq
        if size == 1 and array.shape[-1:] != (1,):
            array = array[..., None]
        if array.shape[-1:] != (size,):
            raise WrongSize(
                f"Joint {name!r} has {size} positions; an array of shape {array.shape} was given."
            )
        parts.append(array)
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
    return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in parts], axis=-1)


def _own(plan: ClosurePlan) -> tuple[tuple[str, ...], tuple[int, ...], list[int]]:
    """The plan's independent coordinates: joints, places in v, places in q, in the plan's order."""
    robot = plan.robot
    joints: list[str] = []
    q_places: list[int] = []
    for k in plan.places.independent:
        joint = next(j for j in robot.joints if k in range(*robot.v_slices[j.name].indices(robot.nv)))
        v, q = robot.v_slices[joint.name], robot.q_slices[joint.name]
        if joint.nq == joint.nv:
            q_places.append(q.start + k - v.start)
        elif not set(range(v.start, v.stop)) <= set(plan.places.independent):
            raise WrongValue(
                f"Some but not all coordinates of joint {joint.name!r} are independent here "
                f"({', '.join(plan.independent)}): give joints that decide the others by name, "
                "{joint: positions}."
            )
        elif k == v.start:
            q_places += list(range(q.start, q.stop))
        if joint.name not in joints:
            joints.append(joint.name)
    return tuple(joints), plan.places.independent, q_places
