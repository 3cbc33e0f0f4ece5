"""Laws of closed robots, with the robot's closure plan fixed in them."""

from dataclasses import replace
from typing import Any

from rikigaku.binding.bound_law import BoundLaw, bound_law
from rikigaku.closure.closure_plan import ClosurePlan, closure
from rikigaku.core.errors import NoValue
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.law import Law
from rikigaku.model.robot_model import RobotModel


def robot_law(robot: RobotModel, name: str) -> Law:
    """The record behind `robot.<name>`: the law of the closed robot if it has loops, else of the tree.

    Laws that only closed robots have (`complete`, `loop_forces`) exist for gears without loops, too.
    """
    key = f"closed.{name}"
    if key in LAWS and (robot.loops or f"tree.{name}" not in LAWS):
        return closed_law(robot, LAWS[key])
    return LAWS[f"tree.{name}"]


def bound_robot_law(robot: RobotModel, name: str) -> BoundLaw:
    """`robot_law` bound to the robot, for packages below `Robot`."""
    return bound_law(robot, robot_law(robot, name))


def closed_law(robot: RobotModel, law: Law) -> Law:
    """A law of the group "closed" or "reduced" with the robot's closure plan and the sizes of its inputs.

    Raises:
        NoValue: for inverse dynamics, if the actuators do not determine the motion.
    """
    plan = closure(robot)
    if law.key == "closed.inverse_dynamics" and plan.unactuated:
        raise underactuated(plan)
    own: dict[str, Any] = {"plan": plan.structure, "coordinates": _coordinates(plan, law)}
    derivative = law.derivative and replace(law.derivative, **own)
    return replace(law, derivative=derivative, **own)


def _coordinates(plan: ClosurePlan, law: Law) -> dict[str, tuple[str, ...]]:
    """Inputs that are not those of all joints of the tree."""
    if law.group == "reduced":
        return dict.fromkeys(("v", "a", "tau"), plan.independent)
    if law.name == "complete":
        return dict.fromkeys(("v", "a"), plan.independent)
    return {"tau": plan.actuated} if law.name in ("forward_dynamics", "loop_forces") else {}


def underactuated(plan: ClosurePlan) -> NoValue:
    """The error for actuators that do not determine all degrees of freedom."""
    robot = plan.robot
    return NoValue(
        f"Robot {robot.name!r} has mobility {plan.mobility} and {len(plan.actuated)} actuated coordinates "
        f"({', '.join(plan.actuated) or 'none'}), which determine {plan.actuated_freedoms}: "
        f"their forces cannot produce every motion. "
        f"With all actuators locked {', '.join(plan.unactuated)} can still move. "
        "robot.reduced.inverse_dynamics gives the forces needed along the independent coordinates "
        f"({', '.join(plan.independent)})."
    )
