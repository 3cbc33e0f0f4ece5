"""Base parameters of a robot with their regrouping, and what the joint forces do not depend on."""

from dataclasses import dataclass
from typing import Any, Literal

from rikigaku.report.kinematics_blocks import base_parameter_block
from rikigaku.robot import Robot
from rikigaku.studio.tasks.term_links import TermLinks

GravityChoice = Literal["own", "any", "none"]


@dataclass(frozen=True)
class BaseParametersRequest:
    """gravity: the robot's own, any direction, or none. joint_parameters: rotors and friction too.

    tree: of a closed robot the set of its spanning tree.
    """

    gravity: GravityChoice
    joint_parameters: bool
    tree: bool


@dataclass(frozen=True)
class BaseParameter:
    """left = right in LaTeX; links whose parameters are in the group, with their bodies; value if known."""

    name: str
    left: str
    right: str
    members: list[str]
    links: list[str]
    bodies: list[int]
    value: float | None


@dataclass(frozen=True)
class BaseParametersResult:
    """total: inertial parameters that are not zero. unobservable: those without effect on the joint forces.

    problem: why nothing was found, "" if something was.
    """

    total: int
    parameters: list[BaseParameter]
    unobservable: list[str]
    verified: str
    problem: str


def base_parameters(robot: Robot, arguments: BaseParametersRequest) -> BaseParametersResult:
    """The smallest set of parameters that determines the joint forces."""
    options: dict[str, Any] = {"joint_parameters": arguments.joint_parameters}
    if arguments.gravity != "own":
        options["gravity"] = "any" if arguments.gravity == "any" else (0, 0, 0)
    if arguments.tree and robot.loops:
        options["tree"] = True
    block = base_parameter_block(robot, **options)
    links = TermLinks(robot)
    carried = {link.joint.name: link.name for link in robot.links}
    found = []
    for k, line in enumerate(block.lines):
        owners = [member.rpartition(" of ")[2] for member in block.members[k]]
        names = list(dict.fromkeys(carried.get(owner, owner) for owner in owners))
        value = block.numbers[k] if block.numbers else None
        found.append(
            BaseParameter(
                block.names[k],
                line.left,
                line.right,
                list(block.members[k]),
                names,
                links.bodies_of(names),
                value,
            )
        )
    return BaseParametersResult(block.total, found, list(block.unimportant), block.verified, block.problem)
