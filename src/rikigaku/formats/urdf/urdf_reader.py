"""Robots from URDF files: links and joints as the file names and orders them, every decimal exact.

The root link becomes the robot's base, each other link is carried by its joint, and q follows the file's
joints. Fixed joints keep their links. Meshes, materials, transmissions and simulator tags are not read.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import BadModel, IgnoredWarning, TooLarge, UnknownName
from rikigaku.core.input_files import read_input
from rikigaku.core.input_limits import LINKS
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.urdf.urdf_elements import coupling, inertia, joint, placement
from rikigaku.formats.urdf.urdf_side_file import loops_path, record_of, with_loops_file
from rikigaku.formats.xml_tree import Element, xml_tree
from rikigaku.formats.xml_values import XACRO_ADVICE, Notes, brief, name_of, note_slips, shown, text_of
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.physical_consistency import check_inertias
from rikigaku.model.robot_model import Coupling, Link, RobotModel

_OTHER_FORMATS = {
    "sdf": "SDF; call the file .sdf",
    "mujoco": "MuJoCo's MJCF; call the file .xml",
    "COLLADA": "COLLADA, which is not read",
}


def read_urdf(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
    free_base: bool = False,
) -> RobotModel:
    """The robot in a URDF file, with the loops of the `.loops.toml` file beside it, if there is one.

    Args:
        strict: refuse inertias no rigid body can have, instead of warning.
        repair: "nearest" replaces such inertias by the nearest possible ones, and warns what was changed.
        free_base: let the root link float on a free joint "free_base" of a new base "world".
    Raises:
        BadModel: with all mistakes of the file, each with its line and element.
        UnphysicalInertia: only if strict. TooLarge: beyond a limit of readers. NoFile: if it cannot be read.
    """
    path = Path(path)
    data = read_input(path)
    robot = parse_urdf(data, path.name, strict=strict, repair=repair, free_base=free_base)
    side, record = loops_path(path), record_of(data)
    if os.path.lexists(side):
        return with_loops_file(robot, side, record)
    if record is not None:
        warn_caller(
            f"{path.name} was saved with {side.name}, which is not beside it: loops, and what else a URDF "
            "cannot hold, are missing.",
            IgnoredWarning,
        )
    return robot


def parse_urdf(
    text: str | bytes,
    source: str = "The URDF text",
    *,
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
    free_base: bool = False,
) -> RobotModel:
    """The robot in a URDF text; `source` is what messages call it. Otherwise as `read_urdf`."""
    root = xml_tree(text, source)
    _refuse_other_languages(root, source)
    notes = Notes()
    links, joints = _named(root, "link", notes), _named(root, "joint", notes)
    if len(links) > LINKS:
        raise TooLarge(f"{source} has {len(links)} links; at most {LINKS} are read.")
    note_slips(root, "<robot>", notes)
    name = text_of(root, "name", "<robot>", notes)
    inertias = {one: inertia(element, notes) for one, element in links.items()}
    made = {one: joint(element, notes) for one, element in joints.items()}
    places = {one: placement(element, name_of(element), notes) for one, element in joints.items()}
    names = KnownNames(made)
    couplings = [c for element in joints.values() if (c := coupling(element, made, names, notes))]
    for ring in _rings({one.joint: one.reference for one in couplings}):
        element = joints[ring[0]]
        notes.add(element, name_of(element), f"<mimic> makes these joints follow each other: {_listed(ring)}")
    bodies = KnownNames(links)
    edges = {one: _ends(element, bodies, notes) for one, element in joints.items()}
    base = _root(root, edges, links, joints, notes)
    notes.refuse(source)
    carried = tuple(
        Link(child, parent, made[one], places[one], inertias[child]) for one, (parent, child) in edges.items()
    )
    robot = _robot(name, base, carried, couplings, inertias[base], source, free_base)
    return check_inertias(robot, strict=strict, repair=repair)


def _robot(
    name: str,
    base: str,
    links: tuple[Link, ...],
    couplings: Iterable[Coupling],
    base_inertia: Inertia | None,
    source: str,
    free_base: bool,
) -> RobotModel:
    on_base = [link.joint.type for link in links if link.parent == base]
    if free_base and on_base != ["free"]:  # a root that carries nothing but a floating joint is the world
        taken = {base, *(link.name for link in links)}
        floating = Joint(_unused("free_base", {link.joint.name for link in links}), "free", actuated=False)
        world = _unused("world", taken)
        links = (Link(base, world, floating, inertia=base_inertia), *links)
        base, base_inertia = world, None
    try:
        return RobotModel(
            name, links, couplings=tuple(couplings), base=base, base_inertia=base_inertia, source=source
        )
    except BadModel as error:  # what only the whole shows, such as a name that cannot be shown
        raise BadModel(error.problems, source, error.further) from error


def _refuse_other_languages(root: Element, source: str) -> None:
    """One clear sentence for a file that is not an expanded URDF, instead of a list of consequences."""
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            raise BadModel([f"line {element.line}: <{brief(element.tag)}> is xacro; {XACRO_ADVICE}"], source)
    if root.tag != "robot":
        other = _OTHER_FORMATS.get(root.tag)
        known = f"; this looks like {other}" if other else ""
        reason = f"a URDF file begins with <robot name='...'>, not <{brief(root.tag)}>{known}"
        raise BadModel([f"line {root.line}: {reason}"], source)


def _named(root: Element, tag: str, notes: Notes) -> dict[str, Element]:
    """The links or the joints by name, in the file's order."""
    found: dict[str, Element] = {}
    for element in root.all(tag):
        name = element.attributes.get("name", "")
        if not name.strip():
            text_of(element, "name", name_of(element), notes)
        elif name in found:
            reason = f"this name was used before, on line {found[name].line}. Give each {tag} its own"
            notes.add(element, name_of(element), reason)
        else:
            found[name] = element
    return found


