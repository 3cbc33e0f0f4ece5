"""The joints of an SDF model as data: axes in the joint's frame, limits, friction, gears."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.errors import UnknownName
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.sdf.sdf_poses import MODEL, WORLD, Poses
from rikigaku.formats.sdf.sdf_values import TRUE, inner, number, numbers, text
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import Notes, name_of
from rikigaku.model.float_poses import UNIT_DUST, Array, formulas
from rikigaku.model.joint import Z_AXIS, Joint, Limits
from rikigaku.model.joints.joint_types import JOINT_TYPES, joint_type
from rikigaku.numbers.formula import Formula

GEARBOX = "gearbox"
_TYPES = {known: type_ for type_ in JOINT_TYPES.values() for known in type_.sdf}
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
        """What a cut would lose: 2 for a spring, or an effort limit, 1 for friction, else 0.

        SDF does not say whether a joint is actuated, so actuation has no influence.
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

    def __post_init__(self) -> None:
        self.children = KnownNames(self.links)
        self.parents = KnownNames((*self.links, WORLD))

    def read(self, name: str, element: Element) -> SdfJoint | None:
        """The joint; None where the file is wrong beyond use."""
        owner = name_of(element)
        kind = element.attributes.get("type", "")
        if kind not in _TYPES:
            reason = str(UnknownName("joint type", kind, (*_TYPES, GEARBOX), "SDF"))
            self.notes.add(element, owner, reason)
            return None
        ends = [self._body(element, owner, tag) for tag in ("parent", "child")]
        if ends[0] is None or ends[1] is None:
            return None
        if ends[0] == ends[1]:
            self.notes.add(element, owner, f"both ends are {ends[0]!r}; a joint joins two links")
            return None
        type_ = _TYPES[kind]
        if not type_.axis_fields:
            return SdfJoint(Joint(name, type_.name, actuated=False), ends[0], ends[1], element)
        first = self.axis(name, element, owner, "axis")
        joint = Joint(name, type_.name, formulas(first, UNIT_DUST))
        if "second_axis" in type_.axis_fields:
            second = formulas(self.axis(name, element, owner, "axis2"), UNIT_DUST)
            joint = replace(joint, second_axis=second, actuated=False)
            return SdfJoint(joint, ends[0], ends[1], element)
        return SdfJoint(self._with_limits(joint, kind, element, owner), ends[0], ends[1], element)

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
        rotated: Array = self.poses[name].R.T @ self.poses[frame].R @ direction
        return rotated

    def gear(
        self, name: str, element: Element, joints: Mapping[str, Element], hinges: Mapping[frozenset[str], str]
    ) -> Gear | None:
        """A gearbox: angles of its two links on a third one, theta_child = -ratio theta_parent (SDF 1.12).

        hinges: the revolute joints by the two links that each connects.
        """
        owner, reference = name_of(element), text(element, "gearbox_reference_body")
        ratio = number(element, owner, self.notes, "gearbox_ratio")
        sides = []
        for tag, axis in (("parent", "axis"), ("child", "axis2")):
            link = text(element, tag)
            direction = self.poses[name].R @ self.axis(name, element, owner, axis)
            hinge = hinges.get(frozenset((link, reference)))
            if hinge is None:
                reason = f"no revolute joint connects {link!r} to the reference body {reference!r}"
                self.notes.add(element, owner, reason)
                return None
            rotation_axis = self.poses[hinge].R @ self.axis(hinge, joints[hinge], owner, "axis")
            forward = 1 if text(joints[hinge], "parent") == reference else -1
            sides.append((hinge, forward * float(np.sign(rotation_axis @ direction))))
        (leader, s1), (follower, s2) = sides
        return Gear(name, follower, leader, -ratio * s1 * s2)

    def _body(self, element: Element, owner: str, tag: str) -> str | None:
        name = text(element, tag) or text(element, tag, "link_name")
        known = self.parents if tag == "parent" else self.children
        if name in known:
            return name
        reason = str(UnknownName("link", name, known, "the model"))
        self.notes.add(inner(element, tag) or element, owner, reason)
        return None

    def _with_limits(self, joint: Joint, kind: str, element: Element, owner: str) -> Joint:
        """Limits, friction and spring; a joint with a spring, or with an effort of 0, is not actuated."""
        axis = inner(element, "axis") or element

        def amount(*tags: str) -> float:
            return number(axis, owner, self.notes, *tags, default=0.0)

        def bound(tag: str) -> float | None:
            value = number(axis, owner, self.notes, "limit", tag, default=math.inf, bound=True)
            return None if abs(value) >= UNBOUNDED else value

        def largest(tag: str) -> float | None:
            value = bound(tag)
            return None if value is None or value < 0 else value  # -1 means none in SDF

        ranged = joint.nq == 1 and kind != "continuous"
        lower, upper = (bound("lower"), bound("upper")) if ranged else (None, None)
        if lower is not None and upper is not None and lower > upper:
            self.notes.add(axis, owner, f"lower {lower:g} is above upper {upper:g}")
            lower = upper = None
        limits = Limits(lower, upper, largest("velocity"), largest("effort"))
        stiffness = amount("dynamics", "spring_stiffness")
        for tag in ("damping", "friction"):
            if amount("dynamics", tag) < 0:
                self.notes.add(axis, owner, f"{tag} is negative: friction would add energy")
        return replace(
            joint,
            actuated=not stiffness and limits.effort != 0,
            limits=limits,
            viscous=Formula.of(amount("dynamics", "damping")),
            coulomb=Formula.of(amount("dynamics", "friction")),
            stiffness=Formula.of(stiffness),
            rest=Formula.of(amount("dynamics", "spring_reference") if stiffness else 0),
            pitch=Formula.of(self._pitch(element, owner) if joint_type(joint.type).has_pitch else 0),
        )

    def _pitch(self, element: Element, owner: str) -> float:
        """Pitch of a screw [m/rad]: from m a revolution, or from the older rad/m of a left-handed thread."""
        if inner(element, "screw_thread_pitch") is not None:
            return number(element, owner, self.notes, "screw_thread_pitch") / (2 * math.pi)
        older = number(element, owner, self.notes, "thread_pitch")
        return -1 / older if older else 0.0


def hinges_of(joints: Mapping[str, Element]) -> dict[frozenset[str], str]:
    """The first revolute joint between any two links, by these links."""
    found: dict[frozenset[str], str] = {}
    for name, joint in joints.items():
        if joint.attributes.get("type") in ("revolute", "continuous"):
            found.setdefault(frozenset((text(joint, "parent"), text(joint, "child"))), name)
    return found


def reversed_joint(joint: Joint) -> Joint:
    """The joint seen from the other side: the same coordinate moves the parent on the child.

    A universal joint's two angles change places; a spherical joint's quaternion is inverted.
    """
    fields = joint_type(joint.type).axis_fields
    flip: dict[str, Any] = {"axis": tuple(-x for x in joint.axis)}
    if "second_axis" in fields:
        flip = {"axis": tuple(-x for x in joint.second_axis), "second_axis": tuple(-x for x in joint.axis)}
    if not fields:
        flip = {"axis": Z_AXIS}
    return replace(joint, **flip)
