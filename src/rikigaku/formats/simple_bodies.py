"""A robot as the bodies other formats have: simple joints, all numbers, frames at the joints.

A joint type that a format lacks becomes a chain of revolute and prismatic joints. Where a link's frame is not
at its joint (standard DH), the joint carries a body of its own and the link is fixed on it, under its name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rikigaku.core.errors import MissingValue, WrongValue
from rikigaku.formats.offset_joints import Names
from rikigaku.model.elementary_motions import Prismatic, Revolute
from rikigaku.model.float_poses import Array, Rigid, rpy_rotation, steps_rigid
from rikigaku.model.geometry_composition import direction_of
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.formula import Formula


class Motion(NamedTuple):
    """One joint of a piece; `joint` holds its friction, limits and actuation."""

    name: str
    type: str
    axis: Array
    joint: Joint


@dataclass(frozen=True, eq=False)
class Piece:
    """A body, its pose on its parent, and its motions there (none where it is fixed)."""

    name: str
    parent: str
    mount: str  # name of the joint if nothing moves
    before: Rigid
    motions: tuple[Motion, ...]
    inertia: Inertia | None


class Weight(NamedTuple):
    """Mass, centre, and the tensor about it in axes R of the link."""

    mass: float
    centre: Array
    R: Array
    tensor: Array


def require_numbers(robot: RobotModel, format_name: str) -> None:
    """Refuse a robot with symbols.

    Raises:
        MissingValue: naming them, and what to type.
    """
    if names := robot.free_symbols:
        known = robot.declared_values
        shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        if all(name in known for name in names):
            advice = "robot.bind(**robot.declared_values) gives them the values of the robot's own table."
        else:
            first = next(name for name in names if name not in known)
            advice = f"Give them values first: robot.bind({first}=...)."
        raise MissingValue(f"{format_name} holds numbers only; robot {robot.name!r} has {shown}. {advice}")


def pieces(robot: RobotModel, format_name: str, names: Names) -> Iterator[Piece]:
    """The robot's links in its own order.

    Raises:
        WrongValue: for a joint the format does not have.
    """
    for link in robot.links:
        before, after = (steps_rigid(steps) for steps in (link.geometry.before(), link.geometry.after()))
        joint = link.joint
        if joint.type == "fixed":
            yield Piece(link.name, link.parent, joint.name, before @ after, (), link.inertia)
            continue
        motions = _motions(link, format_name, names)
        if after.unmoved:
            yield Piece(link.name, link.parent, joint.name, before, motions, link.inertia)
            continue
        moving = names.fresh(f"{link.name}@{joint.name}")
        yield Piece(moving, link.parent, joint.name, before, motions, None)
        yield Piece(link.name, moving, names.fresh(f"{link.name} mount"), after, (), link.inertia)


def _motions(link: Link, format_name: str, names: Names) -> tuple[Motion, ...]:
    joint = link.joint
    type_, first = joint_type(joint.type), _direction(joint.axis)
    if not (type_.urdf or type_.mjcf):  # a chain of revolute and prismatic joints
        if any(motion.elementary not in (Revolute, Prismatic) for motion in type_.motions):
            advice = "Replace it by revolute and prismatic joints, or save the robot as .robot.toml."
            what = f"Joint {joint.name!r} is {joint.type}, which {format_name} does not have."
            raise WrongValue(f"{what} {advice}")
        chain = []
        for suffix, (elementary, direction) in zip(type_.coordinate_suffixes, type_.motions, strict=True):
            axis = _direction(direction_of(joint, direction))
            chain.append(Motion(names.fresh(f"{joint.name}{suffix}"), elementary.name, axis, joint))
        return tuple(chain)
    if joint.type == "planar" and not (first[0] == first[1] == 0 and first[2] > 0):
        advice = "Only the normal z can be written: rotate the joint's frame."
        raise WrongValue(f"Planar joint {joint.name!r} has another normal than z. {advice}")
    return (Motion(joint.name, joint.type, first, joint),)


def split_names(made: Sequence[Piece]) -> dict[str, tuple[str, ...]]:
    """The joints each joint of the robot became, by its name."""
    return {
        piece.motions[0].joint.name: tuple(m.name for m in piece.motions) for piece in made if piece.motions
    }


def weight(link: str, inertia: Inertia | None, format_name: str) -> Weight | None:
    """The inertia about the centre of mass; None where there is none.

    Raises:
        WrongValue: for first moments without a mass, as regrouped (base) parameters have them.
    """
    if inertia is None:
        return None
    m, position = float(inertia.m), np.array([float(x) for x in inertia.position])
    xx, xy, xz, yy, yz, zz = (float(x) for x in inertia.tensor)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m == 0:
        if inertia.about == "origin" and position.any():
            advice = "Save it as .robot.toml, or give the link its mass."
            raise WrongValue(
                f"Link {link!r} has first moments but no mass: {format_name} cannot hold it. {advice}"
            )
        if not tensor.any():
            return None
        position = np.zeros(3)
    if inertia.about == "com":
        return Weight(m, position, rpy_rotation(*(float(x) for x in inertia.rpy)), tensor)
    c = position / m if m else position
    return Weight(m, c, np.eye(3), tensor - m * (c @ c * np.eye(3) - np.outer(c, c)))


def number(x: float | Formula) -> str:
    """The shortest decimal that is read back as the same float."""
    value = float(x) + 0.0
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def numbers(values: Sequence[float] | Array) -> str:
    """Several numbers, separated by blanks."""
    return " ".join(number(float(x)) for x in values)


def _direction(axis: Sequence[Formula]) -> Array:
    return np.array([float(x) for x in axis])
