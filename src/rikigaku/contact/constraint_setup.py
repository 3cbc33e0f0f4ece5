"""Structure of a contact system found once: joints with Coulomb friction, independent guide equations."""

from typing import TYPE_CHECKING

import numpy as np

from rikigaku.closure.open_tree import tree
from rikigaku.contact.friction_law import JointFriction
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.model.states import random_state
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem


def frame_jacobians(robot: Robot, states: Array, frame: str) -> Array:
    """Jacobians of a frame at many states (m, 6, nv).

    Raises:
        UnknownName, WrongValue: for an unknown frame, or one that cannot move.
    """
    robot.frame(frame)  # raises UnknownName, with a suggestion
    J = np.asarray(tree(robot).jacobian(states, frame))
    if not np.abs(J).max(initial=0.0):
        raise WrongValue(f"The frame {frame!r} is fixed to the ground: it cannot be in contact.")
    return J


def independent_guide_equations(system: "ContactSystem", plan: ActiveConstraints) -> tuple[int, ...]:
    """Guide equations that are independent of the loops and of the guide equations before them.

    A planar arm has few: most equations of a guide hold at every configuration.
    """
    q = random_state(system.robot, 1, 4).q
    for guide in system.guides:
        frame_jacobians(system.robot, q, guide.frame)
    J_guides = system.law("guide_jacobian", plan)(q, np.zeros((4, 1)))
    rows = np.concatenate(list(J_guides), axis=1)
    if plan.loop_equations:
        J = system.robot.loop_jacobian(q)[:, list(plan.loop_equations)]
        rows = np.concatenate([np.concatenate(list(J), axis=1), rows])
    first, kept = len(plan.loop_equations), list(range(len(plan.loop_equations)))
    for i in range(first, len(rows)):
        if np.linalg.matrix_rank(rows[[*kept, i]], tol=1e-9 * np.abs(rows).max()) == len(kept) + 1:
            kept.append(i)
    return tuple(i - first for i in kept[first:])


def coulomb_joints(robot: Robot) -> tuple[JointFriction, ...]:
    """Coulomb friction of the robot's joints, where its value is known."""
    values = robot.declared_values
    found = []
    for joint in robot.joints:
        if joint.nv == 1 and joint.coulomb and joint.coulomb.symbols <= values.keys():
            force = float(joint.coulomb.evaluate(FLOATS, values))
            if force > 0:
                found.append(JointFriction(joint.name, force))
    return tuple(found)