def _ends(element: Element, links: KnownNames, notes: Notes) -> tuple[str, str]:
    """Parent and child link of a joint."""
    owner, ends = name_of(element), []
    for tag in ("parent", "child"):
        found = element.all(tag)
        if len(found) != 1:
            count = "is missing" if not found else f"stands {len(found)} times"
            notes.add(element, owner, f"<{tag} link='...'/> {count}")
            ends.append("")
            continue
        name = text_of(found[0], "link", owner, notes)
        if name and name not in links:
            notes.add(found[0], owner, str(UnknownName("link", name, links, "the file")))
        ends.append(name)
    if ends[0] and ends[0] == ends[1]:
        notes.add(element, owner, f"joins link {shown(ends[0])} to itself")
    return ends[0], ends[1]


def _root(
    root: Element,
    edges: dict[str, tuple[str, str]],
    links: dict[str, Element],
    joints: dict[str, Element],
    notes: Notes,
) -> str:
    """The root: the one link that is no joint's child. Notes links that are not part of one tree."""
    if not links:
        notes.add(root, "<robot>", "there is no <link>; a robot has at least one")
        return ""
    joint_of_child: dict[str, str] = {}
    for one, (_, child) in edges.items():
        if child not in links:
            continue  # noted with its joint
        if child in joint_of_child:
            first = joint_of_child[child]
            place = f"joint {shown(first)} (line {joints[first].line})"
            reason = f"link {shown(child)} is already carried by {place}"
            advice = "URDF describes trees; close a loop by [[loop]] in a .loops.toml file beside it"
            notes.add(joints[one], name_of(joints[one]), f"{reason}. {advice}")
        else:
            joint_of_child[child] = one
    roots = [name for name in links if name not in joint_of_child]
    if len(roots) > 1:
        reason = f"{len(roots)} links have no parent: {_listed(roots)}"
        notes.add(root, "<robot>", f"{reason}. A robot has one root; join the others to it")
    for ring in _rings({child: edges[one][0] for child, one in joint_of_child.items()}):
        link = links[ring[0]]
        notes.add(link, name_of(link), f"these links carry each other in a ring: {_listed(ring)}")
    return roots[0] if roots else ""


def _rings(following: dict[str, str]) -> list[list[str]]:
    """The cycles of a mapping from names to names, each cycle once."""
    found: list[list[str]] = []
    done: set[str] = set()
    for start in following:
        path: dict[str, None] = {}
        at = start
        while at in following and at not in done:
            done.add(at)
            path[at] = None
            at = following[at]
        if at in path:
            passed = list(path)
            found.append(passed[passed.index(at) :])
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(shown(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
