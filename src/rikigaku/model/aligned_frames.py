"""The same robot with every link frame at its joint, z along the axis, no transform after the joint.

In these frames the regrouped inertias of a link contain the most zeros, which saves operations. The old link
frames stay, under their names, as links fixed to the new ones; what is attached to them is unchanged.
"""

import math
from dataclasses import replace

from rikigaku.model.geometry import Geometry, StandardDH, Step, Steps
from rikigaku.model.geometry_composition import placement_of
from rikigaku.model.joint import Z_AXIS, Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Link, ModelT
from rikigaku.numbers.formula import PI, ZERO, Formula


def aligned(robot: ModelT) -> ModelT:
    """The robot with link frames at the joints.

    Axes whose direction holds symbols, and joints of several coordinates, keep their frames.
    """
    taken = {*robot.frame_names, *(link.joint.name for link in robot.links)}

    def fresh(name: str) -> str:
        while name in taken:
            name += "'"
        taken.add(name)
        return name

    links: list[Link] = []
    for link in robot.links:
        before, after = _halves(link.geometry)
        rotation = _rotation_to(link.joint)
        if link.joint.type == "fixed" or not (rotation or after):
            links.append(link)
            continue
        parent, place = link.parent, before
        if rotation:
            parent = fresh(f"{link.name} socket")
            links.append(Link(parent, link.parent, _fixed(fresh(f"{parent} mount")), before))
            place = placement_of(rotation)
        body = fresh(f"{link.name} at {link.joint.name}")
        joint = replace(link.joint, axis=Z_AXIS) if rotation else link.joint
        links.append(Link(body, parent, joint, place))
        if rotation:
            back = tuple(Step(axis, -amount) for axis, amount in reversed(rotation))
            if after:
                behind = fresh(f"{link.name} joint frame")
                links.append(Link(behind, body, _fixed(fresh(f"{behind} mount")), placement_of(back)))
                body = behind
            else:
                after = placement_of(back)
        assert after is not None
        links.append(Link(link.name, body, _fixed(fresh(f"{link.name} mount")), after, link.inertia))
    return replace(robot, links=tuple(links))


def _fixed(name: str) -> Joint:
    return Joint(name, "fixed", actuated=False)


def _halves(geometry: Geometry) -> tuple[Geometry, Geometry | None]:
    """The geometry before the joint's motion, and the geometry after it, if any."""
    if isinstance(geometry, StandardDH) and geometry.after():
        return replace(geometry, a=ZERO, alpha=ZERO), replace(geometry, theta=ZERO, d=ZERO)
    return geometry, None


def _rotation_to(joint: Joint) -> Steps:
    """A rotation that brings z to the joint's axis; none if it is there already, or not known as numbers."""
    if not joint_type(joint.type).dh_column or any(part.symbols for part in joint.axis):
        return ()
    x, y, z = (float(part) for part in joint.axis)
    if not (x or y):
        return () if z > 0 else (Step("rx", PI),)
    if not (y or z):
        return (Step("ry", PI / 2 if x > 0 else -PI / 2),)
    if not (x or z):
        return (Step("rx", -PI / 2 if y > 0 else PI / 2),)
    yaw, pitch = math.atan2(y, x), math.atan2(math.hypot(x, y), z)
    return (Step("rz", Formula.of(yaw)), Step("ry", Formula.of(pitch)))
