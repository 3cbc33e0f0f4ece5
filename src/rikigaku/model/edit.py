"""Robots changed: every function returns a new robot and leaves the given one as it is."""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from rikigaku.errors import (
    LimitWarning,
    UnknownName,
    UnphysicalInertiaWarning,
    WrongSize,
    WrongValue,
)
from rikigaku.model.compose import composed, coordinates, locked, motion_of
from rikigaku.model.geometry import Geometry, Placement
from rikigaku.model.inertia import Inertia
from rikigaku.model.joining import join, on_links
from rikigaku.model.joint import Joint, JointType, Limits
from rikigaku.model.physical import inertia_problems
from rikigaku.model.robot import Frame, Link, Robot
from rikigaku.model.walk import with_formulas
from rikigaku.numbers.formula import ZERO, Formula


def lock(robot: Robot, joint: str, value: object = 0) -> Robot:
    """The robot with a joint fixed at a position; joints coupled to it are fixed where they follow it.

    value: [rad or m], a number, formula or text ("30*deg"); a sequence for a joint of several coordinates
        (quaternions w x y z of any length).
    A position beyond the joint's limits is taken, with a LimitWarning.

    Raises:
        WrongValue: if the joint is fixed already, or follows another.
    """
    moving = robot.joint(joint)
    if moving.type == "fixed":
        raise WrongValue(f"Joint {joint!r} is fixed already.")
    for coupling in robot.couplings:
        if coupling.joint == joint:
            raise WrongValue(f"Joint {joint!r} follows {coupling.reference!r}. Lock that joint instead.")
    followers = [coupling for coupling in robot.couplings if coupling.reference == joint]
    kept = tuple(coupling for coupling in robot.couplings if coupling.reference != joint)
    motion = motion_of(moving, value)
    _tell_limits(moving, value)
    fixed = replace(moving, type="fixed", limits=Limits(), stiffness=ZERO, rest=ZERO)
    links = tuple(
        replace(link, joint=fixed, geometry=locked(link.geometry, motion)) if link.joint is moving else link
        for link in robot.links
    )
    independent = tuple(name for name in robot.independent if name != joint)
    result = replace(robot, links=links, couplings=kept, independent=independent)
    for coupling in followers:  # of a joint of one coordinate: the checks of Robot allow no others
        (q,) = coordinates(moving, value)
        result = lock(result, coupling.joint, coupling.multiplier * q + coupling.offset)
    return result


def free(
    robot: Robot,
    joint: str,
    type: JointType = "revolute",
    axis: Sequence[object] | None = None,
    pitch: object = None,
) -> Robot:
    """The robot with a fixed joint made to move; q = 0 is where it was fixed.

    axis: in joint-frame coordinates; the joint's own if left out (z unless it had another).
    pitch: of a helical joint [m/rad]; the joint's own if left out and it had one.
    """
    fixed = robot.joint(joint)
    if fixed.type != "fixed":
        raise WrongValue(f"Joint {joint!r} moves already ({fixed.type}). Only a fixed joint can be freed.")
    if type == "fixed":
        raise WrongValue(f"Joint {joint!r} is to be freed; 'fixed' is no motion.")
    advance = fixed.pitch if pitch is None else Formula.of(pitch)
    if type == "helical" and pitch is None and not advance:
        raise WrongValue(
            f"A helical joint advances as it turns: robot.free({joint!r}, 'helical', pitch=0.01)."
        )
    direction = fixed.axis if axis is None else _triple(axis, "an axis")
    moving = replace(fixed, type=type, axis=direction, pitch=advance)
    independent = (*robot.independent, joint) if robot.independent else ()
    return replace(robot, links=_with_joint(robot, moving), independent=independent)


def on_free_base(
    robot: Robot,
    type: JointType = "free",
    *,
    name: str | None = None,
    ground: str = "world",
    joint: str = "free_base",
) -> Robot:
    """The robot with its base carried by a free (or planar) joint: a satellite, a walking machine.

    The base becomes the first link, with the base's inertia, under its own name (or `name`); `ground` is the
    new base. The joint is not actuated and its coordinates come first in q.
    """
    body = name or (robot.base if robot.base != ground else "base_link")
    old = _renamed_base(robot, body) if body != robot.base else robot
    carried = Link(body, ground, Joint(joint, type, actuated=False), Placement(), old.base_inertia)
    independent = (joint, *old.independent) if old.independent else ()
    links = (carried, *old.links)
    return replace(old, base=ground, base_inertia=None, links=links, independent=independent)


