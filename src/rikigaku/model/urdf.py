"""Robots from URDF files: links and joints as the file names and orders them, every decimal exact.

The root link becomes the robot's base, each other link is carried by its joint, and q follows the file's
joints. Fixed joints keep their links. Meshes, materials, transmissions and simulator tags are not read.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from rikigaku.errors import BadModel, TooLarge, UnknownName
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.loops_file import loops_path, with_loops_file
from rikigaku.model.physical import check_inertias
from rikigaku.model.robot import Coupling, Link, Robot
from rikigaku.model.urdf_elements import coupling, inertia, joint, placement
from rikigaku.model.urdf_values import XACRO_ADVICE, Notes, name_of, note_slips, shown, text_of
from rikigaku.model.xml_tree import MAX_BYTES, Element, xml_tree

MAX_LINKS = 10_000
MAX_PROBLEMS = 100

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
) -> Robot:
    """The robot in a URDF file, with the loops of the `.loops.toml` file beside it, if there is one.

    Args:
        strict: refuse inertias no rigid body can have, instead of warning.
        repair: "nearest" replaces such inertias by the nearest possible ones, and warns what was changed.
        free_base: let the root link float on a free joint "free_base" of a new base "world".
    Raises:
        BadModel: with all mistakes of the file, each with its line and element.
        UnphysicalInertia: only if strict. TooLarge: beyond 20 MB or 10 000 links.
    """
    path = Path(path)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)  # one more shows that there is more, without reading all of it
    robot = parse_urdf(data, path.name, strict=strict, repair=repair, free_base=free_base)
    side = loops_path(path)
    return with_loops_file(robot, side) if side.is_file() else robot


def parse_urdf(
    text: str | bytes,
    source: str = "The URDF text",
    *,
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
    free_base: bool = False,
) -> Robot:
    """The robot in a URDF text; `source` is what messages call it. Otherwise as `read_urdf`."""
    root = xml_tree(text, source)
    _refuse_other_languages(root, source)
    notes = Notes()
    links, joints = _named(root, "link", notes), _named(root, "joint", notes)
    if len(links) > MAX_LINKS:
        raise TooLarge(f"{source} has {len(links)} links; at most {MAX_LINKS} are read.")
    note_slips(root, "<robot>", notes)
    name = text_of(root, "name", "<robot>", notes)
    inertias = {one: inertia(element, notes) for one, element in links.items()}
    made = {one: joint(element, notes) for one, element in joints.items()}
    places = {one: placement(element, name_of(element), notes) for one, element in joints.items()}
    couplings = [c for element in joints.values() if (c := coupling(element, made, notes))]
    for ring in _rings({one.joint: one.reference for one in couplings}):
        element = joints[ring[0]]
        notes.add(element, name_of(element), f"<mimic> makes these joints follow each other: {_listed(ring)}")
    edges = {one: _ends(element, links, notes) for one, element in joints.items()}
    base = _root(root, edges, links, joints, notes)
    if notes.problems:
        raise BadModel(_first(notes.problems), source)
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
) -> Robot:
    on_base = [link.joint.type for link in links if link.parent == base]
    if free_base and on_base != ["free"]:  # a root that carries nothing but a floating joint is the world
        taken = {base, *(link.name for link in links)}
        floating = Joint(_unused("free_base", {link.joint.name for link in links}), "free", actuated=False)
        world = _unused("world", taken)
        links = (Link(base, world, floating, inertia=base_inertia), *links)
        base, base_inertia = world, None
    try:
        return Robot(
            name, links, couplings=tuple(couplings), base=base, base_inertia=base_inertia, source=source
        )
    except BadModel as error:  # what only the whole shows, such as a name that cannot be shown
        raise BadModel(_first(error.problems), source) from error


def _refuse_other_languages(root: Element, source: str) -> None:
    """One clear sentence for a file that is not an expanded URDF, instead of a list of consequences."""
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            raise BadModel([f"line {element.line}: <{element.tag}> is xacro; {XACRO_ADVICE}"], source)
    if root.tag != "robot":
        other = _OTHER_FORMATS.get(root.tag)
        known = f"; this looks like {other}" if other else ""
        reason = f"a URDF file begins with <robot name='...'>, not <{root.tag}>{known}"
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


def _ends(element: Element, links: dict[str, Element], notes: Notes) -> tuple[str, str]:
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
    """The one link no joint carries; notes whatever keeps the links from being one tree."""
    if not links:
        notes.add(root, "<robot>", "there is no <link>; a robot has at least one")
        return ""
    carriers: dict[str, str] = {}
    for one, (_, child) in edges.items():
        if child not in links:
            continue  # noted with its joint
        if child in carriers:
            first = carriers[child]
            place = f"joint {shown(first)} (line {joints[first].line})"
            reason = f"link {shown(child)} is already carried by {place}"
            advice = "URDF describes trees; close a loop by [[loop]] in a .loops.toml file beside it"
            notes.add(joints[one], name_of(joints[one]), f"{reason}. {advice}")
        else:
            carriers[child] = one
    roots = [name for name in links if name not in carriers]
    if len(roots) > 1:
        reason = f"{len(roots)} links have no parent: {_listed(roots)}"
        notes.add(root, "<robot>", f"{reason}. A robot has one root; join the others to it")
    for ring in _rings({child: edges[one][0] for child, one in carriers.items()}):
        link = links[ring[0]]
        notes.add(link, name_of(link), f"these links carry each other in a ring: {_listed(ring)}")
    return roots[0] if roots else ""


def _rings(following: dict[str, str]) -> list[list[str]]:
    """The rings one runs into by going from each name to the one it maps to, each ring once."""
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


def _first(problems: Iterable[str]) -> list[str]:
    found = list(problems)
    rest = len(found) - MAX_PROBLEMS
    return found if rest <= 0 else [*found[:MAX_PROBLEMS], f"... and {rest} more"]


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
