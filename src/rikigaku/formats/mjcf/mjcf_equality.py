"""The equalities of an MJCF file as loop closures and gears: connect, weld, joint.

Ends that follow from the initial configuration (the second body's anchor, a weld without relpose) are taken
from it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rikigaku.core.errors import UnknownName
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.mjcf.mjcf_bodies import BASE, Tree
from rikigaku.formats.mjcf.mjcf_defaults import Defaults
from rikigaku.formats.mjcf.mjcf_values import Settings, flag, number, numbers
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import name_of
from rikigaku.model.float_poses import Rigid, quaternion_matrix, rotation_to, shifted
from rikigaku.model.robot_model import Coupling, Loop, LoopEnd
from rikigaku.numbers.formula import Formula

# Two anchors whose distance agrees on both bodies up to this fraction define the axis of a revolute joint.
SAME_LENGTH = 1e-9
# Points of one pair of bodies among which the second point of an axis is looked for.
MOST_POINTS = 64


class Ends(NamedTuple):
    """A closure before it becomes data: frames on two bodies that meet."""

    name: str
    joint: str
    body1: str
    pose1: Rigid
    body2: str
    pose2: Rigid


class _Known(NamedTuple):
    """Names that an equality may refer to."""

    bodies: KnownNames
    sites: KnownNames
    joints: KnownNames


@dataclass
class Equalities:
    """Loop closures, gears and fixed joints of the <equality> sections."""

    loops: list[Loop] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    held: dict[str, float] = field(default_factory=dict)  # joints held at a constant position


def equalities_of(sections: list[Element], tree: Tree, defaults: Defaults, settings: Settings) -> Equalities:
    """All <equality> sections."""
    result = Equalities()
    ends: list[Ends] = []
    known = _Known(KnownNames(tree.poses), KnownNames(tree.sites), KnownNames(tree.joints))
    for element in (child for section in sections for child in section.children):
        merged = defaults.applied(element, "main", settings.notes)
        shared = defaults.applied(
            Element("equality", element.attributes, element.line), "main", settings.notes
        )
        element = Element(element.tag, {**shared.attributes, **merged.attributes}, element.line)
        if not flag(element, "active", True, settings.notes):
            settings.leave_out("equalities that are not active", element.attributes.get("name", element.tag))
        elif element.tag in ("connect", "weld"):
            if closure := _closure(element, tree, known, settings, len(ends)):
                ends.append(closure)
        elif element.tag == "joint":
            _add_joint(element, tree, known, settings, result)
        else:
            reason = (
                "is not read; connect, weld and joint are. Leave it out, or write what it does with those"
            )
            settings.notes.add(element, name_of(element), reason)
    result.loops = [_loop(one) for one in _hinges(ends)]
    return result


def _closure(element: Element, tree: Tree, known: _Known, settings: Settings, count: int) -> Ends | None:
    weld = element.tag == "weld"
    name = element.attributes.get("name") or f"{element.tag}{count + 1}"
    # a weld with torquescale 0 constrains a point only
    constrains_rotation = weld and number(element, "torquescale", 1.0, settings.notes) != 0
    joint = "fixed" if constrains_rotation else "spherical"
    if "site1" in element.attributes or "site2" in element.attributes:
        sides = [_named(element, key, known.sites, "site", settings) for key in ("site1", "site2")]
        if None in sides:
            return None
        (body1, pose1), (body2, pose2) = (tree.sites[side] for side in sides if side is not None)
        return Ends(name, joint, body1, pose1, body2, pose2)
    body1_, body2_ = (_named(element, key, known.bodies, "body", settings) for key in ("body1", "body2"))
    if body1_ is None or body2_ is None:
        return None
    initial = tree.poses[body1_].inverse() @ tree.poses[body2_]  # body 2 in body 1
    anchor = shifted(numbers(element, "anchor", (0, 0, 0), settings.notes))
    if not weld:
        if "anchor" not in element.attributes:
            settings.notes.add(element, name_of(element), "attribute 'anchor' is missing")
        return Ends(name, joint, body1_, anchor, body2_, Rigid(p=(initial.inverse() @ anchor).p))
    *p, w, x, y, z = numbers(element, "relpose", (0, 1, 0, 0, 0, 0, 0), settings.notes)
    given = Rigid(quaternion_matrix((w, x, y, z)), np.array(p)) if any((w, x, y, z)) else initial @ anchor
    return Ends(name, joint, body1_, given, body2_, anchor)


def _named(element: Element, key: str, known: KnownNames, what: str, settings: Settings) -> str | None:
    name = element.attributes.get(key, BASE if key == "body2" else "")
    if name in known:
        return name
    settings.notes.add(element, f"{name_of(element)}, {key}", str(UnknownName(what, name, known, "the file")))
    return None


def _add_joint(element: Element, tree: Tree, known: _Known, settings: Settings, result: Equalities) -> None:
    """y - y0 = a0 + a1 (x - x0): q is measured from the initial positions y0 and x0, so both cancel."""
    owner, notes = name_of(element), settings.notes
    a0, a1, *higher = numbers(element, "polycoef", (0, 1, 0, 0, 0), notes, at_least=1)
    names = [element.attributes.get(key, "") for key in ("joint1", "joint2")]
    for key, name in zip(("joint1", "joint2"), names, strict=True):
        if name not in tree.joints and (name or key == "joint1"):
            notes.add(element, f"{owner}, {key}", str(UnknownName("joint", name, known.joints, "the file")))
            return
        if name and tree.joints[name].type not in ("revolute", "prismatic"):
            reason = f"joint {name!r} is {tree.joints[name].type}; only hinge and slide joints can be coupled"
            notes.add(element, owner, reason)
            return
    if not names[1]:
        result.held[names[0]] = a0
    elif any(higher):
        reason = f"polycoef has the higher terms {higher}; a gear is linear here (the first two numbers)"
        notes.add(element, owner, f"{reason}. Replace it by the linkage it approximates, or by its slope")
    else:
        result.couplings.append(Coupling(names[0], names[1], Formula.of(a1), Formula.of(a0)))


def _hinges(ends: list[Ends]) -> list[Ends]:
    """Two coincident points of two bodies are a revolute joint: five equations, not six of rank five."""
    result: list[Ends] = []
    points: dict[tuple[str, str], list[int]] = {}  # places in `result` of the points of a pair of bodies
    for one in ends:
        nearby = points.setdefault((one.body1, one.body2), [])
        mate = next((k for k in nearby if _hold_an_axis(result[k], one)), None)
        if mate is None:
            if one.joint == "spherical" and len(nearby) < MOST_POINTS:
                nearby.append(len(result))
            result.append(one)
            continue
        nearby.remove(mate)
        first = result[mate]
        frames = [
            Rigid(rotation_to(b.p - a.p), a.p)
            for a, b in ((first.pose1, one.pose1), (first.pose2, one.pose2))
        ]
        name = first.name.removesuffix(" (axis 1)")
        result[mate] = Ends(name, "revolute", first.body1, frames[0], first.body2, frames[1])
    return result


def _hold_an_axis(first: Ends, second: Ends) -> bool:
    if not first.joint == second.joint == "spherical":
        return False
    lengths = [
        float(np.linalg.norm(b.p - a.p))
        for a, b in ((first.pose1, second.pose1), (first.pose2, second.pose2))
    ]
    return min(lengths) > 0 and abs(lengths[0] - lengths[1]) <= SAME_LENGTH * max(lengths)


def _loop(ends: Ends) -> Loop:
    # Only the point of a ball joint matters; its frames are not rotated.
    pose1, pose2 = (
        (Rigid(p=pose.p) if ends.joint == "spherical" else pose) for pose in (ends.pose1, ends.pose2)
    )
    return Loop(
        ends.name,
        ends.joint,
        LoopEnd(ends.body1, pose1.placement()),
        LoopEnd(ends.body2, pose2.placement()),
    )


def actuated_of(sections: list[Element], tree: Tree, settings: Settings) -> set[str] | None:
    """Names of the actuated joints; None where the file has no <actuator> at all."""
    if not sections:
        return None
    actuated: set[str] = set()
    known = KnownNames(tree.joints)
    for element in (child for section in sections for child in section.children):
        name = element.attributes.get("joint") or element.attributes.get("jointinparent")
        if name is None:
            settings.leave_out("actuators that act on no joint", element.attributes.get("name", element.tag))
        elif name not in known:
            reason = str(UnknownName("joint", name, known, "the file"))
            settings.notes.add(element, name_of(element), reason)
        else:
            actuated.add(name)
    return actuated


def gravity_of(options: list[Element], settings: Settings) -> list[float]:
    """<option gravity>, zero if the flag is off; drag of the medium is reported as left out."""
    gravity = [0.0, 0.0, -9.81]
    for option in options:
        gravity = numbers(option, "gravity", gravity, settings.notes)
        for name in ("density", "viscosity"):
            if number(option, name, 0.0, settings.notes):
                settings.leave_out("drag of the medium (option)", name)
        for child in option.all("flag"):
            if child.attributes.get("gravity") == "disable":
                return [0.0, 0.0, 0.0]
    return gravity