def attach(
    robot: Robot,
    to: str,
    inertia: Inertia | None = None,
    name: str = "payload",
    geometry: Geometry | None = None,
    frame: str | None = None,
) -> Robot:
    """The robot with a tool or payload fixed on a link or frame.

    inertia: rk.Inertia("com", 1.5, (0, 0, 0.05)) is 1.5 kg, 5 cm along z of the new link; one that no rigid
        body can have is told by an UnphysicalInertiaWarning.
    geometry: pose of the new link on `to`; frame: a name for a frame at the new link's origin, if wanted.
    """
    if not isinstance(inertia, Inertia | None) or not isinstance(geometry, Geometry | None):
        raise WrongValue(
            "attach takes an rk.Inertia and, as geometry, an rk.Placement (or a DH row), not "
            f"{inertia!r} and {geometry!r}. A point mass of 1 kg: rk.Inertia('com', 1)."
        )
    if inertia is not None and (wrong := inertia_problems(inertia)):
        message = f"Link {name!r} has an inertia no rigid body can have: {'; '.join(wrong)}."
        warnings.warn(f"{message} The numbers are used as they are.", UnphysicalInertiaWarning, stacklevel=2)
    place = robot.frame(to)
    pose = composed(place.geometry, geometry or Placement())
    link = Link(name, place.link, Joint(f"{name}_mount", "fixed", actuated=False), pose, inertia)
    frames = (*robot.frames, *([Frame(frame, name)] if frame else []))
    return replace(robot, links=(*robot.links, link), frames=frames)


def bind(robot: Robot, /, **symbols: object) -> Robot:
    """The robot with symbols replaced by numbers, formulas or text: robot.bind(L=0.4, m2="2*m1").

    Raises:
        UnknownName: for a symbol the robot does not have.
    """
    known = dict.fromkeys((*(symbol.name for symbol in robot.symbols), *robot.free_symbols))
    for name in symbols:
        if name not in known:
            raise UnknownName("symbol", name, known, f"robot {robot.name!r}")
    values = {name: Formula.of(value) for name, value in symbols.items()}
    bare = replace(robot, symbols=tuple(symbol for symbol in robot.symbols if symbol.name not in values))
    return with_formulas(bare, lambda formula: formula.substitute(values))


def with_gravity(robot: Robot, gravity: Sequence[object]) -> Robot:
    """The robot under another gravity: acceleration of free fall in the world [m/s^2], three numbers."""
    if not isinstance(gravity, Sequence | np.ndarray) or isinstance(gravity, str):
        raise WrongValue(f"gravity is a vector of three numbers, as (0, 0, -9.81), not {gravity!r}.")
    return replace(robot, gravity=_triple(gravity, "gravity"))


def with_actuated(robot: Robot, joints: Iterable[str]) -> Robot:
    """The robot with exactly these joints driven."""
    driven = [joints] if isinstance(joints, str) else list(joints)
    known = [joint.name for joint in robot.joints]
    for name in driven:
        if name not in known:
            raise UnknownName("moving joint", name, known, f"robot {robot.name!r}")
    links = tuple(
        replace(link, joint=replace(link.joint, actuated=link.joint.name in driven)) for link in robot.links
    )
    return replace(robot, links=links)


def _tell_limits(joint: Joint, value: object) -> None:
    """Warn of a position beyond the limits; with symbols nobody knows."""
    lower, upper = joint.limits.lower, joint.limits.upper
    if lower is None and upper is None:
        return
    (q,) = coordinates(joint, value)
    if q.is_number and not (-math.inf if lower is None else lower) <= float(q) <= (
        math.inf if upper is None else upper
    ):
        span = f"{'-inf' if lower is None else lower} .. {'inf' if upper is None else upper}"
        message = f"Joint {joint.name!r} is locked at {float(q):g}, beyond its limits {span}."
        warnings.warn(message, LimitWarning, stacklevel=3)


def _with_joint(robot: Robot, joint: Joint) -> tuple[Link, ...]:
    return tuple(
        replace(link, joint=joint) if link.joint.name == joint.name else link for link in robot.links
    )


def _triple(values: Sequence[object], what: str) -> tuple[Formula, Formula, Formula]:
    parts = [Formula.of(value) for value in values]
    if len(parts) != 3:
        raise WrongSize(f"{len(parts)} numbers are given for {what}; 3 belong there.")
    return parts[0], parts[1], parts[2]


def _renamed_base(robot: Robot, name: str) -> Robot:
    def new(link: str) -> str:
        return name if link == robot.base else link

    return replace(
        robot,
        base=name,
        links=tuple(replace(link, parent=new(link.parent)) for link in robot.links),
        frames=tuple(replace(frame, link=new(frame.link)) for frame in robot.frames),
        loops=tuple(on_links(loop, new(loop.start.link), new(loop.end.link)) for loop in robot.loops),
    )


# What becomes a method of Robot.
EDITS = (lock, free, on_free_base, attach, join, bind, with_gravity, with_actuated)
