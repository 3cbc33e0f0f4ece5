"""Robots from SDF files. Joints name any two links, so the graph may have loops, which are cut open here.

The root is the world where a joint names it, else the model's canonical link. Joints at which loops are cut
are named by the caller or chosen (see `spanning`); a joint whose child is nearer to the root is reversed.
Visuals, collisions, sensors and plugins are not read.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import BadModel, IgnoredWarning, TooLarge, UnknownName
from rikigaku.core.input_files import read_input
from rikigaku.core.input_limits import LINKS
from rikigaku.formats.offset_joints import Names, carried
from rikigaku.formats.sdf.sdf_joints import GEARBOX, Gear, JointReader, SdfJoint, hinges_of, reversed_joint
from rikigaku.formats.sdf.sdf_poses import WORLD, Poses
from rikigaku.formats.sdf.sdf_values import cycle, listed, named, number, text
from rikigaku.formats.sdf.spanning_tree import Edge, Step, spanning_tree
from rikigaku.formats.xml_tree import Element, xml_tree
from rikigaku.formats.xml_values import Notes, brief, name_of
from rikigaku.model.float_poses import Rigid, formulas, rotation_to, rpy_formulas
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.physical_consistency import check_inertias
from rikigaku.model.robot_model import Coupling, Frame, Link, Loop, LoopEnd, RobotModel
from rikigaku.numbers.formula import Formula

_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_sdf(
    path: str | os.PathLike[str],
    *,
    cut: Sequence[str] = (),
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
) -> RobotModel:
    """The robot in an SDF file.

    Args:
        cut: joints at which loops are cut open; where loops remain, further ones are chosen.
        strict, repair: as `read_urdf`.
    Raises:
        BadModel: with all mistakes of the file, each with its line. UnknownName, WrongValue: for `cut`.
    """
    path = Path(path)
    return parse_sdf(read_input(path), path.name, cut=cut, strict=strict, repair=repair)


def parse_sdf(
    content: str | bytes,
    source: str = "The SDF text",
    *,
    cut: Sequence[str] = (),
    strict: bool = False,
    repair: Literal["nearest"] | None = None,
) -> RobotModel:
    """The robot in an SDF text; `source` is what messages call it. Otherwise as `read_sdf`."""
    root = xml_tree(content, source)
    model = _model(root, source)
    file = _File(model, _version(root), Notes())
    file.read()
    file.notes.refuse(source)
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
        if len(self.links) > LINKS:
            raise TooLarge(f"The model has {len(self.links)} links; at most {LINKS} are read.")
        if not self.links:
            notes.add(model, name_of(model), "there is no <link>")
        self.elements = named(model, "joint", notes)
        self.frames = named(model, "frame", notes)
        self.poses = Poses(model, self.links, self.elements, self.frames, notes)
        self.inertias = {name: self.inertia(name, link) for name, link in self.links.items()}
        self.bodies = self.frame_bodies()
        reader = JointReader(self.poses, self.links, self.version, notes)
        hinges = hinges_of(self.elements)
        self.joints: dict[str, SdfJoint] = {}
        self.gears: list[Gear] = []
        for name, element in self.elements.items():
            if element.attributes.get("type") == GEARBOX:
                if gear := reader.gear(name, element, self.elements, hinges):
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

    def robot(self, source: str, cut: Sequence[str]) -> RobotModel:
        """The tree with its cuts; the file has no mistakes at this point."""
        name = self.model.attributes.get("name") or Path(source).stem
        on_world = any(joint.parent == WORLD for joint in self.joints.values())
        first = self.model.attributes.get("canonical_link") or next(iter(self.links))
        rotated = not self.poses[first].unrotated  # then gravity is not along its axes
        grounded = text(self.model, "static") in ("1", "true") or rotated
        root = WORLD if on_world else first
        followers = {gear.follower for gear in self.gears}
        edges = [
            Edge(one, joint.joint.type, joint.parent, joint.child, joint.loses)
            for one, joint in self.joints.items()
        ]
        try:
            spanning = spanning_tree(root, self.links, edges, cut)
        except BadModel as error:
            raise BadModel(error.problems, source, error.further) from error
        if spanning.loose:
            reason = f"{len(spanning.loose)} links are connected to nothing: {listed(spanning.loose)}"
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
        try:
            robot = RobotModel(
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
        except BadModel as error:  # what only the whole shows, such as a name that cannot be shown
            raise BadModel(error.problems, source, error.further) from error
        self.warn(source, cuts, kept)
        return robot

    def carried(self, step: Step, followers: set[str], names: Names) -> Iterator[Link]:
        found = self.joints[step.edge.name]
        joint = reversed_joint(found.joint) if step.backwards else found.joint
        if joint.name in followers:
            joint = replace(joint, actuated=False)
        at = self.poses[joint.name]
        before = self.poses[step.parent].inverse() @ at
        after = at.inverse() @ self.poses[step.body]
        yield from carried(step.body, step.parent, joint, before, after, self.inertias[step.body], names)

    def loop(self, found: SdfJoint) -> Loop:
        """A cut joint: the same frame on both links, its z along the axis."""
        joint = found.joint
        axis, second = (np.array([float(x) for x in one]) for one in (joint.axis, joint.second_axis))
        rotation = np.eye(3)
        if joint.type in ("revolute", "prismatic"):
            rotation = rotation_to(axis)
        elif joint.type == "universal":
            if abs(axis @ second) > 1e-9 * np.linalg.norm(axis) * np.linalg.norm(second):
                advice = "its axes are not perpendicular, so it cannot be cut; cut another joint of the loop"
                raise BadModel([f"joint {joint.name!r}: {advice}"])
            rotation = rotation_to(axis, second)
        at = self.poses[joint.name] @ Rigid(rotation)
        start, end = (
            LoopEnd(link, (self.poses[link].inverse() @ at).placement())
            for link in (found.parent, found.child)
        )
        return Loop(joint.name, joint.type, start, end)

    def frame_bodies(self) -> dict[str, str]:
        """The link that carries each frame, through the frames it is attached to; a cycle is noted."""
        bodies: dict[str, str] = {}
        for start in self.frames:
            passed: dict[str, None] = {}
            at = start
            while at in self.frames and at not in bodies and at not in passed:
                passed[at] = None
                at = self.frames[at].attributes.get("attached_to", "")
            if at in passed:
                names = list(passed)
                ring = cycle([*names[names.index(at) :], at])
                element = self.frames[at]
                self.notes.add(element, name_of(element), f"these frames are attached to each other: {ring}")
            body = bodies.get(at, "") if at in self.frames else at
            bodies |= dict.fromkeys(passed, body)
        return bodies

    def model_frames(self) -> Iterator[Frame]:
        for name, body in self.bodies.items():
            link = text(self.elements[body], "child") if body in self.elements else body
            if link in self.links and name not in self.links:
                yield Frame(name, link, (self.poses[link].inverse() @ self.poses[name]).placement())

    def warn(self, source: str, cuts: Sequence[SdfJoint], kept: set[str]) -> None:
        """One warning for what the file holds and the model does not."""
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
            warn_caller(message, IgnoredWarning)


def _model(root: Element, source: str) -> Element:
    if root.tag != "sdf":
        reason = f"an SDF file begins with <sdf version='...'>, not <{brief(root.tag)}>"
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
    numbers = all(part.isdecimal() and len(part) < 10 for part in parts)
    return tuple(int(part) for part in parts) if numbers else (1, 12)


def _unit_tensor() -> tuple[Formula, Formula, Formula, Formula, Formula, Formula]:
    one, zero = Formula.of(1), Formula.of(0)
    return one, zero, zero, one, zero, one
