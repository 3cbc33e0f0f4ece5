"""The laws of robots in space as records: what `robot.<name>` offers where the base is free."""

from dataclasses import replace
from typing import Any

from rikigaku.errors import WrongValue
from rikigaku.laws.record import REQUIRED, Law, by_name
from rikigaku.model.robot import Robot

_NO_MASS = "the whole has no mass, or no inertia about its centre of mass"
_SINGULAR = "the robot is dynamically singular here: no rates of its joints move the frame as asked"
_STILL = "some rates turn the base less than rounding does: I_m is singular here"
_FRAME: dict[str, Any] = {"frame": REQUIRED, "axes": "world"}
_TASK: dict[str, Any] = {"frame": REQUIRED, "rows": "all"}
_TARGET = ("x", "y", "z", "qw", "qx", "qy", "qz")
_SIX = ("x", "y", "z", "about x", "about y", "about z")
# Sizes of what is not the robot's; those of its arm are `_ARM`.
_NAMES: dict[str, tuple[str, ...]] = {
    "momentum": _SIX,
    "twist": _SIX,
    "acceleration": _SIX,
    "target": _TARGET,
    "gains": ("velocity", "position"),
}
_ARM = ("rates", "accelerations", "torques")
# They speak of accelerations in the world, where a field of gravity would add its own.
_FALLING = (
    "generalized_jacobian_rate",
    "floating_forward_dynamics",
    "resolved_acceleration",
    "unified_computation",
)

