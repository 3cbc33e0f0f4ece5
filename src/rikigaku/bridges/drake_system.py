"""A robot as a system of Drake: torques in, state (q, v) out."""

from typing import Any

import numpy as np
from pydrake.systems.framework import BasicVector, LeafSystem

from rikigaku.bridges.action_model import check_tree
from rikigaku.robot import Robot
from rikigaku.rollout.tangent_space import pushed_forward


class RobotSystem(LeafSystem):
    """Forward dynamics of a tree in a diagram: input "torque" (nv), output "state" (nq + nv), in our order.

    With viscous friction and springs, without dry friction. In floats; for Drake's AutoDiffXd and Expression
    use the exported C++.
    """

    def __init__(self, robot: Robot) -> None:
        check_tree(robot)
        super().__init__()
        self.robot = robot
        start = BasicVector(np.append(robot.neutral(), np.zeros(robot.nv)))
        # In Drake C++ alone says how quaternions follow from velocities: such states have no parts q and v.
        parts = (robot.nq, robot.nv, 0) if robot.nq == robot.nv else (0, 0, robot.nq + robot.nv)
        state = self.DeclareContinuousState(start, *parts)
        self.torque = self.DeclareVectorInputPort("torque", robot.nv)
        self.DeclareStateOutputPort("state", state)

    def DoCalcTimeDerivatives(self, context: Any, derivatives: Any) -> None:
        """dq/dt, with quaternions, and the accelerations."""
        x, n = context.get_continuous_state_vector().CopyToVector(), self.robot.nq
        a = self.robot.forward_dynamics(x[:n], x[n:], self.torque.Eval(context))
        derivatives.SetFromVector(np.append(pushed_forward(self.robot, x[:n], x[n:]), a))
