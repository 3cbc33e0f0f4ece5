"""The joints of an SDF model as data: axes in the joint's frame, limits, friction, gears."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rikigaku.errors import UnknownName
from rikigaku.model.joint import Z_AXIS, Joint, JointType, Limits
from rikigaku.model.rigid import UNIT_DUST, Array, formulas
from rikigaku.model.sdf_poses import MODEL, WORLD, Poses
from rikigaku.model.sdf_values import TRUE, inner, number, numbers, text
from rikigaku.model.urdf_values import Notes, name_of
from rikigaku.model.xml_tree import Element
from rikigaku.numbers.formula import Formula

TYPES: dict[str, JointType] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "universal",
    "screw": "helical",
    "fixed": "fixed",
}
GEARBOX = "gearbox"
# SDF's own default bounds, and what files write for "none".
UNBOUNDED = 1e15


@dataclass(frozen=True)
class SdfJoint:
    """A joint with the bodies it joins; axes are in the joint's frame."""

    joint: Joint
    parent: str
    child: str
    element: Element

    @property
    def loses(self) -> int:
        """What a cut would lose: 2 for a spring, or a drive with a limit of effort, 1 for friction, else 0.

        That a joint is driven is otherwise a guess (SDF has no word for it), and does not count here.
        """
        if self.joint.stiffness or self.joint.limits.effort:
            return 2
        return 1 if self.joint.viscous or self.joint.coulomb else 0


class Gear(NamedTuple):
    """q[follower] = ratio q[leader]."""

    name: str
    follower: str
    leader: str
    ratio: float


