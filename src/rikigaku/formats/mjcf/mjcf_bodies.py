"""The bodies of an MJCF file as links: joints of one body become a chain, <frame> elements are resolved.

In the configuration drawn in the file, q of every joint is zero; MuJoCo's qpos is then `ref` for a hinge or
slide. q of a free joint is the body's pose in the world, as in MuJoCo.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rikigaku.core.errors import TooLarge
from rikigaku.core.input_limits import LINKS
from rikigaku.formats.mjcf.mjcf_defaults import Defaults
from rikigaku.formats.mjcf.mjcf_inertia import Lump, bounded, geom_lump, inertia_of, inertial_lump, together
from rikigaku.formats.mjcf.mjcf_joints import JointMove, joint_move
from rikigaku.formats.mjcf.mjcf_values import Settings, minimal_rotation, numbers, place
from rikigaku.formats.offset_joints import Names, carried
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import brief, name_of, shown
from rikigaku.model.float_poses import Rigid, shifted
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Frame, Link

BASE = "world"

_UNREAD = ("composite", "flexcomp", "replicate", "attach")
_SILENT = ("camera", "light", "plugin")


class Placed(NamedTuple):
    """An element of a body with its defaults applied, and the frame it is placed in, on the body."""

    element: Element
    around: Rigid


@dataclass
class Tree:
    """Everything the bodies hold: links, frames, where each body and site is, and the joints by name."""

    links: list[Link] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    poses: dict[str, Rigid] = field(default_factory=lambda: {BASE: Rigid()})  # of bodies, in the world
    sites: dict[str, tuple[str, Rigid]] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    lumps: dict[str, Lump] = field(default_factory=dict)
    geoms: list[tuple[str, Placed]] = field(default_factory=list)  # with their bodies
    names: Names = field(default_factory=Names)


def tree_of(worlds: list[Element], defaults: Defaults, settings: Settings) -> Tree:
    """The tree below <worldbody>."""
    tree = Tree()
    tree.names.taken |= _given_names(worlds)
    tree.names.taken.add(BASE)
    waiting = [(world, BASE, Rigid(), "main") for world in reversed(worlds)]
    while waiting:  # depth first, as MuJoCo numbers bodies and joints
        element, parent, around, childclass = waiting.pop()
        inside = _sorted_children(element, childclass, defaults, settings)
        if element.tag == "worldbody":
            name = BASE
        else:
            name = _add_body(tree, element, parent, around, inside, settings)
            if len(tree.poses) > LINKS or len(tree.links) > LINKS:
                raise TooLarge(f"The file has more than {LINKS} bodies and joints.")
        _add_sites(tree, name, inside["site"], settings)
        tree.geoms += [(name, geom) for geom in inside["geom"]]
        waiting += [
            (body.element, name, body.around, body.element.attributes["childclass"])
            for body in reversed(inside["body"])
        ]
    scale = 1.0
    if settings.total_mass > 0 and tree.lumps:
        scale = settings.total_mass / sum(lump.mass for lump in tree.lumps.values())
    tree.links = [_weighed(link, tree.lumps.get(link.name), scale) for link in tree.links]
    return tree


def _sorted_children(
    element: Element, childclass: str, defaults: Defaults, settings: Settings
) -> dict[str, list[Placed]]:
    """The elements of a body, by tag, with defaults applied; <frame>s are opened."""
    found: dict[str, list[Placed]] = {
        tag: [] for tag in ("body", "joint", "freejoint", "geom", "site", "inertial")
    }
    waiting = [(child, Rigid(), childclass) for child in reversed(element.children)]
    while waiting:
        child, around, inherited = waiting.pop()
        if child.tag == "frame":
            inner = child.attributes.get("childclass", inherited)
            here = around @ place(child, settings)
            waiting += [(one, here, inner) for one in reversed(child.children)]
        elif child.tag == "body":
            attributes = {"childclass": inherited, **child.attributes}
            found["body"].append(Placed(Element("body", attributes, child.line, child.children), around))
        elif child.tag in ("joint", "geom", "site"):
            found[child.tag].append(Placed(defaults.applied(child, inherited, settings.notes), around))
        elif child.tag in found:
            found[child.tag].append(Placed(child, around))
        elif child.tag in _UNREAD:
            advice = "let MuJoCo write the expanded model (mj_saveLastXML) and read that"
            settings.notes.add(child, name_of(child), f"<{brief(child.tag)}> is not read; {advice}")
        elif child.tag not in _SILENT:
            settings.notes.add(child, name_of(child), f"there is no <{brief(child.tag)}> in a body")
    return found


def _add_body(
    tree: Tree,
    element: Element,
    parent: str,
    around: Rigid,
    inside: dict[str, list[Placed]],
    settings: Settings,
) -> str:
    """The body's links, and its inertia; its name."""
    name = element.attributes.get("name") or tree.names.fresh(f"body{len(tree.poses)}")
    if name in tree.poses:
        settings.notes.add(element, name_of(element), "this name was used before. Give each body its own")
        name = tree.names.fresh(name)
    before = around @ place(element, settings)
    tree.poses[name] = tree.poses[parent] @ before
    for attribute in ("gravcomp", "mocap"):
        if element.attributes.get(attribute, "0") not in ("0", "false"):
            settings.leave_out(f"{attribute} of bodies", name)
    lump = _lump(inside, settings)
    if lump is not None:
        tree.lumps[name] = lump
    moves = []
    for one, its_frame in (*inside["freejoint"], *inside["joint"]):
        joint = one.attributes.get("name") or tree.names.fresh(f"{name} joint")
        if joint in tree.joints:
            settings.notes.add(one, name_of(one), "this name was used before. Give each joint its own")
            joint = tree.names.fresh(joint)
        moves.append(joint_move(joint, one, its_frame, settings))
        tree.joints[joint] = moves[-1].joint
    tree.links += _links(name, parent, before, moves, tree, element, settings)
    return name


