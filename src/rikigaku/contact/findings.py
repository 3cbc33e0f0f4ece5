"""What is found out about a robot before it touches anything: its dry joints, what guides really hold."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.friction import JointFriction
from rikigaku.errors import WrongValue
from rikigaku.laws.contact import ModePlan
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.states import random_state

if TYPE_CHECKING:
    from rikigaku.contact.system import ContactSystem

Array = NDArray[np.float64]


def moving_jacobian(robot: Robot, states: Array, frame: str) -> Array:
    """Jacobians of a frame at many states (m, 6, nv).

    Raises:
        UnknownName, WrongValue: for a frame that is none, or stands on the ground.
    """
    robot.frame(frame)  # an unknown name is an error here, with a suggestion
    J = np.asarray(cast(Any, tree(robot)).jacobian(states, frame))
    if not np.abs(J).max(initial=0.0):
        raise WrongValue(f"The frame {frame!r} stands on the ground: nothing can touch.")
    return J


def guided_rows(system: "ContactSystem", plan: ModePlan) -> tuple[int, ...]:
    """Rows of guides that do not follow from loops and rows before, at any posture: a plane arm has few."""
    q, v, _ = random_state(system.robot, 1, 4)
    for guide in system.guides:
        moving_jacobian(system.robot, q, guide.frame)
    R, _ = system.law("guide_rows", plan)(q, v, np.zeros((4, plan.size)))
    rows = np.concatenate(list(R), axis=1)
    if plan.loops:
        J = cast(Any, system.robot).loop_jacobian(q)[:, list(plan.loops)]
        rows = np.concatenate([np.concatenate(list(J), axis=1), rows])
    first, kept = len(plan.loops), list(range(len(plan.loops)))
    for i in range(first, len(rows)):
        if np.linalg.matrix_rank(rows[[*kept, i]], tol=1e-9 * np.abs(rows).max()) == len(kept) + 1:
            kept.append(i)
    return tuple(i - first for i in kept[first:])


def dry_joints(robot: Robot) -> tuple[JointFriction, ...]:
    """Coulomb friction the robot's joints have, where its value is known."""
    values = robot.declared_values
    found = []
    for joint in robot.joints:
        if joint.nv == 1 and joint.coulomb and joint.coulomb.symbols <= values.keys():
            force = float(joint.coulomb.evaluate(FLOATS, values))
            if force > 0:
                found.append(JointFriction(joint.name, force))
    return tuple(found)
