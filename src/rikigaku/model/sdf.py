"""Robots from SDF files: every joint names its two links, so loops occur by themselves and are cut open here.

The root is the world where a joint names it, else the model's canonical link. Joints at which loops are cut
are named by the caller or chosen (see `spanning`); a joint whose child is nearer to the root is turned round.
Visuals, collisions, sensors and plugins are not read.
"""

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

import numpy as np

from rikigaku.errors import BadModel, IgnoredWarning, TooLarge, UnknownName
from rikigaku.model.carried import Names, carried
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import ClosingType, Joint
from rikigaku.model.physical import check_inertias
from rikigaku.model.rigid import Rigid, formulas, rotation_to, rpy_formulas
from rikigaku.model.robot import Coupling, Frame, Link, Loop, LoopEnd, Robot
from rikigaku.model.sdf_joints import GEARBOX, Gear, JointReader, SdfJoint, reversed_joint
from rikigaku.model.sdf_poses import WORLD, Poses
from rikigaku.model.sdf_values import listed, named, number, text
from rikigaku.model.spanning import Edge, Step, spanning_tree
from rikigaku.model.urdf_values import Notes, name_of
from rikigaku.model.xml_tree import MAX_BYTES, Element, xml_tree
from rikigaku.numbers.formula import Formula

MAX_LINKS = 10_000
MAX_PROBLEMS = 100
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_sdf(
    path: str | os.PathLike[str],
    *,
    cut: Sequence[str] = (),
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
) -> Robot:
    """The robot in an SDF file.

    Args:
        cut: joints at which loops are cut open; where loops remain, further ones are chosen.
        strict, repair: as `read_urdf`.
    Raises:
        BadModel: with all mistakes of the file, each with its line. UnknownName, WrongValue: for `cut`.
    """
    path = Path(path)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    return parse_sdf(data, path.name, cut=cut, strict=strict, repair=repair)


def parse_sdf(
    content: str | bytes,
    source: str = "The SDF text",
    *,
    cut: Sequence[str] = (),
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
) -> Robot:
    """The robot in an SDF text; `source` is what messages call it. Otherwise as `read_sdf`."""
    root = xml_tree(content, source)
    model = _model(root, source)
    file = _File(model, _version(root), Notes())
    file.read()
    if file.notes.problems:
        raise BadModel(file.notes.problems[:MAX_PROBLEMS], source)
    robot = file.robot(source, cut)
    return check_inertias(robot, strict=strict, repair=repair)