@dataclass
class JointReader:
    """Reads one joint after the other; `version` decides what an axis is given in."""

    poses: Poses
    links: dict[str, Element]
    version: tuple[int, ...]
    notes: Notes

    def read(self, name: str, element: Element) -> SdfJoint | None:
        """The joint; None where the file is wrong beyond use."""
        owner = name_of(element)
        kind = element.attributes.get("type", "")
        if kind not in TYPES:
            reason = str(UnknownName("joint type", kind, (*TYPES, GEARBOX), "SDF"))
            self.notes.add(element, owner, reason)
            return None
        ends = [self._body(element, owner, tag) for tag in ("parent", "child")]
        if ends[0] is None or ends[1] is None:
            return None
        if ends[0] == ends[1]:
            self.notes.add(element, owner, f"both ends are {ends[0]!r}; a joint joins two links")
            return None
        type_ = TYPES[kind]
        if type_ == "fixed":
            return SdfJoint(Joint(name, "fixed", actuated=False), ends[0], ends[1], element)
        if type_ == "spherical":
            return SdfJoint(Joint(name, "spherical", actuated=False), ends[0], ends[1], element)
        first = self.axis(name, element, owner, "axis")
        joint = Joint(name, type_, formulas(first, UNIT_DUST))
        if type_ == "universal":
            second = formulas(self.axis(name, element, owner, "axis2"), UNIT_DUST)
            joint = replace(joint, second_axis=second, actuated=False)
            return SdfJoint(joint, ends[0], ends[1], element)
        return SdfJoint(self._driven(joint, kind, element, owner), ends[0], ends[1], element)

    def axis(self, name: str, element: Element, owner: str, tag: str) -> Array:
        """A direction in the joint's frame."""
        xyz = inner(element, tag, "xyz")
        if xyz is None:
            self.notes.add(element, owner, f"<{tag}><xyz> is missing")
            return np.array([0.0, 0.0, 1.0])
        direction = np.array(numbers(xyz, owner, self.notes, 3))
        if not direction.any():
            self.notes.add(xyz, owner, "the zero vector has no direction")
            return np.array([0.0, 0.0, 1.0])
        frame = xyz.attributes.get("expressed_in", "")
        in_model = self.version < (1, 5) or text(element, tag, "use_parent_model_frame") in TRUE
        if in_model and not frame:
            frame = MODEL
        if not frame or frame == name:
            return direction
        turned: Array = self.poses[name].R.T @ self.poses[frame].R @ direction
        return turned

    def gear(self, name: str, element: Element, joints: Mapping[str, Element]) -> Gear | None:
        """A gearbox: angles of its two links on a third one, theta_child = -ratio theta_parent (SDF 1.12)."""
        owner, reference = name_of(element), text(element, "gearbox_reference_body")
        ratio = number(element, owner, self.notes, "gearbox_ratio")
        sides = []
        for tag, axis in (("parent", "axis"), ("child", "axis2")):
            link = text(element, tag)
            direction = self.poses[name].R @ self.axis(name, element, owner, axis)
            hinge = next((one for one, other in joints.items() if _hinges(other, link, reference)), None)
            if hinge is None:
                reason = f"no hinge joins {link!r} to the reference body {reference!r}"
                self.notes.add(element, owner, reason)
                return None
            turns = self.poses[hinge].R @ self.axis(hinge, joints[hinge], owner, "axis")
            forward = 1 if text(joints[hinge], "parent") == reference else -1
            sides.append((hinge, forward * float(np.sign(turns @ direction))))
        (leader, s1), (follower, s2) = sides
        return Gear(name, follower, leader, -ratio * s1 * s2)

    def _body(self, element: Element, owner: str, tag: str) -> str | None:
        name = text(element, tag) or text(element, tag, "link_name")
        known = (*self.links, *((WORLD,) if tag == "parent" else ()))
        if name in known:
            return name
        reason = str(UnknownName("link", name, known, "the model"))
        self.notes.add(inner(element, tag) or element, owner, reason)
        return None

    def _driven(self, joint: Joint, kind: str, element: Element, owner: str) -> Joint:
        """Limits, friction and spring; a joint with a spring, or with an effort of 0, is not driven."""
        axis = inner(element, "axis") or element

        def amount(*tags: str) -> float:
            return number(axis, owner, self.notes, *tags, default=0.0)

        def bound(tag: str) -> float | None:
            value = number(axis, owner, self.notes, "limit", tag, default=math.inf)
            return None if abs(value) >= UNBOUNDED else value

        def largest(tag: str) -> float | None:
            value = bound(tag)
            return None if value is None or value < 0 else value  # -1 is SDF's word for none

        ranged = joint.nq == 1 and kind != "continuous"
        lower, upper = (bound("lower"), bound("upper")) if ranged else (None, None)
        if lower is not None and upper is not None and lower > upper:
            self.notes.add(axis, owner, f"lower {lower:g} is above upper {upper:g}")
            lower = upper = None
        limits = Limits(lower, upper, largest("velocity"), largest("effort"))
        stiffness = amount("dynamics", "spring_stiffness")
        for tag in ("damping", "friction"):
            if amount("dynamics", tag) < 0:
                self.notes.add(axis, owner, f"{tag} is negative: friction would feed energy in")
        return replace(
            joint,
            actuated=not stiffness and limits.effort != 0,
            limits=limits,
            viscous=Formula.of(amount("dynamics", "damping")),
            coulomb=Formula.of(amount("dynamics", "friction")),
            stiffness=Formula.of(stiffness),
            rest=Formula.of(amount("dynamics", "spring_reference") if stiffness else 0),
            pitch=Formula.of(self._pitch(element, owner) if joint.type == "helical" else 0),
        )

    def _pitch(self, element: Element, owner: str) -> float:
        """Advance of a screw [m/rad]: from m a turn, or from the older rad/m of a left-handed thread."""
        if inner(element, "screw_thread_pitch") is not None:
            return number(element, owner, self.notes, "screw_thread_pitch") / (2 * math.pi)
        older = number(element, owner, self.notes, "thread_pitch")
        return -1 / older if older else 0.0


def _hinges(joint: Element, one: str, other: str) -> bool:
    """Whether the joint is a hinge between those two links."""
    ends = {text(joint, "parent"), text(joint, "child")}
    return joint.attributes.get("type") in ("revolute", "continuous") and ends == {one, other}


def reversed_joint(joint: Joint) -> Joint:
    """The joint seen from the other side: the same coordinate moves the parent on the child.

    A universal joint's two angles change places; a ball's quaternion is the inverse one.
    """
    flip = {"axis": tuple(-x for x in joint.axis)}
    if joint.type == "universal":
        flip = {"axis": tuple(-x for x in joint.second_axis), "second_axis": tuple(-x for x in joint.axis)}
    if joint.type in ("spherical", "fixed"):
        flip = {"axis": Z_AXIS}
    return replace(joint, **flip)  # type: ignore[arg-type]
