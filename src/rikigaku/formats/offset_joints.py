"""A body whose joint frame differs from its own frame, as links of the model.

In the model a link's frame is its joint's frame. A body whose joint is elsewhere becomes two links: one at
the joint, which moves, and the body itself fixed on it under its own name, with the inertia.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.model.float_poses import LENGTH_DUST, UNIT_DUST, Rigid, Triple, formulas
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Link


class Names:
    """Names that are taken, and new ones beside them."""

    def __init__(self, taken: Iterator[str] | tuple[str, ...] = ()) -> None:
        self.taken = set(taken)
        self._counts: dict[str, int] = {}  # where the search for a free number of a name goes on

    def fresh(self, name: str) -> str:
        """The name, with a number behind it if something else has it; it is taken from now on."""
        free, count = name, self._counts.get(name, 1)
        while free in self.taken:
            count += 1
            free = f"{name} {count}"
        self._counts[name] = count
        self.taken.add(free)
        return free


def carried(
    name: str, parent: str, joint: Joint, before: Rigid, after: Rigid, inertia: Inertia | None, names: Names
) -> Iterator[Link]:
    """Links that carry a body: `before` is the joint frame on the parent, `after` the body in the moved one.

    names: links and joints that have to differ from what is added here.
    """
    if joint.type == "fixed":
        yield Link(name, parent, joint, (before @ after).placement(), inertia)
        return
    if _by_axes(joint):
        rotation, offset = Rigid(after.R), after.R.T @ after.p
        fields = joint_type(joint.type).axis_fields
        axes: dict[str, Any] = {field: _in_body_axes(after, getattr(joint, field)) for field in fields}
        joint = replace(joint, **axes)
        before = before @ rotation
        after = Rigid(p=offset)
        before, after = _passed(joint, before, after)
    if after.unmoved:
        yield Link(name, parent, joint, before.placement(), inertia)
        return
    moving = names.fresh(f"{name}@{joint.name}")
    yield Link(moving, parent, joint, before.placement())
    mount = Joint(names.fresh(f"{name} mount"), "fixed", actuated=False)
    yield Link(name, moving, mount, after.placement(), inertia)


def _by_axes(joint: Joint) -> bool:
    """Whether all motions are along the joint's axes: these can be written in any axes of the body."""
    return all(direction in ("axis", "second_axis") for _, direction in joint_type(joint.type).motions)


def _in_body_axes(after: Rigid, axis: Triple) -> Triple:
    """A direction of the joint frame in the body's axes."""
    if after.unrotated:
        return axis
    return formulas(after.R.T @ np.array([float(x) for x in axis]), UNIT_DUST)


def _passed(joint: Joint, before: Rigid, after: Rigid) -> tuple[Rigid, Rigid]:
    """Move the translation after a joint before it, where the two commute."""
    if joint_type(joint.type).translates_only:
        return before @ after, Rigid()
    if joint_type(joint.type).axis_fields == ("axis",):
        z = np.array([float(x) for x in joint.axis])
        along = z * (z @ after.p) / (z @ z)
        if np.abs(after.p - along).max() < LENGTH_DUST:
            return before @ after, Rigid()
    return before, after
