"""Robots as URDF files: the tree, with a side file for the loops and all else URDF cannot hold."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import IgnoredWarning, WrongValue
from rikigaku.core.files import write_together, write_whole
from rikigaku.formats.offset_joints import Names
from rikigaku.formats.simple_bodies import (
    Motion,
    Piece,
    number,
    numbers,
    pieces,
    require_numbers,
    split_names,
    weight,
)
from rikigaku.formats.urdf.urdf_elements import UNBOUNDED
from rikigaku.formats.urdf.urdf_side_file import is_recorded, loops_path, loops_tables, recorded_pair
from rikigaku.model.float_poses import Rigid, roll_pitch_yaw
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Limits
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Coupling, RobotModel


def write_urdf(robot: RobotModel, path: Path) -> None:
    """Save the tree as URDF, and `name.loops.toml` beside it where the robot holds more than URDF can.

    Both files carry a record of the pair: reading refuses two that were not saved together.

    Raises:
        MissingValue: if the robot has symbols. WrongValue: for joints URDF does not have.
    """
    tree, tables = urdf_text(robot)
    side = loops_path(path)
    if tables or is_recorded(side):  # a side file of an older save is replaced, by an empty one if need be
        tree, rest = recorded_pair(robot, tree, tables)
        # The URDF is renamed last. If the process is killed before, the records differ.
        write_together({path: tree.encode(), side: rest.encode()})
        return
    write_whole(path, tree.encode())
    if side.exists():
        advice = "It still lies beside the new URDF and will be read with it: delete it if it is obsolete."
        warn_caller(f"{side.name} belongs to an older {path.name}. {advice}", IgnoredWarning)


def urdf_text(robot: RobotModel) -> tuple[str, dict[str, Any]]:
    """The URDF, and the tables of its side file (empty where there is nothing for it)."""
    require_numbers(robot, "URDF")
    _require_names(robot)
    names = Names((*robot.frame_names, *(link.joint.name for link in robot.links)))
    made = list(pieces(robot, "URDF", names))
    mimics = {coupling.joint: coupling for coupling in robot.couplings}
    lines = [f"<robot name={quoteattr(robot.name)}>", *_link(robot.base, robot.base_inertia)]
    for piece in made:
        parent, before = piece.parent, piece.before
        for motion in piece.motions[:-1]:  # all but the last carry bodies without mass
            inner = names.fresh(f"{piece.name}@{motion.name}")
            lines += [*_link(inner, None), *_joint(motion, parent, inner, before, mimics)]
            parent, before = inner, Rigid()
        lines += _link(piece.name, piece.inertia)
        last = (
            _joint(piece.motions[-1], parent, piece.name, before, mimics) if piece.motions else _fixed(piece)
        )
        lines += last
    return "\n".join([*lines, "</robot>", ""]), loops_tables(robot, split_names(made))


def _require_names(robot: RobotModel) -> None:
    """Refuse names that readers of URDF take for unexpanded xacro expressions, ours among them."""
    joints = (link.joint.name for link in robot.links)
    for name in (robot.name, *robot.frame_names, *joints):
        if "${" in name or "$(" in name:
            advice = "Rename it, or save the robot as .xml (MJCF) or .robot.toml."
            raise WrongValue(
                f"URDF cannot hold the name {name!r}: '${{' and '$(' begin xacro expressions. {advice}"
            )


def _link(name: str, inertia: Inertia | None) -> list[str]:
    body = weight(name, inertia, "URDF")
    if body is None:
        return [f"  <link name={quoteattr(name)}/>"]
    I = body.tensor
    tensor = {"ixx": I[0, 0], "ixy": I[0, 1], "ixz": I[0, 2], "iyy": I[1, 1], "iyz": I[1, 2], "izz": I[2, 2]}
    given = " ".join(f'{key}="{number(float(value))}"' for key, value in tensor.items())
    return [
        f"  <link name={quoteattr(name)}>",
        "    <inertial>",
        f"      {_origin(Rigid(body.R, body.centre))}",
        f'      <mass value="{number(body.mass)}"/>',
        f"      <inertia {given}/>",
        "    </inertial>",
        "  </link>",
    ]


def _fixed(piece: Piece) -> list[str]:
    return [
        f'  <joint name={quoteattr(piece.mount)} type="fixed">',
        f"    <parent link={quoteattr(piece.parent)}/>",
        f"    <child link={quoteattr(piece.name)}/>",
        f"    {_origin(piece.before)}",
        "  </joint>",
    ]


def _joint(
    motion: Motion, parent: str, child: str, before: Rigid, mimics: Mapping[str, Coupling]
) -> list[str]:
    joint = motion.joint
    if not (names := joint_type(motion.type).urdf):
        advice = "Save the robot as .xml (MJCF) or .robot.toml."
        raise WrongValue(f"Joint {joint.name!r} is {motion.type}, which URDF does not have. {advice}")
    limits = joint.limits if len({joint.type, motion.type}) == 1 else Limits()
    endless = motion.type == "revolute" and limits.lower is None and limits.upper is None
    lines = [
        f'  <joint name={quoteattr(motion.name)} type="{"continuous" if endless else names[0]}">',
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
        f"    {_origin(before)}",
    ]
    if motion.type != "free":
        lines.append(f'    <axis xyz="{numbers(motion.axis)}"/>')
    if motion.type in ("revolute", "prismatic"):
        lines += _limit(limits, endless)
        if joint.viscous or joint.coulomb:
            friction = f'damping="{number(joint.viscous)}" friction="{number(joint.coulomb)}"'
            lines.append(f"    <dynamics {friction}/>")
    elif joint.viscous or joint.coulomb:
        message = f"The friction of joint {joint.name!r} is left out: URDF has none for a {joint.type} joint."
        warn_caller(message, IgnoredWarning)
    if joint.actuated and motion.type in ("planar", "free"):
        message = f"Joint {joint.name!r} is actuated, which URDF cannot hold for a {joint.type} joint."
        warn_caller(message, IgnoredWarning)
    if mimic := mimics.get(motion.name):
        ratio = f'multiplier="{number(mimic.multiplier)}" offset="{number(mimic.offset)}"'
        lines.append(f"    <mimic joint={quoteattr(mimic.reference)} {ratio}/>")
    return [*lines, "  </joint>"]


def _limit(limits: Limits, endless: bool) -> list[str]:
    """URDF requires effort, velocity and both bounds; what the robot leaves open is written as 1e+300."""
    if endless and limits.velocity is None and limits.effort is None:
        return []
    bounds = {"effort": limits.effort, "velocity": limits.velocity}
    if not endless and not (limits.lower is None and limits.upper is None):
        lower = -UNBOUNDED if limits.lower is None else limits.lower
        bounds = {"lower": lower, "upper": limits.upper, **bounds}
    given = " ".join(f'{key}="{number(UNBOUNDED if x is None else x)}"' for key, x in bounds.items())
    return [f"    <limit {given}/>"]


def _origin(pose: Rigid) -> str:
    angles = (0.0, 0.0, 0.0) if pose.unrotated else roll_pitch_yaw(pose.R)
    tidy = [0.0 if abs(x) < 1e-16 else float(x) for x in np.array(angles)]
    return f'<origin xyz="{numbers(pose.p)}" rpy="{numbers(tidy)}"/>'
