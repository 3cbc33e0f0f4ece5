"""Laws of free-floating robots, with the input sizes of one robot."""

from dataclasses import replace

from rikigaku.core.errors import WrongValue
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.law import Law
from rikigaku.laws.space.free_base import arm_coordinates, require_weightless
from rikigaku.model.robot_model import RobotModel

_TWIST = ("x", "y", "z", "about x", "about y", "about z")
_ELEMENTS: dict[str, tuple[str, ...]] = {
    "momentum": _TWIST,
    "twist": _TWIST,
    "acceleration": _TWIST,
    "target": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "gains": ("velocity", "position"),
}
# Laws of accelerations in the world, to which gravity would add its own.
_WITHOUT_GRAVITY = (
    "generalized_jacobian_rate",
    "floating_forward_dynamics",
    "resolved_acceleration",
    "unified_computation",
)


def space_law(robot: RobotModel, name: str) -> Law:
    """The law of that name with the element names of its inputs for this robot.

    Raises:
        NoFreeBase: if the robot has no free base. WrongValue: if it has loops, if the joint of its base has
            friction or rotor inertia, or if gravity acts on a law that excludes it.
    """
    if robot.loops:
        raise WrongValue(
            f"Robot {robot.name!r} has loops ({', '.join(loop.name for loop in robot.loops)}): laws of space "
            f"robots are those of trees. robot.tree.space.{name} is the law of its spanning tree, loops open."
        )
    arm = arm_coordinates(robot)
    if name in _WITHOUT_GRAVITY:
        require_weightless(robot)
    for joint in robot.joints:
        if joint.name not in arm and (joint.viscous or joint.coulomb or joint.rotor):
            raise WrongValue(
                f"Robot {robot.name!r} has friction or rotor inertia in the joint of its base, "
                f"{joint.name!r}: no motor or friction acts on a free-floating base. Set them to 0."
            )
    law = LAWS[f"space.{name}"]
    sizes = {**_ELEMENTS, **dict.fromkeys(law.arm, arm)}
    return replace(law, coordinates={x: sizes[x] for x in law.inputs if x in sizes})
