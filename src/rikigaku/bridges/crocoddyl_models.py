"""Crocoddyl's action models on our dynamics and derivatives."""

from collections.abc import Sequence
from typing import Any

import crocoddyl
import numpy as np

from rikigaku.bridges.action_model import ActionModel, QuadraticCost
from rikigaku.bridges.exponential_derivatives import difference_derivatives, integration_derivatives
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.robot import Robot


class RobotState(crocoddyl.StateAbstract):
    """States (q, v) on the manifold of the robot: differences and steps of quaternions are rotations."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot.nq + robot.nv, 2 * robot.nv)
        self.robot = robot
        self._rng = np.random.default_rng(0)

    def zero(self) -> Array:
        """The neutral configuration at rest."""
        return np.concatenate([self.robot.neutral(), np.zeros(self.robot.nv)])

    def rand(self) -> Array:
        """A random state."""
        return self.integrate(self.zero(), self._rng.normal(size=2 * self.robot.nv))

    def diff(self, x0: Array, x1: Array) -> Array:
        """The step that leads from x0 to x1."""
        n = self.robot.nq
        return np.concatenate([self.robot.difference(x0[:n], x1[:n]), x1[n:] - x0[n:]])

    def integrate(self, x: Array, dx: Array) -> Array:
        """The state after a step."""
        n, m = self.robot.nq, self.robot.nv
        return np.concatenate([self.robot.integrate(x[:n], dx[:m]), x[n:] + dx[m:]])

    def Jdiff(self, x0: Array, x1: Array, firstsecond: Any = crocoddyl.Jcomponent.both) -> Any:
        """Derivatives of `diff` by its first and second argument."""
        slopes = difference_derivatives(self.robot, self.diff(x0, x1)[: self.robot.nv])
        return _chosen(_whole(slopes[0], -1.0), _whole(slopes[1], 1.0), firstsecond)

    def Jintegrate(self, x: Array, dx: Array, firstsecond: Any = crocoddyl.Jcomponent.both) -> Any:
        """Derivatives of `integrate` by its first and second argument."""
        slopes = integration_derivatives(self.robot, dx[: self.robot.nv])
        return _chosen(_whole(slopes[0], 1.0), _whole(slopes[1], 1.0), firstsecond)


def _whole(slope: Array, velocities: float) -> Array:
    """The derivative of the whole state by that of its configuration; velocities are added."""
    n = len(slope)
    found = velocities * np.eye(2 * n)
    found[:n, :n] = slope
    return found


def _chosen(first: Array, second: Array, which: Any) -> Any:
    if which == crocoddyl.Jcomponent.first:
        return first
    return second if which == crocoddyl.Jcomponent.second else [first, second]


class DifferentialActionModel(crocoddyl.DifferentialActionModelAbstract):
    """Free forward dynamics, or with contacts that stick; see `ActionModel` for the arguments.

    For `crocoddyl.IntegratedActionModelEuler` and the other integrators of Crocoddyl; x = (q, v), u = forces
    of actuators. These integrators call no state of Python: robots with quaternions have `EulerActionModel`.
    """

    def __init__(self, robot: Robot, cost: QuadraticCost, contacts: Sequence[str] = ()) -> None:
        if robot.nq != robot.nv:
            raise WrongValue(
                f"Robot {robot.name!r} has quaternions: Crocoddyl's integrators take these from its own "
                "states alone. Use EulerActionModel(robot, cost, dt, contacts)."
            )
        self.model = ActionModel(robot, cost, contacts)
        super().__init__(crocoddyl.StateVector(2 * robot.nv), len(self.model.actuated), 0)

    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Acceleration and cost; without u (the last node) the cost of the state alone."""
        data.xout, _, data.cost = self.model.value(x, u)

    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Derivatives of both."""
        found = self.model.evaluation(x, u)
        data.Fx, data.Fu, data.Lx, data.Lu = found.Fx, found.Fu, found.Lx, found.Lu
        data.Lxx, data.Luu = found.Lxx, found.Luu


class EulerActionModel(crocoddyl.ActionModelAbstract):
    """A semi-implicit Euler step of `dt`, for any tree: v' = v + a dt, q' = q exp(v' dt); its cost times dt.

    dt = 0 is the last node: the state stays, and the cost counts whole, as in Crocoddyl's own model.
    """

    def __init__(self, robot: Robot, cost: QuadraticCost, dt: float, contacts: Sequence[str] = ()) -> None:
        self.model, self.dt = ActionModel(robot, cost, contacts), dt
        self.manifold = RobotState(robot)  # kept here: Crocoddyl does not keep a state of Python alive
        super().__init__(self.manifold, len(self.model.actuated), 0)

    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """The next state and the cost."""
        a, _, cost = self.model.value(x, u)
        data.xnext = self.manifold.integrate(x, self._step(x, a)) if u is not None else x
        data.cost = cost * (self.dt or 1.0) if u is not None else cost

    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Derivatives of both."""
        n, dt = self.model.n, self.dt
        found = self.model.evaluation(x, u)
        scale = dt or 1.0
        if u is None:
            data.Lx, data.Lxx = found.Lx, found.Lxx
            data.Fx = np.eye(2 * n)
            return
        step_x = np.vstack([found.Fx * dt**2, found.Fx * dt])
        step_x[:n, n:] += dt * np.eye(n)
        step_u = np.vstack([found.Fu * dt**2, found.Fu * dt])
        by_x, by_step = self.manifold.Jintegrate(x, self._step(x, found.a))
        data.Fx, data.Fu = by_x + by_step @ step_x, by_step @ step_u
        data.Lx, data.Lxx = found.Lx * scale, found.Lxx * scale
        data.Lu, data.Luu = found.Lu * scale, found.Luu * scale

    def _step(self, x: Array, a: Array) -> Array:
        v = x[self.model.robot.nq :]
        return np.concatenate([(v + a * self.dt) * self.dt, a * self.dt])
