"""Validation of the coordinates that an assembly holds fixed, and of their positions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import (
    ClosurePlan,
    closure,
    equations_of,
    require_determining,
)
from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position, velocity_indices


@dataclass(frozen=True)
class HeldCoordinates:
    """Held coordinates: names of joints, indices in v and in q, and positions (..., len(q))."""

    joints: tuple[str, ...]
    v: list[int]
    q: list[int]
    positions: Array

    @property
    def batch(self) -> tuple[int, ...]:
        """Shape of the batch of positions."""
        return self.positions.shape[:-1]


def held_coordinates(robot: RobotModel, positions: Any) -> HeldCoordinates:
    """Held coordinates from positions of the independent ones, or from {joint: positions}."""
    plan = closure(robot)
    if not plan.mobility and np.size(tuple(positions) if isinstance(positions, Mapping) else positions):
        raise WrongValue(
            f"Robot {robot.name!r} cannot move: its loops leave mobility 0, so no joint can be held. "
            "robot.closure().samples are closed configurations."
        )
    if isinstance(positions, Mapping):
        joints = tuple(positions)
        v_places = velocity_indices(robot, joints)
        _check(plan, joints, v_places)
        q_places = [k for name in joints for k in range(*robot.q_slices[name].indices(robot.nq))]
        positions = _concatenated(robot, positions)
    else:
        joints, v_places, q_places = _independent(plan)
        positions = floats(f"the positions of {', '.join(joints)}", positions)
    if positions.ndim == 0 or positions.shape[-1] != len(q_places):
        raise WrongSize(
            f"Positions of {', '.join(joints)} of robot {robot.name!r} are {len(q_places)} numbers; an array "
            f"of shape {positions.shape} was given."
        )
    if not np.isfinite(positions).all():
        raise WrongValue(f"Positions of {', '.join(joints)} must be finite.")
    return HeldCoordinates(joints, list(v_places), q_places, positions)


def starting_configuration(robot: RobotModel, near: Any) -> Array:
    """A configuration (nq,) to start from, or a batch of them (..., nq)."""
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
    require_determining(robot, J[:, plan.structure.equations], places)


def _concatenated(robot: RobotModel, positions: Mapping[str, Any]) -> Array:
    """The positions of several joints in one array; a joint of one coordinate may omit the last axis."""
    parts = []
    for name, x in positions.items():
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


def _independent(plan: ClosurePlan) -> tuple[tuple[str, ...], tuple[int, ...], list[int]]:
    """The plan's independent coordinates: joints, indices in v, indices in q, in the plan's order."""
    robot = plan.robot
    joints: list[str] = []
    q_places: list[int] = []
    for k in plan.structure.independent:
        joint = next(j for j in robot.joints if k in range(*robot.v_slices[j.name].indices(robot.nv)))
        v, q = robot.v_slices[joint.name], robot.q_slices[joint.name]
        if joint.nq == joint.nv:
            q_places.append(q.start + k - v.start)
        elif not set(range(v.start, v.stop)) <= set(plan.structure.independent):
            raise WrongValue(
                f"Some but not all coordinates of joint {joint.name!r} are independent here "
                f"({', '.join(plan.independent)}): give joints that determine the others by name, "
                "{joint: positions}."
            )
        elif k == v.start:
            q_places += list(range(q.start, q.stop))
        if joint.name not in joints:
            joints.append(joint.name)
    return tuple(joints), plan.structure.independent, q_places