SPACE = by_name(
    Law(
        "generalized_jacobian",
        "space.generalized_jacobian",
        inputs=("q",),
        outputs=("J",),
        summary="Velocity of a frame per unit rate of the arm while the base floats, 6 x n.",
        options=_FRAME,
        singular=_NO_MASS,
    ),
    Law(
        "generalized_jacobian_rate",
        "space.generalized_jacobian_rate",
        inputs=("q", "v"),
        outputs=("Jdot_v",),
        summary="Acceleration of a frame when the arm does not accelerate and the base floats.",
        options={"frame": REQUIRED},
        overrides=("wrenches",),
        singular=_NO_MASS,
    ),
    Law(
        "base_motion",
        "space.base_motion",
        inputs=("q", "rates", "momentum"),
        outputs=("V",),
        summary="Velocities of the base, from the rates of the arm and the momentum of the whole.",
        singular=_NO_MASS,
    ),
    Law(
        "floating_velocity",
        "space.floating_velocity",
        inputs=("q", "rates", "momentum"),
        outputs=("v",),
        summary="v of all joints, from the rates of the arm and the momentum of the whole.",
        singular=_NO_MASS,
    ),
    Law(
        "locked_inertia",
        "space.locked_inertia",
        inputs=("q",),
        outputs=("I_s",),
        summary="Inertia of the whole about its centre of mass, all joints locked, 3 x 3.",
        options={"axes": "world"},
        singular=_NO_MASS,
    ),
    Law(
        "coupling_inertia",
        "space.coupling_inertia",
        inputs=("q",),
        outputs=("I_m",),
        summary="Angular momentum per unit rate of the arm, the base at rest, 3 x n.",
        options={"axes": "world"},
        singular=_NO_MASS,
    ),
    Law(
        "reaction_projector",
        "space.reaction_projector",
        inputs=("q",),
        outputs=("P",),
        summary="P with P rates the nearest rates that do not turn the base, n x n.",
        singular=_STILL,
    ),
    Law(
        "generalized_manipulability",
        "space.generalized_manipulability",
        inputs=("q",),
        outputs=("w",),
        summary="sqrt(det(J* J*^T)): zero at a dynamic singularity.",
        options=_TASK,
        singular=_NO_MASS,
    ),
    Law(
        "generalized_inertia",
        "space_dynamics.generalized_inertia",
        inputs=("q",),
        outputs=("H",),
        summary="Mass matrix of the arm while the base floats, n x n.",
        singular=_NO_MASS,
    ),
    Law(
        "generalized_coriolis",
        "space_dynamics.generalized_coriolis",
        inputs=("q", "rates"),
        outputs=("C",),
        summary="Christoffel matrix of the generalized inertia, n x n.",
        singular=_NO_MASS,
    ),
    Law(
        "floating_inverse_dynamics",
        "space_dynamics.floating_inverse_dynamics",
        inputs=("q", "v", "accelerations"),
        outputs=("torques",),
        summary="Torques of the arm that give its joints these accelerations while the base floats.",
        options={"friction": True},
        overrides=("wrenches",),
        singular=_NO_MASS,
    ),
    Law(
        "inertial_torques",
        "space_dynamics.inertial_torques",
        inputs=("q", "accelerations"),
        outputs=("torques",),
        summary="The same without the products of velocities: H* accelerations.",
        singular=_NO_MASS,
    ),
    Law(
        "floating_forward_dynamics",
        "space_dynamics.floating_forward_dynamics",
        inputs=("q", "v", "torques"),
        outputs=("a",),
        summary="Accelerations of all joints under torques of the arm while the base floats.",
        options={"friction": True},
        overrides=("gravity", "wrenches"),
        singular="the mass matrix is singular: some joint moves no inertia",
    ),
    Law(
        "resolved_rate",
        "space_control.resolved_rate",
        inputs=("q", "twist", "momentum"),
        outputs=("rates",),
        summary="Rates of the arm that move a frame with a twist while the base floats.",
        options=_TASK,
        singular=_SINGULAR,
    ),
    Law(
        "resolved_acceleration",
        "space_control.resolved_acceleration",
        inputs=("q", "v", "target", "twist", "acceleration", "gains"),
        outputs=("accelerations", "torques"),
        summary="Accelerations of the arm, and torques, that bring a frame to a moving target.",
        options={**_TASK, "friction": True},
        overrides=("wrenches",),
        singular=_SINGULAR,
    ),
    Law(
        "transposed_jacobian",
        "space_control.transposed_jacobian",
        inputs=("q", "v", "target", "twist", "gains"),
        outputs=("torques",),
        summary="Torques J*^T (K1 velocity error + K2 position error).",
        options=_TASK,
        singular=_NO_MASS,
    ),
    Law(
        "unified_computation",
        "space_control.unified_computation",
        inputs=("q", "v", "target", "twist", "acceleration", "gains", "accelerations"),
        outputs=("pose", "J", "demand", "torques"),
        summary="Pose, J*, resolved acceleration and torques in one program, without solving for J*.",
        options={"frame": REQUIRED},
        singular=_NO_MASS,
    ),
)


def space_law(robot: Robot, name: str) -> Law:
    """The law of that name with the sizes its inputs have for this robot.

    Raises:
        NoFreeBase: if the robot has none. WrongValue: if it has loops, or its base a drive,
            or gravity where that counts.
    """
    if robot.loops:
        raise WrongValue(
            f"Robot {robot.name!r} has loops ({', '.join(loop.name for loop in robot.loops)}): laws of space "
            f"robots are those of trees. robot.tree.{name} is the law of its spanning tree, loops open."
        )
    from rikigaku.laws.space_base import arm_coordinates, weightless  # for robots that float

    arm = arm_coordinates(robot)
    if name in _FALLING:
        weightless(robot)
    for joint in robot.joints:
        if joint.name not in arm and (joint.viscous or joint.coulomb or joint.rotor):
            raise WrongValue(
                f"Robot {robot.name!r} has friction or rotor inertia in the joint of its base, "
                f"{joint.name!r}: nothing drives or rubs a base in space. Set them to 0."
            )
    sizes = {**_NAMES, **dict.fromkeys(_ARM, arm)}
    law = SPACE[name]
    return replace(law, coordinates={x: sizes[x] for x in law.inputs if x in sizes})