def _lump(inside: dict[str, list[Placed]], settings: Settings) -> Lump | None:
    if inside["inertial"] and settings.inertia_from != "true":
        return bounded(inertial_lump(inside["inertial"][0].element, settings), settings)
    if settings.inertia_from == "false":
        return None
    made = [geom_lump(geom, around, settings) for geom, around in inside["geom"]]
    return bounded(together([lump for lump in made if lump is not None]), settings)


def _links(
    name: str,
    parent: str,
    before: Rigid,
    moves: list[JointMove],
    tree: Tree,
    element: Element,
    settings: Settings,
) -> Iterator[Link]:
    """A chain: T = T_body J_1 J_2 ..., each J a motion about its anchor, all in the body's axes."""
    if not moves:
        mount = Joint(tree.names.fresh(f"{name} mount"), "fixed", actuated=False)
        yield from carried(name, parent, mount, before, Rigid(), None, tree.names)
        return
    if any(move.joint.type == "free" for move in moves):
        if len(moves) > 1 or parent != BASE:
            reason = "a free joint belongs to a body of the world, and alone"
            settings.notes.add(element, name_of(element), reason)
        yield Link(name, parent, moves[0].joint)  # q is the pose in the world, wherever the body was drawn
        return
    for joint, anchor in moves[:-1]:
        here = tree.names.fresh(f"{name}@{joint.name}")
        yield Link(here, parent, joint, (before @ shifted(anchor)).placement())
        parent, before = here, shifted(-anchor)
    last = moves[-1]
    yield from carried(
        name, parent, last.joint, before @ shifted(last.anchor), shifted(-last.anchor), None, tree.names
    )


def _add_sites(tree: Tree, body: str, sites: list[Placed], settings: Settings) -> None:
    for element, around in sites:
        name = element.attributes.get("name")
        if not name:
            continue  # nothing can refer to it
        pose = around @ _site_pose(element, settings)
        if name in tree.sites:
            reason = f"there is a site {shown(name)} already"
            settings.notes.add(element, name_of(element), reason)
        tree.sites[name] = (body, pose)
        # Sites and bodies have separate names in MuJoCo, frames and links have not.
        frame = name if name not in tree.names.taken else tree.names.fresh(f"{name} site")
        tree.names.taken.add(frame)
        tree.frames.append(Frame(frame, body, pose.placement()))


def _site_pose(element: Element, settings: Settings) -> Rigid:
    if "fromto" not in element.attributes:
        return place(element, settings)
    ends = np.array(numbers(element, "fromto", (0,) * 6, settings.notes))
    return Rigid(minimal_rotation(ends[:3] - ends[3:]), (ends[:3] + ends[3:]) / 2)


def _given_names(worlds: list[Element]) -> set[str]:
    """Names of bodies and joints the file gives, so that names made here differ from them."""
    return {
        element.attributes["name"]
        for world in worlds
        for element in world.walk()
        if element.tag in ("body", "joint", "freejoint") and element.attributes.get("name")
    }


def _weighed(link: Link, lump: Lump | None, scale: float) -> Link:
    return (
        link
        if lump is None
        else Link(link.name, link.parent, link.joint, link.geometry, inertia_of(lump, scale))
    )
