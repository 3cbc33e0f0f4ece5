"""Saturation of actuators: joint forces clipped to their limits, compiled."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import is_flag
from rikigaku.core.value_text import short
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation, Function, Numbers, joint_forces
from rikigaku.simulation.pd_control import actuated_indices, actuated_joints
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial

CLIPPED = 2.0  # state of a force that may be inside or at a limit


class Saturated:
    """An actuation whose forces are clipped to [-limit, limit]; limits: by coordinate of v [N m, N].

    states: of each limited force while a mode is integrated: -1 and 1 (at a limit), 0 (inside), so that the
    field is smooth up to the event that ends this; CLIPPED otherwise (see `saturation_states`).
    """

    def __init__(self, actuation: Actuation, limits: Mapping[int, float]) -> None:
        self.actuation, self.limited = actuation, tuple(limits)
        self.limits = tuple(float(x) for x in limits.values())
        self.states = [CLIPPED] * len(self.limits)
        self.size = actuation.size
        self.pieces: PiecewisePolynomial | None = actuation.pieces
        self.function: Function | None = actuation.function
        self.period: float | None = actuation.period

    @property
    def identity(self) -> str:
        return f"saturated {self.limited} {self.actuation.identity}"

    @property
    def parameters(self) -> tuple[float, ...]:
        return (*self.actuation.parameters, *self.limits, *self.states)

    def unclipped(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> tuple[list[Number], Numbers, Numbers]:
        """Forces in all joints before they are clipped, limits and states."""
        own, count = len(self.actuation.parameters), len(self.limited)
        tau = joint_forces(self.actuation, mechanism, t, q, v, u, p[:own])
        return tau, p[own : own + count], p[own + count :]

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        tau, limits, states = self.unclipped(mechanism, t, q, v, u, p)
        for k, limit, state in zip(self.limited, limits, states, strict=True):
            clipped = where(tau[k] > limit, limit, where(tau[k] < -limit, -limit, tau[k]))
            known = where(state * state > 0.5, state * limit, tau[k])
            tau[k] = where(state > 1.5, clipped, known)
        return tau


def saturated(robot: Robot, actuation: Actuation, limits: Any) -> Actuation:
    """The actuation with the argument `torque_limits` of `simulate`.

    Raises:
        WrongValue, WrongSize, UnknownName: for limits that do not fit the robot.
    """
    if limits is None or (is_flag(limits) and not limits):
        return actuation
    found = effort_limits(robot) if is_flag(limits) else _given(robot, limits)
    finite = {k: x for k, x in found.items() if np.isfinite(x)}
    return Saturated(actuation, finite) if finite else actuation


def effort_limits(robot: Robot) -> dict[int, float]:
    """The effort limits of the actuated joints in the file, by coordinate of v.

    Raises:
        WrongValue: if the file has none.
    """
    found = {
        k: joint.limits.effort
        for joint in actuated_joints(robot)
        if joint.limits.effort is not None
        for k in range(robot.v_slices[joint.name].start, robot.v_slices[joint.name].stop)
    }
    if not found:
        raise WrongValue(
            f"No actuated joint of robot {robot.name!r} has an effort limit: give torque_limits=100.0, or "
            "{joint: limit}."
        )
    return found


def _given(robot: Robot, limits: Any) -> dict[int, float]:
    at = actuated_indices(robot)
    if isinstance(limits, Mapping):
        joints = {joint.name: joint for joint in actuated_joints(robot)}
        if unknown := [name for name in limits if name not in joints]:
            raise UnknownName("actuated joint", unknown[0], list(joints))
        found: dict[int, float] = {}
        for name, x in limits.items():
            value = _positive(x)
            if value.ndim:
                raise WrongSize(f"The torque limit of {name!r} is one number; {short(x)} was given.")
            indices = robot.v_slices[name]
            found |= dict.fromkeys(range(indices.start, indices.stop), float(value))
        return found
    values = _positive(limits)
    if values.shape == (robot.nv,) and robot.nv != len(at):
        values = values[list(at)]
    if values.shape not in ((), (len(at),)):
        raise WrongSize(
            f"torque_limits is one number, {len(at)} (one for each actuated coordinate), or "
            f"{{joint: limit}}; shape {values.shape} was given."
        )
    return dict(zip(at, np.broadcast_to(values, (len(at),)).tolist(), strict=True))


def _positive(x: Any) -> Array:
    values = floats("torque_limits", x)
    if not (values >= 0).all():
        raise WrongValue(f"torque_limits are not negative [N m, N]; {short(x)} was given.")
    return values
