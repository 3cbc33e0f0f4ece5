"""The robot with identified values in place of its file's."""

from collections.abc import Mapping
from dataclasses import replace

from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES, regressor_bodies
from rikigaku.model.inertial_parameters import PARAMETER_NAMES, Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Link
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot


def identified_robot(robot: Robot, full: Mapping[str, float]) -> Robot:
    """The robot with these full parameters ("m of link3", "viscous of q1"); others keep their values.

    The parameters of a body include the links fixed to it, which keep no inertia of their own.
    """
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    moving = {mechanism.bodies[i].name for i in regressor_bodies(mechanism)}
    on_ground = {robot.base}
    links: list[Link] = []
    for link in robot.links:
        joint = link.joint
        if link.name in moving:
            ten = [full[f"{name} of {link.name}"] for name in PARAMETER_NAMES]
            first, second = tuple(ten[1:4]), tuple(ten[4:])
            inertia: Inertia | None = Inertia("origin", ten[0], first, second, regrouped=True)
        elif joint.type == "fixed" and link.parent in on_ground:
            on_ground.add(link.name)
            inertia = link.inertia
        else:
            inertia = None
        found = {name: full.get(f"{name} of {joint.name}") for name in JOINT_PARAMETER_NAMES}
        changed = {name: x for name, x in found.items() if x is not None}
        links.append(replace(link, inertia=inertia, joint=replace(joint, **changed)))  # type: ignore[arg-type]
    return replace(robot, links=tuple(links))
