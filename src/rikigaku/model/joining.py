"""Robots joined to one: one on another, or several on one ground."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import IgnoredWarning, WrongValue
from rikigaku.core.value_text import short
from rikigaku.model.geometry import Placement
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Frame, Link, Loop, LoopEnd, ModelT, RobotModel, Symbol
from rikigaku.numbers.formula import Formula


def join(first: ModelT, second: RobotModel, at: str, prefix: str = "", name: str | None = None) -> ModelT:
    """Two robots as one: the base of the second is fixed on a link or frame of the first.

    Its names get the prefix; its base becomes a link fixed by the joint `<prefix><base>_mount`. Symbols of
    the same name are one symbol. The gravity is the first robot's (IgnoredWarning if they differ).
    Raises:
        WrongValue: if a symbol has two values or units. BadModel: if names collide; give a prefix.
    """
    if not isinstance(second, RobotModel) or not isinstance(prefix, str):
        raise WrongValue(
            "join takes a robot, the link or frame it is fixed on, and a prefix of its names, as "
            f"arm.join(rk.load('panda'), 'hand', prefix='b_'); {second!r} and prefix={prefix!r} were given."
        )
    place = first.frame(at)
    other = _prefixed(second, prefix)
    mount = Joint(f"{other.base}_mount", "fixed", actuated=False)
    base = Link(other.base, place.link, mount, place.geometry, other.base_inertia)
    together = _together(first, other, (base,))
    return replace(together, name=name or f"{first.name}_{second.name}")


@checked
def world(robots: Sequence[ModelT | tuple[ModelT, Placement]], name: str = "world") -> ModelT:
    """Several robots and free bodies as one robot on one ground: `world([arm, box, ball])`.

    A pair (robot, Placement) places its base on the ground; the bases of the others are the ground. q and v
    are those of the robots one after the other. Names stay as they are; a robot with a name that is in use
    already gets the prefix "<robot name>_" (then "<robot name>2_", ...) on all its names. The gravity is the
    first robot's (IgnoredWarning if they differ).
    Raises:
        WrongValue: for something else than robots, or a symbol with two values.
    """
    items = [x if isinstance(x, tuple) else (x, None) for x in robots]
    for item in items:
        if len(item) != 2 or not isinstance(item[0], RobotModel):
            raise WrongValue(f"A world takes robots, or pairs (robot, Placement); {short(item)} was given.")
        if not isinstance(item[1], Placement | None):
            raise WrongValue(f"A robot of a world is placed by a Placement; {short(item[1])} was given.")
    if not items:
        raise WrongValue("A world takes at least one robot.")
    nothing: dict[str, Any] = dict.fromkeys(("links", "frames", "loops", "couplings", "independent"), ())
    whole = replace(items[0][0], name=name, symbols=(), base_inertia=None, **nothing)
    for robot, placement in items:
        other, ground = _unique(robot, whole), whole.base
        if placement is None:
            own = () if other.base in (ground, *_names(whole)) else (Frame(other.base, ground, Placement()),)
            whole = _together(replace(whole, frames=(*whole.frames, *own)), _rebased(other, ground))
            continue
        other = other if other.base != ground else _rebased(other, f"{robot.name}_{ground}")
        mount = Joint(f"{other.base}_mount", "fixed", actuated=False)
        whole = _together(whole, other, (Link(other.base, ground, mount, placement),))
    return whole


def _together(first: ModelT, other: RobotModel, mount: tuple[Link, ...] = ()) -> ModelT:
    """Links, frames and loops of two robots as one; mount: a link between them, if there is one."""
    if first.gravity != other.gravity:
        both = f"{_shown(first.gravity)} and {_shown(other.gravity)}"
        message = f"{first.name!r} and {other.name!r} have the gravity {both}; the first is used."
        warn_caller(message, IgnoredWarning)
    return replace(
        first,
        links=(*first.links, *mount, *other.links),
        frames=(*first.frames, *other.frames),
        loops=(*first.loops, *other.loops),
        couplings=(*first.couplings, *other.couplings),
        independent=_joined_independent(first, other),
        symbols=_merged_symbols(first, other),
        source="; ".join(text for text in (first.source, other.source) if text),
    )


def _names(robot: RobotModel) -> set[str]:
    """Names of links, joints, frames and loops, without the base."""
    names = {x for link in robot.links for x in (link.name, link.joint.name)}
    return names | {frame.name for frame in robot.frames} | {loop.name for loop in robot.loops}


def _unique(robot: ModelT, whole: RobotModel) -> ModelT:
    """The robot, with a prefix before its names if one of them is in use."""
    taken, found, count = _names(whole) | {whole.base}, robot, 1
    while _names(found) & taken:
        prefix = f"{robot.name}_" if count == 1 else f"{robot.name}{count}_"
        found, count = _prefixed(robot, prefix), count + 1
    return found


def _rebased(robot: ModelT, base: str) -> ModelT:
    """The robot with another name of its base."""

    def renamed(link: str) -> str:
        return base if link == robot.base else link

    return replace(
        robot,
        base=base,
        links=tuple(replace(link, parent=renamed(link.parent)) for link in robot.links),
        frames=tuple(replace(frame, link=renamed(frame.link)) for frame in robot.frames),
        loops=tuple(on_links(x, renamed(x.start.link), renamed(x.end.link)) for x in robot.loops),
    )


def on_links(loop: Loop, start: str, end: str) -> Loop:
    """The cut joint between other links."""
    return replace(loop, start=LoopEnd(start, loop.start.geometry), end=LoopEnd(end, loop.end.geometry))


def _prefixed(robot: ModelT, prefix: str) -> ModelT:
    """The robot with the prefix before every name but those of symbols."""
    if not prefix:
        return robot
    return replace(
        robot,
        base=prefix + robot.base,
        links=tuple(
            replace(
                link,
                name=prefix + link.name,
                parent=prefix + link.parent,
                joint=replace(link.joint, name=prefix + link.joint.name),
            )
            for link in robot.links
        ),
        frames=tuple(replace(f, name=prefix + f.name, link=prefix + f.link) for f in robot.frames),
        loops=tuple(
            replace(on_links(loop, prefix + loop.start.link, prefix + loop.end.link), name=prefix + loop.name)
            for loop in robot.loops
        ),
        couplings=tuple(
            replace(c, joint=prefix + c.joint, reference=prefix + c.reference) for c in robot.couplings
        ),
        independent=tuple(prefix + name for name in robot.independent),
    )


def _joined_independent(first: RobotModel, second: RobotModel) -> tuple[str, ...]:
    """Choices of both; for an open robot without one, all its joints. None if a choice is missing."""
    choices = []
    for robot in (first, second):
        open_choice = () if robot.loops or robot.couplings else tuple(joint.name for joint in robot.joints)
        choices.append(robot.independent or open_choice)
        if (robot.loops or robot.couplings) and not robot.independent:
            return ()
    return (*choices[0], *choices[1]) if first.independent or second.independent else ()


def _merged_symbols(first: RobotModel, second: RobotModel) -> tuple[Symbol, ...]:
    merged = {symbol.name: symbol for symbol in first.symbols}
    for symbol in second.symbols:
        known = merged.setdefault(symbol.name, symbol)
        if known != symbol:
            both = " and ".join(f"{s.value} {s.unit}".strip() for s in (known, symbol))
            raise WrongValue(
                f"The symbol {symbol.name!r} is {both} in the two robots. Bind it in one of them first."
            )
    return tuple(merged.values())


def _shown(gravity: Iterable[Formula]) -> str:
    return f"({', '.join(map(str, gravity))})"
