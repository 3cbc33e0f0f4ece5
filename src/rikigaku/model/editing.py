"""Edits of robots: every function returns a new robot and leaves its argument unchanged."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import (
    LimitWarning,
    UnknownName,
    UnphysicalInertiaWarning,
    WrongSize,
    WrongValue,
)
from rikigaku.core.value_text import short
from rikigaku.model.formula_fields import FormulaTriple, with_formulas
from rikigaku.model.geometry import Geometry, Placement
from rikigaku.model.geometry_composition import composed, coordinates, locked, motion_of
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joining import join, on_links
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.physical_consistency import inertia_problems
from rikigaku.model.robot_model import Coupling, Frame, Link, ModelT, RobotModel
from rikigaku.numbers.formula import ZERO, Formula


def lock(robot: ModelT, joint: str, value: object = 0) -> ModelT:
    """The robot with a joint fixed at a position; joints coupled to it are fixed at their coupled positions.

    value: [rad or m], a number, formula or text ("30*deg"); a sequence for a joint of several coordinates
        (quaternions w x y z of any length).
    A position beyond the joint's limits is used, with a LimitWarning.

    Raises:
        WrongValue: if the joint is fixed already, or follows another.
    """
    return locked_at(robot, {joint: value})


def locked_at(robot: ModelT, values: Mapping[str, object]) -> ModelT:
    """The robot with several joints fixed at positions, in one step; otherwise as `lock`."""
    joints = {link.joint.name: link.joint for link in robot.links}
    leaders = {coupling.joint: coupling.reference for coupling in robot.couplings}
    followers: dict[str, list[Coupling]] = {}
    for coupling in robot.couplings:
        followers.setdefault(coupling.reference, []).append(coupling)
    held: dict[str, Link] = {}
    link_of = {link.joint.name: link for link in robot.links}
    for name, position in values.items():
        if name not in joints:
            robot.joint(name)  # says that there is none
        if name in held or joints[name].type == "fixed":
            raise WrongValue(f"Joint {name!r} is fixed already.")
        if name in leaders:
            raise WrongValue(f"Joint {name!r} follows {leaders[name]!r}. Lock that joint instead.")
        waiting = [(name, position)]
        while waiting:
            joint, value = waiting.pop(0)
            moving, link = joints[joint], link_of[joint]
            motion = motion_of(moving, value)
            _warn_beyond_limits(moving, value)
            fixed = replace(moving, type="fixed", limits=Limits(), stiffness=ZERO, rest=ZERO)
            held[joint] = replace(link, joint=fixed, geometry=locked(link.geometry, motion))
            for coupling in followers.get(joint, ()):  # both have one coordinate, as the checks require
                (q,) = coordinates(moving, value)
                waiting.append((coupling.joint, coupling.multiplier * q + coupling.offset))
    return replace(
        robot,
        links=tuple(held.get(link.joint.name, link) for link in robot.links),
        couplings=tuple(c for c in robot.couplings if c.reference not in held),
        independent=tuple(name for name in robot.independent if name not in held),
    )


def free(
    robot: ModelT,
    joint: str,
    type: str = "revolute",
    axis: FormulaTriple | None = None,
    pitch: object = None,
) -> ModelT:
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
    if joint_type(type).has_pitch and pitch is None and not advance:
        raise WrongValue(
            f"A {type} joint needs the advance a radian: robot.free({joint!r}, {type!r}, pitch=0.01)."
        )
    direction = fixed.axis if axis is None else _triple(axis, "an axis")
    moving = replace(fixed, type=type, axis=direction, pitch=advance)
    independent = (*robot.independent, joint) if robot.independent else ()
    return replace(robot, links=_with_joint(robot, moving), independent=independent)


def on_free_base(
    robot: ModelT,
    type: str = "free",
    *,
    name: str | None = None,
    ground: str = "world",
    joint: str = "free_base",
) -> ModelT:
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
    robot: ModelT,
    to: str,
    inertia: Inertia | None = None,
    name: str = "payload",
    geometry: Geometry | None = None,
    frame: str | None = None,
) -> ModelT:
    """The robot with a tool or payload fixed on a link or frame.

    inertia: rk.Inertia("com", 1.5, (0, 0, 0.05)) is 1.5 kg, 5 cm along z of the new link; one that no rigid
        body can have gives an UnphysicalInertiaWarning.
    geometry: pose of the new link on `to`; frame: a name for a frame at the new link's origin, if wanted.
    """
    if not isinstance(inertia, Inertia | None) or not isinstance(geometry, Geometry | None):
        raise WrongValue(
            "attach takes an rk.Inertia and, as geometry, an rk.Placement (or a DH row), not "
            f"{inertia!r} and {geometry!r}. A point mass of 1 kg: rk.Inertia('com', 1)."
        )
    if inertia is not None and (wrong := inertia_problems(inertia)):
        message = f"Link {name!r} has an inertia no rigid body can have: {'; '.join(wrong)}."
        warn_caller(f"{message} The numbers are used as they are.", UnphysicalInertiaWarning)
    place = robot.frame(to)
    pose = composed(place.geometry, geometry or Placement())
    link = Link(name, place.link, Joint(f"{name}_mount", "fixed", actuated=False), pose, inertia)
    frames = (*robot.frames, *([Frame(frame, name)] if frame else []))
    return replace(robot, links=(*robot.links, link), frames=frames)


def bind(robot: ModelT, /, **symbols: object) -> ModelT:
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


def with_gravity(robot: ModelT, gravity: FormulaTriple) -> ModelT:
    """The robot under another gravity: acceleration of free fall in the world [m/s^2], three numbers."""
    if not isinstance(gravity, Sequence | np.ndarray) or isinstance(gravity, str):
        raise WrongValue(f"gravity is a vector of three numbers, as (0, 0, -9.81), not {gravity!r}.")
    return replace(robot, gravity=_triple(gravity, "gravity"))


def with_gravity_symbol(robot: ModelT, name: str) -> ModelT:
    """The robot under a gravity of its own direction whose magnitude is a symbol.

    Raises:
        WrongValue: without a direction of numbers, or if the robot has a symbol of that name already.
    """
    symbol = Formula.symbol(name)
    size = sum((x * x for x in robot.gravity), start=ZERO).sqrt()
    if not size or size.symbols or name in robot.free_symbols:
        reason = f"it has a symbol {name!r} already" if name in robot.free_symbols else "its gravity is "
        reason += "" if name in robot.free_symbols else f"({', '.join(map(str, robot.gravity))})"
        raise WrongValue(
            f"The gravity of robot {robot.name!r} cannot become the symbol {name!r}: {reason}. Choose "
            "another name, or give the robot a direction of gravity, robot.with_gravity((0, 0, -9.81))."
        )
    x, y, z = (component / size * symbol for component in robot.gravity)
    return replace(robot, gravity=(x, y, z))


def with_actuated(robot: ModelT, joints: Iterable[str]) -> ModelT:
    """The robot with exactly these joints actuated."""
    actuated = [joints] if isinstance(joints, str) else list(joints)
    known = [joint.name for joint in robot.joints]
    for name in actuated:
        if name not in known:
            raise UnknownName("moving joint", name, known, f"robot {robot.name!r}")
    links = tuple(
        replace(link, joint=replace(link.joint, actuated=link.joint.name in actuated)) for link in robot.links
    )
    return replace(robot, links=links)


def _warn_beyond_limits(joint: Joint, value: object) -> None:
    """Warn of a position beyond the limits; one with symbols is not compared."""
    lower, upper = joint.limits.lower, joint.limits.upper
    if lower is None and upper is None:
        return
    (q,) = coordinates(joint, value)
    if q.is_number and not (-math.inf if lower is None else lower) <= float(q) <= (
        math.inf if upper is None else upper
    ):
        span = f"{'-inf' if lower is None else lower} .. {'inf' if upper is None else upper}"
        message = f"Joint {joint.name!r} is locked at {float(q):g}, beyond its limits {span}."
        warn_caller(message, LimitWarning)


def _with_joint(robot: RobotModel, joint: Joint) -> tuple[Link, ...]:
    return tuple(
        replace(link, joint=joint) if link.joint.name == joint.name else link for link in robot.links
    )


def _triple(values: FormulaTriple, what: str) -> tuple[Formula, Formula, Formula]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise WrongValue(f"Three numbers or formulas belong to {what}; {short(values)} was given.")
    parts = [Formula.of(value) for value in values]
    if len(parts) != 3:
        raise WrongSize(f"{len(parts)} numbers are given for {what}; 3 belong there.")
    return parts[0], parts[1], parts[2]


def _renamed_base(robot: ModelT, name: str) -> ModelT:
    def new(link: str) -> str:
        return name if link == robot.base else link

    return replace(
        robot,
        base=name,
        links=tuple(replace(link, parent=new(link.parent)) for link in robot.links),
        frames=tuple(replace(frame, link=new(frame.link)) for frame in robot.frames),
        loops=tuple(on_links(loop, new(loop.start.link), new(loop.end.link)) for loop in robot.loops),
    )


def geometry_only(robot: RobotModel) -> RobotModel:
    """The robot without inertias, friction, rotors, springs, gears and gravity: its geometry."""
    links = tuple(map(link_geometry, robot.links))
    return replace(robot, links=links, couplings=(), base_inertia=None, gravity=(ZERO, ZERO, ZERO))


def link_geometry(link: Link) -> Link:
    """The link without inertia, friction, rotor and spring."""
    joint = replace(link.joint, viscous=ZERO, coulomb=ZERO, rotor=ZERO, stiffness=ZERO, rest=ZERO)
    return replace(link, inertia=None, joint=joint)


# What becomes a method of Robot.
EDITS = (lock, free, on_free_base, attach, join, bind, with_gravity, with_actuated)
