"""Robots from MuJoCo's MJCF files: trees of bodies, and the equalities that close loops.

Bodies become links under their names, sites become frames, `connect` a spherical cut joint (two of them on
one line a revolute joint), `weld` a fixed one, `joint` a gear. Contact, tendons, sensors are not read.
Semantics: MuJoCo's XML reference and its own compiler, with which the tests compare.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import BadModel, IgnoredWarning
from rikigaku.core.input_files import read_input
from rikigaku.formats.mjcf.mjcf_bodies import BASE, tree_of
from rikigaku.formats.mjcf.mjcf_defaults import defaults_of, whole_tree
from rikigaku.formats.mjcf.mjcf_equality import actuated_of, equalities_of, gravity_of
from rikigaku.formats.mjcf.mjcf_values import Settings, settings_of
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import brief, shown
from rikigaku.model.editing import locked_at
from rikigaku.model.float_poses import formulas
from rikigaku.model.physical_consistency import check_inertias
from rikigaku.model.robot_model import Link, RobotModel

MOST_NAMES = 6


def read_mjcf(
    path: str | os.PathLike[str], *, strict: bool = False, repair: Literal["nearest"] | None = None
) -> RobotModel:
    """The robot in an MJCF file; files it includes must lie in its folder or below.

    Args and errors as `read_urdf`.
    """
    path = Path(path)
    return _robot(whole_tree(read_input(path), path.name, path.parent), path.name, strict, repair)


def parse_mjcf(
    text: str | bytes,
    source: str = "The MJCF text",
    *,
    files: Mapping[str, str] | None = None,
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
) -> RobotModel:
    """The robot in an MJCF text; `files` holds the texts it includes, by name."""
    return _robot(whole_tree(text, source, None, files), source, strict, repair)


def _robot(root: Element, source: str, strict: bool, repair: Literal["nearest"] | None) -> RobotModel:
    if root.tag != "mujoco":
        other = {"robot": " This is a URDF; call it .urdf.", "sdf": " This is an SDF; call it .sdf."}
        reason = f"an MJCF file begins with <mujoco>, not <{brief(root.tag)}>.{other.get(root.tag, '')}"
        raise BadModel([f"line {root.line}: {reason}"], source)
    settings = settings_of(root.all("compiler"))
    defaults = defaults_of(root.all("default"), settings.notes)
    tree = tree_of(root.all("worldbody"), defaults, settings)
    equalities = equalities_of(root.all("equality"), tree, defaults, settings)
    names = actuated_of(root.all("actuator"), tree, settings)
    gravity = gravity_of(root.all("option"), settings)
    for section in ("tendon", "deformable"):
        for element in (child for part in root.all(section) for child in part.children):
            settings.leave_out(f"<{section}>", element.attributes.get("name", element.tag))
    settings.notes.refuse(source)
    followers = {coupling.joint for coupling in equalities.couplings}
    links = tuple(_with_actuation(link, names, followers) for link in tree.links)
    try:
        robot = RobotModel(
            root.attributes.get("model") or Path(source).stem,
            links,
            tuple(tree.frames),
            tuple(equalities.loops),
            tuple(equalities.couplings),
            gravity=formulas(gravity),
            base=BASE,
            source=source,
        )
    except BadModel as error:
        raise BadModel(error.problems, source, error.further) from error
    if equalities.held:
        robot = locked_at(robot, equalities.held)
    _warn_of_omissions(settings, source)
    return check_inertias(robot, strict=strict, repair=repair)


def _with_actuation(link: Link, names: set[str] | None, followers: set[str]) -> Link:
    """The link with its joint's actuation; without actuators all uncoupled hinges and slides are."""
    joint = link.joint
    if joint.type == "fixed":
        return link
    actuated = joint.actuated and joint.name not in followers if names is None else joint.name in names
    return link if actuated == joint.actuated else replace(link, joint=replace(joint, actuated=actuated))


def _warn_of_omissions(settings: Settings, source: str) -> None:
    """One warning for all elements of the file that are not part of the model."""
    if not settings.left_out:
        return
    lines = []
    for what, names in settings.left_out.items():
        rest = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        lines.append(f"  - {what}: {', '.join(shown(name) for name in names[:MOST_NAMES])}{rest}")
    listed = "\n".join(lines)
    warn_caller(f"{source} holds what is left out here:\n{listed}", IgnoredWarning)
