"""Robots from MuJoCo's MJCF files: trees of bodies, and the equalities that close loops.

Bodies become links under their names, sites become frames, `connect` a spherical cut joint (two of them on
one line a hinge), `weld` a fixed one, `joint` a gear. Contact, tendons, sensors and pictures are not read.
Semantics: MuJoCo's XML reference and its own compiler, with which the tests compare.
"""

import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from rikigaku.errors import BadModel, IgnoredWarning
from rikigaku.model.edit import lock
from rikigaku.model.mjcf_bodies import BASE, tree_of
from rikigaku.model.mjcf_defaults import defaults_of, whole_tree
from rikigaku.model.mjcf_equality import actuated_of, equalities_of, gravity_of
from rikigaku.model.mjcf_values import Settings, settings_of
from rikigaku.model.physical import check_inertias
from rikigaku.model.rigid import formulas
from rikigaku.model.robot import Link, Robot
from rikigaku.model.urdf_values import shown
from rikigaku.model.xml_tree import MAX_BYTES, Element

MAX_PROBLEMS = 100
MOST_NAMES = 6


def read_mjcf(
    path: str | os.PathLike[str], *, strict: bool = False, repair: Literal["nearest"] | None = None
) -> Robot:
    """The robot in an MJCF file; files it includes must lie in its folder or below.

    Args and errors as `read_urdf`.
    """
    path = Path(path)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    return _robot(whole_tree(data, path.name, path.parent), path.name, strict, repair)


def parse_mjcf(
    text: str | bytes,
    source: str = "The MJCF text",
    *,
    files: Mapping[str, str] | None = None,
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
) -> Robot:
    """The robot in an MJCF text; `files` holds the texts it includes, by name."""
    return _robot(whole_tree(text, source, None, files), source, strict, repair)


def _robot(root: Element, source: str, strict: bool, repair: Literal["nearest"] | None) -> Robot:
    if root.tag != "mujoco":
        other = {"robot": " This is a URDF; call it .urdf.", "sdf": " This is an SDF; call it .sdf."}
        reason = f"an MJCF file begins with <mujoco>, not <{root.tag}>.{other.get(root.tag, '')}"
        raise BadModel([f"line {root.line}: {reason}"], source)
    settings = settings_of(root.all("compiler"))
    defaults = defaults_of(root.all("default"), settings.notes)
    tree = tree_of(root.all("worldbody"), defaults, settings)
    equalities = equalities_of(root.all("equality"), tree, defaults, settings)
    driven = actuated_of(root.all("actuator"), tree, settings)
    gravity = gravity_of(root.all("option"), settings)
    for section in ("tendon", "deformable"):
        for element in (child for part in root.all(section) for child in part.children):
            settings.leave_out(f"<{section}>", element.attributes.get("name", element.tag))
    if settings.notes.problems:
        raise BadModel(settings.notes.problems[:MAX_PROBLEMS], source)
    followers = {coupling.joint for coupling in equalities.couplings}
    links = tuple(_driven(link, driven, followers) for link in tree.links)
    try:
        robot = Robot(
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
        raise BadModel(error.problems[:MAX_PROBLEMS], source) from error
    for joint, value in equalities.held.items():
        robot = lock(robot, joint, value)
    _tell(settings, source)
    return check_inertias(robot, strict=strict, repair=repair)


def _driven(link: Link, driven: set[str] | None, followers: set[str]) -> Link:
    """The link with its joint driven as the actuators say; without any, hinges and slides that lead are."""
    joint = link.joint
    if joint.type == "fixed":
        return link
    actuated = joint.actuated and joint.name not in followers if driven is None else joint.name in driven
    return link if actuated == joint.actuated else replace(link, joint=replace(joint, actuated=actuated))


def _tell(settings: Settings, source: str) -> None:
    """One warning for all that the file says and the model does not hold."""
    if not settings.left_out:
        return
    lines = []
    for what, names in settings.left_out.items():
        rest = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        lines.append(f"  - {what}: {', '.join(shown(name) for name in names[:MOST_NAMES])}{rest}")
    listed = "\n".join(lines)
    warnings.warn(f"{source} holds what is left out here:\n{listed}", IgnoredWarning, stacklevel=4)
