"""Crocoddyl's differential action models on our dynamics and derivatives."""

from collections.abc import Sequence
from typing import Any

import crocoddyl

from rikigaku.bridges.action_model import ActionModel, QuadraticCost
from rikigaku.core.types import Array
from rikigaku.robot import Robot


class DifferentialActionModel(crocoddyl.DifferentialActionModelAbstract):
    """Free forward dynamics, or with contacts that stick; see `ActionModel` for the arguments.

    For `crocoddyl.IntegratedActionModelEuler` and the other integrators; x = (q, v), u = all joint forces.
    """

    def __init__(self, robot: Robot, cost: QuadraticCost, contacts: Sequence[str] = ()) -> None:
        super().__init__(crocoddyl.StateVector(2 * robot.nv), robot.nv, 0)
        self.model = ActionModel(robot, cost, contacts)

    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Acceleration and cost; without u (the last node) the cost of the state alone."""
        data.xout, _, data.cost = self.model.value(x, u)

    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        """Derivatives of both."""
        found = self.model.evaluation(x, u)
        data.Fx, data.Fu, data.Lx, data.Lu = found.Fx, found.Fu, found.Lx, found.Lu
        data.Lxx, data.Luu = found.Lxx, found.Luu
