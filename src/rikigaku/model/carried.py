"""A body carried by a joint that does not sit at the body's own frame, as links of the model.

A link's frame is its joint's frame. Files that place a joint elsewhere on the body give two links: one at the
joint, which moves, and the body itself fixed on it under its own name, with the inertia.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.rigid import LENGTH_DUST, UNIT_DUST, Rigid, Triple, formulas
from rikigaku.model.robot import Link

# Joints whose axes can be written in any axes of the body: their frame may turn with it.
_BY_AXIS = ("revolute", "prismatic", "helical", "universal")


class Names:
    """Names that are taken, and new ones beside them."""

    def __init__(self, taken: Iterator[str] | tuple[str, ...] = ()) -> None:
        self.taken = set(taken)

    def fresh(self, name: str) -> str:
        """The name, with a number behind it if something else has it; it is taken from now on."""
        free, count = name, 1
        while free in self.taken:
            count += 1
            free = f"{name} {count}"
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
    if joint.type in _BY_AXIS:
        turn, slide = Rigid(after.R), after.R.T @ after.p
        joint = replace(
            joint,
            axis=_turned(after, joint.axis),
            second_axis=_turned(after, joint.second_axis) if joint.type == "universal" else joint.second_axis,
        )
        before = before @ turn
        after = Rigid(p=slide)
        before, after = _passed(joint, before, after)
    if after.unmoved:
        yield Link(name, parent, joint, before.placement(), inertia)
        return
    moving = names.fresh(f"{name}@{joint.name}")
    yield Link(moving, parent, joint, before.placement())
    mount = Joint(names.fresh(f"{name} mount"), "fixed", actuated=False)
    yield Link(name, moving, mount, after.placement(), inertia)


def _turned(after: Rigid, axis: Triple) -> Triple:
    """A direction of the joint frame in the body's axes."""
    if after.unturned:
        return axis
    return formulas(after.R.T @ np.array([float(x) for x in axis]), UNIT_DUST)


def _passed(joint: Joint, before: Rigid, after: Rigid) -> tuple[Rigid, Rigid]:
    """What of the translation behind the joint may as well stand before it: along a hinge, all of a slide."""
    if joint.type == "prismatic":
        return before @ after, Rigid()
    if joint.type in ("revolute", "helical"):
        z = np.array([float(x) for x in joint.axis])
        along = z * (z @ after.p) / (z @ z)
        if np.abs(after.p - along).max() < LENGTH_DUST:
            return before @ after, Rigid()
    return before, after