@dataclass
class _File:
    """One model: its links, joints and gears, then the robot they make."""

    model: Element
    version: tuple[int, ...]
    notes: Notes

    def read(self) -> None:
        notes, model = self.notes, self.model
        for tag in ("model", "include"):
            for element in model.all(tag):
                advice = "write the flat model first: gz sdf -p model.sdf"
                notes.add(element, name_of(element), f"a model inside a model is not read; {advice}")
        self.links = named(model, "link", notes)
        if len(self.links) > MAX_LINKS:
            raise TooLarge(f"The model has {len(self.links)} links; at most {MAX_LINKS} are read.")
        if not self.links:
            notes.add(model, name_of(model), "there is no <link>")
        self.elements = named(model, "joint", notes)
        self.frames = named(model, "frame", notes)
        self.poses = Poses(model, self.links, self.elements, self.frames, notes)
        self.inertias = {name: self.inertia(name, link) for name, link in self.links.items()}
        reader = JointReader(self.poses, self.links, self.version, notes)
        self.joints: dict[str, SdfJoint] = {}
        self.gears: list[Gear] = []
        for name, element in self.elements.items():
            if element.attributes.get("type") == GEARBOX:
                if gear := reader.gear(name, element, self.elements):
                    self.gears.append(gear)
            elif found := reader.read(name, element):
                self.joints[name] = found
        canonical = model.attributes.get("canonical_link", "")
        if canonical and canonical not in self.links:
            reason = str(UnknownName("link", canonical, self.links, "the model"))
            notes.add(model, name_of(model), reason)

    def inertia(self, name: str, link: Element) -> Inertia | None:
        owner, notes = name_of(link), self.notes
        found = link.all("inertial")
        if not found:
            return Inertia("com", Formula.of(1), tensor=_unit_tensor())  # SDF's default body
        where = self.poses[name].inverse() @ self.poses.of(found[0], owner, name)
        m = number(found[0], owner, notes, "mass", default=1.0)
        if m < 0:
            notes.add(found[0], owner, f"mass {m:g} is negative")
        xx, xy, xz, yy, yz, zz = (
            Formula.of(number(found[0], owner, notes, "inertia", tag, default=float(tag[1] == tag[2])))
            for tag in _TENSOR
        )
        rpy = rpy_formulas(where.R)
        return Inertia("com", Formula.of(m), formulas(where.p), (xx, xy, xz, yy, yz, zz), rpy)

    def robot(self, source: str, cut: Sequence[str]) -> Robot:
        """The tree with its cuts; everything in the file has been found sound."""
        name = self.model.attributes.get("name") or Path(source).stem
        on_world = any(joint.parent == WORLD for joint in self.joints.values())
        first = self.model.attributes.get("canonical_link") or next(iter(self.links))
        turned = not self.poses[first].unturned  # then gravity is not along its axes
        grounded = text(self.model, "static") in ("1", "true") or turned
        root = WORLD if on_world else first
        followers = {gear.follower for gear in self.gears}
        edges = [
            Edge(one, joint.joint.type, joint.parent, joint.child, joint.loses)
            for one, joint in self.joints.items()
        ]
        try:
            spanning = spanning_tree(root, self.links, edges, cut)
        except BadModel as error:
            raise BadModel(error.problems, source) from error
        if spanning.loose:
            reason = f"{len(spanning.loose)} links hang on nothing: {listed(spanning.loose)}"
            raise BadModel([f"{reason}. Join them to the others, or to 'world'"], source)
        names = Names((WORLD, *self.links, *self.elements, *self.frames))
        order = {one: i for i, one in enumerate(self.elements)}
        links: list[Link] = []
        if not on_world and grounded:
            mount = Joint(names.fresh(f"{root} mount"), "fixed", actuated=False)
            place = self.poses[WORLD].inverse() @ self.poses[root]
            links.append(Link(root, WORLD, mount, place.placement(), self.inertias[root]))
        for step in sorted(spanning.steps, key=lambda step: order[step.edge.name]):
            links += self.carried(step, followers, names)
        base = WORLD if on_world or grounded else root
        cuts = [self.joints[edge.name] for edge in spanning.cuts]
        kept = {step.edge.name for step in spanning.steps}
        robot = Robot(
            name,
            tuple(links),
            tuple(self.model_frames()),
            tuple(self.loop(joint) for joint in cuts),
            tuple(
                Coupling(gear.follower, gear.leader, Formula.of(gear.ratio))
                for gear in self.gears
                if {gear.follower, gear.leader} <= kept
            ),
            base=base,
            base_inertia=None if base == WORLD else self.inertias[root],
            source=source,
        )
        self.tell(source, cuts, kept)
        return robot

    def carried(self, step: Step, followers: set[str], names: Names) -> Iterator[Link]:
        found = self.joints[step.edge.name]
        joint = reversed_joint(found.joint) if step.backwards else found.joint
        if joint.name in followers:
            joint = replace(joint, actuated=False)
        at = self.poses[joint.name]
        before = self.poses[step.carrier].inverse() @ at
        after = at.inverse() @ self.poses[step.body]
        yield from carried(step.body, step.carrier, joint, before, after, self.inertias[step.body], names)

    def loop(self, found: SdfJoint) -> Loop:
        """A cut joint: the same frame on both links, its z along the axis."""
        joint = found.joint
        axis, second = (np.array([float(x) for x in one]) for one in (joint.axis, joint.second_axis))
        turn = np.eye(3)
        if joint.type in ("revolute", "prismatic"):
            turn = rotation_to(axis)
        elif joint.type == "universal":
            if abs(axis @ second) > 1e-9 * np.linalg.norm(axis) * np.linalg.norm(second):
                advice = "its axes are not perpendicular, so it cannot be cut; cut another joint of the loop"
                raise BadModel([f"joint {joint.name!r}: {advice}"])
            turn = rotation_to(axis, second)
        at = self.poses[joint.name] @ Rigid(turn)
        start, end = (
            LoopEnd(link, (self.poses[link].inverse() @ at).placement())
            for link in (found.parent, found.child)
        )
        return Loop(joint.name, cast(ClosingType, joint.type), start, end)

    def model_frames(self) -> Iterator[Frame]:
        for name, element in self.frames.items():
            link = element.attributes.get("attached_to", "")
            while link in self.frames:
                link = self.frames[link].attributes.get("attached_to", "")
            if link in self.elements:
                link = text(self.elements[link], "child")
            if link in self.links and name not in self.links:
                yield Frame(name, link, (self.poses[link].inverse() @ self.poses[name]).placement())

    def tell(self, source: str, cuts: Sequence[SdfJoint], kept: set[str]) -> None:
        """One warning for what the file says and the model does not hold."""
        lines = []
        lost = [one.joint for one in cuts]
        if rough := [joint.name for joint in lost if joint.viscous or joint.coulomb]:
            lines.append(f"  - friction of joints that were cut: {listed(rough)}")
        if springs := [joint.name for joint in lost if joint.stiffness]:
            lines.append(f"  - springs of joints that were cut: {listed(springs)}")
        gears = [gear.name for gear in self.gears if not {gear.follower, gear.leader} <= kept]
        if gears:
            lines.append(f"  - gears of joints that were cut: {listed(gears)}")
        if lines:
            message = "\n".join([f"{source} holds what is left out here:", *lines])
            warnings.warn(message, IgnoredWarning, stacklevel=4)


def _model(root: Element, source: str) -> Element:
    if root.tag != "sdf":
        reason = f"an SDF file begins with <sdf version='...'>, not <{root.tag}>"
        raise BadModel([f"line {root.line}: {reason}"], source)
    found = [*root.all("model"), *(one for world in root.all("world") for one in world.all("model"))]
    if len(found) != 1:
        names = listed([one.attributes.get("name", "?") for one in found])
        reason = f"it holds {len(found)} models ({names}); one is read" if found else "it holds no <model>"
        raise BadModel([f"line {root.line}: {reason}"], source)
    return found[0]


def _version(root: Element) -> tuple[int, ...]:
    """The version as numbers, (1, 6); the newest where it cannot be read."""
    parts = root.attributes.get("version", "").split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else (1, 12)


def _unit_tensor() -> tuple[Formula, Formula, Formula, Formula, Formula, Formula]:
    one, zero = Formula.of(1), Formula.of(0)
    return one, zero, zero, one, zero, one
